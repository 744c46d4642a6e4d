package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/config"
)

func TestCredentialsOfBundlesComeFromTheEnvironment(t *testing.T) {
	for name, text := range map[string]string{
		"bearer token":  "bundles:\n  services:\n    s:\n      credentials: {bearer: {token: tr0ub4dor}}\n",
		"client secret": "bundles:\n  services:\n    s:\n      credentials: {oauth2: {client_id: x, client_secret: tr0ub4dor}}\n",
		"passphrase":    "bundles:\n  services:\n    s:\n      credentials: {client_tls: {private_key_passphrase: tr0ub4dor}}\n",
		"header":        "bundles:\n  services:\n    s:\n      headers: {X-Api-Key: tr0ub4dor}\n",
		"shared key":    "bundles:\n  keys:\n    k:\n      key: tr0ub4dor\n      algorithm: HS256\n",
		"private key":   "bundles:\n  keys:\n    k:\n      private_key: tr0ub4dor\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Load(file(t, text), environment(), nil)
			require.ErrorContains(t, err, "write ${NAME} there")
			assert.Regexp(t, `policyd\.yaml:[45]: bundles\.`, err.Error())
			assert.NotContains(t, err.Error(), "tr0ub4dor")
			_, err = config.Load(file(t, strings.ReplaceAll(text, "tr0ub4dor", "\"${SECRET}\"")), environment("SECRET", "tr0ub4dor"), nil)
			require.NoError(t, err)
		})
	}
	_, err := config.Load(file(t, "bundles:\n  services:\n    s:\n      credentials: {bearer: {token_path: /run/token}, "+
		"client_tls: {private_key: /run/key.pem}, oauth2: {token_url: 'https://x'}}\n  keys:\n    k: {algorithm: RS256, key: PUBLIC}\n"),
		environment(), nil)
	require.NoError(t, err, "files and public keys are no credentials")
}

// P6: policyd's own input files are protected, wherever they are.
func TestFilesOfBundlesAreKnown(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("ca.pem", nil, 0o600))
	here, err := os.Getwd()
	require.NoError(t, err)
	got, err := config.Load(file(t, `bundles:
  services: {s: {url: "https://x/y", tls: {ca_cert: ca.pem}, credentials: {client_tls: {cert: /run/not-there.pem}}}}
  bundles: {b: {resource: "file:///etc/policyd/b.tar.gz"}, c: {resource: bundles/c}}
  discovery: {resource: "file:///etc/policyd/../d"}
`), environment(), nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"/etc/d", "/etc/policyd/b.tar.gz", "/run/not-there.pem", filepath.Join(here, "ca.pem")}, got.BundleFiles())
}
