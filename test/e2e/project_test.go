package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

func offeredBy(prompt *v1.Prompt) map[string]v1.Choice {
	out := map[string]v1.Choice{}
	for _, choice := range prompt.Choices {
		out[choice.Key] = choice
	}
	return out
}

// TestOneAnswerForAProjectsTools checks A12: one answer covers what builds, tests and edits in the project,
// in every session, and ends when it is revoked by the words it was saved by.
func TestOneAnswerForAProjectsTools(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	s.register(t, tree, "other", func(session *v1.Session) { session.Audience = v1.AudienceTeam })
	first := s.shell(t, "s", "go test ./...")
	require.Equal(t, v1.EffectPrompt, first.Effect)
	project := offeredBy(first.Prompt)["project"]
	words := "project tools in " + tree.Project
	assert.Equal(t, words, project.Saves)
	assert.Contains(t, project.Note, "runs the project's code")
	assert.Contains(t, first.Hint, "policyd approvals trust-project")
	given := s.reply(t, first.Prompt, "project")
	assert.Equal(t, "Saved: "+words, given.Resolution)

	for _, line := range []string{"go test ./...", "go build -o bin/app . && ./bin/app --help", "make test > out.txt", "mkdir -p x && touch x/y", "npm run build"} {
		decision := s.shell(t, "s", line)
		assert.Equal(t, v1.EffectAllow, decision.Effect, "%s: %v", line, decision.Reasons)
		record := must[v1.Record](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/decisions/"+decision.ID, nil))
		assert.Equal(t, v1.EffectAllow, record.Result.Decision)
		assert.Contains(t, rules(&record), "approvals/project", line)
	}
	for _, line := range []string{"make install", "npm install", "go build -o ../app .", "python3 -c 1", "rm -rf x", "git push", "sudo make", "echo x > .mcp.json"} {
		assert.NotEqual(t, v1.EffectAllow, s.shell(t, "s", line).Effect, line)
	}
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "other", "go test ./...").Effect, "another audience")
	assert.Contains(t, s.cli(t, "approvals list"), words)
	assert.Contains(t, s.cli(t, "approvals revoke "+words), "Revoked: "+words)
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "s", "go test ./...").Effect)
	assert.Contains(t, s.cli(t, strings.TrimPrefix(first.Hint, "policyd ")), "Saved: "+words)
	assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "go test ./...").Effect)
}

func rules(record *v1.Record) []string {
	var out []string
	for _, reason := range record.Result.Reasons {
		out = append(out, reason.Rule)
	}
	return out
}

// TestReadingADirectoryOutside checks A12: a person lets a directory be read, in this chat or in this
// project, by commands and file tools alike. Nothing there may be changed by it, and secrets stay secret.
func TestReadingADirectoryOutside(t *testing.T) {
	tree := newTree(t)
	library := filepath.Join(tree.Home, "library", "src")
	require.NoError(t, os.MkdirAll(library, 0o700))
	for name, text := range map[string]string{"go.mod": "module library\n", "src/a.go": "package a\n", ".env": "x\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(tree.Home, "library", name), []byte(text), 0o600))
	}
	root := filepath.Dir(library)
	read := func(s *server, session string) v1.Decision {
		return s.decide(t, v1.Call{Tool: "Read", Args: []byte(`{"file_path":"` + library + `/a.go"}`), Session: v1.Session{ID: session}})
	}
	for choice, lasts := range map[string]bool{"read_chat": false, "read_here": true} {
		t.Run(choice, func(t *testing.T) {
			s := startServer(t)
			s.register(t, tree, "s")
			s.register(t, tree, "later")
			asked := s.shell(t, "s", "cat "+library+"/a.go")
			require.Equal(t, v1.EffectPrompt, asked.Effect)
			words := "read " + root + " in " + tree.Project
			assert.Equal(t, words, offeredBy(asked.Prompt)[choice].Saves)
			saved := "Saved: "
			if !lasts {
				saved = "Saved for this chat: "
			}
			assert.Equal(t, saved+words, s.reply(t, asked.Prompt, choice).Resolution)
			for _, line := range []string{"cat " + library + "/a.go", "ls -la " + root, "cd " + root + " && grep -rn a src"} {
				decision := s.shell(t, "s", line)
				assert.Equal(t, v1.EffectAllow, decision.Effect, "%s: %v", line, decision.Reasons)
			}
			assert.Equal(t, v1.EffectAllow, read(s, "s").Effect)
			assert.Equal(t, lasts, read(s, "later").Effect == v1.EffectAllow, "another session of the project")
			assert.Equal(t, v1.EffectDeny, s.shell(t, "s", "cat "+root+"/.env").Effect, "a secret")
			for _, line := range []string{"touch " + root + "/x", "rm " + library + "/a.go", root + "/run.sh", "cat " + tree.Other + "/secret.txt"} {
				assert.Equal(t, v1.EffectPrompt, s.shell(t, "s", line).Effect, line)
			}
			s = s.restart(t)
			assert.Equal(t, v1.EffectAllow, read(s, "s").Effect, "after a restart")
			assert.Contains(t, s.cli(t, "approvals revoke "+words), "Revoked: "+words)
			assert.Equal(t, v1.EffectPrompt, read(s, "s").Effect, "revoked")
		})
	}
}

// TestNoReadingOfWhatMayNotBeGranted checks A12: homes, sensitive and shallow directories can't be let be
// read.
func TestNoReadingOfWhatMayNotBeGranted(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	for _, line := range []string{"ls " + tree.Home, "cat /etc/fstab", "ls /opt", "ls /"} {
		decision := s.shell(t, "s", line)
		if decision.Effect != v1.EffectPrompt {
			continue // it is denied, or read without a question
		}
		offered := offeredBy(decision.Prompt)
		assert.NotContains(t, offered, "read_chat", line)
		assert.NotContains(t, offered, "read_here", line)
	}
}
