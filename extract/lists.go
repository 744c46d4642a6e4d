package extract

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"policyd/extract/paths"
)

// lists is what extraction needs of the active policy's data: what facts are
// matched against. Nothing of it is a judgement.
type lists struct {
	secrets paths.Secrets
	// exclusions are the names that hints say to leave out.
	exclusions []string
	// classes are the path classes of operators.
	classes   []pathClass
	variables *paths.Pattern
	protected paths.Protected
	// system are the sensitive roots that are in no home, resolved.
	system []sensitive
	// sensitiveHome are those in a home, beginning with "~".
	sensitiveHome []string
	systemHomes   systemHomes
	// ownHome are the same in the sidecar's own home, which most sessions share.
	ownHome  []string
	readAlso []string
	// scratch are the directories of clients, by the catalog's names of these.
	scratch map[string]scratchData
	// contain says what contained runs see.
	contain     containData
	deleteAllow []string
	changeable  []string
	pathMap     paths.Map
	// sidecar are the sensitive roots by the sidecar's own names; they matter
	// with a path map alone.
	sidecar []sensitive
	// ruled are the agents that settings have rules for.
	ruled map[string]bool
}

// policyData is the part of data.policyd that extraction reads.
type policyData struct {
	Config struct {
		Secrets struct {
			Names, Except, Directories, Files, Variables []string
			Templates                                    paths.Templates
		} `json:"secrets"`
		Protected struct {
			Instructions, Always []string
		} `json:"protected"`
		PathClasses classData              `json:"path_classes"`
		Scratch     map[string]scratchData `json:"scratch"`
		Contain     containData            `json:"contain"`
		Exclusions  struct {
			Names []string
		} `json:"exclusions"`
		Sensitive struct {
			Roots  []string
			Itself []string
			Homes  []string
			// Changeable are directories below which a remembered answer may let files be changed.
			Changeable []string
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

// readable are the members of data.policyd that policyData names. The others are tables of
// commands, which would take many times as long to write out.
func readable(policyd map[string]any) map[string]any {
	config, _ := policyd["config"].(map[string]any)
	picked := map[string]any{}
	for _, name := range []string{"secrets", "protected", "sensitive", "path_classes", "exclusions", "scratch", "contain"} {
		picked[name] = config[name]
	}
	return map[string]any{"config": picked, "settings": policyd["settings"]}
}

// newLists reads the lists out of data.policyd; home is the sidecar's own. A
// policy without a list of secrets is refused: it would make every secret an
// ordinary file.
func newLists(policyd map[string]any, home string) (*lists, error) {
	raw, err := json.Marshal(readable(policyd))
	if err != nil {
		return nil, fmt.Errorf("read policy lists: %w", err)
	}
	var data policyData
	if err := json.Unmarshal(raw, &data); err != nil {
		return nil, fmt.Errorf("read policy lists: %w", err)
	}
	config, settings := data.Config, data.Settings
	if len(config.Secrets.Names) == 0 || len(config.Secrets.Directories) == 0 || len(config.Protected.Always) == 0 {
		return nil, fmt.Errorf("read policy lists: config.secrets.names, config.secrets.directories and " +
			"config.protected.always must not be empty")
	}
	out := &lists{
		ruled: make(map[string]bool, len(settings.Agents)), exclusions: config.Exclusions.Names,
		readAlso: settings.Scope.ReadAlso, scratch: config.Scratch, contain: data.contained(), deleteAllow: settings.Scope.DeleteAllow,
		protected: paths.NewProtected(
			concat(config.Protected.Instructions, settings.Scope.Protected),
			concat(config.Protected.Always, settings.Scope.ProtectedAlways),
		),
	}
	if out.classes, err = newClasses(config.PathClasses, settings.PathClasses); err != nil {
		return nil, fmt.Errorf("read policy lists: %w", err)
	}
	for agent := range settings.Agents {
		out.ruled[agent] = true
	}
	if out.pathMap, err = paths.NewMap(settings.Scope.PathMap); err != nil {
		return nil, fmt.Errorf("read policy lists: %w", err)
	}
	out.secrets.Templates = config.Secrets.Templates
	for _, file := range config.Secrets.Files {
		out.secrets.Files = append(out.secrets.Files, paths.Fold(file))
	}
	var absolute []string
	out.sensitiveHome, absolute = splitHome(config.Sensitive.Roots)
	out.changeable = config.Sensitive.Changeable
	homeItself, itself := splitHome(config.Sensitive.Itself)
	out.systemHomes = newSystemHomes(config.Sensitive.Homes, out.sensitiveHome, homeItself, out.pathMap)
	if home != "" {
		out.ownHome = joinHome(home, out.sensitiveHome)
	}
	out.system = systemRoots(absolute, itself, out.pathMap)
	if out.pathMap != nil {
		out.sidecar = sidecarRoots(absolute, out.ownHome, home)
	}
	for _, part := range []struct {
		into  **paths.Pattern
		globs []string
	}{
		{&out.secrets.Names, concat(config.Secrets.Names, settings.Secrets.Names)},
		{&out.secrets.Except, concat(config.Secrets.Except, settings.Secrets.Except)},
		{&out.secrets.Directories, trimSlashes(concat(config.Secrets.Directories, settings.Secrets.Directories))},
		{&out.variables, config.Secrets.Variables},
	} {
		if *part.into, err = paths.NewPattern(part.globs); err != nil {
			return nil, fmt.Errorf("read policy lists: %w", err)
		}
	}
	return out, nil
}

// contained is what contained runs see, with what the other lists say of it.
func (d *policyData) contained() containData {
	config, settings := &d.Config, &d.Settings
	out := config.Contain
	out.Environment.Drop = concat(out.Environment.Drop, config.Secrets.Variables)
	out.protected = concat(
		concat(config.Protected.Instructions, settings.Scope.Protected), concat(config.Protected.Always, settings.Scope.ProtectedAlways))
	out.secrets = concat(config.Secrets.Files, concat(config.Secrets.Directories, settings.Secrets.Directories))
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

// inHome names the sensitive roots of a home; own is the sidecar's.
func (l *lists) inHome(home, own string) []string {
	if home == own {
		return l.ownHome
	}
	return joinHome(home, l.sensitiveHome)
}

func joinHome(home string, entries []string) []string {
	out := make([]string, len(entries))
	for i, entry := range entries {
		out[i] = home + entry[1:]
	}
	return out
}

func concat(a, b []string) []string { return append(slices.Clone(a), b...) }

func trimSlashes(list []string) []string {
	for i := range list {
		list[i] = strings.Trim(list[i], "/")
	}
	return list
}
