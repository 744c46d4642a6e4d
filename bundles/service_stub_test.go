package bundles

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/util"
	"github.com/stretchr/testify/require"
)

// shelf is a service that offers bundles, and can misbehave.
type shelf struct {
	*httptest.Server
	mu sync.Mutex
	// bundles are what it offers, by path.
	bundles map[string][]byte
	// answer replaces the usual answer if it is set.
	answer http.HandlerFunc
	// asked are the requests it got, and unchanged how many of them it answered with 304.
	asked     []*http.Request
	unchanged int
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	s := &shelf{bundles: map[string][]byte{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *shelf) put(name string, content []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bundles["/bundles/"+name] = content
	s.answer = nil
}

func (s *shelf) misbehave(answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// request is one that it got. The last may still be at work when its answer was given up.
func (s *shelf) request(number int) *http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[number]
}

func (s *shelf) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r)
	answer, content, there := s.answer, s.bundles[r.URL.Path], s.bundles[r.URL.Path] != nil
	s.mu.Unlock()
	switch {
	case answer != nil:
		answer(w, r)
	case !there:
		http.NotFound(w, r)
	default:
		s.offer(w, r, content)
	}
}

// offer answers as services do that know tags.
func (s *shelf) offer(w http.ResponseWriter, r *http.Request, content []byte) {
	tag := fmt.Sprintf(`"%x"`, sum(content))
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		s.mu.Lock()
		s.unchanged++
		s.mu.Unlock()
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/gzip")
	_, _ = w.Write(content)
}

// services is a configuration of bundles with a manual trigger, with additions for each.
func (s *shelf) services(more map[string]any, names ...string) map[string]any {
	listed := map[string]any{}
	for _, name := range names {
		listed[name] = merge(map[string]any{
			"service": "shelf", "resource": "bundles/" + name, "trigger": "manual",
		}, more)
	}
	return map[string]any{
		"services": map[string]any{"shelf": map[string]any{"url": s.URL}},
		"bundles":  listed,
	}
}

// site is a bundle of an operator, whose one package has the given body.
func site(name, revision, body string) map[string]string {
	return map[string]string{
		".manifest":                           fmt.Sprintf(`{"roots": ["site/%s", "site_data/%s"], "rego_version": 1, "revision": %q}`, name, name, revision),
		"site/" + name + "/" + name + ".rego": "package site." + name + "\n\n" + body + "\n",
	}
}

// denying is the body of a package that denies a verb.
func denying(verb string) string {
	return fmt.Sprintf(`deny contains {"rule": "site/deny", "code": "denied", "message": "not today", "item": i} if {
	some i, item in input.items
	item.verb == %q
}`, verb)
}

// keyed adds what a configuration needs to want signatures.
func keyed(configuration map[string]any) map[string]any {
	configuration["keys"] = map[string]any{"ours": map[string]any{"algorithm": "HS256", "key": "a key of ours"}}
	return configuration
}

// wantSigned is what a bundle states that has to be signed.
func wantSigned() map[string]any {
	return map[string]any{"signing": map[string]any{"keyid": "ours", "scope": "read"}}
}

// sign returns the files with a signature.
func sign(t *testing.T, files map[string]string, key, scope string) map[string]string {
	t.Helper()
	var infos []bundle.FileInfo
	hasher, err := bundle.NewSignatureHasher("SHA-256")
	require.NoError(t, err)
	for name, content := range files {
		var value any = []byte(content)
		if strings.HasSuffix(name, ".json") || name == ".manifest" {
			require.NoError(t, unmarshal(content, &value))
		}
		digest, err := hasher.HashFile(value)
		require.NoError(t, err)
		infos = append(infos, bundle.NewFile(name, fmt.Sprintf("%x", digest), "SHA-256"))
	}
	claims := fmt.Sprintf(`{"keyid": "ours", "scope": %q}`, scope)
	token, err := bundle.GenerateSignedToken(infos, bundle.NewSigningConfig(key, "HS256", writeClaims(t, claims)), "ours")
	require.NoError(t, err)
	return with(files, ".signatures.json", fmt.Sprintf(`{"signatures": [%q]}`, token))
}

func sum(content []byte) []byte {
	digest := sha256.Sum256(content)
	return digest[:8]
}

func unmarshal(content string, into any) error { return util.Unmarshal([]byte(content), into) }

func writeClaims(t *testing.T, claims string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "claims.json")
	require.NoError(t, os.WriteFile(name, []byte(claims), 0o600))
	return name
}
