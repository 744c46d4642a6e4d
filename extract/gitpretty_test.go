package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// signedPlace has one commit, which has a signature, and a gpg that leaves a file when it is run.
func signedPlace(t *testing.T) (p place, runsGPG func(line string) bool) {
	t.Helper()
	p = newPlace(t)
	git := p.repository(t)
	git("add", "README.md")
	git("commit", "-q", "-m", "first")
	head, signature, _ := strings.Cut(git("cat-file", "commit", "HEAD"), "\n\n")
	text := head + "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n" + signature + "\n"
	file := filepath.Join(t.TempDir(), "commit")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	git("reset", "-q", "--soft", git("hash-object", "-t", "commit", "-w", file))
	programs := t.TempDir()
	mark := filepath.Join(programs, "ran")
	require.NoError(t, os.WriteFile(programs+"/gpg", []byte("#!/bin/sh\n: >'"+mark+"'\n"), 0o700))
	return p, func(line string) bool {
		_ = os.Remove(mark)
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = p.project
		cmd.Env = append(os.Environ(), "PATH="+programs+":"+os.Getenv("PATH"), "HOME="+p.home, "GIT_CONFIG_NOSYSTEM=1", "GIT_PAGER=cat")
		_ = cmd.Run()
		_, err := os.Stat(mark)
		return err == nil
	}
}

// V5: git runs gpg for each commit whose format asks what a signature is worth, and resolves the names of
// formats by settings.
func TestPrettyFormatsThatCheckSignatures(t *testing.T) {
	p, runsGPG := signedPlace(t)
	chain := "[pretty]\n\tmine = other\n\tother = third\n\tthird = %h %G?\n\tharmless = %h\n\tharmlesser = %h\n"
	for _, test := range []struct {
		settings string
		// runs are lines with which this git runs gpg, others may in other versions, safe are allowed.
		runs, others, safe []string
	}{
		{
			settings: "[pretty]\n\tmine = %h %G?\n\tplain = %h\n\tloop = loop\n",
			runs: []string{
				"git log --format=mine", "git log --pretty=mine -1", "git log --pretty=mi", "git show --format=mine", "git show -s --pretty=mine HEAD",
				"git rev-list --format=mine HEAD", "git rev-list --pretty=mine HEAD", "git rev-list --pretty=mi -1 HEAD", "git shortlog --format=mine HEAD",
				"git whatchanged --format=mine", "git reflog --format=mine", "git reflog show --format=mine", "git log -g --format=mine",
				"git diff-tree --root --format=mine HEAD", "git diff-tree --root --pretty=mine HEAD", "git log --graph --pretty=mine", "git format-patch --stdout --pretty=mine --root HEAD",
			},
			others: []string{"git log --format=MINE", "git rev-list --format=Mi HEAD", "git stash list --format=mine", "git log --pretty=plain"},
			safe: []string{
				"git log", "git log --oneline", "git show", "git reflog", "git rev-list HEAD", "git rev-list --oneline HEAD", "git shortlog HEAD", "git log --format=%h",
				"git log --pretty=medium", "git log --pretty=", "git diff-tree HEAD", "git status", "git branch -v", "git log --pretty=format:mine",
			},
		},
		{
			settings: chain,
			runs:     []string{"git log --format=mine", "git rev-list --format=m HEAD", "git log --format=oth", "git shortlog --format=mine HEAD"},
			others:   []string{"git log --format=THIRD"},
			safe:     []string{"git log"},
		},
		{
			settings: "[pretty]\n\tMINE = format:%G?\n", // the parser lower-cases keys
			runs:     []string{"git log --format=mine", "git rev-list --format=mine HEAD"},
			safe:     []string{"git log --format=%s"},
		},
		{
			settings: "[pretty \"a\"]\n\tb = format:%G?\n[pretty \"X\"]\n\tc = %-GK\n",
			runs:     []string{"git log --pretty=a.b", "git log --pretty=a", "git rev-list --pretty=a.b HEAD", "git log --pretty=X.c"},
			others:   []string{"git log --pretty=x.C"},
		},
		{
			settings: "[format]\n\tpretty = mine\n[pretty]\n\tmine = %h %G?\n",
			runs:     []string{"git log", "git show -s", "git log -1 -p", "git whatchanged", "git log --format=mine"},
			others:   []string{"git reflog", "git stash list"},
			safe:     []string{"git log --oneline", "git log --format=%h", "git log --pretty=medium", "git log --pretty=short -1", "git status", "git diff", "git rev-parse HEAD"},
		},
		{
			settings: "[format]\n\tpretty = %h %+G?\n",
			runs:     []string{"git log", "git show"},
			safe:     []string{"git log --oneline", "git show --format=%s"},
		},
		{
			settings: "[pretty]\n\toneline = %G?\n\tone = %G?\n\tfull = %G?\n\tshorter = %G?\n",
			runs:     []string{"git log --pretty=one"},
			others:   []string{"git log --pretty=on", "git log --pretty=sho"},
			safe:     []string{"git log --pretty=oneline", "git log --oneline", "git log --pretty=full", "git log --pretty=short", "git rev-list --oneline HEAD"},
		},
		{
			settings: "[log]\n\tshowSignature = false\n[format]\n\tpretty = %h %an\n",
			safe:     []string{"git log", "git show --stat", "git reflog", "git stash list", "git whatchanged", "git log --oneline -3"},
		},
		{
			settings: "[log]\n\tshowSignature = true\n",
			runs:     []string{"git log", "git log --oneline", "git show", "git log --format=%h"},
			others:   []string{"git reflog", "git log --no-show-signature --show-signature"},
			safe:     []string{"git log --no-show-signature -1", "git rev-list --pretty HEAD", "git shortlog HEAD", "git status", "git branch -v", "git rev-parse HEAD", "git describe --always"},
		},
	} {
		for _, file := range []string{p.project + "/.git/config", p.home + "/.gitconfig"} {
			before, err := os.ReadFile(file)
			if !os.IsNotExist(err) {
				require.NoError(t, err)
			}
			require.NoError(t, os.WriteFile(file, append(before, "\n"+test.settings...), 0o600))
			prompts := func(line string) bool {
				items := p.facts("Bash", map[string]any{"command": line}).Items
				return someItemHas(items, "git_untrusted", "executes")
			}
			for _, line := range test.runs {
				assert.Truef(t, runsGPG(line), "%q with %q in %s", line, test.settings, file)
				assert.Truef(t, prompts(line), "%q with %q in %s", line, test.settings, file)
			}
			for _, line := range test.others {
				assert.Truef(t, prompts(line), "%q with %q in %s", line, test.settings, file)
			}
			for _, line := range test.safe {
				assert.Falsef(t, runsGPG(line), "%q with %q in %s", line, test.settings, file)
				assert.Falsef(t, prompts(line), "%q with %q in %s", line, test.settings, file)
			}
			require.NoError(t, os.WriteFile(file, before, 0o600))
		}
	}
}

// V5: a format on the line itself needs no settings.
func TestFormatsOnLinesThatCheckSignatures(t *testing.T) {
	p, runsGPG := signedPlace(t)
	for line, runs := range map[string]bool{
		"git log --format=%G?": true, "git rev-list --format=%h%x09%GK HEAD": true, "git shortlog --format=%G? HEAD": true, "git reflog --format='% G?'": true,
		"git show -s --pretty=format:%+GS": true, "git diff-tree --root --pretty=%G? HEAD": true, "git log --format='%<(10)%G?'": true,
		"git log --format=%h": false, "git log --format=G": false, "git log --pretty=%gd": false,
	} {
		assert.Equalf(t, runs, runsGPG(line), "%q", line)
		assert.Equalf(t, runs, someItemHas(p.facts("Bash", map[string]any{"command": line}).Items, "git_untrusted", "executes"), "%q", line)
	}
}
