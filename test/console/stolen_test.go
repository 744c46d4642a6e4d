package console

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cookieOf is the console's cookie of a browser.
func cookieOf(ctx context.Context, t *testing.T) *network.Cookie {
	t.Helper()
	var cookies []*network.Cookie
	do(ctx, t, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		cookies, err = storage.GetCookies().Do(ctx)
		return err
	}))
	require.Len(t, cookies, 1)
	return cookies[0]
}

// TestAStolenCookieWritesNothing checks what a copied cookie is worth. With all headers of a page of the
// console, from a program or from the page itself in another browser, it answers nothing. After the person
// has logged out it reads nothing.
func TestAStolenCookieWritesNothing(t *testing.T) {
	ctx := browser(t)
	s := newServer(t)
	s.register(t, "s1", "codex")
	s.login(ctx, t)
	prompt := s.must(t, "agent", http.MethodPost, "/v1/decide", `{"tool":"Bash","args":{"command":"git push"},"session":{"id":"s1"}}`)["prompt"].(map[string]any)["id"].(string)
	cookie := cookieOf(ctx, t)
	assert.True(t, cookie.HTTPOnly)
	assert.Equal(t, network.CookieSameSiteStrict, cookie.SameSite)

	// A server on another port of this host receives the cookie: this is why it isn't enough.
	leaked := make(chan string, 8)
	listener := listen(t)
	other := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { leaked <- r.Header.Get("Cookie") })}
	go func() { _ = other.Serve(listener) }()
	t.Cleanup(func() { _ = other.Close() })
	do(tab(ctx, t), t, chromedp.Navigate("http://"+listener.Addr().String()+"/console/"))
	assert.Contains(t, <-leaked, cookie.Value)

	send := func(method, path, body string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), method, s.console+"/console/"+path, strings.NewReader(body))
		require.NoError(t, err)
		for name, value := range map[string]string{
			"Cookie": cookie.Name + "=" + cookie.Value, "Origin": s.console, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors",
			"Sec-Fetch-Dest": "empty", "Content-Type": "application/json", "User-Agent": evaluate[string](ctx, t, "navigator.userAgent"),
		} {
			request.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(text)
	}
	for _, path := range []string{"answer", "undo", "revoke", "narrow", "archive", "logout"} {
		status, text := send(http.MethodPost, path, `{"ids":["`+prompt+`"],"choice":"once"}`)
		assert.Equal(t, http.StatusForbidden, status, path)
		assert.Contains(t, text, "isn't signed by the browser that logged in", path)
	}

	thief := browser(t)
	do(thief, t, network.SetCookie(cookie.Name, cookie.Value).WithURL(s.console+"/console/").WithPath(cookie.Path).WithHTTPOnly(true).WithSameSite(cookie.SameSite),
		chromedp.Navigate(s.console+"/console/"), until(openCards+" === 1"), press("once"),
		until(`document.querySelector("#list .said").textContent.includes("isn't signed by the browser that logged in")`))
	for _, browser := range []context.Context{ctx, thief} {
		assert.Equal(t, 1, evaluate[int](browser, t, openCards))
	}
	assert.Len(t, s.must(t, "operator", http.MethodGet, "/v1/prompts?state=pending", "")["prompts"], 1, "nobody answered")

	status, _ := send(http.MethodGet, "list", "")
	assert.Equal(t, http.StatusOK, status, "it reads, as docs/console.md says")
	do(ctx, t, chromedp.Click("#logout", chromedp.ByQuery))
	onNextPage(ctx, t, `document.querySelector("h1")?.textContent === "Unauthorized"`)
	status, _ = send(http.MethodGet, "list", "")
	assert.Equal(t, http.StatusUnauthorized, status, "the person has logged out")
	address := strings.TrimPrefix(s.console, "http://")
	s.stop()
	s.serve(t, address)
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		status, _ = send(method, map[string]string{http.MethodGet: "list", http.MethodPost: "answer"}[method], `{}`)
		assert.Equal(t, http.StatusUnauthorized, status, "after a restart, too")
	}
}
