package console

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/events"
)

// Root is the path below which the console is served.
const Root = "/console"

// Prompts are the questions that operators answer. An error that wraps a *v1.CodedError is an answer to the
// operator, here and below. All methods are called concurrently.
type Prompts interface {
	Get(ctx context.Context, id string) (v1.Prompt, error)
	List(ctx context.Context, state, session, after string, limit int) (list []v1.Prompt, next string, err error)
	Answer(ctx context.Context, id string, request v1.AnswerRequest) (v1.AnswerResponse, error)
}

// Approvals are remembered answers.
type Approvals interface {
	List(after string, limit int) (list []v1.ApprovalEntry, next string, err error)
	Put(ctx context.Context, request v1.ApprovalRequest) (kept v1.ApprovalEntry, changed bool, err error)
	Revoke(ctx context.Context, id string) error
}

// Sessions are conversations of agents, and their path grants.
type Sessions interface {
	List(ctx context.Context, after string, limit int) (list []v1.SessionInfo, next string, err error)
	Archive(ctx context.Context, id string, caller v1.Caller) error
	ListGrants(ctx context.Context, who v1.Holder) ([]v1.Grant, error)
	Revoke(ctx context.Context, who v1.Holder, id string) error
}

// Decisions are the records of what was decided, the newest first.
type Decisions interface {
	List(ctx context.Context, filter v1.RecordFilter, after string, limit int) (list [][]byte, next string, err error)
	Record(ctx context.Context, id string) ([]byte, error)
}

// Status is what the page about the policy shows.
type Status struct {
	Version, Revision string
	// Activated is the time when the active policy was activated. Refused counts the reloads that were
	// refused since the start, and Refusals are the reasons of the latest.
	Activated time.Time
	Refused   int
	Refusals  []string
	// Checks are those of readiness.
	Checks []Check
	// Warnings are settings that are wide.
	Warnings []string
}

// Check is one thing that was looked at.
type Check struct {
	Name   string
	OK     bool
	Detail string
}

// Options are the collaborators of a Console. All are required unless their comment allows nil.
type Options struct {
	Prompts   Prompts
	Approvals Approvals
	Sessions  Sessions
	// Decisions may be nil: then the console shows none.
	Decisions Decisions
	Events    *events.Broker
	// Explain explains a record in words; it may be nil.
	Explain func(ctx context.Context, record *v1.Record) *v1.Explanation
	Status  func() Status
	Clock   func() time.Time
	// Hosts are the names, as host:port, under which browsers reach the console.
	Hosts func() []string
	// Secure is true if the console is served with TLS.
	Secure bool
	// Credential reports whether a credential is still valid.
	Credential func(id string) bool
	// SignIn lets operators sign in at a provider; it may be nil. With it, SignInCredential identifies its
	// settings, for Credential, and Home is what precedes the path in the address to which browsers come
	// back.
	SignIn           SignIn
	SignInCredential string
	Home             func() string
	// Kept is the file that keeps sessions over a restart, as digests; empty keeps none.
	Kept string
	// Inbound handles requests of other services, by the last element of the path; it checks their
	// signatures. It may be nil.
	Inbound map[string]http.Handler
	Logger  *slog.Logger
}

// Console serves the pages. It may be used concurrently.
type Console struct {
	options   Options
	logins    *logins
	templates map[string]*template.Template
	assets    map[string]asset
	mux       *http.ServeMux
	ledger    ledger
	signing   signing

	mu    sync.Mutex
	undos map[string]undo
}

var _ http.Handler = (*Console)(nil)

//go:embed pages/*.html assets/*
var files embed.FS

// asset is a file that pages load. Its name contains a digest, so that browsers may cache it.
type asset struct {
	content []byte
	kind    string
}

// New returns a console. It reads what is left of sessions; that they can't be read ends them, and
// is logged.
func New(options Options) (*Console, error) {
	if options.Prompts == nil || options.Approvals == nil || options.Sessions == nil || options.Events == nil || options.Clock == nil ||
		options.Hosts == nil || options.Credential == nil || options.Status == nil ||
		options.SignIn != nil && (options.Home == nil || options.SignInCredential == "") {
		return nil, errors.New("make console: a collaborator is missing")
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	c := &Console{options: options, undos: map[string]undo{}, ledger: ledger{decisions: options.Decisions}, signing: newSigning()}
	var err error
	if c.logins, err = newLogins(options.Clock, options.Credential, options.Kept); err != nil {
		options.Logger.Warn("nobody is logged in at the console any more", "error", err)
	}
	if err := c.load(); err != nil {
		return nil, err
	}
	c.route()
	return c, nil
}

// load reads pages and assets.
func (c *Console) load() error {
	c.assets, c.templates = map[string]asset{}, map[string]*template.Template{}
	names := map[string]string{}
	for name, kind := range map[string]string{
		"console.css": "text/css; charset=utf-8", "console.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
	} {
		content, err := files.ReadFile("assets/" + name)
		if err != nil {
			return fmt.Errorf("read asset: %w", err)
		}
		sum := sha256.Sum256(content)
		base, ending, _ := strings.Cut(name, ".")
		named := base + "-" + hex.EncodeToString(sum[:8]) + "." + ending
		names[name], c.assets[named] = Root+"/assets/"+named, asset{content: content, kind: kind}
	}
	functions := template.FuncMap{"asset": func(name string) string { return names[name] }}
	for name, value := range pageFunctions() {
		functions[name] = value
	}
	pages, err := files.ReadDir("pages")
	if err != nil {
		return fmt.Errorf("read pages: %w", err)
	}
	for _, page := range pages {
		parsed, err := template.New(page.Name()).Funcs(functions).ParseFS(files, "pages/layout.html", "pages/parts.html", "pages/"+page.Name())
		if err != nil {
			return fmt.Errorf("read page: %w", err)
		}
		c.templates[page.Name()] = parsed
	}
	return nil
}

func (c *Console) route() {
	c.mux = http.NewServeMux()
	for pattern, handler := range map[string]http.HandlerFunc{
		"GET /{$}":                         func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, Root+"/", http.StatusSeeOther) },
		"GET " + Root + "/login":           c.loginPage,
		"POST " + Root + "/login":          c.login,
		"GET " + Root + "/assets/{name}":   c.asset,
		"POST " + Root + "/inbound/{name}": c.takeInbound,
	} {
		c.mux.HandleFunc(pattern, handler)
	}
	if c.options.SignIn != nil {
		c.mux.HandleFunc("GET "+signInPath, c.beginSignIn)
		c.mux.HandleFunc("GET "+SignInBack, c.endSignIn)
	}
	for pattern, handler := range map[string]handler{
		"GET /{$}":            c.waiting,
		"GET /prompts/{id}":   c.waiting,
		"GET /cards/{id}":     c.card,
		"GET /list":           c.list,
		"GET /events":         c.stream,
		"POST /answer":        c.answer,
		"POST /undo":          c.undo,
		"POST /logout":        c.logout,
		"GET /decisions":      c.decisions,
		"GET /decisions/{id}": c.decision,
		"GET /remembered":     c.remembered,
		"POST /revoke":        c.revoke,
		"POST /narrow":        c.narrow,
		"GET /sessions":       c.sessions,
		"POST /archive":       c.archive,
		"GET /policy":         c.policy,
		"GET /rates":          c.rates,
	} {
		method, path, _ := strings.Cut(pattern, " ")
		c.mux.HandleFunc(method+" "+Root+path, c.private(handler))
	}
	c.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		c.refuse(w, r, http.StatusNotFound, "there is nothing here")
	})
}

// ServeHTTP answers a browser.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.guard(c.mux).ServeHTTP(w, r) }

// Link returns an address that logs a browser in, once, and the time until which it works.
func (c *Console) Link(base string, who Operator) (link string, expires time.Time) {
	code, expires := c.logins.newCode(who)
	return base + Root + "/login?code=" + url.QueryEscape(code), expires
}

// loginPage serves the page whose script makes a key and exchanges the code. A browser or program that
// prefetches a link therefore spends no code.
func (c *Console) loginPage(w http.ResponseWriter, r *http.Request) {
	c.render(w, http.StatusOK, "login.html", map[string]any{"Link": r.URL.Query().Has("code"), "SignIn": c.options.SignIn != nil})
}

// login exchanges a one-time code and the browser's key for a cookie.
func (c *Console) login(w http.ResponseWriter, r *http.Request) {
	request, err := read[struct {
		Code string `json:"code"`
		Key  string `json:"key"`
	}](r)
	if err == nil {
		_, err = readKey(request.Key)
	}
	if err != nil {
		c.refuse(w, r, http.StatusBadRequest, "a login has a code and a key")
		return
	}
	cookie, err := c.logins.exchange(request.Code, request.Key)
	if errors.Is(err, errSpent) || errors.Is(err, errExpired) {
		c.refuse(w, r, http.StatusGone, err.Error())
		return
	}
	if err != nil {
		c.options.Logger.Error("console failed", "error", err)
	}
	c.setCookie(w, cookie)
	c.reply(w, http.StatusOK, map[string]any{"message": "logged in"})
}

func (c *Console) logout(w http.ResponseWriter, r *http.Request, _ Operator) {
	for _, cookie := range r.CookiesNamed(c.cookieName()) {
		if err := c.logins.end(cookie.Value); err != nil {
			c.options.Logger.Error("console failed", "error", err)
		}
	}
	c.setCookie(w, "")
	c.reply(w, http.StatusOK, map[string]any{"message": "logged out"})
}

func (c *Console) asset(w http.ResponseWriter, r *http.Request) {
	found, known := c.assets[r.PathValue("name")]
	if !known {
		c.refuse(w, r, http.StatusNotFound, "there is nothing here")
		return
	}
	w.Header().Set("Content-Type", found.kind)
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	_, _ = w.Write(found.content) // the browser went away
}

// inbound reports whether a request comes from another service.
func (c *Console) inbound(r *http.Request) bool {
	name, found := strings.CutPrefix(r.URL.Path, Root+"/inbound/")
	return found && c.options.Inbound[name] != nil
}

func (c *Console) takeInbound(w http.ResponseWriter, r *http.Request) {
	taken := c.options.Inbound[r.PathValue("name")]
	if taken == nil {
		c.refuse(w, r, http.StatusNotFound, "there is nothing here")
		return
	}
	taken.ServeHTTP(w, r)
}

// render writes a page. It is made whole first, so that no half page is sent.
func (c *Console) render(w http.ResponseWriter, status int, name string, data any) {
	c.renderPart(w, status, name, "layout", data)
}

func (c *Console) renderPart(w http.ResponseWriter, status int, name, part string, data any) {
	var page strings.Builder
	if err := c.templates[name].ExecuteTemplate(&page, part, data); err != nil {
		c.options.Logger.Error("console failed", "page", name, "error", err)
		http.Error(w, "policyd failed; see its log", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(page.String())) // the browser went away
}

// reply answers a script of a page.
func (c *Console) reply(w http.ResponseWriter, status int, data any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(data) // the browser went away
}

// refuse answers with a reason: a page if a person opened it, and else JSON.
func (c *Console) refuse(w http.ResponseWriter, r *http.Request, status int, reason string) {
	if r.Method == http.MethodGet && slices.Contains([]string{"", "navigate"}, r.Header.Get("Sec-Fetch-Mode")) {
		login := status == http.StatusUnauthorized || status == http.StatusGone || strings.HasPrefix(r.URL.Path, signInPath)
		c.render(w, status, "message.html", map[string]any{
			"Title": http.StatusText(status), "Reason": reason, "Login": login, "SignIn": c.options.SignIn != nil,
		})
		return
	}
	c.reply(w, status, map[string]any{"error": reason})
}

// fail answers with an error of a collaborator.
func (c *Console) fail(w http.ResponseWriter, r *http.Request, err error) {
	var coded *v1.CodedError
	if !errors.As(err, &coded) {
		c.options.Logger.Error("console failed", "path", r.URL.Path, "error", err)
		c.refuse(w, r, http.StatusInternalServerError, "policyd failed; see its log")
		return
	}
	status, known := map[string]int{
		"not_found": http.StatusNotFound, "prompt_answered": http.StatusConflict, "prompt_ended": http.StatusGone,
		"store_unavailable": http.StatusServiceUnavailable, "log_unavailable": http.StatusServiceUnavailable,
	}[coded.Code]
	if !known {
		status = http.StatusBadRequest
	}
	c.refuse(w, r, status, coded.Err.Error())
}

// read decodes what a script of a page sends.
func read[T any](r *http.Request) (*T, error) {
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	var body T
	if err := decoder.Decode(&body); err != nil {
		return nil, &v1.CodedError{Code: "invalid_request", Err: fmt.Errorf("read request: %w", err)}
	}
	if decoder.More() {
		return nil, &v1.CodedError{Code: "invalid_request", Err: errors.New("read request: there is text behind the object")}
	}
	return &body, nil
}
