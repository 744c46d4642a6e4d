package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/jsonl"
	"policyd/test/project"
)

// everydayAllowed is how many everyday lines have to pass without a question.
// It only ever rises.
const everydayAllowed = 92

// line is one command line of a corpus, and the decisions that are right for it.
type line struct {
	ID      string `json:"id"`
	Command string `json:"command"`
	Cwd     string `json:"cwd"`
	Shell   string `json:"shell"`
	// Platform is darwin for a line of a session there.
	Platform string   `json:"platform"`
	Accept   []string `json:"accept"`
	Note     string   `json:"note"`
}

// TestNoAdversarialLineIsAllowed checks the corpus of lines that look harmless (V1, V5, V8, S2).
func TestNoAdversarialLineIsAllowed(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	for _, line := range readCorpus(t, "adversarial") {
		t.Run(line.ID, func(t *testing.T) {
			decision := s.decide(t, line.call(t, tree))
			assert.Containsf(t, line.Accept, decision.Effect.String(), "%q\n%s", line.Command, line.Note)
			assert.NotEqual(t, v1.EffectAllow, decision.Effect)
		})
	}
}

// TestEverydayLinesPass counts the lines that agents write all day (V5, V7).
func TestEverydayLinesPass(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	allowed := 0
	var asked strings.Builder
	for _, line := range readCorpus(t, "everyday") {
		decision := s.decide(t, line.call(t, tree))
		if decision.Effect == v1.EffectAllow {
			allowed++
			continue
		}
		assert.NotEqualf(t, v1.EffectDeny, decision.Effect, "%s %q is denied: %+v", line.ID, line.Command, decision.Reasons)
		asked.WriteString("\n" + line.ID + " " + line.Command + ": " + decision.Reasons[0].Message)
	}
	t.Logf("%d everyday lines allowed; asked:%s", allowed, asked.String())
	assert.GreaterOrEqualf(t, allowed, everydayAllowed, "asked:%s", asked.String())
}

// TestAttacksAreNotAllowed checks lines that once were allowed, each representing a class, in a project that tracks
// secrets and has links that lead out (V5, V8, S2, S3).
func TestAttacksAreNotAllowed(t *testing.T) {
	tree := newTree(t)
	require.NoError(t, project.Expose(t.Context(), tree))
	lines := readCorpus(t, "attacks")
	calls := make([]v1.Call, len(lines))
	for i, line := range lines {
		calls[i] = line.call(t, tree)
		calls[i].Session.ID = line.ID // a session has few open prompts
	}
	for i, decision := range startServer(t).decideAll(t, calls) {
		line := &lines[i]
		assert.Containsf(t, line.Accept, decision.Effect.String(), "%s %q\n%+v", line.ID, line.Command, decision.Reasons)
	}
}

// call is the line as Claude Code would send it. The tree's project is in for the corpus's.
func (l line) call(t *testing.T, tree project.Tree) v1.Call {
	t.Helper()
	command := l.Command
	if l.Cwd != "" {
		command = strings.ReplaceAll(command, l.Cwd, tree.Project)
	}
	args, err := json.Marshal(map[string]string{"command": command})
	require.NoError(t, err)
	call := v1.Call{Tool: "Bash", Args: args, Cwd: tree.Project, Session: session(tree, "claude-code")}
	call.Session.Shell, call.Session.Platform = l.Shell, l.Platform
	return call
}

func readCorpus(t *testing.T, name string) []line {
	t.Helper()
	lines, err := jsonl.Read[line]("../testdata/corpus/" + name + ".jsonl")
	require.NoError(t, err)
	for _, read := range lines {
		require.NotEmpty(t, read.Cwd)
		require.NotEmpty(t, read.Accept)
	}
	require.GreaterOrEqual(t, len(lines), 60)
	return lines
}
