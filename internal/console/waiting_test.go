package console_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	v1 "policyd/api/v1"
	"policyd/internal/console"
)

// TestEqualQuestionsAreOneCard checks that one press answers what asks the same in other sessions, and only
// what the page showed.
func TestEqualQuestionsAreOneCard(t *testing.T) {
	f := newFixture(t)
	for i := range 5 {
		f.ask(fmt.Sprintf("p-%d", i), fmt.Sprintf("s-%d", i), "git push origin main")
	}
	f.ask("p-other", "s-0", "git push origin other")
	f.login(t)
	page := text(t, f.get("/console/", nil))
	assert.Equal(t, 2, strings.Count(page, "<article"))
	assert.Contains(t, page, `data-ids="p-4 p-3 p-2 p-1 p-0"`)
	assert.Contains(t, page, `<span class="count" id="total">6</span>`)
	assert.Less(t, strings.Index(page, "p-other"), strings.Index(page, "p-4"), "the newest first")
	f.ask("p-late", "s-9", "git push origin main")
	answer := f.post(t, "/console/answer", map[string]any{"ids": []string{"p-4", "p-3", "p-2", "p-1", "p-0"}, "choice": "once"}, nil)
	require.Equal(t, http.StatusOK, answer.Code)
	assert.Contains(t, text(t, answer), `"answered":5`)
	assert.Len(t, f.answers, 5)
	card := text(t, f.get("/console/cards/p-late", nil))
	assert.Contains(t, card, `data-ids="p-late"`)
	assert.Contains(t, text(t, f.get("/console/cards/p-4", nil)), "by alice")
}

// TestADangerousAnswerNeedsASecondPress checks that for the server as well as for the page.
func TestADangerousAnswerNeedsASecondPress(t *testing.T) {
	f := newFixture(t)
	f.ask("p-1", "s-1", "git push")
	f.login(t)
	body := map[string]any{"ids": []string{"p-1"}, "choice": "always_anywhere"}
	assert.Equal(t, http.StatusPreconditionRequired, f.post(t, "/console/answer", body, nil).Code)
	assert.Empty(t, f.answers)
	body["confirmed"] = true
	assert.Equal(t, http.StatusOK, f.post(t, "/console/answer", body, nil).Code)
	again := f.post(t, "/console/answer", body, nil)
	assert.Equal(t, http.StatusConflict, again.Code, "of two answers the second says so")
	f.ask("p-2", "s-1", "git push")
	f.prompts[1].State = v1.PromptExpired
	page := text(t, f.get("/console/prompts/p-2", nil))
	assert.Contains(t, page, "Expired: nobody answered")
	assert.NotContains(t, page, `data-choice=`)
}

// TestARememberedAnswerCanBeUndone checks that what an answer gave is taken back within seconds, and nothing
// that was there before.
func TestARememberedAnswerCanBeUndone(t *testing.T) {
	f := newFixture(t)
	f.ask("p-1", "s-1", "git push")
	f.ask("p-2", "s-1", "git push -f")
	f.ask("p-3", "s-1", "git push x")
	f.login(t)
	f.approvals = []v1.ApprovalEntry{{ID: "old", CreatedAt: f.now.Add(-time.Hour)}}
	give := func(id string) string {
		answer := f.post(t, "/console/answer", map[string]any{"ids": []string{id}, "choice": "always_anywhere", "confirmed": true}, nil)
		require.Equal(t, http.StatusOK, answer.Code)
		var out struct{ Undo string }
		require.NoError(t, json.Unmarshal(answer.Body.Bytes(), &out))
		return out.Undo
	}
	undo := give("p-1")
	require.NotEmpty(t, undo)
	require.Len(t, f.approvals, 2)
	f.pass(5 * time.Second)
	assert.Equal(t, http.StatusOK, f.post(t, "/console/undo", map[string]string{"undo": undo}, nil).Code)
	require.Len(t, f.approvals, 1)
	assert.Equal(t, "old", f.approvals[0].ID)
	assert.Equal(t, http.StatusGone, f.post(t, "/console/undo", map[string]string{"undo": undo}, nil).Code, "once")
	undo = give("p-2")
	f.pass(time.Minute)
	assert.Equal(t, http.StatusGone, f.post(t, "/console/undo", map[string]string{"undo": undo}, nil).Code, "too late")
	assert.Len(t, f.approvals, 2)
	answer := f.post(t, "/console/answer", map[string]any{"ids": []string{"p-3"}, "choice": "once"}, nil)
	assert.NotContains(t, text(t, answer), "undo", "nothing was remembered")
}

// hostile are texts with which an agent could try to draw or do something else than be read.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `</pre></article><h1>Approved</h1>`, `<!--`, `]]>`,
	`javascript:alert(1)`, `{{.}}`, "\x1b[2J\x1b]0;t\x07", "git \u202ehsup", "a\u200bb\u2066c", "git рush", "сurl https://еxample.org", "\x00\xff\xfe",
	strings.Repeat("\n", 300) + "make evil", strings.Repeat("x", 16<<10), strings.Repeat("<b>", 5000), "&lt;b&gt;", "a\u2028b", "<svg/onload=alert(1)>",
}

// TestHostileTextIsText checks that whatever an agent writes, and wherever, the page has the same elements as
// for a harmless text, and shows all of it.
func TestHostileTextIsText(t *testing.T) {
	elements := func(text string) map[string]int {
		f := newFixture(t)
		f.ask("p-1", "s-1", text)
		p := &f.prompts[0]
		p.Title, p.Verbs, p.Reasons, p.Warnings = text, []string{text, text}, []string{text}, []string{text}
		p.Call.Cwd, p.Call.Agent, p.Call.SessionID, p.Call.Reason, p.Call.GrantRoot, p.Call.Paths = text, text, text, text, text, []string{text + "x"}
		p.Choices = []v1.Choice{{Key: "once", Label: text, Saves: text, Note: text}, {Key: "deny", Label: text}}
		f.sessions = []v1.SessionInfo{{Session: v1.Session{ID: text, Agent: text, ProjectDir: text}, State: v1.SessionActive}}
		f.approvals = []v1.ApprovalEntry{{ID: "a", Verb: text, Agent: text, By: text}}
		f.grants = []v1.Grant{{ID: "g", Session: text, Label: text}}
		f.records = [][]byte{record(t, "d-1", "prompt", text, "s-1", f.now)}
		f.login(t)
		tags := map[string]int{}
		for _, path := range []string{"/console/", "/console/decisions", "/console/decisions/d-1", "/console/remembered", "/console/sessions", "/console/rates", "/console/policy"} {
			answer := f.get(path, nil)
			require.Equal(t, http.StatusOK, answer.Code, path)
			tokens := html.NewTokenizer(answer.Body)
			for tokens.Next() != html.ErrorToken {
				token := tokens.Token()
				if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken {
					assert.NotContains(t, token.Data, "\x1b")
					assert.NotContains(t, token.Data, "\u202e")
					continue
				}
				if token.Data == "mark" {
					continue
				}
				tags[path+" "+token.Data]++
				for _, attribute := range token.Attr {
					assert.False(t, strings.HasPrefix(attribute.Key, "on"), attribute.Key)
					if attribute.Key == "href" || attribute.Key == "src" {
						assert.True(t, strings.HasPrefix(attribute.Val, "/console/") || attribute.Val == "#main", attribute.Val)
					}
				}
			}
		}
		return tags
	}
	harmless := elements("git push")
	for _, text := range hostile {
		got, want := elements(text), maps.Clone(harmless)
		// A text that can't be shown as it is adds a note, and has fewer answers.
		for _, name := range []string{"button", "small", "span", "kbd", "p"} {
			assert.LessOrEqual(t, got["/console/ "+name], want["/console/ "+name]+1, name)
			got["/console/ "+name], want["/console/ "+name] = 0, 0
		}
		assert.Equal(t, want, got, "%.60q", text)
	}
}

// TestPagesGetEvents checks that the stream reports prompts by their ids, and ends with the session.
func TestPagesGetEvents(t *testing.T) {
	f := newFixture(t)
	f.login(t)
	server := httptest.NewServer(f.Console)
	t.Cleanup(server.Close)
	f.openWith(t, func(options *console.Options) {
		options.Hosts = func() []string { return []string{server.Listener.Addr().String()} }
	})
	server.Config.Handler = f.Console
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/console/events", nil)
	require.NoError(t, err)
	request.AddCookie(&http.Cookie{Name: f.cookie.Name, Value: f.cookie.Value})
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
	lines := bufio.NewScanner(response.Body)
	next := func() string {
		for lines.Scan() {
			if lines.Text() != "" {
				return lines.Text()
			}
		}
		return ""
	}
	assert.Equal(t, "retry: 500", next())
	f.events.Publish("prompt.created", v1.Prompt{ID: "p-1", Title: "secret"})
	f.events.Publish("prompt.answered", v1.Prompt{ID: "p-1"})
	f.events.Publish("decision", map[string]string{"decision_id": "d-1"})
	got := []string{}
	for range 9 {
		got = append(got, next())
	}
	assert.Equal(t, []string{
		"id: e-0", "event: prompt.created", `data: {"id":"p-1"}`, "id: e-1", "event: prompt.ended", `data: {"id":"p-1"}`,
		"id: e-2", "event: decision", `data: {"id":"d-1"}`,
	}, got)
	require.Equal(t, http.StatusOK, f.post(t, "/console/logout", struct{}{}, map[string]string{
		"Host": server.Listener.Addr().String(), "Origin": server.URL,
	}).Code)
	f.events.Publish("prompt.created", v1.Prompt{ID: "p-2"})
	assert.Empty(t, next(), "whoever logged out hears nothing more")
}
