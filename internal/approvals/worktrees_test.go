package approvals_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/approvals"
)

// inTrees is an index for which /srv/tree is a linked work tree of /srv/proj, as /srv/proj is of itself.
func inTrees(t *testing.T) *house {
	t.Helper()
	h := build(t)
	var err error
	h.Index, err = approvals.New(approvals.Options{
		Store: h.store, Clock: h.clock, NewID: func() string { h.ids.Add(1); return string(rune('a' + h.ids.Load())) },
		WorkTree: func(directory string) (top, main string, ok bool) {
			for _, top := range []string{"/srv/tree", "/srv/proj"} {
				if directory == top || len(directory) > len(top) && directory[:len(top)+1] == top+"/" {
					return top, "/srv/proj", true
				}
			}
			return "", "", false
		},
	})
	require.NoError(t, err)
	require.NoError(t, h.Load(t.Context()))
	return h
}

// seen are the directories of the answers that policy sees for a command in a directory.
func (h *house) seen(directory string) []string {
	within := v1.Set{}
	for at := directory; len(at) > 4; at = at[:len(at)-len(base(at))-1] {
		within = append(within, at)
	}
	directories := []string{}
	facts := call(func(f *v1.Facts) {
		f.Session.ProjectDir = directory
		f.Items[0].Directory, f.Items[0].Within = directory, within
	})
	for _, approval := range h.Matching(facts, key{1}) {
		directories = append(directories, approval.Directory)
	}
	return directories
}

func base(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}

// TestAnApprovalForAllWorktrees checks that it is one for the same place in each of them, kept by the main
// one.
func TestAnApprovalForAllWorktrees(t *testing.T) {
	h := inTrees(t)
	given := h.put(t, v1.ApprovalRequest{Verb: "git push", Directory: new("/srv/tree/tests"), Worktrees: true})
	assert.Equal(t, "git push in all worktrees of /srv/proj/tests", given.Words())
	assert.Equal(t, []string{"/srv/tree/tests"}, h.seen("/srv/tree/tests/deep"))
	assert.Equal(t, []string{"/srv/proj/tests"}, h.seen("/srv/proj/tests"))
	assert.Empty(t, h.seen("/srv/tree"), "beside the directory")
	assert.Empty(t, h.seen("/srv/treetests/tests"))
	assert.Empty(t, h.seen("/srv/other/tests"))

	// One for the main worktree alone is another one.
	alone := h.put(t, v1.ApprovalRequest{Verb: "git push", Directory: new("/srv/proj/tests")})
	assert.NotEqual(t, given.ID, alone.ID)
	assert.Len(t, h.seen("/srv/proj/tests"), 2)
	list, _, err := h.List("", 10)
	require.NoError(t, err)
	require.Len(t, list, 2)
	for i := range list {
		if list[i].ID == given.ID {
			assert.Empty(t, list[i].CoveredBy, "it holds in more places")
		}
	}
	require.NoError(t, h.Revoke(t.Context(), given.ID))
	assert.Empty(t, h.seen("/srv/tree/tests"))
	assert.Equal(t, []string{"/srv/proj/tests"}, h.seen("/srv/proj/tests"))
}

func TestAnApprovalForAllWorktreesNeedsOne(t *testing.T) {
	h := inTrees(t)
	for _, request := range []v1.ApprovalRequest{
		{Verb: "git push", Directory: new("/srv/other"), Worktrees: true},
		{Verb: "git push", Worktrees: true},
	} {
		_, _, err := h.Put(t.Context(), request)
		assert.Equal(t, "invalid_request", code(err))
	}
}

// TestProjectToolsAndReadingInAllWorktrees checks the same for trust in a project and for answers to read.
func TestProjectToolsAndReadingInAllWorktrees(t *testing.T) {
	h := inTrees(t)
	project := h.put(t, v1.ApprovalRequest{Tool: v1.ToolProject, Verb: v1.VerbProject, Directory: new("/srv/tree"), Worktrees: true, TTL: "1h"})
	assert.Equal(t, "project tools in all worktrees of /srv/proj", project.Words())
	assert.Equal(t, []string{"/srv/tree"}, h.seen("/srv/tree"))
	assert.Equal(t, []string{"/srv/proj"}, h.seen("/srv/proj"))
	h.put(t, v1.ApprovalRequest{Tool: v1.ToolReading, Verb: v1.ReadingVerb("/usr/lib"), Directory: new("/srv/proj"), Worktrees: true})
	h.put(t, v1.ApprovalRequest{Tool: v1.ToolReading, Verb: v1.ReadingVerb("/usr/libexec"), Directory: new("/srv/proj")})
	roots := func(project string) []string {
		out := []string{}
		for _, grant := range h.Opened(&v1.Session{ID: "s", Agent: "claude-code", Audience: v1.AudiencePersonal, ProjectDir: project}) {
			out = append(out, grant.Root)
		}
		return out
	}
	assert.Equal(t, []string{"/usr/lib"}, roots("/srv/tree"))
	assert.ElementsMatch(t, []string{"/usr/lib", "/usr/libexec"}, roots("/srv/proj"))
	assert.Empty(t, roots("/srv/other"))
	h.pass(2 * time.Hour)
	assert.Empty(t, h.seen("/srv/tree"), "its time is over")
}
