package trust

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A link in place of a file that git prints from shows after the verdict was kept, in
// a repository and in a linked work tree; what stays a file is none.
func TestLinksAreSeenByAKeptVerdict(t *testing.T) {
	for _, name := range append([]string{"info/exclude", "info/grafts", "branches/x", "remotes/x", "rebase-apply/onto", "sequencer/todo"}, printed...) {
		s := newSandbox(t)
		s.Commit(s.Project)
		s.Git(s.Project, "worktree", "add", "-q", filepath.Join(s.Project, "linked"))
		reader := newReader(t, NewCache(8))
		for _, dir := range []string{s.Project, filepath.Join(s.Project, "linked")} {
			verdict := reader.Inspect(s.query(dir, "status"))
			require.True(t, verdict.Trusted, verdict.Reason)
			require.Empty(t, verdict.Files, name)
		}
		link := filepath.Join(s.Project, ".git", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(link), 0o755))
		require.NoError(t, os.RemoveAll(link))
		require.NoError(t, os.Symlink(s.Home+"/.gitconfig", link))
		for _, dir := range []string{s.Project, filepath.Join(s.Project, "linked")} {
			assert.Contains(t, reader.Inspect(s.query(dir, "status")).Files, link)
		}
		require.NoError(t, os.Remove(link))
		assert.NotContains(t, reader.Inspect(s.query(s.Project, "status")).Files, link)
	}
}

// A directory of such files that is a link leads to files of any name.
func TestLinkedDirectoriesOfARepository(t *testing.T) {
	for _, name := range printedDirectories {
		s := newSandbox(t)
		s.Commit(s.Project)
		link := filepath.Join(s.Project, ".git", name)
		require.NoError(t, os.RemoveAll(link))
		require.NoError(t, os.Symlink(s.Home, link))
		assert.Equal(t, CodeLinkedGitDir, s.inspect(s.Project, "status").Code(), name)
	}
}

// Settings of the repository or of the person make git go on into submodules that are
// there, and show what a stash holds.
func TestSettingsThatShowMore(t *testing.T) {
	s := newSandbox(t)
	s.Commit(s.Project)
	s.Commit(s.Home + "/library")
	of := func() Verdict { return s.inspect(s.Project, "grep") }
	config := filepath.Join(s.Project, ".git", "config")
	s.Append(config, "[submodule]\n\trecurse = true\n")
	assert.False(t, of().Effects.Has(Recurses), "there is no submodule")
	s.Git(s.Project, "submodule", "add", "-q", s.Home+"/library", "library")
	assert.True(t, of().Effects.Has(Recurses))
	s.Git(s.Project, "config", "submodule.recurse", "false")
	assert.False(t, of().Effects.Has(Recurses))
	s.Append(s.Home+"/.gitconfig", "[diff]\n\tsubmodule = log\n")
	assert.False(t, of().Effects.Has(Recurses))
	s.Append(s.Home+"/.gitconfig", "[diff]\n\tsubmodule = diff\n")
	assert.True(t, of().Effects.Has(Recurses))
	assert.False(t, of().Effects.Has(ShowsStash))
	s.Append(s.Home+"/.gitconfig", "[stash]\n\tshowPatch\n")
	assert.True(t, of().Effects.Has(ShowsStash))
	assert.False(t, of().Effects.Has(ShowsUntracked))
	s.Append(s.Home+"/.gitconfig", "\tshowIncludeUntracked = true\n")
	assert.True(t, of().Effects.Has(ShowsUntracked))
	for text, want := range map[string]bool{
		"[color]\n\tui = true\n": false, "[color]\n\tgrep = always\n": true, "[grep]\n\tfullName\n": true, "[grep]\n\tfullName = false\n": false,
		"[log]\n\tshowSignature = true\n": true, "[log]\n\tdate = iso\n": false, "[log]\n\tdate = format:%Y-%m-%d\n": false,
		"[log]\n\tdate = format:%n--output=x\n": true, "[log]\n\tdate = \"format:a\\n-x\"\n": true,
		"[i18n]\n\tlogOutputEncoding = UTF-16BE\n": true, "[i18n]\n\tcommitEncoding = UCS-2\n": true, "[i18n]\n\tcommitEncoding = latin1//TRANSLIT\n": true,
		"[i18n]\n\tlogOutputEncoding = GBK\n": false, "[column]\n\tui = always\n": true, "[column]\n\ttag = auto\n": false,
		"[extensions]\n\trefStorage = reftable:///x\n": true,
	} {
		other := newSandbox(t)
		other.Commit(other.Project)
		other.Append(other.Home+"/.gitconfig", text)
		assert.Equal(t, want, other.inspect(other.Project, "grep").Effects.Has(AltersNames), text)
	}
}
