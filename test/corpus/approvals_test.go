package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/shell"

	v1 "policyd/api/v1"
	"policyd/internal/approvals"
	"policyd/internal/gate"
	"policyd/internal/prompts"
	"policyd/internal/record"
	"policyd/internal/store"
	"policyd/test/decider"
	"policyd/test/project"
)

// forgetful is a store that takes everything and keeps nothing: the index remembers.
type forgetful struct{ approvals.Store }

func (forgetful) Approvals(context.Context, time.Time) ([]v1.ApprovalEntry, error) { return nil, nil }

func (forgetful) Onces(context.Context, time.Time) ([]store.Once, error)        { return nil, nil }
func (forgetful) SpendOnce(context.Context, string) error                       { return nil }
func (forgetful) DeleteApprovals(_ context.Context, ids ...string) (int, error) { return len(ids), nil }

func (forgetful) PutApprovals(_ context.Context, entries ...v1.ApprovalEntry) ([]v1.ApprovalEntry, error) {
	return entries, nil
}

// asking is a gate over the built-in policy that asks, and remembers what is answered.
type asking struct {
	engine  *decider.Decider
	gate    *gate.Gate
	book    *prompts.Book
	index   *approvals.Index
	project string
	serial  int
	faults  []string
}

func ask(t *testing.T) *asking {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not installed")
	}
	scratch := t.TempDir()
	tree, err := project.New(t.Context(), scratch)
	require.NoError(t, err)
	a := &asking{project: tree.Project}
	a.engine, err = decider.New(t.Context(), decider.Options{Home: tree.Home, Project: tree.Project, StateDir: filepath.Join(scratch, "state")})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.engine.Close()) })
	id := func() string { a.serial++; return fmt.Sprintf("id-%d", a.serial) }
	a.index, err = approvals.New(approvals.Options{
		Store: forgetful{}, Clock: time.Now, NewID: id,
		Chain: func(_, verb string) string {
			if items := a.facts(verb).Items; len(items) == 1 {
				return items[0].Verb
			}
			return ""
		},
		RunsAnything: func(_, verb string) bool {
			return slices.ContainsFunc(a.facts(verb).Items, func(item v1.Item) bool { return item.Caveats.Has("runs_anything") })
		},
	})
	require.NoError(t, err)
	require.NoError(t, a.index.Load(t.Context()))
	a.book, err = prompts.New(prompts.Options{
		Clock: time.Now, NewID: id, Fault: func(err error) { a.faults = append(a.faults, err.Error()) },
		Given: func(entries []v1.ApprovalEntry, _ []v1.Grant, once *store.Once) { a.index.Remember(entries, once) },
	})
	require.NoError(t, err)
	a.gate, err = gate.New(gate.Options{
		Policy: a.engine.Policy(), Redactor: record.NewRedactor(nil, nil), Prompts: a.book, Approvals: a.index, NewID: id,
		Sessions: anySession{}, VerifyChoices: true, // a choice that is left out as ineffective is a fault
		Fault: func(code string, err error) { a.faults = append(a.faults, code+": "+err.Error()) },
	})
	require.NoError(t, err)
	return a
}

// anySession keeps no sessions: each is as it says, and may be let read the directory of
// what it names.
type anySession struct{}

func (anySession) Admit(_ context.Context, asked *v1.Session, _ v1.Caller) (v1.Session, error) {
	return *asked, nil
}

func (anySession) Peek(_ context.Context, asked *v1.Session, _ v1.Caller) (v1.Session, error) {
	return *asked, nil
}

func (anySession) Grants(*v1.Session) []v1.PathGrant { return nil }

func (anySession) ReadingRoot(_ *v1.Session, name string) string { return path.Dir(name) }

func (anySession) ChangingRoot(_ *v1.Session, name string) string { return path.Dir(name) }

// facts are those of a shell line in a session of no project, as an operator's verb is read.
func (a *asking) facts(line string) v1.Facts {
	call := a.call(decider.Line{Command: line}, true)
	call.Session = v1.Session{Agent: "claude-code"}
	call.Cwd = ""
	return a.engine.Facts(&call, nil)
}

func (a *asking) call(line decider.Line, interactive bool) v1.Call {
	args, err := json.Marshal(map[string]string{"command": line.Command})
	if err != nil {
		panic(err)
	}
	session := a.engine.Session()
	call := v1.Call{Tool: "Bash", Args: args, Cwd: line.Cwd, Session: session}
	if line.Cwd == "" {
		call.Cwd = session.ProjectDir
	}
	if line.Windows {
		call.Tool, call.Cwd = "shell", line.Cwd
		call.Session = v1.Session{
			ID: "corpus", Agent: "other", Audience: v1.AudiencePersonal, Platform: "windows", ProjectDir: `C:\proj`, Home: `C:\Users\dev`,
		}
	}
	if line.Shell != "" {
		call.Session.Shell = line.Shell
	}
	if line.Platform != "" {
		call.Session.Platform = line.Platform
	}
	call.Session.Interactive = &interactive
	return call
}

// forget takes every approval back.
func (a *asking) forget(t *testing.T) {
	t.Helper()
	list, _, err := a.index.List("", 1000)
	require.NoError(t, err)
	for i := range list {
		require.NoError(t, a.index.Revoke(t.Context(), list[i].ID))
	}
	a.index.End("corpus")
}

// corpora are the lines of every file of lines, in the project that was built.
func (a *asking) corpora(t *testing.T) []decider.Line {
	t.Helper()
	files, err := filepath.Glob("../testdata/corpus/*.jsonl")
	require.NoError(t, err)
	more, err := filepath.Glob(filepath.Join(sharedCorpus(t), "*.jsonl"))
	require.NoError(t, err)
	seen := map[decider.Line]bool{}
	var lines []decider.Line
	for _, name := range append(files, more...) {
		cases, err := read(name)
		require.NoError(t, err)
		for i := range cases {
			asked := cases[i].asked()
			if asked.Cwd != "" {
				asked.Command, asked.Cwd = strings.ReplaceAll(asked.Command, asked.Cwd, a.project), a.project
			}
			if !seen[asked] {
				seen[asked] = true
				lines = append(lines, asked)
			}
		}
	}
	require.Greater(t, len(lines), 5000)
	return lines
}

// linesVariable is "all" if each test reads every line, as make nightly does.
const linesVariable = "POLICYD_TEST_LINES"

// usualShare is one in how many lines a test reads otherwise.
const usualShare = 3

// chosen reports whether a test reads a line. Each test has a share of its own, so that together they
// read most lines. A short test chooses for itself.
func chosen(t *testing.T, command string) bool {
	t.Helper()
	digest := sha256.Sum256([]byte(t.Name() + "\x00" + command))
	return testing.Short() || os.Getenv(linesVariable) == "all" || digest[0]%usualShare == 0
}

// share are the chosen lines of the corpora.
func (a *asking) share(t *testing.T) []decider.Line {
	t.Helper()
	return slices.DeleteFunc(a.corpora(t), func(line decider.Line) bool { return !chosen(t, line.Command) })
}

func lasting(prompt *v1.Prompt) []v1.Choice {
	var out []v1.Choice
	for _, choice := range prompt.Choices {
		if choice.Key != v1.ChoiceOnce && choice.Key != v1.ChoiceDeny {
			out = append(out, choice)
		}
	}
	return out
}

// TestALastingAnswerAllowsTheRetry checks A13: after any lasting answer the same call is allowed, and exactly
// what the choice showed is saved.
func TestALastingAnswerAllowsTheRetry(t *testing.T) {
	a := ask(t)
	var calls []v1.Call
	for _, line := range a.share(t) {
		calls = append(calls, a.call(line, true))
	}
	for _, source := range []struct {
		name  string
		calls []v1.Call
	}{{"lines", calls}, {"sessions", a.recorded(t)}, {"payloads", a.captured(t)}} {
		prompted, onlyOnce, answered := 0, 0, 0
		for i := range source.calls {
			call := &source.calls[i]
			decision := a.gate.Decide(t.Context(), call, gate.DecideOptions{})
			if decision.Effect != v1.EffectPrompt || decision.Prompt.State == v1.PromptDelegated {
				continue // what is delegated is answered in the client's own dialog
			}
			prompted++
			choices := lasting(decision.Prompt)
			if len(choices) == 0 {
				onlyOnce++
			}
			for _, choice := range choices {
				answered++
				a.retry(t, call, choice)
			}
			if open, err := a.book.Get(t.Context(), decision.Prompt.ID); err == nil && open.State == v1.PromptPending {
				require.NoError(t, a.book.Withdraw(t.Context(), decision.Prompt.ID))
			}
		}
		require.Empty(t, a.faults)
		t.Logf("%s: %d calls, %d prompts, %d of them offer only once and deny; %d answers", source.name, len(source.calls), prompted, onlyOnce, answered)
		require.True(t, len(source.calls) == 0 || answered > 0, source.name)
	}
}

// retry answers a call and makes it again.
func (a *asking) retry(t *testing.T, call *v1.Call, choice v1.Choice) {
	t.Helper()
	again := a.gate.Decide(t.Context(), call, gate.DecideOptions{})
	require.Equal(t, v1.EffectPrompt, again.Effect, "%s", call.Args)
	answer, err := a.book.Answer(t.Context(), again.Prompt.ID, v1.AnswerRequest{Choice: choice.Key, By: "test"})
	require.NoError(t, err, "%s %s %s: %s", call.Protocol, call.Tool, call.Args, again.Prompt.State)
	require.NotEmpty(t, answer.Saved, "%s: %s saves nothing", call.Args, choice.Key)
	saved := make([]string, len(answer.Saved))
	for i := range answer.Saved {
		saved[i] = answer.Saved[i].Words()
	}
	assert.Equal(t, choice.Saves, strings.Join(saved, ", "), "%s", call.Args)
	assert.Contains(t, answer.Resolution, choice.Saves, "%s", call.Args)
	retry := a.gate.Decide(t.Context(), call, gate.DecideOptions{})
	assert.Equal(t, v1.EffectAllow, retry.Effect, "%s, answered %s: %s: %v", call.Args, choice.Key, choice.Saves, retry.Reasons)
	if !strings.Contains(answer.Resolution, "not saved") {
		retry = a.gate.Decide(t.Context(), call, gate.DecideOptions{})
		assert.Equal(t, v1.EffectAllow, retry.Effect, "%s, the second time", call.Args)
	}
	a.forget(t)
}

// TestAHintIsAcceptedAndAllows checks A7: a line that an unattended denial prints is taken by the command,
// and allows the call.
func TestAHintIsAcceptedAndAllows(t *testing.T) {
	a := ask(t)
	hinted := 0
	for _, line := range a.corpora(t) {
		call := a.call(line, false)
		decision := a.gate.Decide(t.Context(), &call, gate.DecideOptions{})
		if !strings.HasPrefix(decision.Hint, "policyd approvals trust-verb ") {
			continue
		}
		hinted++
		for command := range strings.SplitSeq(decision.Hint, " && policyd approvals ") {
			words, err := shell.Fields(strings.TrimPrefix(command, "policyd approvals "), nil)
			require.NoError(t, err, decision.Hint)
			request := v1.ApprovalRequest{}
			require.Greater(t, len(words), 7, decision.Hint)
			request.Verb, request.Risks = v1.ParseApprovalVerb(words[1])
			request.Audience, request.Agent, request.Tool = v1.Audience(words[3]), words[5], words[7]
			request.Force = slices.Contains(words[8:], "--force")
			_, _, err = a.index.Put(t.Context(), request)
			assert.NoError(t, err, "%q: %s", line.Command, command)
		}
		retry := a.gate.Decide(t.Context(), &call, gate.DecideOptions{})
		assert.Equal(t, v1.EffectAllow, retry.Effect, "%q: %s: %v", line.Command, decision.Hint, retry.Reasons)
		a.forget(t)
	}
	require.Greater(t, hinted, 500)
}

// TestAnApprovalIsNoWiderThanItsWords checks that what one call saves covers no call that has another verb,
// another risk, or touches a path outside the directory.
func TestAnApprovalIsNoWiderThanItsWords(t *testing.T) {
	a := ask(t)
	byVerb := map[string][]v1.Call{}
	for _, line := range a.corpora(t) {
		call := a.call(line, true)
		facts := a.engine.Facts(&call, nil)
		if len(facts.Items) == 1 && !line.Windows && len(byVerb[facts.Items[0].Verb]) < 12 {
			byVerb[facts.Items[0].Verb] = append(byVerb[facts.Items[0].Verb], call)
		}
	}
	compared := 0
	for _, verb := range slices.Sorted(maps.Keys(byVerb)) {
		for i := range byVerb[verb] {
			decision := a.gate.Decide(t.Context(), &byVerb[verb][i], gate.DecideOptions{})
			if decision.Effect != v1.EffectPrompt || !slices.ContainsFunc(decision.Prompt.Choices, func(c v1.Choice) bool { return c.Key == v1.ChoiceAlwaysHere }) {
				continue
			}
			answer, err := a.book.Answer(t.Context(), decision.Prompt.ID, v1.AnswerRequest{Choice: v1.ChoiceAlwaysHere, By: "test"})
			require.NoError(t, err)
			require.Len(t, answer.Saved, 1)
			for n := range byVerb[verb] {
				compared++
				a.narrow(t, &answer.Saved[0], &byVerb[verb][n])
			}
			a.forget(t)
		}
	}
	require.Greater(t, compared, 500)
}

// narrow checks that what an approval covers is in its words.
func (a *asking) narrow(t *testing.T, entry *v1.ApprovalEntry, call *v1.Call) {
	t.Helper()
	other := a.gate.Decide(t.Context(), call, gate.DecideOptions{Probe: true, IncludeFacts: true})
	if !slices.ContainsFunc(other.Items, func(item v1.DecisionItem) bool { return item.CoveredBy == "approvals/remembered" }) {
		return
	}
	item := &other.Facts.Items[0]
	for _, risk := range item.Risks {
		assert.Contains(t, entry.Risks, risk, "%s covers %s", entry.Words(), call.Args)
	}
	for _, path := range other.Facts.Paths {
		if path.Space != v1.SpaceNone {
			inside := path.Real == *entry.Directory || strings.HasPrefix(path.Real, *entry.Directory+"/")
			assert.True(t, inside, "%s covers %s, which touches %s", entry.Words(), call.Args, path.Real)
		}
	}
}

// TestWhatOneAnswerCovers checks V6 by pairs: what was approved with "Always here", and what comes next.
func TestWhatOneAnswerCovers(t *testing.T) {
	a := ask(t)
	cases := []struct {
		approved, next string
		covered        bool
	}{
		{"rm -rf build", "rm -rf src", false},
		{"rm -rf build", "rm -rf build/x", true},
		{"rm ./build/x", "rm ./build/y", true},
		{"rm ./build/x", "rm ./src/x", false},
		{"rm -rf build", "rm -rf build src", false},
		{"rm -rf build", "rm -rf build/../src", false},
		{"go test ./pkg/a", "go test ./...", true},
		{"go test ./...", "FOO=1 go test ./...", true},
		{"go test ./...", "GOFLAGS=-toolexec=x go test ./...", false},
		{"pytest ./tests", "pytest ./tests/test_a.py", true},
		{"pytest ./tests", "pytest", true},
		{"git push origin main", "git push", true},
		{"git push origin main", "git push origin dev", true},
		{"git push origin main", "git push --force", false},
		{"git push origin main", "git push -f origin main", false},
		{"git push origin main", "git push --force-with-lease", false},
		{"git push origin main", "git push origin +main", false},
		{"git push origin main", "git push origin :main", false},
		{"git push origin main", "git push -d origin main", false},
		{"git push origin main", "git push --mirror", false},
		{"git push origin main", "git push --mirr", false},
		{"git push origin main", "git push --prune origin", false},
		{"git push origin main", "git push evil main", false},
		{"git push origin main", "git push --repo=evil", false},
		{"git push origin main", "git push https://evil.example/x main", false},
		{"git push origin main", "git push git@evil.example:x main", false},
		{"git push origin main", "git push ./docs main", false},
		{"git push origin main", "git push -u origin main", true},
		{"git push --force", "git push --force origin main", true},
		{"git push --force", "git push --delete origin main", false},
		{"git push evil main", "git push other main", false},
		{"git branch x", "git branch -D x", false},
		{"git tag v1", "git tag -d v1", false},
		{"git reset HEAD~1", "git reset --hard HEAD~1", false},
		{"git checkout -b x", "git checkout -f x", false},
		{"make lint", "make deploy", false},
		{"make lint", "make lint deploy", false},
		{"make lint", "make", false},
		{"make lint", "make -j4 lint", true},
		{"make lint", "make lint V=1", false},
		{"make lint", "make lint SHELL=./x", false},
		{"make lint", "make -C docs lint", true},
		{"just build", "just deploy", false},
		{"task build", "task deploy", false},
		{"rake build", "rake deploy", false},
		{"gradle build", "gradle publish", false},
		{"mvn test", "mvn deploy", false},
		{"mvn -DskipTests package", "mvn -Dexec.executable=rm package", false},
		{"tox -e lint", "tox -e deploy", false},
		{"nx run app:build", "nx run app:deploy", false},
		{"turbo run build", "turbo run deploy", false},
		{"bazel run //a:b", "bazel run //a:deploy", false},
		{"npm run build", "npm run deploy", false},
		{"docker rm x", "docker rm -f x", false},
		{"kubectl delete pod x", "kubectl delete pod --all", false},
		{"terraform apply", "terraform apply -destroy", false},
		{"terraform apply", "terraform apply -auto-approve", false},
		{"gh pr merge 1 --squash", "gh pr merge 1 --admin", false},
		{"echo hi > src/log", "echo ho > src/log2", true},
		{"echo hi > src/log", "echo hi > log", false},
		{"touch ./docs/a.txt", "touch ./src/a.txt", false},
		{"git commit -m \"$(cat <<'EOF'\nfix: it's done\n\nbody\nEOF\n)\"", "git commit -m \"$(cat <<'EOF'\nother\nEOF\n)\"", true},
		{"git commit -m \"$(cat <<EOF\none\nEOF\n)\"", "git status && git commit -m \"$(printf 'two\\n\\nbody')\" 2>&1 | tail -5", true},
		{"git commit -m x", "git commit -m \"$(cat <<EOF\n$(cat .env)\nEOF\n)\"", false},
		{"git commit -m x", "git commit -m \"$(cat ../outside/note)\"", false},
		{"rm -rf build", "rm -rf \"$(echo src)\"", false},
		{"rm -rf build", "rm -rf \"$(printf '%s/%s' build x)\"", true},
		{"rm -rf build", "rm -rf \"$(cat <<'EOF'\nbuild/../src\nEOF\n)\"", false},
		{"mytool ./docs/a.txt", "OUT=src/x.txt mytool ./docs/a.txt", false},
		{"mytool ./docs/a.txt", "export OUT=src/x.txt && mytool ./docs/a.txt", false},
		{"mytool ./docs/a.txt", "export OUT=1; ls; OUT=src/x.txt; mytool ./docs/a.txt", false},
		{"mytool ./docs/a.txt", "OUT=src/x.txt; export OUT; bash -c 'mytool ./docs/a.txt'", false},
		{"mytool ./docs/a.txt", "export OUT=docs/x.txt && mytool ./docs/a.txt", true},
	}
	for _, c := range cases {
		call := a.call(decider.Line{Command: c.approved}, true)
		decision := a.gate.Decide(t.Context(), &call, gate.DecideOptions{})
		if !assert.Equal(t, v1.EffectPrompt, decision.Effect, c.approved) {
			continue
		}
		_, err := a.book.Answer(t.Context(), decision.Prompt.ID, v1.AnswerRequest{Choice: v1.ChoiceAlwaysHere, By: "test"})
		if !assert.NoError(t, err, c.approved) {
			continue
		}
		next := a.call(decider.Line{Command: c.next}, true)
		got := a.gate.Decide(t.Context(), &next, gate.DecideOptions{Probe: true})
		assert.Equal(t, c.covered, got.Effect == v1.EffectAllow, "%q, then %q: %v", c.approved, c.next, got.Reasons)
		a.forget(t)
	}
}
