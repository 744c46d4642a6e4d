package bundles

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/open-policy-agent/opa/v1/plugins"
	"github.com/open-policy-agent/opa/v1/plugins/rest"
)

// bodyPatience bounds the body of an answer in time. OPA bounds only the wait for the header, so a service
// that stalls in the middle would end all polling.
const bodyPatience = time.Minute

var (
	_ plugins.Plugin      = (*transport)(nil)
	_ rest.HTTPAuthPlugin = (*transport)(nil)
	_ http.RoundTripper   = (*boundedTripper)(nil)
)

// transport makes the requests to one service: with the service's own credentials, and with bounds on its
// answers. OPA uses it as a plugin for credentials.
type transport struct {
	patience time.Duration
	most     int

	mu    sync.Mutex
	inner rest.HTTPAuthPlugin
}

// transportName is what the configuration of a service calls its transport.
func transportName(service string) string { return "policyd transport of " + service }

// NewClient implements rest.HTTPAuthPlugin.
func (t *transport) NewClient(config rest.Config) (*http.Client, error) {
	config.Credentials.Plugin = nil
	inner, err := config.AuthPlugin(nil)
	if err != nil {
		return nil, err
	}
	client, err := inner.NewClient(config)
	if err != nil {
		return nil, err
	}
	next := client.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	client.Transport = &boundedTripper{next: next, patience: t.patience, most: t.most}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inner = inner
	return client, nil
}

// Prepare implements rest.HTTPAuthPlugin.
func (t *transport) Prepare(request *http.Request) error {
	t.mu.Lock()
	inner := t.inner
	t.mu.Unlock()
	if inner == nil {
		return errors.New("prepare request: the client was not made")
	}
	return inner.Prepare(request)
}

// Start implements plugins.Plugin.
func (*transport) Start(context.Context) error { return nil }

// Stop implements plugins.Plugin.
func (*transport) Stop(context.Context) {}

// Reconfigure implements plugins.Plugin.
func (*transport) Reconfigure(context.Context, any) {}

// boundedTripper reads whole answers, within bounds of time and size, packed and unpacked: OPA unpacks all of
// an archive before it checks any of it.
type boundedTripper struct {
	next     http.RoundTripper
	patience time.Duration
	most     int
}

// RoundTrip implements http.RoundTripper.
func (b *boundedTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(request.Context())
	defer cancel()
	response, err := b.next.RoundTrip(request.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	late := time.AfterFunc(b.patience, cancel)
	defer late.Stop()
	content, err := b.read(response.Body)
	if closed := response.Body.Close(); err == nil {
		err = closed
	}
	if err != nil {
		if ctx.Err() != nil && request.Context().Err() == nil {
			err = fmt.Errorf("the answer takes longer than %s: %w", b.patience, err)
		}
		return nil, fmt.Errorf("read answer: %w", err)
	}
	response.Body = io.NopCloser(bytes.NewReader(content))
	return response, nil
}

func (b *boundedTripper) read(body io.Reader) ([]byte, error) {
	content, err := readLimited(body, b.most)
	if err != nil {
		return nil, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return content, nil //nolint:nilerr // it isn't an archive, and OPA reports it if it should be one
	}
	// A reader of an archive stops at its end mark, and never reads the checksum after it.
	switch n, err := io.Copy(io.Discard, io.LimitReader(unpacked, int64(b.most)+1)); {
	case err != nil:
		return nil, fmt.Errorf("the archive is not whole: %w", err)
	case n > int64(b.most):
		return nil, fmt.Errorf("unpacked, it is more than %d bytes", b.most)
	}
	return content, nil
}
