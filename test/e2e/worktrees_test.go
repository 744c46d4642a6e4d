package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

// linkedWorktree makes a second work tree of the tree's project.
func linkedWorktree(t *testing.T, tree project.Tree) string {
	t.Helper()
	linked := filepath.Join(tree.Home, "linked")
	git := exec.Command("git", "worktree", "add", "-q", "-b", "other", linked)
	git.Dir, git.Env = tree.Project, environment(tree.Home)
	output, err := git.CombinedOutput()
	require.NoError(t, err, string(output))
	return linked
}

// TestAnswersForAllWorktrees checks the setting approvals.worktrees: a person's answer in one work tree
// applies in the others, and the choices show it; answers for this session, and for anywhere, stay as they
// are.
func TestAnswersForAllWorktrees(t *testing.T) {
	tree := newTree(t)
	linked, library := linkedWorktree(t, tree), libraryBeside(t, tree)
	settings := filepath.Join(t.TempDir(), "policyd.yaml")
	require.NoError(t, os.WriteFile(settings, []byte("approvals: {worktrees: main}\n"), 0o600))
	s := startServer(t, "--config", settings)
	s.register(t, tree, "main")
	s.register(t, tree, "linked", func(session *v1.Session) { session.ProjectDir = linked })
	s.register(t, tree, "none", func(session *v1.Session) { session.ProjectDir = tree.Other })
	for choice, answered := range map[string]struct{ line, saves string }{
		"always_here":     {"git push", "git push in all worktrees of " + tree.Project},
		"project":         {"make", "project tools in all worktrees of " + tree.Project},
		"read_here":       {"cat " + library + "/go.mod", "read " + library + " in all worktrees of " + tree.Project},
		"session":         {"git fetch", "git fetch in " + linked},
		"always_anywhere": {"git pull", "git pull anywhere"},
	} {
		asked := s.shell(t, "linked", answered.line)
		require.Equal(t, v1.EffectPrompt, asked.Effect, "%s: %v", answered.line, asked.Reasons)
		require.Contains(t, offeredBy(asked.Prompt), choice)
		assert.Equal(t, answered.saves, offeredBy(asked.Prompt)[choice].Saves)
		assert.Contains(t, s.reply(t, asked.Prompt, choice).Resolution, answered.saves)
		assert.Equal(t, v1.EffectAllow, s.shell(t, "linked", answered.line).Effect, answered.line)
		assert.Equal(t, choice != "session", s.shell(t, "main", answered.line).Effect == v1.EffectAllow, answered.line)
		assert.Equal(t, choice == "always_anywhere", s.shell(t, "none", answered.line).Effect == v1.EffectAllow, answered.line)
	}
	assert.Equal(t, "git push in "+tree.Other, offeredBy(s.shell(t, "none", "git push").Prompt)["always_here"].Saves, "no work tree")
}

// TestAnApprovalForAllWorktreesOfARepository checks A13 in work trees: one approval holds at the same place
// in every work tree that the repository itself names, with all that an approval checks counted from there,
// and for nothing that only claims to be one.
func TestAnApprovalForAllWorktreesOfARepository(t *testing.T) {
	tree := newTree(t)
	linked := linkedWorktree(t, tree)
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

	// A directory that claims to be a work tree, and one that was, don't count.
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

// TestTheWorktreesOfTheGuide does what docs/prompts.md shows.
func TestTheWorktreesOfTheGuide(t *testing.T) {
	text, err := os.ReadFile("../../docs/prompts.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "### All worktrees of a repository")
	require.True(t, found)
	section, _, found = strings.Cut(section, "\n### ")
	require.True(t, found)
	blocks := fence.FindAllStringSubmatch(section, -1)
	require.Len(t, blocks, 2)
	command := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", strings.ReplaceAll(blocks[0][2], "go run ./cmd/policyd", "policyd"))
	real, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	command.Dir, command.Env = real, append(environment(t.TempDir()), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	var problems output
	command.Stderr = &problems
	printed, err := command.Output()
	require.NoError(t, err, problems.String())
	assert.Equal(t, blocks[1][2], string(printed))
}
