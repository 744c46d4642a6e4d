package bundles

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"policyd/policies"
)

// ociRegistry serves images of one layer, which is a bundle, as registries do.
type ociRegistry struct {
	*httptest.Server
	mu sync.Mutex
	// contents are blobs and manifests by digest, tags manifests by "repository:tag".
	contents map[string][]byte
	tags     map[string]string
	// away makes it answer everything with this status unless it is 0.
	away  int
	asked []*http.Request
}

const (
	ociManifest = "application/vnd.oci.image.manifest.v1+json"
	ociConfig   = "application/vnd.oci.image.config.v1+json"
	ociLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

func newOCIRegistry(t *testing.T) *ociRegistry {
	t.Helper()
	r := &ociRegistry{contents: map[string][]byte{}, tags: map[string]string{}}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

func (r *ociRegistry) add(content []byte) (digest string) {
	digest = fmt.Sprintf("sha256:%x", sha256.Sum256(content))
	r.contents[digest] = content
	return digest
}

// push tags an image that holds the layer as rules/team:latest.
func (r *ociRegistry) push(t *testing.T, layer []byte) (digest string) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	config := []byte("{}")
	digest = r.add(layer)
	manifest, err := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": ociManifest,
		"config": map[string]any{"mediaType": ociConfig, "digest": r.add(config), "size": len(config)},
		"layers": []any{map[string]any{"mediaType": ociLayer, "digest": digest, "size": len(layer)}},
	})
	require.NoError(t, err)
	r.tags["rules/team:latest"] = r.add(manifest)
	return digest
}

func (r *ociRegistry) answerAll(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = status
}

func (r *ociRegistry) serve(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = append(r.asked, request)
	kind, name := "manifests", ""
	repository, rest, found := strings.Cut(strings.TrimPrefix(request.URL.Path, "/v2/"), "/manifests/")
	if name = rest; !found {
		kind = "blobs"
		_, name, found = strings.Cut(request.URL.Path, "/blobs/")
	}
	if digest, tagged := r.tags[repository+":"+name]; tagged {
		name = digest
	}
	content, there := r.contents[name]
	switch {
	case r.away != 0:
		http.Error(w, "away", r.away)
		return
	case !found || !there:
		http.NotFound(w, request)
		return
	case kind == "manifests":
		w.Header().Set("Content-Type", ociManifest)
	}
	w.Header().Set("Docker-Content-Digest", name)
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	_, _ = w.Write(content) // of HEAD net/http leaves it out
}

func (r *ociRegistry) configuration(more map[string]any) map[string]any {
	return map[string]any{
		"services": map[string]any{"registry": map[string]any{
			"url": r.URL, "type": "oci", "credentials": map[string]any{"bearer": map[string]any{"token": "a token"}},
		}},
		"bundles": map[string]any{"team": merge(map[string]any{
			"service": "registry", "resource": strings.TrimPrefix(r.URL, "http://") + "/rules/team:latest", "trigger": "manual",
		}, more)},
	}
}

// A registry is a source as any other: what is tagged becomes active, what is refused or away changes
// nothing, and what was fetched decides after a restart.
func TestBundlesOfARegistryComeIntoForce(t *testing.T) {
	r := newOCIRegistry(t)
	dir := t.TempDir()
	kept := func(o *Options) { o.PersistDir = dir }
	e := fetching(t, r.configuration(nil), kept)
	require.Error(t, e.Poll(t.Context()), "there is no such image")
	require.Nil(t, e.Current(), "nothing decides before it has come")

	r.push(t, archive(t, site("team", "t-1", denying("no such verb"))))
	require.NoError(t, e.Poll(t.Context()))
	require.Equal(t, "allow", decided(t, e))
	require.Equal(t, "t-1", e.Status().Bundles[0].Revision)
	require.NoError(t, e.Poll(t.Context()))
	require.Equal(t, 1, e.Status().Bundles[0].Activations, "the same layer is not activated again")

	r.push(t, archive(t, site("team", "t-2", denying("ls"))))
	require.NoError(t, e.Poll(t.Context()))
	require.Equal(t, "deny", decided(t, e))

	r.push(t, archive(t, site("team", "t-3", `cover contains [i, "site/all"] if some i, _ in input.items`)))
	require.Error(t, e.Poll(t.Context()))
	require.Equal(t, CheckSmoke, e.Status().Bundles[0].Check)
	require.Equal(t, "deny", decided(t, e))

	r.push(t, archive(t, site("team", "t-4", denying("ls"))))
	require.NoError(t, e.Poll(t.Context()))
	r.answerAll(http.StatusBadGateway)
	require.Error(t, e.Poll(t.Context()))
	require.Equal(t, CheckFetch, e.Status().Bundles[0].Check)
	require.Equal(t, "deny", decided(t, e))
	r.answerAll(0)
	require.NoError(t, e.Poll(t.Context()))
	require.Empty(t, e.Status().Bundles[0].LastError)
	require.Equal(t, "t-4", e.Status().Bundles[0].Revision)
	e.Close()

	r.answerAll(http.StatusBadGateway)
	restarted := fetching(t, r.configuration(nil), kept)
	require.Equal(t, "deny", decided(t, restarted), "the one that was kept decides")
	require.True(t, restarted.Status().Bundles[0].Restored)
	for _, request := range r.asked {
		require.Equal(t, "Bearer "+base64.StdEncoding.EncodeToString([]byte("a token")), request.Header.Get("Authorization"), "%s %s", request.Method, request.URL)
	}
}

// A faulty image is reported, and the active policy stays: bounds, signatures and digests apply to
// registries, too.
func TestABadImageOfARegistryChangesNothing(t *testing.T) {
	good := site("team", "t-1", denying("ls"))
	for name, test := range map[string]struct {
		files map[string]string
		spoil bool
		check string
		says  string
	}{
		"unsigned":           {files: good, check: CheckFetch, says: ".signatures.json"},
		"of another key":     {files: sign(t, good, "another key", "read"), check: CheckFetch, says: "verif"},
		"of roots of others": {files: sign(t, with(good, ".manifest", `{"roots": ["site/team", "site_data/team", "policyd/rules"]}`), "a key of ours", "read"), check: CheckRoots, says: `owns the root "policyd/rules"`},
		"too large":          {files: sign(t, with(good, "site_data/team/data.json", `{"x": "`+string(make20MB())+`"}`), "a key of ours", "read"), check: CheckFetch, says: "more than"},
		"of another digest":  {files: sign(t, site("team", "t-2", denying("no such verb")), "a key of ours", "read"), spoil: true, check: CheckFetch, says: "mismatch"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newOCIRegistry(t)
			e := fetching(t, keyed(r.configuration(wantSigned())))
			r.push(t, archive(t, sign(t, good, "a key of ours", "read")))
			require.NoError(t, e.Poll(t.Context()))
			before := e.Current()
			require.Equal(t, "deny", decided(t, e))
			digest := r.push(t, archive(t, test.files))
			if test.spoil {
				r.mu.Lock()
				r.contents[digest] = slices.Clone(r.contents[digest])
				r.contents[digest][4] ^= 1 // the time in the header, which gzip's checksum doesn't cover
				r.mu.Unlock()
			}
			require.Error(t, e.Poll(t.Context()))
			require.Same(t, before, e.Current())
			status := e.Status().Bundles[0]
			require.Equal(t, test.check, status.Check)
			require.Contains(t, status.LastError, test.says)
			require.Equal(t, "t-1", status.Revision)
		})
	}
}

// Services get the status of each bundle, in OPA's form.
func TestStatusIsSentToAService(t *testing.T) {
	type update struct {
		Labels  map[string]string `json:"labels"`
		Bundles map[string]struct {
			ActiveRevision string `json:"active_revision"`
			Code           string `json:"code"`
			Message        string `json:"message"`
		} `json:"bundles"`
	}
	s, heard := newShelf(t), make(chan update, 100)
	ears := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var said update
		if r.Method == http.MethodPost && r.URL.Path == "/status" && json.NewDecoder(r.Body).Decode(&said) == nil {
			heard <- said
		}
		w.WriteHeader(http.StatusOK)
	}))
	t.Cleanup(ears.Close)
	configuration := s.services(nil, "team")
	configuration["services"].(map[string]any)["ears"] = map[string]any{"url": ears.URL}
	configuration["status"] = map[string]any{"service": "ears"}
	configuration["labels"] = map[string]any{"host": "a"}
	s.put("team", archive(t, site("team", "t-1", denying("ls"))))
	e := newEngine(t, Options{FS: policies.FS, Services: configuration, PersistDir: t.TempDir()})
	until := func(what string, holds func(update) bool) {
		for {
			if holds(receive(t, heard)) {
				return
			}
			t.Log("before:", what)
		}
	}
	require.NoError(t, e.Poll(t.Context()))
	until("it is in force", func(said update) bool {
		return said.Bundles["team"].ActiveRevision == "t-1" && said.Bundles["team"].Code == "" && said.Labels["host"] == "a"
	})
	s.put("team", archive(t, site("team", "t-2", `deny contains x if x := http.send({})`)))
	require.Error(t, e.Poll(t.Context()))
	until("it was refused", func(said update) bool {
		return said.Bundles["team"].ActiveRevision == "t-1" && said.Bundles["team"].Code != "" &&
			strings.Contains(said.Bundles["team"].Message, "http.send is forbidden")
	})
}
