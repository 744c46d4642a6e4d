package shell

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// findProgram follows a verb chain through the table.
func findProgram(t *testing.T, table *Table, verb string) (entries []*Program) {
	t.Helper()
	if module := table.program(verb); module != nil {
		return append(entries, module) // a module of an interpreter's, by its whole name
	}
	words := strings.Fields(verb)
	program := table.program(words[0])
	if program == nil && table.words.versions[words[0]] != nil {
		return nil
	}
	require.NotNil(t, program, "%s: no entry", verb)
	entries = append(entries, program)
	for _, word := range words[1:] {
		next := program.commands[word]
		if next == nil {
			require.Positive(t, program.chainOperands, "%s: no subcommand %s", verb, word)
			break
		}
		program = next
		entries = append(entries, program)
	}
	return entries
}

// V5, D1: what policy calls safe is spelled as the table reads it. A form whose
// option the table reads otherwise would never match, or match something else.
func TestSafeFormsAgreeWithTheTable(t *testing.T) {
	table := newTable(t)
	for _, file := range []string{"safe_verbs", "remote_readers"} {
		text, err := os.ReadFile("../../policies/policyd/config/" + file + "/data.json")
		require.NoError(t, err)
		var platforms map[string]map[string][]struct{ Form map[string]string }
		require.NoError(t, json.Unmarshal(text, &platforms))
		require.NotEmpty(t, platforms["linux"])
		for platform, verbs := range platforms {
			if platform == "windows" {
				continue
			}
			for verb, forms := range verbs {
				if verb == "[[" {
					continue // no program: the shell's own syntax
				}
				entries := findProgram(t, table, verb)
				for i, entry := range entries {
					if platform == "darwin" && entry.darwin != nil {
						entries[i] = entry.darwin
					}
				}
				for _, form := range forms {
					for name, kind := range form.Form {
						assert.True(t, agrees(entries, name, kind), "%s: %s: %s is %s", file, verb, name, kind)
					}
				}
			}
		}
	}
}

// agrees reports whether one of the entries reads name with kind. Test
// operators and roles of special forms are read by the walk itself.
func agrees(entries []*Program, name, kind string) bool {
	if name == "<version>" && kind == "prints" {
		return true // versions.json
	}
	for _, program := range entries {
		if kind == "item" {
			kind = "command" // a command that stands as an item of its own
		}
		if option, ok := program.options[name]; ok && option.canonical == name &&
			(option.kinds[0] == kind || (option.kinds[0] == "archive" || option.kinds[0] == "local") && kind == "read" ||
				option.kinds[0] == "output" && kind == "value") {
			return true
		}
		for _, rule := range program.operands {
			for _, role := range rule.roles {
				if "<"+role.name+">" == name && (role.kind == kind || (role.kind == "packed" || role.kind == "local" || role.kind == "module" || role.kind == "input") && kind == "read" ||
					role.kind == "output" && kind == "value") {
					return true
				}
			}
		}
		if program.pathspecs && name == "<path>" && kind == "pathspec" || program.style == "test" ||
			name == "-NUM" && program.numeric {
			return true
		}
	}
	return false
}
