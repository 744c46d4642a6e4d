package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/console"
)

// record is a line of the decision log.
func record(t *testing.T, id, effect, command, session string, at time.Time) []byte {
	t.Helper()
	covered := ""
	if effect == "allow" {
		covered = "approvals/verb"
	}
	var decided v1.Effect
	require.NoError(t, decided.UnmarshalText([]byte(effect)))
	line, err := json.Marshal(v1.Record{
		DecisionID: id, Timestamp: at, Call: &v1.RecordCall{Tool: "Bash", Args: map[string]any{"command": command}, Cwd: "/repo", SessionID: session, Agent: "codex"},
		Result: v1.RecordResult{
			Decision: decided, Reasons: []v1.Reason{{Rule: "approvals/required", Code: "approval_required", Effect: decided, Message: command}},
			Items: []v1.DecisionItem{{Kind: "command", Verb: "git push", Directory: "/repo", CoveredBy: covered}},
		},
	})
	require.NoError(t, err)
	return line
}

// TestDecisionsAreFiltered checks that a list of thousands is filtered and paged, and that the log is read
// again for what is new alone.
func TestDecisionsAreFiltered(t *testing.T) {
	f := newFixture(t)
	for i := range 5200 {
		effect := []string{"allow", "prompt", "deny"}[i%3]
		f.records = append(f.records, record(t, fmt.Sprintf("d-%d", i), effect, fmt.Sprintf("git push b%d", i), fmt.Sprintf("s-%d", i%2), f.now.Add(-time.Duration(i)*time.Second)))
	}
	f.login(t)
	page := text(t, f.get("/console/decisions", nil))
	assert.Equal(t, 100, strings.Count(page, "<tr data-id"))
	assert.Contains(t, page, `<span id="found">5000</span> of the newest 5000`)
	read := f.listed
	f.records = append([][]byte{record(t, "d-new", "deny", "rm -rf /", "s-9", f.now)}, f.records...)
	page = text(t, f.get("/console/decisions?session=s-9", nil))
	assert.Contains(t, page, "rm -rf /")
	assert.Equal(t, 1, strings.Count(page, "<tr data-id"))
	assert.Equal(t, read+1, f.listed)
	for query, found := range map[string]int{
		"effect=deny": 1667, "verb=git": 5000, "verb=gi": 0, "rule=approvals/verb": 1667, "path=/rep": 5000, "path=b17": 111, "agent=none": 0, "agent=codex&effect=allow&session=s-0": 834,
	} {
		_, rest, _ := strings.Cut(text(t, f.get("/console/decisions?"+query, nil)), `<span id="found">`)
		got, _, _ := strings.Cut(rest, "<")
		assert.Equal(t, fmt.Sprint(found), got, query)
	}
	older := text(t, f.get("/console/decisions?from=100&effect=deny", nil))
	assert.Contains(t, older, "effect=deny&amp;from=0")
	assert.Contains(t, older, "effect=deny&amp;from=200")
	rows := text(t, f.get("/console/decisions?rows=1&effect=deny", nil))
	assert.True(t, strings.HasPrefix(rows, "<tr"))
	one := text(t, f.get("/console/decisions/d-new", nil))
	for _, want := range []string{"rm -rf /", "approvals/required", "approval_required", "not covered", "decision_id"} {
		assert.Contains(t, one, want)
	}
	assert.Equal(t, http.StatusNotFound, f.get("/console/decisions/none", nil).Code)
}

// TestRememberedAnswersAreTakenBack checks that an approval can be revoked, be given for less, and never for
// more.
func TestRememberedAnswersAreTakenBack(t *testing.T) {
	f := newFixture(t)
	dir := "/srv/repo"
	f.approvals = []v1.ApprovalEntry{
		{ID: "wide", Agent: "*", Tool: "shell", Verb: "git push", By: "bob", CreatedAt: f.now.Add(-time.Hour)},
		{ID: "here", Agent: "*", Tool: "shell", Verb: "make", Directory: &dir, CreatedAt: f.now},
		{ID: "chat", Agent: "*", Verb: "ls", Session: "s-1", CreatedAt: f.now},
	}
	f.records = [][]byte{record(t, "d-1", "allow", "git push origin x", "s-1", f.now)}
	f.sessions = []v1.SessionInfo{{Session: v1.Session{ID: "s-1", Agent: "codex"}, State: v1.SessionActive}}
	f.grants = []v1.Grant{{ID: "g-1", Session: "s-1", Label: "/other (read-only)", CreatedAt: f.now}}
	f.login(t)
	page := text(t, f.get("/console/remembered", nil))
	for _, want := range []string{"git push anywhere", "given by bob", "covered 1 call,", "git push origin x", "make in /srv/repo", "not used lately", "/other (read-only)"} {
		assert.Contains(t, page, want)
	}
	assert.Equal(t, http.StatusBadRequest, f.post(t, "/console/narrow", map[string]string{"approval": "here", "directory": "/srv"}, nil).Code, "wider")
	assert.Equal(t, http.StatusNotFound, f.post(t, "/console/narrow", map[string]string{"approval": "chat", "ttl": "1h"}, nil).Code)
	require.Equal(t, http.StatusOK, f.post(t, "/console/narrow", map[string]string{"approval": "wide", "directory": "/srv/repo"}, nil).Code)
	require.Len(t, f.approvals, 3)
	assert.Equal(t, "/srv/repo", *f.approvals[2].Directory)
	assert.Equal(t, "alice", f.approvals[2].By)
	require.Equal(t, http.StatusOK, f.post(t, "/console/narrow", map[string]string{"approval": "here", "ttl": "24h"}, nil).Code)
	assert.Equal(t, f.now.Add(24*time.Hour), *f.approvals[2].ExpiresAt)
	require.Equal(t, http.StatusOK, f.post(t, "/console/revoke", map[string]string{"approval": "chat"}, nil).Code)
	assert.Len(t, f.approvals, 2)
	require.Equal(t, http.StatusOK, f.post(t, "/console/revoke", map[string]string{"grant": "g-1", "session": "s-1"}, nil).Code)
	assert.Empty(t, f.grants)
	assert.Equal(t, http.StatusNotFound, f.post(t, "/console/revoke", map[string]string{"approval": "none"}, nil).Code)
}

// TestFiguresAreCounted checks what sessions, policy and rates show.
func TestFiguresAreCounted(t *testing.T) {
	f := newFixture(t)
	for i, effect := range []string{"allow", "allow", "prompt", "deny"} {
		f.records = append(f.records, record(t, fmt.Sprintf("d-%d", i), effect, "git push", "s-1", f.now.Add(-time.Duration(i)*time.Hour)))
	}
	f.sessions = []v1.SessionInfo{
		{Session: v1.Session{ID: "s-1", Agent: "codex", ProjectDir: "/repo"}, State: v1.SessionActive}, {Session: v1.Session{ID: "gone"}, State: v1.SessionArchived},
	}
	f.login(t)
	page := text(t, f.get("/console/sessions", nil))
	for _, want := range []string{"<dt>calls</dt><dd>4</dd>", "<dt>a minute</dt><dd>0.1</dd>", "<dt>share asked</dt><dd>25 %</dd>"} {
		assert.Contains(t, page, want)
	}
	assert.NotContains(t, page, "gone")
	require.Equal(t, http.StatusOK, f.post(t, "/console/archive", map[string]string{"session": "s-1"}, nil).Code)
	assert.Equal(t, []string{"s-1"}, f.archived)
	page = text(t, f.get("/console/rates", nil))
	for _, want := range []string{"<dt>allowed</dt><dd>50 %</dd>", "2 allowed, 1 asked, 1 denied", "policyd approvals trust-verb &#39;git push&#39; --dir /repo"} {
		assert.Contains(t, page, want)
	}
	f.openWith(t, func(options *console.Options) {
		options.Status = func() console.Status {
			return console.Status{Revision: "r-1", Activated: f.now, Refused: 3, Refusals: []string{"bundle.tar.gz: <b>no</b> \u202erevision"}}
		}
	})
	page = text(t, f.get("/console/policy", nil))
	for _, want := range []string{"2026-01-02 03:04:05 UTC", "<dt>reloads refused</dt><dd>3</dd>", `bundle.tar.gz: &lt;b&gt;no&lt;/b&gt; \u202erevision`} {
		assert.Contains(t, page, want)
	}
	assert.Contains(t, page, "r-1")
	assert.Contains(t, page, `approvals/required</a></td><td class="number">4</td>`)
}

// TestPagesAreLight checks the weight of the page that is left open: all that a browser loads for it.
func TestPagesAreLight(t *testing.T) {
	f := newFixture(t)
	for i := range 20 {
		f.ask(fmt.Sprintf("p-%d", i), fmt.Sprintf("s-%d", i), fmt.Sprintf("git push origin branch-%d", i))
	}
	f.login(t)
	page := text(t, f.get("/console/", nil))
	weight := len(page)
	for _, part := range strings.Split(page, `"`) {
		if strings.HasPrefix(part, "/console/assets/") {
			asset := f.get(part, nil)
			require.Equal(t, http.StatusOK, asset.Code)
			weight += asset.Body.Len()
		}
	}
	t.Logf("%d bytes with 20 questions", weight)
	assert.Less(t, weight, 150<<10)
}
