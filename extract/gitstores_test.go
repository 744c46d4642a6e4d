package extract_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kept is a credential in an address, in parts: it is one of nobody.
const kept = "https://u:" + "T0k" + "en@example.org/a.git"

// S2: what git keeps of command lines, settings and addresses is a secret where it holds a credential,
// whatever prints it. Without one each line stays as it is.
func TestCredentialsThatGitKeeps(t *testing.T) {
	p := newPlace(t)
	git := func(args ...string) {
		args = append([]string{"-C", p.project, "-c", "user.name=d", "-c", "user.email=d@example.org"}, args...)
		output, err := exec.Command("git", args...).CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
	}
	git("init", "-q")
	git("add", "README.md")
	git("commit", "-q", "-m", "first")
	git("branch", "side")
	git("remote", "add", "origin", "https://example.org/a.git")
	write := func(name, text string) func() {
		file := p.project + "/.git/" + name
		before, err := os.ReadFile(file)
		require.NoError(t, os.MkdirAll(file[:strings.LastIndexByte(file, '/')], 0o755))
		require.NoError(t, os.WriteFile(file, append(before, text...), 0o600))
		return func() {
			if err != nil {
				require.NoError(t, os.Remove(file))
				return
			}
			require.NoError(t, os.WriteFile(file, before, 0o600))
		}
	}
	entry := strings.Repeat("0", 40) + " " + strings.Repeat("1", 40) + " d <d@example.org> 1700000000 +0000\tpull " + kept + "\n"
	log := []string{
		"git reflog", "git reflog show", "git reflog -3", "git log -g", "git log --walk-reflogs --oneline", "git log -g --format=%gs",
		"git show-branch -g", "git show-branch --reflog=3", "git show -g", "tail -3 .git/logs/HEAD", "cat .git/logs/HEAD | head", "grep -r pull .git",
		"cat .git/logs/*", "sort < .git/logs/HEAD", "grep -r pull .git/logs", "cd .git && cat logs/HEAD", "git reflog HEAD",
	}
	tests := []struct {
		name, file, text string
		secret, others   []string
	}{
		{"reflog", "logs/HEAD", entry, log, []string{"git log --oneline", "git stash list", "git status", "git log -3"}},
		{"reflog of a branch", "logs/refs/heads/side", entry, []string{"git reflog side", "git log -g side", "cat .git/logs/refs/heads/side"}, []string{"git reflog", "git log side"}},
		{"stash", "logs/refs/stash", entry, []string{"git stash list", "cat .git/logs/refs/stash"}, []string{"git reflog"}},
		{
			"name of a setting", "config", "[url \"" + kept + "\"]\n\tinsteadOf = x:\n",
			[]string{"git config --name-only --list", "git config -l --name-only", "git config --list", "cat .git/config", "grep url .git/config"},
			[]string{"git reflog", "git branch", "git log", "git remote"},
		},
		{
			"address as a remote", "config", "[branch \"main\"]\n\tremote = " + kept + "\n\tmerge = refs/heads/main\n",
			[]string{
				"git for-each-ref --format='%(push:remotename)'", "git branch --format='%(refname) %(upstream:remotename)'",
				"git branch --format '%(upstream:short,remotename)'", "git config branch.main.remote", "git for-each-ref --format='%(*push:remoteref)'",
			},
			[]string{"git for-each-ref --format='%(refname:short)'", "git branch", "git branch --format='%(HEAD)%(upstream:short)'"},
		},
		{"password of a server", "config", "[imap]\n\tpass = x\n", []string{"git config -l"}, []string{"git config --list --name-only", "git config core.askPass", "git config core.askpass"}},
		{"proxy", "config", "[http]\n\tproxy = socks5h://u:p@127.0.0.1:1\n", []string{"git config http.proxy", "git config --list"}, []string{"git config user.name"}},
		{"other schemes", "config", "[remote \"b\"]\n\turl = ssh://u:p@example.org/x\n", []string{"git remote -v", "git remote get-url b"}, []string{"git remote"}},
		{"as scp", "config", "[remote \"b\"]\n\turl = u:p4ss@example.org:x\n", []string{"git remote -v", "git config remote.b.url"}, []string{"git remote"}},
		{"query", "config", "[remote \"b\"]\n\turl = https://example.org/x?private_token=T\n", []string{"git remote -v"}, []string{"git remote"}},
		{"segment", "config", "[remote \"b\"]\n\turl = https://example.org/oauth2:T@y/x\n", []string{"git remote -v"}, []string{"git remote"}},
		{"fetch head", "FETCH_HEAD", strings.Repeat("1", 40) + "\t\tbranch 'main' of " + kept + "\n", []string{"cat .git/FETCH_HEAD", "cat .git/*HEAD"}, []string{"git reflog"}},
		{"message", "MERGE_MSG", "Merge " + kept + "\n", []string{"cat .git/MERGE_MSG"}, []string{"git reflog", "cat .git/HEAD"}},
		{"module", "modules/m/config", "[remote \"o\"]\n\turl = " + kept + "\n", []string{"cat .git/modules/m/config", "cat .git/modules/*/config"}, []string{"git remote -v"}},
	}
	reaches := func(line string) bool {
		facts := p.facts("Bash", map[string]any{"command": line})
		for _, item := range facts.Items {
			if item.Caveats.Has("reaches_secret") {
				return true
			}
		}
		return false
	}
	for _, test := range tests {
		for _, line := range append(test.secret, test.others...) {
			assert.Falsef(t, reaches(line), "without %s: %s", test.name, line)
		}
		undo := write(test.file, test.text)
		for _, line := range test.secret {
			assert.Truef(t, reaches(line), "%s: %s", test.name, line)
		}
		for _, line := range test.others {
			assert.Falsef(t, reaches(line), "%s: %s", test.name, line)
		}
		if facts := p.facts("Read", map[string]any{"file_path": ".git/" + test.file}); true {
			assert.True(t, facts.Items[0].Caveats.Has("reaches_secret"), test.name)
		}
		undo()
	}
	assert.True(t, reaches("git config imap.pass"), "a password by its name, whatever is there")
	for line, unknown := range map[string]bool{
		"git for-each-ref --format='%(refname) %(new-atom)'": true, "git branch --format='%(weird:x)'": true, "git tag --format='%(contents'": true,
		"git tag --format='%(contents:subject) %(creatordate:short)'": false, "git branch --format='%(if)%(HEAD)%(then)*%(else)-%(end)%(refname)'": false,
	} {
		assert.Equal(t, unknown, p.facts("Bash", map[string]any{"command": line}).Items[0].Caveats.Has("reaches_unknown"), line)
	}
}

// S3: commands that hand tracked contents on are covered by no approval where these hold a secret.
func TestCommandsOfGitThatHandContentsOn(t *testing.T) {
	p := newPlace(t)
	git := func(args ...string) {
		args = append([]string{"-C", p.project, "-c", "user.name=d", "-c", "user.email=d@example.org"}, args...)
		output, err := exec.Command("git", args...).CombinedOutput()
		require.NoErrorf(t, err, "%s", output)
	}
	git("init", "-q")
	git("add", "README.md")
	git("commit", "-q", "-m", "first")
	lines := []string{
		"git archive HEAD", "git archive --format=tar HEAD | tar x -C /tmp", "git format-patch --stdout HEAD~1", "git format-patch -1", "git bundle create - --all",
		"git bundle create out.bundle HEAD", "git fast-export HEAD", "git fast-export --all", "echo HEAD:x | git cat-file --batch", "git cat-file --batch-all-objects --batch",
		"git diff-tree -p HEAD", "git send-email HEAD~1", "git request-pull -p HEAD~1 .", "git checkout-index -a --prefix=../x/", "git worktree add ../other", "git difftool HEAD~1",
		"git pack-objects --stdout --all", "git svn dcommit",
	}
	reaches := func(line, caveat string) bool {
		facts := p.facts("Bash", map[string]any{"command": line})
		for _, item := range facts.Items {
			if strings.HasPrefix(item.Verb, "git ") && (item.Caveats.Has(caveat) || item.Caveats.Has("git_untrusted")) {
				return true
			}
		}
		return false
	}
	for _, line := range lines {
		untrusted := strings.HasPrefix(line, "git request-pull")
		assert.Equalf(t, untrusted, reaches(line, "reaches_secret"), "without a secret: %s", line)
	}
	git("add", "-f", ".env")
	git("commit", "-q", "-m", "second")
	for _, line := range lines {
		assert.Truef(t, reaches(line, "reaches_secret"), "%s", line)
	}
	git("rm", "-q", "--cached", ".env")
	git("commit", "-q", "-m", "third")
	for _, line := range lines {
		if !strings.HasPrefix(line, "git archive") && !strings.HasPrefix(line, "git checkout-index") {
			assert.Truef(t, reaches(line, "reaches_secret"), "in a commit before: %s", line)
		}
	}
	assert.True(t, reaches("git archive --remote=ssh://h/x HEAD", "reaches_unknown"))
	assert.False(t, reaches("git archive --list", "reaches_secret"))
}
