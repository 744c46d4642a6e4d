package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestChangingFilesOutside checks A12 and A13: an answer to a call that changes files outside opens the
// directory that holds them, for commands and file tools alike, in words that the person reads first. Nothing
// beside it is opened, and what runs there or leads out of it is asked.
func TestChangingFilesOutside(t *testing.T) {
	for choice, lasts := range map[string]bool{v1.ChoiceSession: false, v1.ChoiceAlwaysHere: true} {
		t.Run(choice, func(t *testing.T) {
			tree := newTree(t)
			place := filepath.Join(tree.Home, "notes", "drafts")
			require.NoError(t, os.MkdirAll(place, 0o700))
			require.NoError(t, os.Symlink(tree.Other, filepath.Join(place, "link")))
			require.NoError(t, os.WriteFile(filepath.Join(place, "run.sh"), []byte("#!/bin/sh\n"), 0o700))
			s := startServer(t)
			s.register(t, tree, "s")
			s.register(t, tree, "later")
			words := "change " + place + " in " + tree.Project
			asked := s.shell(t, "s", "echo x | tee "+place+"/a.md && cat "+place+"/a.md && truncate -s 1 "+place+"/a.md")
			require.Equal(t, v1.EffectPrompt, asked.Effect)
			require.Equal(t, words+", truncate in "+place, offeredBy(asked.Prompt)[choice].Saves)
			s.reply(t, asked.Prompt, choice)

			write := func(session, name string) v1.Effect {
				call := v1.Call{Tool: "Write", Args: []byte(`{"file_path":"` + name + `","content":"x"}`), Session: v1.Session{ID: session}}
				return s.decide(t, call).Effect
			}
			for _, line := range []string{"cat " + place + "/a.md", "ls " + place, "echo y | tee " + place + "/c.md", "truncate -s 1 " + place + "/c.md"} {
				decision := s.shell(t, "s", line)
				assert.Equal(t, v1.EffectAllow, decision.Effect, "%s: %v", line, decision.Reasons)
			}
			assert.Equal(t, v1.EffectAllow, write("s", place+"/b.md"))
			assert.Equal(t, lasts, write("later", place+"/b.md") == v1.EffectAllow, "another session of the project")
			for _, line := range []string{
				"rm " + place + "/a.md", place + "/run.sh", "sh " + place + "/run.sh", "echo x | tee " + place + "/link/x", "echo x | tee " + place + "/.mcp.json",
				"printf '!.env' > " + place + "/.ignore; rg x", "echo x > " + place + "/rust-toolchain.toml; cargo --version", "git diff > " + place + "/d",
				"mkdir " + place + "/objects; echo x > " + place + "/HEAD; echo x > " + place + "/config; git status", "rg x > " + place + "/x",
				"echo x | tee " + tree.Home + "/notes/x", "cat " + tree.Other + "/secret.txt", "cd " + place + " && make",
			} {
				assert.NotEqual(t, v1.EffectAllow, s.shell(t, "s", line).Effect, line)
			}
			assert.NotEqual(t, v1.EffectAllow, write("s", tree.Home+"/notes/x"))
			assert.Contains(t, s.cli(t, "approvals revoke "+words), "Revoked: "+words)
			assert.Equal(t, v1.EffectPrompt, write("s", place+"/b.md"), "revoked")
			if lasts {
				assert.Contains(t, s.cli(t, "approvals list"), "truncate in "+place)
			}
		})
	}
}

// TestNoChangingOfWhatMayHoldSettings checks A12: homes, system directories and whatever is below a name with
// a dot are not opened for changes by an answer.
func TestNoChangingOfWhatMayHoldSettings(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	for _, name := range []string{
		tree.Home + "/x.md", tree.Home + "/.config/fish/x", tree.Home + "/.local/bin/x", tree.Home + "/a/.hidden/x", "/opt/x/y", "/usr/local/bin/x", "/etc/x/y", "/var/lib/x/y",
	} {
		for _, line := range []string{"cp README.md " + name, "echo x > " + name, "rm -f " + name} {
			decision := s.shell(t, "s", line)
			require.NotEqual(t, v1.EffectAllow, decision.Effect, line)
			if decision.Effect == v1.EffectPrompt {
				offered := offeredBy(decision.Prompt)
				assert.NotContains(t, offered, v1.ChoiceSession, line)
				assert.NotContains(t, offered, v1.ChoiceAlwaysHere, line)
			}
		}
	}
}

// TestChangingOneNameInAHome checks A12: what could be a directory is opened in a home, and nothing beside it.
func TestChangingOneNameInAHome(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	asked := s.shell(t, "s", "echo x > "+tree.Home+"/x")
	require.Equal(t, "change "+tree.Home+"/x in "+tree.Project, offeredBy(asked.Prompt)[v1.ChoiceAlwaysHere].Saves)
	s.reply(t, asked.Prompt, v1.ChoiceAlwaysHere)
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "echo y > "+tree.Home+"/x").Effect)
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "s", "echo y > "+tree.Home+"/y").Effect)
}

// TestChangingADataFileAmongSettings checks A12: where settings may lie beside it, a file that holds data is opened
// alone, and what is approved beside it reaches no other file there.
func TestChangingADataFileAmongSettings(t *testing.T) {
	tree := newTree(t)
	place := filepath.Join(tree.Home, ".app")
	require.NoError(t, os.MkdirAll(place, 0o700))
	file := place + "/history.db"
	s := startServer(t)
	s.register(t, tree, "s")
	line := `sqlite3 ` + file + ` "SELECT * FROM calls"`
	asked := s.shell(t, "s", line)
	require.Equal(t, v1.EffectPrompt, asked.Effect)
	words := "change " + file + " in " + tree.Project
	require.Equal(t, words+", sqlite3 in "+place, offeredBy(asked.Prompt)[v1.ChoiceAlwaysHere].Saves)
	s.reply(t, asked.Prompt, v1.ChoiceAlwaysHere)
	for _, line := range []string{line, "sqlite3 " + file + " .tables", "echo x > " + file} {
		decision := s.shell(t, "s", line)
		assert.Equal(t, v1.EffectAllow, decision.Effect, "%s: %v", line, decision.Reasons)
	}
	for _, line := range []string{
		"sqlite3 " + place + "/other.db .tables", "sqlite3 " + file + " '.shell id'", "cd " + place + " && make", "rm " + file, "ln -f README.md " + file,
		"cat " + place + "/settings", "sqlite3 " + file + " '.output " + place + "/settings' .tables",
	} {
		assert.NotEqual(t, v1.EffectAllow, s.shell(t, "s", line).Effect, line)
	}
	for _, name := range []string{"settings", "history.json", ".history.db", "run.sh", "db"} {
		decision := s.shell(t, "s", "echo x > "+place+"/"+name)
		require.Equal(t, v1.EffectPrompt, decision.Effect, name)
		assert.NotContains(t, offeredBy(decision.Prompt), v1.ChoiceAlwaysHere, name)
	}
	require.NoError(t, os.MkdirAll(file, 0o700))
	assert.NotEqual(t, v1.EffectAllow, s.shell(t, "s", "cat "+file+"/x").Effect, "a directory in its place")
	require.NoError(t, os.Remove(file))
	assert.Contains(t, s.cli(t, "approvals revoke "+words), "Revoked: "+words)
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "s", line).Effect, "revoked")
}

// TestTemporaryFiles checks A12 and A13: one answer opens the files of /tmp, which is too far up to be opened as a
// directory. Neither the directories there are opened, nor hidden files, links, secrets and programs.
func TestTemporaryFiles(t *testing.T) {
	tree := newTree(t)
	own := filepath.Dir(t.TempDir())
	if real, err := filepath.EvalSymlinks(own); err != nil || filepath.Dir(real) != "/tmp" {
		t.Skip("temporary files of tests aren't in /tmp here")
	}
	require.NoError(t, os.WriteFile(own+"/x", nil, 0o600))
	link := own + ".link"
	require.NoError(t, os.Symlink(tree.Other+"/secret.txt", link))
	t.Cleanup(func() { assert.NoError(t, os.Remove(link)) })
	s := startServer(t)
	s.register(t, tree, "s")
	log := own + ".log"

	read := s.shell(t, "s", "cat "+log)
	require.Equal(t, "read /tmp/* in "+tree.Project, offeredBy(read.Prompt)[v1.ChoiceReadHere].Saves)
	asked := s.shell(t, "s", "cat README.md > "+log+" 2>&1; tail -5 "+log)
	require.Equal(t, v1.EffectPrompt, asked.Effect)
	words := "change /tmp/* in " + tree.Project
	require.Equal(t, words, offeredBy(asked.Prompt)[v1.ChoiceAlwaysHere].Saves)
	s.reply(t, asked.Prompt, v1.ChoiceAlwaysHere)
	for _, line := range []string{
		"cat README.md > " + log + " 2>&1; tail -5 " + log, "ls | tee " + own + ".txt", "grep x " + own + ".out", "cp README.md " + own + ".md",
	} {
		decision := s.shell(t, "s", line)
		assert.Equal(t, v1.EffectAllow, decision.Effect, "%s: %v", line, decision.Reasons)
	}
	for _, line := range []string{
		"ls /tmp", "cat /tmp/*", "cat " + own + "/x", "ls " + own, "echo x > " + own + "/y", "echo x > /tmp/.hidden", "cat /tmp/.hidden",
		"cat " + link, "echo x > " + link, "cat /tmp/krb5cc_1000", "cat /tmp/id_rsa", "sh " + log, "rm " + log, "rm -r " + own, "mv " + log + " x",
		"echo x > README.md", "cp README.md " + own, "git diff > " + log, "echo x > " + log + "; git status", "mkdir " + own + "new; echo x > " + own + "new/x",
	} {
		assert.NotEqual(t, v1.EffectAllow, s.shell(t, "s", line).Effect, line)
	}
	hard := own + ".hard"
	require.NoError(t, os.Link(tree.Other+"/secret.txt", hard))
	t.Cleanup(func() { assert.NoError(t, os.Remove(hard)) })
	assert.NotEqual(t, v1.EffectAllow, s.shell(t, "s", "cat "+hard).Effect, "a second name")
	removal := s.shell(t, "s", "rm "+log)
	require.Equal(t, "rm in "+log, offeredBy(removal.Prompt)[v1.ChoiceAlwaysHere].Saves)
	assert.Contains(t, s.cli(t, "approvals list"), words)
	assert.Contains(t, s.cli(t, "approvals revoke '"+words+"'"), "Revoked: "+words)
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "s", "ls | tee "+log).Effect, "revoked")
}

// TestWritesBesideReaders checks V5 and S3: what a line writes, by an approval, changes what a reader beside it reads and
// runs, and the facts don't know it.
func TestWritesBesideReaders(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	for _, line := range []string{"printf x > a.txt", "mkdir a", "rg x > a.txt"} {
		s.reply(t, s.shell(t, "s", line).Prompt, v1.ChoiceAlwaysHere)
		assert.Equal(t, v1.EffectAllow, s.shell(t, "s", line).Effect, line)
	}
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "printf x > b.txt; wc -l b.txt").Effect)
	for _, line := range []string{
		"printf '!.env' > .ignore; rg --hidden x", "printf x > rust-toolchain.toml; cargo --version", "printf x > go.mod; go version",
		"mkdir objects refs; printf x > HEAD; printf x > config; git status", "rg --hidden x > .gitignore",
	} {
		decision := s.shell(t, "s", line)
		assert.Equal(t, v1.EffectPrompt, decision.Effect, line)
		assert.NotContains(t, offeredBy(decision.Prompt), v1.ChoiceAlwaysHere, line)
	}
}
