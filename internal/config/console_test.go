package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/config"
)

// TestTheConsoleStaysOnThisMachine checks that cookies never travel unencrypted between machines.
func TestTheConsoleStaysOnThisMachine(t *testing.T) {
	load := func(text string) (*config.Config, error) {
		file := filepath.Join(t.TempDir(), "policyd.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return config.Load(file, func(name string) (string, bool) { return "/home/x", name == "HOME" }, nil)
	}
	usual, err := load("")
	require.NoError(t, err)
	assert.Equal(t, config.Console{Serve: config.ConsoleOnDemand, Addr: "127.0.0.1:7484"}, usual.Console)
	tls := "tls: {cert: /c.pem, key: /k.pem}\n"
	for text, key := range map[string]string{
		"console: {addr: '0.0.0.0:7484'}":                     "console.addr",
		"console: {addr: '192.168.1.2:7484', serve: always}":  "console.addr",
		"console: {addr: 'policyd.example:7484'}":             "console.addr",
		"console: {addr: ':7484'}":                            "console.addr",
		"console: {addr: '127.0.0.1:0'}":                      "console.addr",
		"console: {url: 'https://policyd.example'}":           "console.url",
		tls + "console: {url: 'http://policyd.example'}":      "console.url",
		tls + "console: {url: 'https://policyd.example/a'}":   "console.url",
		tls + "console: {url: 'https://a:b@policyd.example'}": "console.url",
		"console: {serve: sometimes}":                         "console.serve",
	} {
		_, err := load(text)
		require.ErrorContains(t, err, key, text)
	}
	for _, text := range []string{
		"console: {addr: '127.0.0.1:0', serve: always}", "console: {addr: '[::1]:7484'}", "console: {addr: 'localhost:7484', url: 'http://localhost:7484'}",
		tls + "console: {addr: '0.0.0.0:443', url: 'https://policyd.example/'}", "console: {serve: off}",
	} {
		_, err := load(text)
		require.NoError(t, err, text)
	}
}

// TestWhoSignsInElsewhere checks what a provider needs, and that what it says can't be changed on its way.
func TestWhoSignsInElsewhere(t *testing.T) {
	load := func(console string) (*config.Config, error) {
		file := filepath.Join(t.TempDir(), "policyd.yaml")
		require.NoError(t, os.WriteFile(file, []byte("console: "+console), 0o600))
		return config.Load(file, func(name string) (string, bool) {
			return map[string]string{"HOME": "/home/x", "SECRET": "s3cret"}[name], name == "HOME" || name == "SECRET"
		}, nil)
	}
	made, err := load("{serve: always, oidc: {issuer: 'https://id.example.org', client: policyd, secret: '${SECRET}', roles: {ops: operator, dev: operator}}}")
	require.NoError(t, err)
	assert.Equal(t, &config.OIDC{
		Issuer: "https://id.example.org", Client: "policyd", Secret: "s3cret", Scopes: []string{"email", "groups"}, Claim: "groups",
		Roles: map[string]string{"ops": "operator", "dev": "operator"},
	}, made.Console.OIDC)
	assert.Equal(t, []string{"dev", "ops"}, made.Console.OIDC.Operators())
	made, err = load("{serve: always, oidc: {issuer: 'http://127.0.0.1:5556/dex', client: p, scopes: [], claim: roles, roles: {a: operator}}}")
	require.NoError(t, err)
	assert.Empty(t, made.Console.OIDC.Scopes)
	assert.Equal(t, "roles", made.Console.OIDC.Claim)
	for text, key := range map[string]string{
		"{oidc: {issuer: 'https://id.example.org', client: p, roles: {a: operator}}}":                    "console.oidc",
		"{serve: always, oidc: {issuer: 'http://id.example.org', client: p, roles: {a: operator}}}":      "console.oidc.issuer",
		"{serve: always, oidc: {issuer: 'https://u:p@id.example.org', client: p, roles: {a: operator}}}": "console.oidc.issuer",
		"{serve: always, oidc: {}}":                                                                           "console.oidc",
		"{serve: always, oidc: {client: p, roles: {a: operator}}}":                                            "issuer",
		"{serve: always, oidc: {issuer: 'https://id.example.org', roles: {a: operator}}}":                     "client",
		"{serve: always, oidc: {issuer: 'https://id.example.org', client: p}}":                                "roles",
		"{serve: always, oidc: {issuer: 'https://id.example.org', client: p, roles: {}}}":                     "console.oidc.roles",
		"{serve: always, oidc: {issuer: 'https://id.example.org', client: p, roles: {a: agent}}}":             "console.oidc.roles",
		"{serve: always, oidc: {issuer: 'https://id.example.org', client: p, roles: {a: operator}, x: true}}": "console.oidc",
	} {
		_, err := load(text)
		require.ErrorContains(t, err, key, text)
	}
}
