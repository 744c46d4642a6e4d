package notify_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/notify"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func prompt(id, agent string) *v1.Prompt {
	return &v1.Prompt{
		ID: id, State: v1.PromptPending, Title: "Approve git push in /repo?", Verbs: []string{"git push"},
		Call:    v1.PromptCall{Text: "git push <!channel>", Agent: agent, SessionID: "s-1", Cwd: "/repo"},
		Choices: []v1.Choice{{Key: "once", Label: "Once"}, {Key: "deny", Label: "Deny"}}, ExpiresAt: noon.Add(24 * time.Hour),
	}
}

func ended(of *v1.Prompt) *v1.Prompt {
	out := *of
	out.State, out.Answer = v1.PromptAnswered, &v1.PromptAnswer{Resolution: "Denied", At: noon}
	return &out
}

// service is a target on loopback.
type service struct {
	*httptest.Server
	mu       sync.Mutex
	statuses []int // of the next answers; then 200
	bodies   []string
	headers  []http.Header
}

func newService(t *testing.T) *service {
	t.Helper()
	s := &service{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.bodies, s.headers = append(s.bodies, string(body)), append(s.headers, r.Header)
		if len(s.statuses) > 0 {
			w.WriteHeader(s.statuses[0])
			s.statuses = s.statuses[1:]
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func worker(target notify.Target) *notify.Worker {
	return notify.NewWorker(target, notify.NewSender(target), func(id string) string { return "http://127.0.0.1:7484/console/prompts/" + id }, slog.New(slog.DiscardHandler))
}

// TestAWebhookIsSigned checks what a receiver can check, and that the same prompt and state come once.
func TestAWebhookIsSigned(t *testing.T) {
	s := newService(t)
	w := worker(notify.Target{Name: "hook", Kind: notify.Webhook, URL: s.URL, Secret: "shared", Ended: true})
	asked := prompt("p-1", "codex")
	for range 3 {
		w.Take(asked, noon)
	}
	assert.True(t, w.Due(t.Context(), noon).IsZero())
	w.Take(ended(asked), noon)
	w.Take(ended(asked), noon)
	w.Due(t.Context(), noon)
	require.Len(t, s.bodies, 2)
	for i, body := range s.bodies {
		stamp, sum, found := strings.Cut(s.headers[i].Get("Policyd-Signature"), ",v1=")
		require.True(t, found)
		mac := hmac.New(sha256.New, []byte("shared"))
		mac.Write([]byte(strings.TrimPrefix(stamp, "t=") + "." + body))
		assert.Equal(t, hex.EncodeToString(mac.Sum(nil)), sum)
		assert.Equal(t, strconv.FormatInt(noon.Unix(), 10), strings.TrimPrefix(stamp, "t="))
		var event struct {
			Event, Delivery, Link, Text string
			Prompt                      v1.Prompt
		}
		require.NoError(t, json.Unmarshal([]byte(body), &event))
		assert.Equal(t, []string{"prompt.created", "prompt.answered"}[i], event.Event)
		assert.Equal(t, event.Delivery, s.headers[i].Get("Policyd-Delivery"))
		assert.Equal(t, "http://127.0.0.1:7484/console/prompts/p-1", event.Link)
		assert.Contains(t, event.Text, "> git push <!channel>")
	}
}

// TestAnUnreachableTargetIsRetried checks the backoff, that each attempt has one id, that a refusal is
// final, and that no message is sent for a prompt that has ended.
func TestAnUnreachableTargetIsRetried(t *testing.T) {
	s := newService(t)
	target := notify.Target{Name: "hook", Kind: notify.Webhook, URL: s.URL}
	w := worker(target)
	s.statuses = []int{500, 503, 429, 500, 500}
	w.Take(prompt("p-1", "codex"), noon)
	now := noon
	for _, pause := range []time.Duration{time.Second, 4 * time.Second, 16 * time.Second, 64 * time.Second} {
		next := w.Due(t.Context(), now)
		assert.Equal(t, pause, next.Sub(now))
		assert.Equal(t, next, w.Due(t.Context(), next.Add(-time.Millisecond)), "not before")
		now = next
	}
	assert.True(t, w.Due(t.Context(), now).IsZero(), "five times at most")
	require.Len(t, s.bodies, 5)
	for _, header := range s.headers {
		assert.Equal(t, "p-1.pending", header.Get("Policyd-Delivery"))
	}
	s.statuses = []int{400}
	w.Take(prompt("p-2", "codex"), noon)
	assert.True(t, w.Due(t.Context(), noon).IsZero(), "a refusal is final")
	s.statuses = []int{302}
	w.Take(prompt("p-3", "codex"), noon)
	assert.True(t, w.Due(t.Context(), noon).IsZero(), "no other address is asked")
	s.statuses = []int{500}
	w.Take(prompt("p-4", "codex"), noon)
	next := w.Due(t.Context(), noon)
	w.Take(ended(prompt("p-4", "codex")), noon)
	sent := len(s.bodies)
	assert.True(t, w.Due(t.Context(), next).IsZero())
	assert.Len(t, s.bodies, sent)
	s.Close()
	err := worker(target).Test(t.Context(), prompt("p-5", "codex"), noon)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), s.URL, "an address is a secret")
}

// TestWhoIsNotifiedAndWhen checks routing by agent, escalation and quiet hours.
func TestWhoIsNotifiedAndWhen(t *testing.T) {
	s := newService(t)
	quiet, err := notify.ParseQuiet("22:00-07:00", "Europe/Berlin")
	if err != nil {
		t.Skip("skipped: this machine has no time zones")
	}
	codex := worker(notify.Target{Kind: notify.Webhook, URL: s.URL, Agents: []string{"codex"}})
	codex.Take(prompt("p-1", "claude-code"), noon)
	codex.Take(prompt("p-2", "codex"), noon)
	codex.Take(ended(prompt("p-2", "codex")), noon.Add(time.Second))
	assert.True(t, codex.Due(t.Context(), noon.Add(time.Second)).IsZero())
	assert.Empty(t, s.bodies, "it ended before anybody was told")

	late := worker(notify.Target{Kind: notify.Webhook, URL: s.URL, After: 10 * time.Minute, Ended: true})
	late.Take(prompt("p-3", "codex"), noon)
	late.Take(prompt("p-4", "codex"), noon)
	assert.Equal(t, noon.Add(10*time.Minute), late.Due(t.Context(), noon))
	late.Take(ended(prompt("p-3", "codex")), noon.Add(time.Minute))
	assert.True(t, late.Due(t.Context(), noon.Add(10*time.Minute)).IsZero())
	require.Len(t, s.bodies, 1)
	assert.Contains(t, s.bodies[0], "p-4")

	night := worker(notify.Target{Kind: notify.Webhook, URL: s.URL, Quiet: quiet})
	for at, want := range map[string]string{
		"2026-01-02T20:59:00Z": "", "2026-01-02T21:00:00Z": "2026-01-03T06:00:00Z", "2026-01-03T05:59:00Z": "2026-01-03T06:00:00Z", "2026-01-03T06:00:00Z": "",
	} {
		now, err := time.Parse(time.RFC3339, at)
		require.NoError(t, err)
		asked := prompt("p-"+at, "codex")
		asked.ExpiresAt = now.Add(24 * time.Hour)
		night.Take(asked, now)
		got := ""
		if next := night.Due(t.Context(), now); !next.IsZero() {
			got = next.UTC().Format(time.RFC3339)
			night.Take(ended(asked), now)
		}
		assert.Equal(t, want, got, at)
	}
	gone := prompt("p-9", "codex")
	gone.ExpiresAt = noon.Add(time.Minute)
	late.Take(gone, noon)
	sent := len(s.bodies)
	late.Due(t.Context(), noon.Add(time.Hour))
	assert.Len(t, s.bodies, sent, "nobody is told of what has expired")
	for _, text := range []string{"22:00", "22-7", "25:00-07:00", "x"} {
		_, err := notify.ParseQuiet(text, "")
		require.Error(t, err, text)
	}
}

// TestEachKindGetsItsForm checks what each service is sent.
func TestEachKindGetsItsForm(t *testing.T) {
	s := newService(t)
	for kind, want := range map[string][]string{
		notify.Slack: {`"blocks"`, `"action_id":"once"`, `\u0026lt;!channel\u0026gt;`, "console/prompts/p-1"}, notify.Discord: {`"custom_id":"policyd:p-1:once"`, `"allowed_mentions":{"parse":[]}`},
		notify.Ntfy: {"git push", "choices"},
	} {
		w := worker(notify.Target{Kind: kind, URL: s.URL, Secret: "tk"})
		require.NoError(t, w.Test(t.Context(), prompt("p-1", "codex"), noon))
		for _, part := range want {
			assert.Contains(t, s.bodies[len(s.bodies)-1], part, kind)
		}
		if kind == notify.Ntfy {
			header := s.headers[len(s.headers)-1]
			assert.Equal(t, "Bearer tk", header.Get("Authorization"))
			assert.Equal(t, "http://127.0.0.1:7484/console/prompts/p-1", header.Get("Click"))
		}
	}
	file := filepath.Join(t.TempDir(), "out")
	w := worker(notify.Target{Kind: notify.Command, Command: []string{"sh", "-c", `cat > "$0"; echo "$POLICYD_PROMPT $POLICYD_STATE" >> "$0"`, file}})
	require.NoError(t, w.Test(t.Context(), prompt("p-1", "codex"), noon))
	out, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(out), "p-1 pending")
	assert.Contains(t, string(out), `"event":"prompt.created"`)
	require.Error(t, worker(notify.Target{Kind: notify.Command, Command: []string{"false"}}).Test(t.Context(), prompt("p-1", "codex"), noon))
}

// book keeps one prompt.
type book struct {
	prompt  *v1.Prompt
	answers []v1.AnswerRequest
}

func (b *book) Get(context.Context, string) (v1.Prompt, error) { return *b.prompt, nil }

func (b *book) Answer(_ context.Context, id string, request v1.AnswerRequest) (v1.AnswerResponse, error) {
	if id != b.prompt.ID {
		return v1.AnswerResponse{}, &v1.CodedError{Code: "not_found", Err: errors.New("there is no prompt")}
	}
	if b.prompt.State != v1.PromptPending {
		return v1.AnswerResponse{}, &v1.CodedError{Code: "prompt_answered", Err: errors.New("answered")}
	}
	b.answers = append(b.answers, request)
	b.prompt = ended(b.prompt)
	return v1.AnswerResponse{}, nil
}

// TestSlackAnswers checks that a click counts with a fresh, right signature of somebody who may answer.
func TestSlackAnswers(t *testing.T) {
	s := newService(t)
	kept := &book{prompt: prompt("p-1", "codex")}
	in := &notify.Inbound{Prompts: kept, Clock: func() time.Time { return noon }, Secret: "sign", People: []string{"U1"}, ReplyHost: s.URL + "/"}
	click := func(user, choice, id string, at time.Time, secret string) int {
		payload, err := json.Marshal(map[string]any{
			"type": "block_actions", "user": map[string]string{"id": user, "username": "alice"}, "response_url": s.URL + "/reply",
			"actions": []map[string]string{{"action_id": choice, "value": id}},
		})
		require.NoError(t, err)
		body := url.Values{"payload": {string(payload)}}.Encode()
		stamp := strconv.FormatInt(at.Unix(), 10)
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "v0:%s:%s", stamp, body)
		request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		request.Header.Set("X-Slack-Request-Timestamp", stamp)
		request.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
		recorder := httptest.NewRecorder()
		in.Slack(recorder, request)
		return recorder.Code
	}
	assert.Equal(t, http.StatusUnauthorized, click("U1", "once", "p-1", noon, "other"))
	assert.Equal(t, http.StatusUnauthorized, click("U1", "once", "p-1", noon.Add(-5*time.Minute), "sign"), "replayed later")
	assert.Equal(t, http.StatusUnauthorized, click("U1", "once", "p-1", noon.Add(5*time.Minute), "sign"))
	assert.Equal(t, http.StatusOK, click("U2", "once", "p-1", noon, "sign"))
	assert.Contains(t, s.bodies[0], "you may not answer")
	assert.Equal(t, http.StatusOK, click("U1", "always_anywhere", "p-1", noon, "sign"))
	assert.Contains(t, s.bodies[1], "in the console")
	assert.Empty(t, kept.answers)
	assert.Equal(t, http.StatusOK, click("U1", "once", "p-1", noon, "sign"))
	assert.Equal(t, []v1.AnswerRequest{{Choice: "once", By: "slack:alice"}}, kept.answers)
	assert.Contains(t, s.bodies[2], `"replace_original":true`)
	assert.Contains(t, s.bodies[2], "Denied")
	assert.Equal(t, http.StatusOK, click("U1", "once", "p-1", noon, "sign"), "replayed at once")
	assert.Len(t, kept.answers, 1)
	in.Secret = ""
	assert.Equal(t, http.StatusUnauthorized, click("U1", "once", "p-1", noon, ""), "no secret is no signature")
}

// TestDiscordAnswers checks the same for Discord.
func TestDiscordAnswers(t *testing.T) {
	public, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	kept := &book{prompt: prompt("p-1", "codex")}
	in := &notify.Inbound{Prompts: kept, Clock: func() time.Time { return noon }, PublicKey: hex.EncodeToString(public), People: []string{"1"}}
	send := func(body string, at time.Time, alter bool) (int, string) {
		stamp := strconv.FormatInt(at.Unix(), 10)
		signed := ed25519.Sign(private, []byte(stamp+body))
		if alter {
			body = strings.Replace(body, "once", "deny", 1) + " "
		}
		request := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader([]byte(body)))
		request.Header.Set("X-Signature-Timestamp", stamp)
		request.Header.Set("X-Signature-Ed25519", hex.EncodeToString(signed))
		recorder := httptest.NewRecorder()
		in.Discord(recorder, request)
		return recorder.Code, recorder.Body.String()
	}
	click := func(user, custom string) string {
		return `{"type":3,"member":{"user":{"id":"` + user + `","username":"alice"}},"data":{"custom_id":"` + custom + `"}}`
	}
	status, body := send(`{"type":1}`, noon, false)
	assert.Equal(t, http.StatusOK, status)
	assert.JSONEq(t, `{"type":1}`, body)
	status, _ = send(click("1", "policyd:p-1:once"), noon, true)
	assert.Equal(t, http.StatusUnauthorized, status)
	status, _ = send(click("1", "policyd:p-1:once"), noon.Add(-time.Hour), false)
	assert.Equal(t, http.StatusUnauthorized, status)
	for _, refused := range []string{click("2", "policyd:p-1:once"), click("1", "policyd:p-1:always_anywhere"), click("1", "other:p-1:once"), click("1", "policyd:p-2:once")} {
		status, body = send(refused, noon, false)
		assert.Equal(t, http.StatusOK, status)
		assert.Contains(t, body, `"flags":64`)
	}
	assert.Empty(t, kept.answers)
	_, body = send(click("1", "policyd:p-1:once"), noon, false)
	assert.Contains(t, body, `"type":7`)
	assert.Equal(t, []v1.AnswerRequest{{Choice: "once", By: "discord:alice"}}, kept.answers)
	in.PublicKey = ""
	status, _ = send(`{"type":1}`, noon, false)
	assert.Equal(t, http.StatusUnauthorized, status)
}
