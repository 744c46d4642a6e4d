package trust

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"policyd/extract/git/syntax"
)

//go:embed keys.json
var embeddedKeys []byte

// class is what a configuration key can do.
type class string

const (
	classHarmless        class = "harmless"
	classFile            class = "file"
	classDiff            class = "diff"
	classTextconv        class = "textconv"
	classFilter          class = "filter"
	classLFS             class = "lfs"
	classMerge           class = "merge"
	classSignature       class = "signature"
	classNetwork         class = "network"
	classTool            class = "tool"
	classAlias           class = "alias"
	classInclude         class = "include"
	classMonitor         class = "monitor"
	classPager           class = "pager"
	classOff             class = "off"
	classSubmoduleFormat class = "submodule_format"
	classSubmoduleUpdate class = "submodule_update"
	classRemoteURL       class = "remote_url"
	classPromisor        class = "promisor"
	classObjectFormat    class = "object_format"
	classHooksPath       class = "hooks_path"
	classWorkTree        class = "work_tree"
)

// keyTable is keys.json. Patterns are "section.key", "section.*.key" (with any
// subsection) and "section.*", "section.*.*" (any key); the narrower one wins.
type keyTable struct {
	classes     map[string]class
	subcommands map[string][]class
	operands    []string
	values      map[class][]string
}

func loadKeyTable(text []byte) (*keyTable, error) {
	var raw struct {
		Keys        map[class][]string `json:"keys"`
		Subcommands map[string][]class `json:"subcommands"`
		Operands    []string           `json:"operands"`
		Values      map[class][]string `json:"values"`
	}
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, fmt.Errorf("read key table: %w", err)
	}
	table := &keyTable{
		classes:     make(map[string]class),
		subcommands: raw.Subcommands,
		operands:    raw.Operands,
		values:      raw.Values,
	}
	for name, patterns := range raw.Keys {
		for _, pattern := range patterns {
			if other, twice := table.classes[pattern]; twice {
				return nil, fmt.Errorf("read key table: %s is both %s and %s", pattern, other, name)
			}
			table.classes[pattern] = name
		}
	}
	for _, verb := range raw.Operands {
		if _, known := raw.Subcommands[verb]; !known {
			return nil, fmt.Errorf("read key table: operands of unknown %s", verb)
		}
	}
	return table, nil
}

// classOf gives a setting's class; empty when the table does not know the key.
func (t *keyTable) classOf(s syntax.Setting) class {
	key, any := patterns(s)
	if found, ok := t.classes[key]; ok {
		return found
	}
	return t.classes[any]
}

// patterns are those that a setting matches: of its key, and of any.
func patterns(s syntax.Setting) (key, any string) {
	prefix := s.Section + "."
	if s.HasSubsection {
		prefix += "*."
	}
	return prefix + s.Key, prefix + "*"
}

func (t *keyTable) allows(c class, value string) bool {
	return slices.Contains(t.values[c], value)
}

// runs is what one subcommand makes git run.
type runs struct {
	verb    string
	reader  bool // in the table: local, and changes neither references nor files
	classes []class
}

func (t *keyTable) runsOf(subcommand string) runs {
	verb, _, _ := strings.Cut(subcommand, " ")
	if classes, known := t.subcommands[subcommand]; known {
		return runs{verb: verb, reader: true, classes: classes}
	}
	if slices.Contains(t.operands, verb) {
		return runs{verb: verb, reader: true, classes: t.subcommands[verb]}
	}
	return runs{verb: verb}
}

func (r runs) fires(c class) bool { return !r.reader || slices.Contains(r.classes, c) }
