package console_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/console"
	"policyd/internal/events"
)

const host = "127.0.0.1:7484"

// book holds everything that a console shows, in memory.
type book struct {
	mu        sync.Mutex
	now       time.Time
	prompts   []v1.Prompt
	answers   []v1.AnswerRequest
	approvals []v1.ApprovalEntry
	grants    []v1.Grant
	sessions  []v1.SessionInfo
	records   [][]byte // the newest first
	listed    int      // pages of records that were read
	archived  []string
	invalid   map[string]bool
}

func coded(code string) error { return &v1.CodedError{Code: code, Err: errors.New(code)} }

func (b *book) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *book) pass(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

type prompts struct{ *book }

func (p prompts) Get(_ context.Context, id string) (v1.Prompt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, prompt := range p.prompts {
		if prompt.ID == id {
			return prompt, nil
		}
	}
	return v1.Prompt{}, coded("not_found")
}

func (p prompts) List(_ context.Context, state, _, _ string, _ int) (list []v1.Prompt, next string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, prompt := range p.prompts {
		if prompt.State == state {
			list = append(list, prompt)
		}
	}
	return list, "", nil
}

func (p prompts) Answer(_ context.Context, id string, request v1.AnswerRequest) (v1.AnswerResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.prompts {
		prompt := &p.prompts[i]
		if prompt.ID != id {
			continue
		}
		if prompt.State != v1.PromptPending {
			return v1.AnswerResponse{}, coded("prompt_answered")
		}
		prompt.State = v1.PromptAnswered
		prompt.Answer = &v1.PromptAnswer{Choice: request.Choice, By: request.By, At: p.now, Resolution: "Approved (no save)"}
		p.answers = append(p.answers, request)
		response := v1.AnswerResponse{Decision: v1.EffectAllow, Resolution: "Approved (no save)"}
		if v1.Remembers(request.Choice) {
			saved := v1.ApprovalEntry{ID: fmt.Sprintf("a-%d", len(p.answers)), Agent: "*", Tool: "shell", Verb: "git push", CreatedAt: p.now}
			p.approvals = append(p.approvals, saved)
			response.Saved, response.Resolution = []v1.ApprovalEntry{saved}, "Saved: git push anywhere"
		}
		return response, nil
	}
	return v1.AnswerResponse{}, coded("not_found")
}

type approvals struct{ *book }

func (a approvals) List(string, int) (list []v1.ApprovalEntry, next string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append(list, a.approvals...), "", nil
}

func (a approvals) Put(_ context.Context, request v1.ApprovalRequest) (kept v1.ApprovalEntry, changed bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	kept = v1.ApprovalEntry{
		ID: "put", Agent: request.Agent, Tool: request.Tool, Verb: request.Verb, Directory: request.Directory, By: request.By, CreatedAt: a.now,
	}
	if request.TTL != "" {
		life, err := time.ParseDuration(request.TTL)
		if err != nil {
			return kept, false, coded("invalid_request")
		}
		ends := a.now.Add(life)
		kept.ExpiresAt = &ends
	}
	a.approvals = append(a.approvals, kept)
	return kept, true, nil
}

func (a approvals) Revoke(_ context.Context, id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, entry := range a.approvals {
		if entry.ID == id {
			a.approvals = append(a.approvals[:i:i], a.approvals[i+1:]...)
			return nil
		}
	}
	return coded("not_found")
}

type sessions struct{ *book }

func (s sessions) List(context.Context, string, int) (list []v1.SessionInfo, next string, err error) {
	return s.sessions, "", nil
}

func (s sessions) Archive(_ context.Context, id string, caller v1.Caller) error {
	if !caller.Operator {
		return coded("session_foreign")
	}
	s.archived = append(s.archived, id)
	return nil
}

func (s sessions) ListGrants(_ context.Context, who v1.Holder) (list []v1.Grant, err error) {
	for _, grant := range s.grants {
		if grant.Session == who.Session && grant.Agent == who.Agent {
			list = append(list, grant)
		}
	}
	return list, nil
}

func (s sessions) Revoke(_ context.Context, who v1.Holder, id string) error {
	for i, grant := range s.grants {
		if grant.ID == id && grant.Session == who.Session {
			s.grants = append(s.grants[:i:i], s.grants[i+1:]...)
			return nil
		}
	}
	return coded("not_found")
}

type decisions struct{ *book }

func (d decisions) List(_ context.Context, _ v1.RecordFilter, after string, limit int) (list [][]byte, next string, err error) {
	d.listed++
	from := 0
	if after != "" {
		_, _ = fmt.Sscan(after, &from)
	}
	to := min(from+limit, len(d.records))
	if to < len(d.records) {
		next = fmt.Sprint(to)
	}
	return d.records[from:to], next, nil
}

func (d decisions) Record(_ context.Context, id string) ([]byte, error) {
	for _, line := range d.records {
		if strings.Contains(string(line), `"decision_id":"`+id+`"`) {
			return line, nil
		}
	}
	return nil, coded("not_found")
}

// fixture is a console with a browser.
type fixture struct {
	*console.Console
	*book
	events *events.Broker
	file   string
	cookie *http.Cookie
	key    *ecdsa.PrivateKey
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{
		book: &book{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), invalid: map[string]bool{}},
		file: filepath.Join(t.TempDir(), "sessions"), events: events.New("e"),
	}
	f.open(t)
	return f
}

// open makes a console of what there is, as a restart does.
func (f *fixture) open(t *testing.T) {
	t.Helper()
	f.openWith(t, func(*console.Options) {})
}

func (f *fixture) openWith(t *testing.T, change func(*console.Options)) {
	t.Helper()
	options := console.Options{
		Prompts: prompts{f.book}, Approvals: approvals{f.book}, Sessions: sessions{f.book}, Decisions: decisions{f.book}, Events: f.events,
		Status: func() console.Status { return console.Status{Revision: "r-1", Version: "v"} }, Clock: f.clock,
		Hosts:      func() []string { return []string{host, "localhost:7484"} },
		Credential: func(id string) bool { return !f.invalid[id] }, Kept: f.file, Logger: slog.New(slog.DiscardHandler),
	}
	change(&options)
	made, err := console.New(options)
	require.NoError(t, err)
	f.Console = made
}

// login logs the browser in.
func (f *fixture) login(t *testing.T) {
	t.Helper()
	link, _ := f.Link("http://"+host, console.Operator{Name: "alice", Credential: "token"})
	answer := f.exchange(t, link, nil)
	require.Equal(t, http.StatusOK, answer.Code)
	cookies := answer.Result().Cookies()
	require.Len(t, cookies, 1)
	f.cookie = cookies[0]
}

// exchange does what the page behind a link does.
func (f *fixture) exchange(t *testing.T, link string, header map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	if f.key == nil {
		made, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		require.NoError(t, err)
		f.key = made
	}
	point, err := f.key.PublicKey.Bytes()
	require.NoError(t, err)
	parsed, err := url.Parse(link)
	require.NoError(t, err)
	return f.post(t, "/console/login", map[string]string{"code": parsed.Query().Get("code"), "key": base64.RawURLEncoding.EncodeToString(point)}, header)
}

// proof signs a write as the script of a page does.
func (f *fixture) proof(t *testing.T, path string, body []byte) string {
	t.Helper()
	if f.key == nil {
		return ""
	}
	stamp := strconv.FormatInt(f.clock().UnixMilli(), 10)
	sum := sha256.Sum256([]byte(path + "\n" + stamp + "\n" + string(body)))
	r, s, err := ecdsa.Sign(rand.Reader, f.key, sum[:])
	require.NoError(t, err)
	return stamp + "." + base64.RawURLEncoding.EncodeToString(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}

// get opens an address as a browser does when a person types it.
func (f *fixture) get(address string, header map[string]string) *httptest.ResponseRecorder {
	parsed, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	request := httptest.NewRequest(http.MethodGet, parsed.RequestURI(), nil)
	request.Host = host
	for name, value := range map[string]string{"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"} {
		request.Header.Set(name, value)
	}
	return f.send(request, header)
}

// post sends what a script of a page sends.
func (f *fixture) post(t *testing.T, path string, body any, header map[string]string) *httptest.ResponseRecorder {
	t.Helper()
	text, err := json.Marshal(body)
	require.NoError(t, err)
	request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(string(text)))
	request.Host = host
	for name, value := range map[string]string{
		"Origin": "http://" + host, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty",
		"Content-Type": "application/json", "Policyd-Proof": f.proof(t, path, text),
	} {
		request.Header.Set(name, value)
	}
	return f.send(request, header)
}

func (f *fixture) send(request *http.Request, header map[string]string) *httptest.ResponseRecorder {
	if f.cookie != nil {
		request.AddCookie(&http.Cookie{Name: f.cookie.Name, Value: f.cookie.Value})
	}
	for name, value := range header {
		switch {
		case name == "Host":
			request.Host = value
		case value == "":
			request.Header.Del(name)
		default:
			request.Header.Set(name, value)
		}
	}
	recorder := httptest.NewRecorder()
	f.ServeHTTP(recorder, request)
	return recorder
}

func text(t *testing.T, answer *httptest.ResponseRecorder) string {
	t.Helper()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(body)
}

// ask adds a prompt that waits.
func (f *fixture) ask(id, session, command string) {
	f.prompts = append(f.prompts, v1.Prompt{
		ID: id, State: v1.PromptPending, Title: "Approve git push in /repo?", Verbs: []string{"git push"}, Reasons: []string{"git push reaches the network"},
		Call: v1.PromptCall{Tool: "Bash", Text: command, Cwd: "/repo", Agent: "codex", SessionID: session},
		Choices: []v1.Choice{
			{Key: "once", Label: "Once", Style: "primary"},
			{Key: "always_anywhere", Label: "Always anywhere", Style: "danger", Saves: "git push anywhere"},
			{Key: "deny", Label: "Deny", Style: "danger"},
		},
		CreatedAt: f.now.Add(time.Duration(len(f.prompts)) * time.Second), ExpiresAt: f.now.Add(time.Hour),
	})
}
