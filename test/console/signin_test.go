package console

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	dex "github.com/dexidp/dex/server"
	"github.com/dexidp/dex/storage"
	"github.com/dexidp/dex/storage/memory"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// provider is dex, a real OpenID Connect provider, at which one person of the group authors signs in without a
// question.
func provider(t *testing.T, back string) (issuer string) {
	t.Helper()
	sources, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/dexidp/dex").Output()
	if err != nil {
		t.Skip("skipped: the pages of dex can't be found without go")
	}
	listener := listen(t)
	issuer = "http://" + listener.Addr().String() + "/dex"
	logger := logrus.New()
	logger.SetOutput(io.Discard)
	kept := memory.New(logger)
	require.NoError(t, kept.CreateConnector(storage.Connector{ID: "mock", Type: "mockCallback", Name: "mock"}))
	made, err := dex.NewServer(context.Background(), dex.Config{
		Issuer: issuer, Storage: kept, SkipApprovalScreen: true, Logger: logger, PrometheusRegistry: prometheus.NewRegistry(),
		Web: dex.WebConfig{Dir: filepath.Join(strings.TrimSpace(string(sources)), "web")},
	})
	require.NoError(t, err)
	require.NoError(t, kept.CreateClient(storage.Client{ID: "policyd", Secret: "s3cret", RedirectURIs: []string{back}}))
	served := &http.Server{Handler: made}
	go func() { _ = served.Serve(listener) }()
	t.Cleanup(func() { _ = served.Close() })
	return issuer
}

// TestOperatorsSignIn checks that a member of a group signs in at a real provider, answers under the name
// that the provider verified, and stays signed in over a restart. A person in another group can't sign in.
func TestOperatorsSignIn(t *testing.T) {
	ctx := browser(t)
	s := newServer(t)
	s.register(t, "s1", "codex")
	link := fmt.Sprint(s.must(t, "operator", http.MethodPost, "/v1/console/link", `{}`)["url"])
	s.console, _, _ = strings.Cut(link, "/console/")
	issuer := provider(t, s.console+"/console/signin/callback")
	again := func(group string) {
		s.stop()
		s.oidc = ", oidc: {issuer: '" + issuer + "', client: policyd, secret: s3cret, roles: {" + group + ": operator}}"
		s.serve(t, strings.TrimPrefix(s.console, "http://"))
	}
	click := func() {
		t.Helper()
		do(ctx, t, chromedp.Navigate(s.console+"/console/"), chromedp.Click(`a[href="/console/signin"]`, chromedp.ByQuery))
	}
	again("editors")
	click()
	onNextPage(ctx, t, `document.querySelector("main").textContent.includes("you may not use this console")`)
	assert.NotContains(t, evaluate[string](ctx, t, "location.href"), issuer)

	again("authors")
	click()
	onNextPage(ctx, t, `document.getElementById("live")?.textContent === "Live"`)
	assert.Equal(t, s.console+"/console/", evaluate[string](ctx, t, "location.href"), "no code stays in the address")
	assert.Equal(t, "policyd_console", cookieOf(ctx, t).Name, "the cookie of the sign-in is gone")
	call := s.hold("s1")
	do(ctx, t, until(openCards+" === 1"), settled(), press("once"))
	assert.Equal(t, "allow", call.wait(t))
	do(ctx, t, until(`document.querySelector("#list .ending")?.textContent.includes("by kilgore@kilgore.trout")`))
	again("authors")
	do(ctx, t, chromedp.Navigate(s.console+"/console/"), until(`document.getElementById("live")?.textContent === "Live"`))
	again("editors")
	do(ctx, t, chromedp.Navigate(s.console+"/console/"), until(`document.querySelector("h1").textContent === "Unauthorized"`))
}
