package argv

import (
	"encoding/json"
	"strings"

	fast "github.com/goccy/go-json"
)

// Namespace is whose command a name is on Windows. The names of entries for Windows begin with one and
// a slash. No other name holds a slash.
type Namespace string

// The namespaces.
const (
	Cmdlets  Namespace = "powershell/"
	Builtins Namespace = "cmd/"
	programs Namespace = "windows/"
)

// windowsNames are names of commands in lower case, with their namespace, to the keys of entries.
type windowsNames map[string]string

// add indexes an entry's names.
func (n windowsNames) add(key string, raw json.RawMessage) error {
	prefix, _, ok := strings.Cut(key, "/")
	if !ok {
		return nil
	}
	var names struct {
		Also []string `json:"also"`
	}
	if err := fast.Unmarshal(raw, &names); err != nil {
		return err
	}
	n[strings.ToLower(key)] = key
	for _, alias := range names.Also {
		n[prefix+"/"+strings.ToLower(alias)] = key
	}
	return nil
}

// OnWindows returns the name by which a command of a shell is known, and its entry; "" and nil if there
// is none. stem is its name without the suffix of a program. Entries of other systems count only if an
// entry for Windows states that the program is the same.
func (t *Table) OnWindows(shell Namespace, name, stem string) (string, *Program) {
	key, ok := t.windows[string(shell)+strings.ToLower(name)]
	if !ok {
		key, ok = t.windows[string(programs)+stem]
	}
	if !ok {
		return "", nil
	}
	entry := t.Program(key)
	_, canonical, _ := strings.Cut(key, "/")
	if entry != nil && entry.As != "" {
		return entry.As, t.Program(entry.As)
	}
	return canonical, entry
}

// WindowsProgram returns the entry of a program of Windows by its name without a suffix, nil if there
// is none.
func (t *Table) WindowsProgram(stem string) *Program { return t.Program(string(programs) + stem) }
