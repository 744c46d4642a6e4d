package sidecar

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/bundles"
	"policyd/internal/config"
)

// movedClock is a clock that a test moves.
type movedClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *movedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *movedClock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// A policy that no service confirms for too long fails /readyz; it denies only if the settings require it,
// and with a code of its own.
func TestAStalePolicyIsReportedAndDeniesIfConfigured(t *testing.T) {
	packed, err := bundles.Pack("../../bundles/examples/no_force_push", bundles.Packing{})
	require.NoError(t, err)
	var away atomic.Bool
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if away.Load() {
			http.Error(w, "away", http.StatusBadGateway)
			return
		}
		_, _ = w.Write(packed)
	}))
	t.Cleanup(service.Close)
	for _, mode := range []string{config.StaleUnready, config.StaleDeny} {
		t.Run(mode, func(t *testing.T) {
			away.Store(false)
			clock := &movedClock{now: time.Now()}
			p := servedPolicy(t, service.URL, mode, clock)
			decider := &Sidecar{Policy: p}
			assert.False(t, decider.Ready().Ready)
			assert.Contains(t, decider.Ready().Checks[0].Detail, "waiting for the bundles push")
			require.Nil(t, p.Current())

			require.NoError(t, p.engine.Poll(t.Context()))
			require.NoError(t, p.wait(t.Context()))
			assert.True(t, decider.Ready().Ready)
			assert.NotEqual(t, codePolicyStale, codeOf(p))

			away.Store(true)
			clock.pass(2 * time.Hour)
			require.Error(t, p.engine.Poll(t.Context()))
			assert.False(t, decider.Ready().Ready)
			assert.Contains(t, decider.Ready().Checks[0].Detail, "longer than max_policy_age")
			assert.Contains(t, decider.Ready().Checks[1].Detail, "bundle push not fetched")
			assert.Equal(t, mode == config.StaleDeny, codeOf(p) == codePolicyStale)

			away.Store(false)
			require.NoError(t, p.engine.Poll(t.Context()))
			assert.True(t, decider.Ready().Ready)
			assert.NotEqual(t, codePolicyStale, codeOf(p))
		})
	}
}

func servedPolicy(t *testing.T, address, mode string, clock *movedClock) *Policy {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "policyd.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
max_policy_age: 1h
stale_policy: `+mode+`
bundles:
  services: {shelf: {url: "`+address+`"}}
  bundles: {push: {service: shelf, resource: push, trigger: manual}}
`), 0o600))
	loaded, err := config.Load(file, func(name string) (string, bool) { return dir, name == "HOME" }, nil)
	require.NoError(t, err)
	s := &Settings{Config: loaded, File: file, Home: dir, Platform: "linux", Now: clock.Now}
	p, err := NewPolicy(t.Context(), s, filepath.Join(dir, "kept"), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

func TestServicesWithoutTLSAreWarnedOf(t *testing.T) {
	s := &Settings{Config: &config.Config{Addr: "127.0.0.1:1", Bundles: map[string]any{"services": map[string]any{
		"open":   map[string]any{"url": "http://bundles.example.com"},
		"blind":  map[string]any{"url": "https://bundles.example.com", "allow_insecure_tls": true},
		"near":   map[string]any{"url": "http://127.0.0.1:8080"},
		"secure": map[string]any{"url": "https://bundles.example.com"},
	}}}}
	found := s.Warnings()
	require.Len(t, found, 2)
	assert.Contains(t, found[0], "bundles.services.blind")
	assert.Contains(t, found[1], "bundles.services.open")
}

// codeOf is the code with which the policy denies a call that has no facts.
func codeOf(p *Policy) string {
	_, err := p.Current().Judge(context.Background(), &v1.Input{})
	var coded *v1.CodedError
	if errors.As(err, &coded) {
		return coded.Code
	}
	return ""
}
