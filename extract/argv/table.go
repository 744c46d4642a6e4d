package argv

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	fast "github.com/goccy/go-json"
)

//go:embed programs/*.json
var programFiles embed.FS

// Table is the program table. Entries are decoded when they are first used, since a line names few of
// them. It is safe for concurrent use.
type Table struct {
	// Words are what is true of more than one program. They must not be changed.
	Words *Vocabulary

	raw     map[string]json.RawMessage
	decoded sync.Map // program name to *Program, nil if its entry is malformed
	windows windowsNames
}

// NewTable indexes the embedded program table.
func NewTable() (*Table, error) {
	words, err := loadVocabulary()
	if err != nil {
		return nil, err
	}
	table := &Table{raw: make(map[string]json.RawMessage, 512), Words: words, windows: windowsNames{}}
	return table, eachFile(programFiles, table.load)
}

// eachFile calls visit with the entries of each file of the table. An error begins with the name of the file.
func eachFile(files fs.FS, visit func(entries map[string]json.RawMessage) error) error {
	names, err := fs.Glob(files, "programs/*.json")
	if err != nil {
		return fmt.Errorf("list program tables: %w", err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("read program table: %w", err)
		}
		var entries map[string]json.RawMessage
		if err := fast.Unmarshal(data, &entries); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := visit(entries); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (t *Table) load(entries map[string]json.RawMessage) error {
	for program, raw := range entries {
		if _, twice := t.raw[program]; twice {
			return fmt.Errorf("%s: defined twice", program)
		}
		t.raw[program] = raw
		if err := t.windows.add(program, raw); err != nil {
			return fmt.Errorf("%s: %w", program, err)
		}
	}
	return nil
}

// Names returns the names of all entries, sorted.
func (t *Table) Names() []string { return slices.Sorted(maps.Keys(t.raw)) }

// Program returns the entry of a program, nil if there is none. A malformed entry is none: the program
// counts as unknown, which is never safe.
func (t *Table) Program(name string) *Program {
	if known, ok := t.decoded.Load(name); ok {
		program, _ := known.(*Program)
		return program
	}
	raw, ok := t.raw[name]
	if !ok {
		return t.version(name)
	}
	program, err := read(raw) // Check and With have checked what its columns state
	if err != nil {
		program = nil
	} else {
		program.complete(&t.Words.risks)
	}
	t.decoded.Store(name, program)
	return program
}

// On returns the entry of a program as it reads its options on a platform.
func (t *Table) On(platform, name string) *Program {
	program := t.Program(name)
	if platform == "darwin" && program != nil && program.darwin != nil {
		return program.darwin
	}
	return program
}

// version returns the entry of an interpreter whose name ends in a version (python3.11), nil for any
// other name. Another program with a version in its name need not be what its shorter name says.
func (t *Table) version(name string) *Program {
	base := strings.TrimRight(name, "0123456789.")
	if base == name || base == "" {
		return nil
	}
	if program := t.Program(base); program != nil && program.RunsAnything {
		return program
	}
	return nil
}

// Check returns the first error of the embedded entries of some programs, of all if none is named, with its file, its
// program and its column. An operator's entries are checked when they are added.
func (t *Table) Check(programs ...string) error { return t.checkFiles(programFiles, programs) }

func (t *Table) checkFiles(files fs.FS, programs []string) error {
	return eachFile(files, func(entries map[string]json.RawMessage) error {
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			if len(programs) > 0 && !slices.Contains(programs, name) {
				continue
			}
			if err := checkEntry(entries[name]); err != nil {
				return below(name, err)
			}
		}
		return nil
	})
}

// strictly decodes JSON into value, and refuses unknown keys.
func strictly(text []byte, value any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(value)
}
