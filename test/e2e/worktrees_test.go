package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestAnApprovalForAllWorktreesOfARepository holds A13 in work trees: one approval holds at the same place in every work tree that
// the repository itself names, with all that an approval checks counted from there, and for nothing that only claims
// to be one.
func TestAnApprovalForAllWorktreesOfARepository(t *testing.T) {
	tree := newTree(t)
	linked := filepath.Join(tree.Home, "linked")
	git := exec.Command("git", "worktree", "add", "-q", "-b", "other", linked)
	git.Dir, git.Env = tree.Project, environment(tree.Home)
	output, err := git.CombinedOutput()
	require.NoError(t, err, string(output))
	s := startServer(t)
	open := func(project string) string {
		id := filepath.Base(project)
		s.register(t, tree, id, func(session *v1.Session) { session.ProjectDir = project })
		return id
	}
	main, other := open(tree.Project), open(linked)

	words := "git push in all worktrees of " + tree.Project
	assert.Contains(t, s.cli(t, "approvals trust-verb 'git push' --worktrees --dir "+linked), "Saved: "+words)
	assert.Contains(t, s.cli(t, "approvals trust-verb 'rm' --worktrees --dir "+tree.Project+"/build"), "Saved: rm in all worktrees of "+tree.Project+"/build")
	assert.Contains(t, s.cli(t, "approvals trust-project "+tree.Project+" --worktrees"), "Saved: project tools in all worktrees of "+tree.Project)
	for _, session := range []string{main, other} {
		for line, allowed := range map[string]bool{
			"git push": true, "make": true, "go test ./... > out.txt": true, "rm ./build/x": true, "rm ./src/x": false, "git push --force": false,
			"git -C " + tree.Other + " push": false, "make -C " + tree.Other: false, "touch ../x": false, "echo x > .mcp.json": false,
		} {
			decision := s.shell(t, session, line)
			assert.Equal(t, allowed, decision.Effect == v1.EffectAllow, "%s: %s: %v", session, line, decision.Reasons)
		}
	}

	// A directory that says that it is a work tree, and one that was, are none.
	claims := filepath.Join(tree.Home, "claims")
	require.NoError(t, os.Mkdir(claims, 0o755))
	text, err := os.ReadFile(filepath.Join(linked, ".git"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(claims, ".git"), text, 0o600))
	moved := filepath.Join(tree.Home, "moved")
	for _, session := range []string{open(claims), open(tree.Other)} {
		assert.Equal(t, v1.EffectPrompt, s.shell(t, session, "make").Effect, session)
	}
	require.NoError(t, os.Rename(linked, moved))
	assert.Equal(t, v1.EffectPrompt, s.shell(t, open(moved), "make").Effect)
	require.NoError(t, os.Rename(moved, linked))

	// Exports and imports keep what it is, and it is revoked by the words that list shows.
	assert.Contains(t, s.cli(t, "approvals list"), words)
	exported := filepath.Join(t.TempDir(), "approvals.json")
	require.NoError(t, os.WriteFile(exported, []byte(s.cli(t, "approvals export")), 0o600))
	assert.Contains(t, s.cli(t, "approvals import "+exported), "Unchanged: all 3")
	s = s.restart(t)
	assert.Equal(t, v1.EffectAllow, s.shell(t, other, "git push").Effect, "after a restart")
	assert.Contains(t, s.cli(t, "approvals revoke "+words), "Revoked: "+words)
	for _, session := range []string{main, other} {
		assert.Equal(t, v1.EffectPrompt, s.shell(t, session, "git push").Effect)
	}
	assert.Contains(t, s.cli(t, "approvals import "+exported), "1")
	assert.Equal(t, v1.EffectAllow, s.shell(t, other, "git push").Effect, "imported again")
}
