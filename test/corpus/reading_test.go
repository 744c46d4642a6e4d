package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/decider"
	"policyd/test/project"
)

// TestADirectoryThatMayBeReadReadsAsTheProject checks A12: where a person let a directory be read, the lines
// that only read are allowed there as they are in a project, and no other line is. Both hold with ordinary
// files, and with secrets, links and other names of secrets among them.
func TestADirectoryThatMayBeReadReadsAsTheProject(t *testing.T) {
	for _, exposed := range []bool{false, true} {
		t.Run(map[bool]string{false: "ordinary", true: "exposed"}[exposed], func(t *testing.T) {
			a := ask(t)
			lines := a.share(t)
			if exposed {
				lines = append(lines, a.expose(t)...)
			}
			wider, narrower, allowed := a.compareReading(t, lines)
			assert.Greater(t, allowed, 500)
			assert.Empty(t, wider)
			assert.Empty(t, narrower)
		})
	}
}

// maxExposing is more than the lines that expose returns: a short test compares them all.
const maxExposing = 40

// expose puts what must not be read into the project, and returns lines that reach it.
func (a *asking) expose(t *testing.T) []decider.Line {
	t.Helper()
	require.NoError(t, project.Expose(t.Context(), project.Tree{Home: filepath.Dir(a.project), Project: a.project}))
	var lines []decider.Line
	for name, secret := range map[string]string{"docs/notes.txt": ".env", "d1/list.txt": "d1/.env", "src/deep/er/x.txt": "id_rsa", "nested/n.txt": "server.pem"} {
		require.NoError(t, os.MkdirAll(filepath.Join(a.project, filepath.Dir(name)), 0o755))
		require.NoError(t, os.Link(filepath.Join(a.project, secret), filepath.Join(a.project, name)))
		for _, command := range []string{"cat " + name, "cat " + filepath.Dir(name) + "/*", "grep -rn x " + filepath.Dir(name), "cp " + name + " /dev/null", "find . -name '*.txt' | xargs cat"} {
			lines = append(lines, decider.Line{Command: command})
		}
	}
	for name, target := range map[string]string{"docs/up": "..", "docs/all": "../..", "src/other": "../../other"} {
		require.NoError(t, os.Symlink(target, filepath.Join(a.project, name)))
		lines = append(lines, decider.Line{Command: "ls " + name + "/"}, decider.Line{Command: "cat " + name + "/other/secret.txt"}, decider.Line{Command: "find docs -name '*.md' | xargs grep -n x"})
	}
	return lines
}

// compareReading are the lines that are allowed in a directory that may be read and not in a project,
// and those that only read for which it is the other way round; and how many a project allows.
func (a *asking) compareReading(t *testing.T, lines []decider.Line) (wider, narrower []string, allowed int) {
	t.Helper()
	elsewhere := filepath.Join(filepath.Dir(a.project), "elsewhere")
	require.NoError(t, os.Mkdir(elsewhere, 0o755))
	grants := []v1.PathGrant{{ID: "reading", Root: a.project, Mode: v1.GrantReading}}
	for i, line := range lines {
		if line.Windows || testing.Short() && i%7 != 0 && i < len(lines)-maxExposing {
			continue
		}
		inside := a.call(line, true)
		outside := inside
		outside.Session.ProjectDir = elsewhere
		asProject, err := a.engine.Judge(t.Context(), &inside, nil, nil)
		require.NoError(t, err)
		asRead, err := a.engine.Judge(t.Context(), &outside, grants, nil)
		require.NoError(t, err)
		switch {
		case asRead.Effect == v1.EffectAllow && asProject.Effect != v1.EffectAllow:
			wider = append(wider, line.Command)
		case asProject.Effect == v1.EffectAllow:
			allowed++
			if asRead.Effect != v1.EffectAllow && !slices.ContainsFunc(a.engine.Facts(&inside, nil).Items, changes) {
				narrower = append(narrower, line.Command)
			}
		}
	}
	return wider, narrower, allowed
}
