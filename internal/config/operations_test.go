package config_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/config"
)

func TestOperationsHaveDefaults(t *testing.T) {
	got, err := config.Load("", environment(), nil)
	require.NoError(t, err)
	assert.Equal(t, config.Operations{
		TLS:     config.TLS{ClientAuth: config.ClientAuthNone},
		Socket:  config.Socket{Mode: 0o660},
		Limits:  config.Limits{RequestsPerSecond: 1000, Concurrent: 64, Held: 100, BodyBytes: 1 << 20, PromptsPerCaller: 1000, SessionsPerCaller: 50_000},
		Metrics: config.Metrics{Access: config.MetricsOpen},
		Log:     config.Log{Level: slog.LevelInfo, Format: "text"},
		Console: config.Console{Serve: config.ConsoleOnDemand, Addr: "127.0.0.1:7484"},
	}, got.Operations)
}

func TestOperationsAreRead(t *testing.T) {
	got, err := config.Load(file(t, `
tls:
  cert: ~/tls/tls.crt
  key: /etc/policyd/tls.key
  client_ca: /etc/policyd/ca.crt
  clients: [{name: alice@example.org, role: operator}, {name: "spiffe://example.org/agent", role: agent}]
tokens:
  - {name: alice@example.org, role: operator, file: ~/alice.token}
  - {name: prometheus, role: metrics, file: /etc/policyd/prometheus.token}
socket: {mode: "0600", group: policyd}
limits: {requests_per_second: 0, concurrent: 2, held: 3, body_bytes: 2048}
metrics: {access: token}
log: {level: debug, format: json}
`), environment("POLICYD_LIMITS_HELD", "7"), nil)
	require.NoError(t, err)
	assert.Equal(t, config.Operations{
		TLS: config.TLS{
			Cert: "/home/dev/tls/tls.crt", Key: "/etc/policyd/tls.key", ClientCA: "/etc/policyd/ca.crt", ClientAuth: config.ClientAuthRequired,
			Clients: []config.ClientName{{Name: "alice@example.org", Role: "operator"}, {Name: "spiffe://example.org/agent", Role: "agent"}},
		},
		Tokens: []config.TokenFile{
			{Name: "alice@example.org", Role: "operator", File: "/home/dev/alice.token"},
			{Name: "prometheus", Role: "metrics", File: "/etc/policyd/prometheus.token"},
		},
		Socket:  config.Socket{Mode: 0o600, Group: "policyd"},
		Limits:  config.Limits{RequestsPerSecond: 0, Concurrent: 2, Held: 7, BodyBytes: 2048, PromptsPerCaller: 1000, SessionsPerCaller: 50_000},
		Metrics: config.Metrics{Access: config.MetricsToken},
		Log:     config.Log{Level: slog.LevelDebug, Format: "json"},
		Console: config.Console{Serve: config.ConsoleOnDemand, Addr: "127.0.0.1:7484"},
	}, got.Operations)
}

// TestOperationsThatMakeNoSenseStopTheStart checks that each error names the line, the key and what to do
// (D4).
func TestOperationsThatMakeNoSenseStopTheStart(t *testing.T) {
	for _, test := range []struct {
		text, key, says string
		line            int
	}{
		{"tls:\n  cert: /c", "tls.cert", "set tls.key", 2},
		{"tls:\n  key: /k", "tls.key", "set tls.cert", 2},
		{"tls:\n  client_ca: /k", "tls.client_ca", "set tls.cert and tls.key", 2},
		{"tls:\n  cert: /c\n  key: /k\n  client_auth: required", "tls.client_auth", "set tls.client_ca", 4},
		{"tls:\n  cert: /c\n  key: /k\n  clients: [{name: a, role: agent}]", "tls.clients", "set tls.client_ca", 4},
		{"tls: {client_auth: maybe}", "tls.client_auth", "none, optional, required", 1},
		{"tls:\n  cert: /c\n  key: /k\n  client_ca: /a\n  clients: [{name: a, role: agent},\n    {name: a, role: operator}]", "tls.clients[1].name", "is repeated", 6},
		{"tls: {clients: [{name: 'a b', role: agent}]}", "tls.clients[0].name", "without blanks", 1},
		{"tokens:\n  - {name: a, role: agent, file: /a}\n  - {name: a, role: agent, file: /b}", "tokens[1].name", "is repeated", 3},
		{"tokens:\n  - {name: a, role: agent, file: /a}\n  - {name: b, role: agent, file: /a}", "tokens[1].file", "another name's", 3},
		{
			"tls: {cert: /c, key: /k, client_ca: /a, clients: [{name: a, role: agent}]}\ntokens: [{name: a, role: operator, file: /a}]",
			"tokens[0].role", "agent by its certificate", 2,
		},
		{"tokens: [{name: a, role: root, file: /a}]", "tokens[0].role", "agent, operator, metrics", 1},
		{"tokens: [{name: a, role: agent}]", "tokens[0].file", "missing", 1},
		{"tokens: [{name: \"a\\nb\", role: agent, file: /a}]", "tokens[0].name", "no name", 1},
		{"tokens: [{name: -a, role: agent, file: /a}]", "tokens[0].name", "letter or digit first", 1},
		{"socket: {mode: \"0666\"}", "socket.mode", "whoever connects", 1},
		{"socket: {mode: 0660}", "socket.mode", "wrong type", 1},
		{"limits: {body_bytes: 1}", "limits.body_bytes", "1024", 1},
		{"limits: {requests_per_second: -1}", "limits.requests_per_second", "from 0", 1},
		{"metrics: {access: all}", "metrics.access", "open, token, off", 1},
		{"log: {level: loud}", "log.level", "debug, info, warn, error", 1},
		{"log: {format: xml}", "log.format", "text, json", 1},
	} {
		_, err := config.Load(file(t, test.text), environment(), nil)
		var refused *config.Error
		if assert.ErrorAs(t, err, &refused, test.text) {
			assert.Equal(t, test.key, refused.Key, test.text)
			assert.Equal(t, test.line, refused.Line, test.text)
			assert.Contains(t, refused.Message, test.says, test.text)
		}
	}
}
