package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
	"policyd/test/decider"
)

const (
	exclusionHint = "leave secret files out with "
	directoryHint = "set_working_directory "
)

func config(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../policies/policyd/config", name, "data.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}

func asksForSecret(decision *v1.Decision) bool {
	return slices.ContainsFunc(decision.Reasons, func(r v1.Reason) bool { return r.Code == "reaches_secret" })
}

// TestAnExclusionHintWorks checks that a command with the exclusion that a hint advises, put behind the
// program, reaches no secret.
func TestAnExclusionHintWorks(t *testing.T) {
	var known struct {
		Names   []string
		Options map[string]string
	}
	config(t, "exclusions", &known)
	a := ask(t)
	lines := a.share(t)
	for program := range known.Options {
		for _, rest := range []string{
			" -rn foo .", " -r -e foo . | head -5", " -uu foo", " --hidden --no-ignore foo src .", " -rl foo ./ -n",
			" -r --include='*' foo .", " -uu -g '*' foo", " -uu -g '!x' foo", " -uu -g '#x' -g '!x' foo",
		} {
			lines = append(lines, decider.Line{Command: program + rest})
		}
	}
	advised := map[string]int{}
	for _, line := range lines {
		call := a.call(line, true)
		decision := a.gate.Decide(t.Context(), &call, gate.DecideOptions{Probe: true})
		options, found := strings.CutPrefix(decision.Hint, exclusionHint)
		if !found {
			continue
		}
		applied := line
		for program, option := range known.Options {
			name, _, _ := strings.Cut(option, "%s")
			words := strings.Split(line.Command, " ")
			if !strings.HasPrefix(options, name) || !slices.Contains(words, program) {
				continue
			}
			advised[program]++
			for i := range words {
				if words[i] == program {
					words[i] += " " + options
				}
			}
			applied.Command = strings.Join(words, " ")
			break
		}
		require.NotEqual(t, line.Command, applied.Command, "%q: %s", line.Command, decision.Hint)
		call = a.call(applied, true)
		decision = a.gate.Decide(t.Context(), &call, gate.DecideOptions{Probe: true})
		assert.False(t, asksForSecret(&decision), "%q reaches a secret", applied.Command)
	}
	for program := range known.Options {
		assert.Positive(t, advised[program], "no line of %s is advised", program)
	}
}

// TestADirectoryHintIsAccepted checks that set_working_directory is advised for no directory that is
// sensitive, shallow or one that the session has.
func TestADirectoryHintIsAccepted(t *testing.T) {
	var sensitive struct{ Roots, Itself, Homes []string }
	config(t, "sensitive", &sensitive)
	a := ask(t)
	home := filepath.Dir(a.project)
	lines := a.share(t)
	for _, dir := range append(slices.Concat(sensitive.Roots, sensitive.Itself), "/etc/ssh", "/srv", "/opt/app", home+"/other", ".", "src", home) {
		lines = append(lines, decider.Line{Command: "cd " + dir + " && make"}, decider.Line{Command: "make -C " + dir})
	}
	advised := 0
	for _, line := range lines {
		call := a.call(line, true)
		call.Session.Tools = []string{"set_working_directory"}
		judgement, err := a.engine.Judge(t.Context(), &call, nil, nil)
		require.NoError(t, err)
		dir, found := strings.CutPrefix(judgement.RefusalHint, directoryHint)
		if !found {
			continue
		}
		advised++
		assert.Greater(t, strings.Count(filepath.Clean(dir), "/"), 1, "%q advises %s, which is shallow", line.Command, dir)
		assert.False(t, within(a.project, dir), "%q advises %s, which the session has", line.Command, dir)
		for _, root := range sensitive.Roots {
			root = strings.Replace(root, "~", home, 1)
			assert.False(t, within(dir, root) || root != "/" && root != home && within(root, dir), "%q advises %s, near %s", line.Command, dir, root)
		}
	}
	require.Positive(t, advised)
}

// within reports whether a path is a directory or is in it.
func within(dir, path string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
