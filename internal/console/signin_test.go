package console_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/console"
)

// idp is where people sign in.
type idp struct {
	state, nonce, verifier string
	name                   string
	err                    error
	finished               []string
}

func (p *idp) Begin(_ context.Context, state, nonce, verifier string) (string, error) {
	p.state, p.nonce, p.verifier = state, nonce, verifier
	return "https://id.example.org/auth?state=" + url.QueryEscape(state), p.err
}

func (p *idp) Finish(_ context.Context, code, nonce, verifier string) (string, error) {
	p.finished = append(p.finished, code)
	if nonce != p.nonce || verifier != p.verifier {
		return "", errors.New("another sign-in")
	}
	return p.name, p.err
}

// signingIn is a console at which people sign in.
func signingIn(t *testing.T) (*fixture, *idp) {
	t.Helper()
	f, p := newFixture(t), &idp{name: "alice@example.org"}
	f.openWith(t, p.options)
	return f, p
}

func (p *idp) options(options *console.Options) {
	options.SignIn, options.SignInCredential = p, "oidc:1"
	options.Home = func() string { return "http://" + host }
}

// begin begins a sign-in and returns the browser's cookie.
func begin(t *testing.T, f *fixture) string {
	t.Helper()
	answer := f.get("/console/signin", nil)
	require.Equal(t, http.StatusSeeOther, answer.Code)
	assert.True(t, strings.HasPrefix(answer.Header().Get("Location"), "https://id.example.org/auth?"))
	given := answer.Header().Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Lax", "Path=/console/signin", "Max-Age=600"} {
		assert.Contains(t, given, want)
	}
	pair, _, _ := strings.Cut(given, ";")
	return pair
}

// back comes back from the provider, as a browser does.
func back(f *fixture, cookie, query string) (status int, location, body string) {
	answer := f.get("/console/signin/callback?"+query, map[string]string{"Cookie": cookie, "Sec-Fetch-Site": "cross-site"})
	if taken := answer.Header().Get("Set-Cookie"); !strings.Contains(taken, "_signin=;") || !strings.Contains(taken, "Max-Age=0") {
		return 0, "", "the cookie stays: " + taken
	}
	return answer.Code, answer.Header().Get("Location"), answer.Body.String()
}

// TestSigningInElsewhere checks the way of an operator: the session has the browser's key, signs answers with
// the person's name, and ends after half a day, or with the settings.
func TestSigningInElsewhere(t *testing.T) {
	f, p := signingIn(t)
	f.ask("p-1", "s-1", "git push")
	assert.Contains(t, text(t, f.get("/console/", nil)), `href="/console/signin"`)
	assert.Contains(t, text(t, f.get("/console/login", nil)), `href="/console/signin"`)
	cookie := begin(t, f)
	for _, secret := range []string{p.nonce, p.verifier} {
		assert.NotContains(t, cookie, secret)
		assert.NotEqual(t, p.state, secret)
	}
	status, location, _ := back(f, cookie, "code=c-1&state="+p.state)
	require.Equal(t, http.StatusSeeOther, status)
	require.True(t, strings.HasPrefix(location, "/console/login?code="), location)
	assert.Equal(t, []string{"c-1"}, p.finished)
	answer := f.exchange(t, location, nil)
	require.Equal(t, http.StatusOK, answer.Code)
	f.cookie = answer.Result().Cookies()[0]
	assert.Equal(t, http.StatusOK, f.post(t, "/console/answer", once, nil).Code)
	assert.Equal(t, "alice@example.org", f.answers[0].By)
	assert.Equal(t, http.StatusGone, f.exchange(t, location, nil).Code, "the code works once")
	f.openWith(t, p.options)
	assert.Equal(t, http.StatusOK, f.get("/console/", nil).Code, "a restart logs nobody out")
	f.pass(6 * time.Hour)
	assert.Equal(t, http.StatusOK, f.get("/console/", nil).Code)
	f.pass(6 * time.Hour)
	assert.Equal(t, http.StatusUnauthorized, f.get("/console/", nil).Code, "the groups are asked for again")

	_, location, _ = back(f, begin(t, f), "code=c-2&state="+p.state)
	f.cookie = f.exchange(t, location, nil).Result().Cookies()[0]
	assert.Equal(t, http.StatusOK, f.get("/console/", nil).Code)
	f.invalid["oidc:1"] = true
	assert.Equal(t, http.StatusUnauthorized, f.get("/console/", nil).Code, "the settings changed")
}

// TestSignInsThatEndInNothing checks that only the browser that began a sign-in ends it, in time, and that a
// person whom the provider refuses gets no code.
func TestSignInsThatEndInNothing(t *testing.T) {
	f, p := signingIn(t)
	cookie := begin(t, f)
	state := p.state
	other := begin(t, f)
	name, _, _ := strings.Cut(cookie, "=")
	nothing := func(cookie, query, want string) {
		t.Helper()
		status, location, body := back(f, cookie, query)
		assert.Equal(t, http.StatusForbidden, status, want)
		assert.Empty(t, location, want)
		assert.Contains(t, body, want)
		assert.Contains(t, body, `href="/console/signin"`)
	}
	nothing("", "code=c&state="+state, "has begun no sign-in")
	nothing(cookie+"; "+other, "code=c&state="+state, "has begun no sign-in")
	nothing(other, "code=c&state="+state, "another sign-in")
	nothing(cookie, "code=c", "another sign-in")
	nothing(cookie, "code=c&state=", "another sign-in")
	nothing(name+"=1.x", "code=c&state="+state, "another sign-in")
	nothing(cookie, "error=%3Cb%3Eno%3C/b%3E%E2%80%AE&state="+state, "signing in was refused: &lt;b&gt;no&lt;/b&gt;\\u202e")
	assert.Empty(t, p.finished, "the provider is asked for none of them")
	p.err = errors.New("a secret reason")
	nothing(cookie, "code=c&state="+state, "you may not use this console")
	_, _, body := back(f, cookie, "code=c&state="+state)
	assert.NotContains(t, body, "a secret reason")
	assert.Equal(t, http.StatusBadGateway, f.get("/console/signin", nil).Code)
	p.err = nil
	f.pass(10 * time.Minute)
	nothing(cookie, "code=c&state="+state, "took too long")
	late := begin(t, f)
	f.openWith(t, p.options)
	nothing(late, "code=c&state="+p.state, "another sign-in")
}

// TestSignInsBeginAtOneName checks that the cookie is one of the host to which the browser comes back.
func TestSignInsBeginAtOneName(t *testing.T) {
	f, _ := signingIn(t)
	answer := f.get("/console/signin", map[string]string{"Host": "localhost:7484"})
	assert.Equal(t, http.StatusSeeOther, answer.Code)
	assert.Equal(t, "http://"+host+"/console/signin", answer.Header().Get("Location"))
	assert.Empty(t, answer.Header().Get("Set-Cookie"))
	for _, path := range []string{"/console/signin", "/console/signin/callback?state=x"} {
		assert.Equal(t, http.StatusForbidden, f.get(path, map[string]string{"Host": "evil.example"}).Code)
		assert.Equal(t, http.StatusForbidden, f.get(path, map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"}).Code)
	}
	f = newFixture(t)
	for _, path := range []string{"/console/signin", "/console/signin/callback?state=x"} {
		assert.Equal(t, http.StatusNotFound, f.get(path, nil).Code, "nobody signs in here")
	}
	assert.NotContains(t, text(t, f.get("/console/", nil)), "/console/signin")
}
