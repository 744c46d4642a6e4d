package bundles

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/stretchr/testify/require"
)

//fuzz:runs 2000x

// FuzzFetchedBundlesReadLikeLocalOnes checks that no bundle passes for having come from a service that would
// be refused as a file, and that both say the same.
func FuzzFetchedBundlesReadLikeLocalOnes(f *testing.F) {
	f.Add("package site.x\n\ndeny contains 1 if true\n", `{"a": [1, 2.50, "é"]}`, "b: {c: 1}\n")
	f.Add("package site.x\n\ndeny contains x if x := http.send({})\n", `{}`, "")
	f.Add("package policyd.rules", `{"a": 1} {"b": 2}`, "- 1")
	f.Add("", `[1]`, "a: 1\na: 2")
	f.Add("package site.x\n\nimport rego.v1\n", `{"a":`, "x: &a 1\ny: *a")
	f.Fuzz(func(t *testing.T, rules, data, more string) {
		packed := archive(t, map[string]string{
			".manifest":                 `{"roots": ["site/x", "site_data/x"], "rego_version": 1}`,
			"site/x/x.rego":             rules,
			"site_data/x/data.json":     data,
			"site_data/x/more/data.yml": more,
		})
		place := filepath.Join(t.TempDir(), "x.tar.gz")
		require.NoError(t, os.WriteFile(place, packed, 0o600))
		local, refused := readArchive(place, nil)
		content, err := bundle.NewCustomReader(bundle.NewTarballLoaderWithBaseURL(bytes.NewReader(packed), "http://shelf")).
			WithRegoVersion(ast.RegoV1).WithBundleName("x").WithLazyLoadingMode(true).WithBundlePersistence(true).
			WithSizeLimitBytes(maxBundleBytes).Read()
		if err != nil {
			return // it never gets as far
		}
		fetched, err := readFetched("x", &content)
		if err != nil {
			return
		}
		require.NoError(t, refused, "a file with this content is refused")
		require.Equal(t, local.Data, fetched.Data)
		require.Equal(t, *local.Manifest.Roots, *fetched.Manifest.Roots)
		require.Len(t, fetched.Modules, len(local.Modules))
		for i := range local.Modules {
			require.Equal(t, local.Modules[i].Raw, fetched.Modules[i].Raw)
		}
		require.Equal(t, local.revision(), fetched.revision())
	})
}
