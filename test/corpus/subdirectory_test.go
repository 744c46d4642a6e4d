package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/decider"
)

// TestALaunchInASubdirectoryReadsAsAtTheTop checks P3 and G2: from a subdirectory of the repository the same
// lines are allowed as from its top if they only read, and no others.
func TestALaunchInASubdirectoryReadsAsAtTheTop(t *testing.T) {
	a := ask(t)
	var wider, narrower []string
	gitLines := 0
	for _, line := range a.share(t) {
		isGit := strings.Contains(line.Command, "git ")
		if line.Windows || testing.Short() && !isGit {
			continue
		}
		top := a.call(line, true)
		below := top
		below.Session.ProjectDir = a.project + "/src"
		atTop, err := a.engine.Judge(t.Context(), &top, nil, nil)
		require.NoError(t, err)
		inside, err := a.engine.Judge(t.Context(), &below, nil, nil)
		require.NoError(t, err)
		switch {
		case inside.Effect == v1.EffectAllow && atTop.Effect != v1.EffectAllow:
			wider = append(wider, line.Command)
		case atTop.Effect == v1.EffectAllow && isGit:
			gitLines++
			if inside.Effect != v1.EffectAllow && !slices.ContainsFunc(a.engine.Facts(&top, nil).Items, changes) {
				narrower = append(narrower, line.Command)
			}
		}
	}
	assert.Greater(t, gitLines, 300)
	assert.Empty(t, wider)
	assert.Empty(t, narrower)
}

// TestALaunchInASubdirectoryFindsOtherNamesOfSecrets checks P5: a file that is another name of a secret at
// the repository's top is a secret in a project below, too.
func TestALaunchInASubdirectoryFindsOtherNamesOfSecrets(t *testing.T) {
	a := ask(t)
	lines := append(a.expose(t), decider.Line{Command: "cd src && grep -rn x ."}, decider.Line{Command: "cat src/deep/er/x.txt"})
	for _, line := range lines {
		top := a.call(line, true)
		below := top
		below.Session.ProjectDir = a.project + "/src"
		atTop, err := a.engine.Judge(t.Context(), &top, nil, nil)
		require.NoError(t, err)
		inside, err := a.engine.Judge(t.Context(), &below, nil, nil)
		require.NoError(t, err)
		assert.False(t, inside.Effect == v1.EffectAllow && atTop.Effect != v1.EffectAllow, line.Command)
	}
}

// changes reports whether an item does more than to read and list.
func changes(item v1.Item) bool {
	return slices.ContainsFunc(item.Touches, func(touch string) bool {
		op, space, _ := strings.Cut(touch, ".")
		return op != v1.OpRead && op != v1.OpList && space != v1.SpaceNone
	})
}
