package shell

import (
	"encoding/json"
	"strings"

	fast "github.com/goccy/go-json"

	"policyd/extract/windows"
)

// Names of entries for Windows begin with the language that they are commands
// of, or with "windows" for programs. No other name holds a slash.
const (
	cmdletPrefix  = "powershell/"
	builtinPrefix = "cmd/"
	windowsPrefix = "windows/"
)

// windowsNames is how commands are called on Windows: names in lower case, with
// their prefix, to the keys of entries.
type windowsNames map[string]string

// add notes an entry's names.
func (n windowsNames) add(key string, raw json.RawMessage) error {
	prefix, _, ok := strings.Cut(key, "/")
	if !ok {
		return nil
	}
	var e entry
	if err := fast.Unmarshal(raw, &e); err != nil {
		return err
	}
	n[strings.ToLower(key)] = key
	for _, alias := range e.Also {
		n[prefix+"/"+strings.ToLower(alias)] = key
	}
	return nil
}

// windowsProgram returns the name by which a command is known, and its entry,
// for a name as a line has it. Entries of other systems count only where an
// entry for Windows says that the program is the same.
func (t *Table) windowsProgram(dialect windows.Dialect, name string) (string, *Program) {
	name = strings.ToLower(name)
	first := cmdletPrefix
	if dialect == windows.Cmd {
		first = builtinPrefix
	}
	key, ok := t.windows[first+name]
	if !ok {
		key, ok = t.windows[windowsPrefix+windows.Stem(name)]
	}
	if !ok {
		return "", nil
	}
	entry := t.program(key)
	_, canonical, _ := strings.Cut(key, "/")
	if entry != nil && entry.as != "" {
		return entry.as, t.program(entry.as)
	}
	return canonical, entry
}
