package console_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/console"
)

var once = map[string]any{"ids": []string{"p-1"}, "choice": "once"}

// paths are all pages and parts.
var paths = []string{
	"/console/", "/console/prompts/p-1", "/console/cards/p-1", "/console/list", "/console/events", "/console/decisions", "/console/decisions/d-1",
	"/console/remembered", "/console/sessions", "/console/policy", "/console/rates",
}

// writes are all addresses that change something.
var writes = []string{"/console/answer", "/console/undo", "/console/revoke", "/console/narrow", "/console/archive", "/console/logout"}

// TestEveryResponseHasTheHeaders checks that no page can be framed, and that none loads, sends or runs
// anything that isn't the console's own.
func TestEveryResponseHasTheHeaders(t *testing.T) {
	f := newFixture(t)
	f.ask("p-1", "s-1", "git push")
	check := func(name string, answer *httptest.ResponseRecorder) {
		t.Helper()
		header := answer.Header()
		assert.Equal(t, "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; "+
			"frame-ancestors 'none'; base-uri 'none'", header.Get("Content-Security-Policy"), name)
		for key, want := range map[string]string{
			"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			assert.Equal(t, want, header.Get(key), name)
		}
	}
	for _, path := range paths {
		check(path, f.get(path, nil)) // 401
	}
	f.login(t)
	for _, path := range paths {
		if path == "/console/events" {
			continue // it doesn't end
		}
		answer := f.get(path, nil)
		check(path, answer)
		body := text(t, answer)
		for name, never := range map[string]string{
			"inline script": `(?i)<script[^>]*>[^<]`, "handler": `(?i)<[^>]+\son[a-z]+\s*=`, "inline style": `(?i)<[^>]+\sstyle\s*=|<style`,
			"other host": `(?i)(src|href|action)\s*=\s*["']?(https?:)?//`,
		} {
			assert.NotRegexp(t, never, body, "%s in %s", name, path)
		}
		assert.NotContains(t, body, f.cookie.Value, path)
	}
	check("missing", f.get("/console/nothing", nil))
	check("write", f.post(t, "/console/answer", once, nil))
	check("foreign", f.get("/console/", map[string]string{"Host": "evil.example"}))
}

// TestWritesComeFromThePagesAlone checks the defences against forged requests, each alone.
func TestWritesComeFromThePagesAlone(t *testing.T) {
	for name, header := range map[string]map[string]string{
		"no origin":                   {"Origin": ""},
		"an origin that is null":      {"Origin": "null"},
		"another site":                {"Origin": "https://evil.example"},
		"another port":                {"Origin": "http://127.0.0.1:3000"},
		"another scheme":              {"Origin": "https://" + host},
		"another name of the machine": {"Origin": "http://localhost:7484"},
		"a site that isn't the same":  {"Sec-Fetch-Site": "same-site"},
		"a cross-site request":        {"Sec-Fetch-Site": "cross-site"},
		"no request of a page":        {"Sec-Fetch-Site": "none"},
		"a form":                      {"Content-Type": "application/x-www-form-urlencoded"},
		"plain text":                  {"Content-Type": "text/plain"},
		"no type":                     {"Content-Type": ""},
		"a host that was rebound":     {"Host": "evil.example:7484", "Origin": "http://evil.example:7484"},
		"a host with another port":    {"Host": "127.0.0.1:80", "Origin": "http://127.0.0.1:80"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.ask("p-1", "s-1", "git push")
			f.login(t)
			for _, path := range writes {
				assert.Equal(t, http.StatusForbidden, f.post(t, path, once, header).Code, path)
			}
			assert.Empty(t, f.answers)
		})
	}
	f := newFixture(t)
	f.ask("p-1", "s-1", "git push")
	for _, path := range writes {
		assert.Equal(t, http.StatusUnauthorized, f.post(t, path, once, nil).Code, path)
	}
	f.login(t)
	request := httptest.NewRequest(http.MethodPut, "/console/answer", nil)
	request.Host = host
	assert.Equal(t, http.StatusForbidden, f.send(request, nil).Code)
	assert.Equal(t, http.StatusOK, f.post(t, "/console/answer", once, nil).Code)
	require.Len(t, f.answers, 1)
	assert.Equal(t, "alice", f.answers[0].By)
}

// TestReadsComeFromThePagesAlone checks that no other site frames, embeds or fetches a page.
func TestReadsComeFromThePagesAlone(t *testing.T) {
	f := newFixture(t)
	f.ask("p-1", "s-1", "git push")
	f.login(t)
	for name, header := range map[string]map[string]string{
		"a frame":       {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"},
		"an image":      {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
		"a fetch":       {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
		"an origin":     {"Origin": "https://evil.example"},
		"a wrong host":  {"Host": "evil.example"},
		"a rebound one": {"Host": "evil.example:7484"},
	} {
		for _, path := range paths {
			assert.Equal(t, http.StatusForbidden, f.get(path, header).Code, "%s of %s", name, path)
		}
	}
}

// TestALinkFromAnotherSiteOpensTheConsole checks that a browser which keeps the cookie back asks again from
// this site, and that nothing is shown before.
func TestALinkFromAnotherSiteOpensTheConsole(t *testing.T) {
	f := newFixture(t)
	f.ask("p-1", "s-1", "git push secret-branch")
	answer := f.get("/console/prompts/p-1", map[string]string{"Sec-Fetch-Site": "cross-site"})
	assert.Equal(t, http.StatusOK, answer.Code)
	body := text(t, answer)
	assert.Contains(t, body, `content="0;url=/console/prompts/p-1"`)
	assert.NotContains(t, body, "secret-branch")
	f.login(t)
	assert.Contains(t, text(t, f.get("/console/prompts/p-1", nil)), "data-selected")
}

// TestALinkWorksOnce checks that a code is for one browser and for a short time.
func TestALinkWorksOnce(t *testing.T) {
	f := newFixture(t)
	link, expires := f.Link("http://"+host, console.Operator{Name: "alice", Credential: "token"})
	assert.Equal(t, 2*time.Minute, expires.Sub(f.now))
	ahead := f.get(link, map[string]string{"Sec-Purpose": "prefetch;prerender"})
	assert.Equal(t, http.StatusOK, ahead.Code, "what looks behind a link spends no code")
	assert.Empty(t, ahead.Header().Get("Set-Cookie"))
	for name, header := range map[string]map[string]string{"origin": {"Origin": "https://evil.example"}, "site": {"Sec-Fetch-Site": "cross-site"}} {
		assert.Equal(t, http.StatusForbidden, f.exchange(t, link, header).Code, name)
	}
	answer := f.exchange(t, link, nil)
	require.Equal(t, http.StatusOK, answer.Code)
	cookie := answer.Header().Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/console"} {
		assert.Contains(t, cookie, want)
	}
	replayed := f.exchange(t, link, nil)
	assert.Equal(t, http.StatusGone, replayed.Code)
	assert.Empty(t, replayed.Header().Get("Set-Cookie"))
	assert.Contains(t, text(t, replayed), "used already")

	link, _ = f.Link("http://"+host, console.Operator{Credential: "token"})
	f.pass(2 * time.Minute)
	assert.Equal(t, http.StatusGone, f.exchange(t, link, nil).Code, "too old")
	link, _ = f.Link("http://"+host, console.Operator{Credential: "gone"})
	f.invalid["gone"] = true
	assert.Equal(t, http.StatusGone, f.exchange(t, link, nil).Code, "the credential ended")
	for _, code := range []string{"", "x", strings.Repeat("A", 43)} {
		assert.Equal(t, http.StatusGone, f.exchange(t, "/console/login?code="+code, nil).Code)
	}
	for _, key := range []string{"", "x", strings.Repeat("A", 87)} {
		assert.Equal(t, http.StatusBadRequest, f.post(t, "/console/login", map[string]string{"code": "x", "key": key}, nil).Code)
	}
}

// TestAStolenCookieWritesNothing checks that a cookie alone, which other ports of this host are sent too,
// answers nothing.
func TestAStolenCookieWritesNothing(t *testing.T) {
	f := newFixture(t)
	f.ask("p-1", "s-1", "git push")
	f.login(t)
	body, err := json.Marshal(once)
	require.NoError(t, err)
	other, err := json.Marshal(map[string]any{"ids": []string{"p-1"}, "choice": "deny"})
	require.NoError(t, err)
	early := f.proof(t, "/console/answer", body)
	own := f.key
	f.key = nil
	f.get("/console/login", nil)
	link, _ := f.Link("http://"+host, console.Operator{})
	f.exchange(t, link, nil) // another browser, with a key of its own
	foreign := f.proof(t, "/console/answer", body)
	f.key = own
	f.pass(5 * time.Minute)
	for name, proof := range map[string]string{
		"none": "", "another key's": foreign, "an old one": early, "another path's": f.proof(t, "/console/revoke", body),
		"another body's": f.proof(t, "/console/answer", other), "broken": "1.x", "empty": ".",
	} {
		assert.Equal(t, http.StatusForbidden, f.post(t, "/console/answer", once, map[string]string{"Policyd-Proof": proof}).Code, name)
	}
	assert.Empty(t, f.answers)
	f.open(t)
	assert.Equal(t, http.StatusOK, f.post(t, "/console/answer", once, nil).Code, "the key outlives a restart")
}

// TestASessionEnds checks that a session ends with its credential, with time and by logging out, and outlives
// a restart.
func TestASessionEnds(t *testing.T) {
	f := newFixture(t)
	f.login(t)
	works := func() bool { return f.get("/console/", nil).Code == http.StatusOK }
	assert.True(t, works())
	f.open(t)
	assert.True(t, works(), "after a restart")
	kept, err := os.ReadFile(f.file)
	require.NoError(t, err)
	assert.NotContains(t, string(kept), f.cookie.Value, "a digest is kept alone")
	info, err := os.Stat(f.file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	f.invalid["token"] = true
	assert.False(t, works(), "the credential ended")
	delete(f.invalid, "token")
	for range 13 {
		f.pass(11 * time.Hour)
		assert.True(t, works(), "it is used")
	}
	f.pass(12 * time.Hour)
	assert.False(t, works(), "nobody used it")
	f.login(t)
	for range 15 {
		f.pass(11 * time.Hour)
		works()
	}
	f.pass(4 * time.Hour)
	assert.False(t, works(), "a week is over")

	f.login(t)
	assert.Equal(t, http.StatusOK, f.post(t, "/console/logout", struct{}{}, nil).Code)
	assert.False(t, works(), "logged out")
	f.open(t)
	assert.False(t, works(), "logged out for good")
	require.NoError(t, os.WriteFile(f.file, []byte("{"), 0o600))
	f.open(t)
	assert.False(t, works(), "a broken file lets nobody in")
}

// TestTLSHoldsTheCookie checks that a cookie of a console with TLS is sent over TLS alone.
func TestTLSHoldsTheCookie(t *testing.T) {
	f := newFixture(t)
	f.openWith(t, func(options *console.Options) { options.Secure = true })
	link, _ := f.Link("https://"+host, console.Operator{})
	answer := f.exchange(t, link, map[string]string{"Origin": "https://" + host})
	cookie := answer.Header().Get("Set-Cookie")
	assert.True(t, strings.HasPrefix(cookie, "__Host-policyd_console="), cookie)
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/;", "Secure"} {
		assert.Contains(t, cookie, want)
	}
	assert.NotEmpty(t, answer.Header().Get("Strict-Transport-Security"))
}

// TestTwoCookiesAreNone checks that an attacker who can add a cookie takes no session over.
func TestTwoCookiesAreNone(t *testing.T) {
	f := newFixture(t)
	f.login(t)
	own, added := f.cookie.Name+"="+f.cookie.Value, f.cookie.Name+"=x"
	for _, cookies := range []string{own + "; " + added, added + "; " + own, own + "; " + own} {
		assert.Equal(t, http.StatusUnauthorized, f.get("/console/", map[string]string{"Cookie": cookies}).Code, cookies)
	}
}

// TestBodiesAreBounded checks that a write is small, and is JSON that is known.
func TestBodiesAreBounded(t *testing.T) {
	f := newFixture(t)
	f.ask("p-1", "s-1", "git push")
	f.login(t)
	large := map[string]any{"ids": []string{strings.Repeat("x", 100_000)}, "choice": "once"}
	assert.Equal(t, http.StatusForbidden, f.post(t, "/console/answer", large, nil).Code, "it isn't read to its end")
	for _, body := range []any{
		map[string]any{"ids": []string{"p-1"}, "choice": "once", "x": 1},
		[]int{},
		map[string]any{"ids": []string{}, "choice": "once"},
		map[string]any{"ids": make([]string, 101), "choice": "once"},
	} {
		assert.Equal(t, http.StatusBadRequest, f.post(t, "/console/answer", body, nil).Code)
	}
	assert.Empty(t, f.answers)
}
