// Package lists holds what facts are matched against: the part of a policy's data that extraction reads. Nothing
// of it is a judgement.
package lists

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"policyd/extract/paths"
)

// Lists is what extraction needs of the active policy's data: what facts are
// matched against. Nothing of it is a judgement.
type Lists struct {
	Secrets paths.Secrets
	// Exclusions are the names that hints say to leave out.
	Exclusions []string
	// Classes are the path classes of operators.
	Classes   []PathClass
	Variables *paths.Pattern
	Protected paths.Protected
	Sensitive
	ReadAlso []string
	// Scratch are the directories of clients, by the catalog's names of these.
	Scratch map[string]Scratch
	// Contain says what contained runs see.
	Contain     Contain
	DeleteAllow []string
	Changeable  []string
	dataFiles   []string
	// temporary are directories whose files can be granted by one answer.
	temporary []string
	PathMap   paths.Map
	// Ruled are the agents that settings have rules for.
	Ruled map[string]bool
}

// DataFile reports whether a path's name is that of a file that holds data and no settings.
func (l *Lists) DataFile(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	ends := func(ending string) bool { return len(name) > len(ending) && strings.HasSuffix(name, ending) }
	return !strings.HasPrefix(name, ".") && slices.ContainsFunc(l.dataFiles, ends)
}

// allFiles is the pattern of a directory's files behind its path.
const allFiles = "/*"

// TemporaryFiles is the pattern of all files of the directory for temporary files that holds a path directly,
// empty if none does. Names that begin with a dot aren't among them.
func (l *Lists) TemporaryFiles(path string) string {
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 || strings.HasPrefix(path[slash:], "/.") || !slices.Contains(l.temporary, path[:slash]) {
		return ""
	}
	return path[:slash] + allFiles
}

// policyData is the part of data.policyd that extraction reads.
type policyData struct {
	Config struct {
		Secrets struct {
			Names, Except, Copies, Directories, Files, Variables []string
			Templates                                            paths.Templates
		} `json:"secrets"`
		Protected struct {
			Instructions, Always []string
		} `json:"protected"`
		PathClasses classData          `json:"path_classes"`
		Scratch     map[string]Scratch `json:"scratch"`
		Contain     Contain            `json:"contain"`
		Exclusions  struct {
			Names []string
		} `json:"exclusions"`
		Sensitive struct {
			Roots  []string
			Itself []string
			Homes  []string
			// Changeable are directories below which a remembered answer may let files be changed.
			Changeable []string
			// DataFiles are endings of names of files that hold data and no settings.
			DataFiles []string `json:"data_files"`
			// Temporary are directories whose files can be granted by one answer, without the directories in them.
			Temporary []string
		} `json:"sensitive"`
	} `json:"config"`
	Settings struct {
		Scope struct {
			ReadAlso        []string        `json:"read_also"`
			Protected       []string        `json:"protected"`
			ProtectedAlways []string        `json:"protected_always"`
			DeleteAllow     []string        `json:"delete_allow"`
			PathMap         []paths.Mapping `json:"path_map"`
		} `json:"scope"`
		Secrets struct {
			Names, Except, Directories []string
		} `json:"secrets"`
		PathClasses classData      `json:"path_classes"`
		Agents      map[string]any `json:"agents"`
	} `json:"settings"`
}

// readable are the members of data.policyd that policyData names, but for those of read. The others are tables of
// commands, which would take many times as long to write out.
func readable(policyd map[string]any) map[string]any {
	config, _ := policyd["config"].(map[string]any)
	picked := map[string]any{}
	for _, name := range []string{"path_classes", "exclusions", "contain"} {
		picked[name] = config[name]
	}
	return map[string]any{"config": picked, "settings": policyd["settings"]}
}

// New reads the lists out of data.policyd; home is the sidecar's own. A
// policy without a list of secrets is refused: it would make every secret an
// ordinary file.
func New(policyd map[string]any, home string) (*Lists, error) {
	raw, err := json.Marshal(readable(policyd))
	if err != nil {
		return nil, fmt.Errorf("read policy lists: %w", err)
	}
	var data policyData
	if err := cmp.Or(json.Unmarshal(raw, &data), data.read(policyd)); err != nil {
		return nil, fmt.Errorf("read policy lists: %w", err)
	}
	config, settings := data.Config, data.Settings
	if len(config.Secrets.Names) == 0 || len(config.Secrets.Directories) == 0 || len(config.Protected.Always) == 0 {
		return nil, fmt.Errorf("read policy lists: config.secrets.names, config.secrets.directories and " +
			"config.protected.always must not be empty")
	}
	out := &Lists{
		Ruled: make(map[string]bool, len(settings.Agents)), Exclusions: config.Exclusions.Names,
		ReadAlso: settings.Scope.ReadAlso, Scratch: config.Scratch, Contain: data.contained(), DeleteAllow: settings.Scope.DeleteAllow,
		Protected: paths.NewProtected(
			Concat(config.Protected.Instructions, settings.Scope.Protected),
			Concat(config.Protected.Always, settings.Scope.ProtectedAlways),
		),
	}
	if out.Classes, err = newClasses(config.PathClasses, settings.PathClasses); err != nil {
		return nil, fmt.Errorf("read policy lists: %w", err)
	}
	for agent := range settings.Agents {
		out.Ruled[agent] = true
	}
	if out.PathMap, err = paths.NewMap(settings.Scope.PathMap); err != nil {
		return nil, fmt.Errorf("read policy lists: %w", err)
	}
	out.Secrets.Templates, out.Secrets.Copies = config.Secrets.Templates, config.Secrets.Copies
	for _, file := range config.Secrets.Files {
		out.Secrets.Files = append(out.Secrets.Files, paths.Fold(file))
	}
	var absolute []string
	out.sensitiveHome, absolute = splitHome(config.Sensitive.Roots)
	out.Changeable, out.dataFiles, out.temporary = config.Sensitive.Changeable, config.Sensitive.DataFiles, config.Sensitive.Temporary
	homeItself, itself := splitHome(config.Sensitive.Itself)
	out.SystemHomes = newSystemHomes(config.Sensitive.Homes, out.sensitiveHome, homeItself, out.PathMap)
	if home != "" {
		out.ownHome = joinHome(home, out.sensitiveHome)
	}
	out.System = systemRoots(absolute, itself, out.PathMap)
	if out.PathMap != nil {
		out.Sidecar = sidecarRoots(absolute, out.ownHome, home)
	}
	if err := out.compile(&data); err != nil {
		return nil, fmt.Errorf("read policy lists: %w", err)
	}
	return out, nil
}

// read decodes the lists that nothing but extraction reads, with the keys that there are alone. An error names the
// list and the key.
func (d *policyData) read(policyd map[string]any) error {
	config, _ := policyd["config"].(map[string]any)
	for _, list := range []struct {
		name string
		into any
	}{
		{"secrets", &d.Config.Secrets}, {"protected", &d.Config.Protected}, {"sensitive", &d.Config.Sensitive}, {"scratch", &d.Config.Scratch},
	} {
		text, err := json.Marshal(config[list.name])
		if err != nil {
			return fmt.Errorf("config.%s: %w", list.name, err)
		}
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		err = decoder.Decode(list.into)
		var wrong *json.UnmarshalTypeError
		switch {
		case errors.As(err, &wrong):
			return fmt.Errorf("config.%s.%s (config/%[1]s/data.json): a %[3]s is of the wrong type", list.name, strings.ToLower(wrong.Field), wrong.Value)
		case err != nil:
			return fmt.Errorf("config.%s (config/%[1]s/data.json): %s", list.name, strings.TrimPrefix(err.Error(), "json: "))
		}
	}
	return nil
}

// compile reads the lists that hold patterns.
func (l *Lists) compile(data *policyData) (err error) {
	config, settings := &data.Config, &data.Settings
	for _, part := range []struct {
		name  string
		into  **paths.Pattern
		globs []string
	}{
		{"secrets.names", &l.Secrets.Names, Concat(config.Secrets.Names, settings.Secrets.Names)},
		{"secrets.except", &l.Secrets.Except, Concat(config.Secrets.Except, settings.Secrets.Except)},
		{"secrets.directories", &l.Secrets.Directories, trimSlashes(Concat(config.Secrets.Directories, settings.Secrets.Directories))},
		{"secrets.variables", &l.Variables, config.Secrets.Variables},
		{"contain.read.credentials", &l.Contain.credentials, l.Contain.Read.Credentials},
		{"contain.read.checked", &l.Contain.checked, l.Contain.Read.Checked},
	} {
		if *part.into, err = paths.NewPattern(part.globs); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

// contained is what contained runs see, with what the other lists say of it.
func (d *policyData) contained() Contain {
	config, settings := &d.Config, &d.Settings
	out := config.Contain
	out.Environment.Drop = Concat(out.Environment.Drop, config.Secrets.Variables)
	out.Protected = Concat(
		Concat(config.Protected.Instructions, settings.Scope.Protected), Concat(config.Protected.Always, settings.Scope.ProtectedAlways))
	out.Secrets = Concat(config.Secrets.Files, Concat(config.Secrets.Directories, settings.Secrets.Directories))
	return out
}

// splitHome tells entries in a home from others.
func splitHome(entries []string) (home, absolute []string) {
	for _, entry := range entries {
		if strings.HasPrefix(entry, "~") {
			home = append(home, entry)
		} else {
			absolute = append(absolute, entry)
		}
	}
	return home, absolute
}

// Concat joins two lists in a new one.
func Concat(a, b []string) []string { return append(slices.Clone(a), b...) }

func trimSlashes(list []string) []string {
	for i := range list {
		list[i] = strings.Trim(list[i], "/")
	}
	return list
}

// AppendNew appends a text that a list doesn't have.
func AppendNew(list []string, text string) []string {
	for _, known := range list {
		if known == text {
			return list
		}
	}
	return append(list, text)
}
