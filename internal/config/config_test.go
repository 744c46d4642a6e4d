package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/config"
)

// environment is a made-up environment with a home directory.
func environment(pairs ...string) func(string) (string, bool) {
	values := map[string]string{"HOME": "/home/dev"}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) {
		value, set := values[name]
		return value, set
	}
}

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policyd.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestDefaultsNeedNothing(t *testing.T) {
	got, err := config.Load("", environment(), nil)
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1:7483", got.Addr)
	assert.Equal(t, "sqlite", got.Store)
	assert.Equal(t, "/home/dev/.local/state/policyd", got.StateDir)
	assert.Equal(t, "/home/dev/.local/state/policyd/run", got.RunDir)
	assert.Equal(t, config.DecisionLog{
		File: "/home/dev/.local/state/policyd/decisions.jsonl", Required: true, MaxSizeMB: 100, MaxBackups: 10, Overflow: "block",
	}, got.DecisionLog)
	assert.Equal(t, 30*24*time.Hour, got.Retention)
	assert.Equal(t, config.Prompts{Expiry: 24 * time.Hour, PerSession: 100}, got.Prompts)
	assert.Empty(t, got.Bundle)
	assert.False(t, got.Watch)
	assert.Empty(t, got.Files)
	assert.Equal(t, map[string]any{}, got.Settings(), "only what was set")

	got, err = config.Load("", environment("XDG_RUNTIME_DIR", "/run/user/7"), nil)
	require.NoError(t, err)
	assert.Equal(t, "/run/user/7/policyd", got.RunDir)
}

// contract is the example of the settings page, filled in.
const contract = `
addr: 127.0.0.1:7000
allowed_hosts: [sidecar]
state_dir: ~/state
run_dir: ${RUN}/policyd
store: postgres://u:${DB_PASSWORD}@db/policyd
bundle: ~/bundle.tar.gz
watch: true
scope:
  outside: request
  projects: [/srv/a]
  whitelist: []
  read_also: [/usr/include]
  protected: [.dogent/dogent.md]
  protected_always: [deploy/]
  delete_allow: [.dogent/memory.md]
  path_map: [{agent: /workspace, sidecar: /mnt/ws}]
secrets: {names: ["*.p12"], directories: [vault], except: []}
shell: {workspace_writes: true, remote_readers: false}
namespaces: {fs: block, session/request_permission: collaborative}
safe_verbs: {file: ~/verbs.yaml, common: {sort: [{form: {"-r": none}, needs: {"-r": none}}]}}
catalog: {file: ~/tools.yaml}
agents:
  claude-code: {audience: team, interactive: false, deny_tools: [Write], peers: [b], grants: [{path: /x, mode: read}]}
prompts: {expiry: 90m, per_session: 5}
bundles:
  services: {shelf: {url: "https://x", credentials: {bearer: {token: "${DB_PASSWORD}"}}}}
  bundles: {main: {resource: x.tar.gz, polling: {min_delay_seconds: 10}}}
  test_on_activate: false
max_policy_age: 36h
stale_policy: deny
decision_log: {file: ~/log.jsonl, required: false, stdout: true, max_size_mb: 7, max_backups: 2, max_age_days: 30, overflow: drop, service: {url: "https://logs.example.org", token: "${DB_PASSWORD}"}}
retention: 7d
`

func TestFileIsReadWhole(t *testing.T) {
	path := file(t, contract)
	got, err := config.Load(path, environment("RUN", "/run/x: [y", "DB_PASSWORD", "pw"), nil)
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1:7000", got.Addr)
	assert.Equal(t, []string{"sidecar"}, got.AllowedHosts)
	assert.Equal(t, "/home/dev/state", got.StateDir)
	assert.Equal(t, "/run/x: [y/policyd", got.RunDir, "a variable adds no YAML")
	assert.Equal(t, "postgres://u:pw@db/policyd", got.Store)
	assert.Equal(t, "/home/dev/bundle.tar.gz", got.Bundle)
	assert.True(t, got.Watch)
	assert.Equal(t, config.Prompts{Expiry: 90 * time.Minute, PerSession: 5}, got.Prompts)
	assert.Equal(t, config.DecisionLog{
		File: "/home/dev/log.jsonl", Stdout: true, MaxSizeMB: 7, MaxBackups: 2, MaxAgeDays: 30, Overflow: "drop",
		Service: config.Service{URL: "https://logs.example.org", Token: "pw"},
	}, got.DecisionLog)
	assert.Equal(t, 7*24*time.Hour, got.Retention)
	assert.Equal(t, map[string]any{
		"services": map[string]any{"shelf": map[string]any{
			"url": "https://x", "credentials": map[string]any{"bearer": map[string]any{"token": "pw"}},
		}},
		"bundles": map[string]any{"main": map[string]any{
			"resource": "x.tar.gz", "polling": map[string]any{"min_delay_seconds": 10},
		}},
	}, got.Bundles)
	assert.False(t, got.TestOnActivate)
	assert.Equal(t, 36*time.Hour, got.MaxPolicyAge)
	assert.Equal(t, config.StaleDeny, got.StalePolicy)
	assert.Equal(t, "/home/dev/verbs.yaml", got.SafeVerbsFile)
	assert.Equal(t, "/home/dev/tools.yaml", got.CatalogFile)
	assert.Equal(t, []string{path}, got.Files)
	assert.Equal(t, map[string]any{
		"scope": map[string]any{
			"outside": "request", "projects": []any{"/srv/a"}, "whitelist": []any{}, "read_also": []any{"/usr/include"},
			"protected": []any{".dogent/dogent.md"}, "protected_always": []any{"deploy/"},
			"delete_allow": []any{".dogent/memory.md"},
			"path_map":     []any{map[string]any{"agent": "/workspace", "sidecar": "/mnt/ws"}},
		},
		"secrets":    map[string]any{"names": []any{"*.p12"}, "directories": []any{"vault"}, "except": []any{}},
		"shell":      map[string]any{"workspace_writes": true, "remote_readers": false},
		"namespaces": map[string]any{"fs": "block", "session/request_permission": "collaborative"},
		"safe_verbs": map[string]any{"common": map[string]any{"sort": []any{
			map[string]any{"form": map[string]any{"-r": "none"}, "needs": map[string]any{"-r": "none"}},
		}}},
		"agents": map[string]any{"claude-code": map[string]any{
			"audience": "team", "interactive": false, "deny_tools": []any{"Write"}, "peers": []any{"b"},
			"grants": []any{map[string]any{"path": "/x", "mode": "read"}},
		}},
	}, got.Settings())
}

func TestFlagsBeatEnvironmentBeatsFileBeatsDefaults(t *testing.T) {
	path := file(t, "addr: 127.0.0.1:1\nstate_dir: /file\nprompts: {per_session: 1, expiry: 2h}\nscope: {outside: request}\n")
	env := environment("POLICYD_ADDR", "127.0.0.1:2", "POLICYD_PROMPTS_PER_SESSION", "2", "POLICYD_STORE", "", "POLICYD_SCOPE_OUTSIDE", "prompt")
	got, err := config.Load(path, env, map[string]string{
		"addr": "127.0.0.1:3", "decision_log.required": "false", "watch": "true",
	})
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1:3", got.Addr, "flag")
	assert.Equal(t, 2, got.Prompts.PerSession, "environment")
	assert.Equal(t, 2*time.Hour, got.Prompts.Expiry, "file")
	assert.Equal(t, "/file", got.StateDir, "file")
	assert.Equal(t, "sqlite", got.Store, "an empty variable is none")
	assert.False(t, got.DecisionLog.Required)
	assert.True(t, got.Watch)
	assert.Equal(t, map[string]any{"scope": map[string]any{"outside": "prompt"}}, got.Settings())
}

func TestEnvironmentReachesInnerSettings(t *testing.T) {
	path := file(t, "decision_log: {required: false, service: {url: 'https://a'}}\n")
	got, err := config.Load(path, environment("POLICYD_DECISION_LOG_SERVICE_TOKEN", "t"), nil)
	require.NoError(t, err)
	assert.Equal(t, config.Service{URL: "https://a", Token: "t"}, got.DecisionLog.Service)
	assert.False(t, got.DecisionLog.Required)
	_, err = config.Load("", environment("POLICYD_DECISION_LOG_OVERFLOW", "drop"), nil)
	require.ErrorContains(t, err, "settings: decision_log.overflow: drop leaves records out")
}

func TestSettingsCannotBeChangedFromOutside(t *testing.T) {
	got, err := config.Load(file(t, "scope: {projects: [/a]}"), environment(), nil)
	require.NoError(t, err)
	got.Settings()["scope"].(map[string]any)["projects"].([]any)[0] = "/"
	assert.Equal(t, []any{"/a"}, got.Settings()["scope"].(map[string]any)["projects"])
}

func TestFilesAreAbsolute(t *testing.T) {
	path := file(t, "watch: false")
	t.Chdir(filepath.Dir(path))
	got, err := config.Load("./policyd.yaml", environment(), nil)
	require.NoError(t, err)
	here, err := os.Getwd()
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(here, "policyd.yaml")}, got.Files)

	require.NoError(t, os.WriteFile("policyd.yaml", []byte("\nnamespaces: {fs: unsafe_debug}"), 0o600))
	_, err = config.Load("./policyd.yaml", environment(), nil)
	require.ErrorContains(t, err, "./policyd.yaml:2: ", "an error names the file as it was given")
}

func TestPatternsAreRefusedWithTheirLine(t *testing.T) {
	for _, key := range []string{"names", "directories", "except"} {
		path := file(t, "secrets:\n  "+key+": [\"*.p12\", \"[a\"]\n")
		_, err := config.Load(path, environment(), nil)
		require.ErrorContains(t, err, path+":2: secrets."+key+"[1]: ")
	}
	_, err := config.Load(file(t, `secrets: {names: ["[a]", '\[a', "a?*"]}`), environment(), nil)
	require.NoError(t, err)
}

func TestFileRefusals(t *testing.T) {
	tests := []struct {
		name, text string
		line       int
		wants      []string
	}{
		{"unknown key", "addr: 127.0.0.1:1\nadr: x\n", 2, []string{"adr: unknown key", "allowed: addr, agents"}},
		{"unknown inner key", "scope:\n  outsde: prompt\n", 2, []string{"scope.outsde: unknown key", "outside"}},
		{"other case", "Addr: x\n", 1, []string{"unknown key"}},
		{"duplicate key", "watch: true\n\nwatch: false\n", 3, []string{"watch", "is repeated"}},
		{"duplicate inner key", "scope:\n  outside: prompt\n  outside: prompt\n", 3, []string{"scope.outside", "is repeated"}},
		{"duplicate free key", "bundles:\n  bundles:\n    a: {}\n    a: {}\n", 4, []string{"bundles.bundles.a", "is repeated"}},
		{"unknown mode", "namespaces:\n  fs: open\n", 2, []string{"namespaces.fs", `"open"`, "block, collaborative, single_pass_through, self_handle, unsafe_debug"}},
		{"unknown namespace", "namespaces:\n  fs: block\n  filesystem: block\n", 3, []string{"namespaces.filesystem", "fs, terminal, session"}},
		{"no method", "namespaces:\n  fs/*: block\n", 2, []string{"namespaces.fs/*", "one method"}},
		{"unknown outside", "scope: {outside: allow}\n", 1, []string{"allowed: prompt, request"}},
		{"unknown audience", "agents:\n  a:\n    audience: me\n", 3, []string{"agents.a.audience", "personal, team, public"}},
		{"unknown grant mode", "agents:\n  a:\n    grants:\n    - {path: /x, mode: write}\n", 4, []string{"agents.a.grants[0].mode", "read, read_write"}},
		{"unset variable", "\nstate_dir: /x/${NOT_SET}\n", 2, []string{"state_dir", "${NOT_SET} is not set"}},
		{"unset variable in a free value", "bundles:\n  keys:\n    key: ${NOT_SET}\n", 3, []string{"bundles.keys.key", "${NOT_SET}"}},
		{"broken variable", "state_dir: ${HOME\n", 1, []string{"followed by the name"}},
		{"too many prompts", "prompts:\n  per_session: 10001\n", 2, []string{"prompts.per_session", "from 1 to 10000"}},
		{"no prompts", "prompts: {per_session: 0}\n", 1, []string{"from 1 to 10000"}},
		{"short expiry", "prompts: {expiry: 1s}\n", 1, []string{"from 1m0s to 720h0m0s"}},
		{"no unit", "prompts: {expiry: 24}\n", 1, []string{"a duration belongs here, not a number"}},
		{"log size", "decision_log: {max_size_mb: 0}\n", 1, []string{"from 1 to 10240"}},
		{"unknown overflow", "decision_log: {overflow: lose}\n", 1, []string{"decision_log.overflow", "block, drop"}},
		{"drop what is required", "decision_log:\n  file: /x\n  overflow: drop\n", 3, []string{"decision_log.overflow", "set required to false"}},
		{"drop what is said to be required", "decision_log:\n  overflow: drop\n  required: true\n", 2, []string{"set required to false"}},
		{"service without a scheme", "decision_log:\n  service:\n    url: logs:hush@h\n", 3, []string{"decision_log.service.url", "https://"}},
		{"token without a service", "decision_log:\n  service:\n    token: hush\n", 3, []string{"decision_log.service.token"}},
		{"token of two lines", "decision_log:\n  service: {url: 'https://x', token: \"hush\\nX: y\"}\n", 2, []string{"decision_log.service.token", "header"}},
		{"short retention", "retention: 1m\n", 1, []string{"from 1h0m0s"}},
		{"too many days", "retention: 99999999d\n", 1, []string{"retention", "30d"}},
		{"negative days", "retention: -3d\n", 1, []string{"retention"}},
		{"port", "addr: 127.0.0.1:65536\n", 1, []string{"addr", "0 to 65535"}},
		{"no port", "addr: localhost\n", 1, []string{"host:port"}},
		{"store", "store: mysql://u:hush@h\n", 1, []string{"allowed: sqlite, postgres://"}},
		{"text for a boolean", "watch: \"yes\"\n", 1, []string{"true or false belongs here, not text"}},
		{"text for a list", "scope: {projects: /a}\n", 1, []string{"scope.projects", "a list belongs here, not text"}},
		{"number in a list", "secrets:\n  names:\n  - a\n  - 5\n", 4, []string{"secrets.names[1]", "text belongs here, not a number"}},
		{"list for a mapping", "scope: []\n", 1, []string{"a mapping belongs here, not a list"}},
		{"nothing for a mapping", "scope:\n", 1, []string{"a mapping belongs here, not nothing"}},
		{"null", "addr: null\n", 1, []string{"text belongs here, not nothing"}},
		{"empty text", "state_dir: \"\"\n", 1, []string{"empty"}},
		{"empty name", "secrets: {names: [\"\"]}\n", 1, []string{"empty"}},
		{"path map with dots", "scope:\n  path_map:\n  - {agent: /x/../y, sidecar: /y}\n", 3, []string{"scope.path_map[0].agent", "write the path out"}},
		{"half a path map", "scope:\n  path_map:\n  - {agent: /x}\n", 3, []string{"scope.path_map[0].sidecar", "missing"}},
		{
			"path map with twins", "scope:\n  path_map:\n  - {agent: /x, sidecar: /y}\n  - {agent: /x/, sidecar: /z}\n", 4,
			[]string{"scope.path_map[1].agent", "list it once"},
		},
		{"relative path map", "scope:\n  path_map:\n  - {agent: x, sidecar: /y}\n", 3, []string{"scope.path_map[0].agent", "relative"}},
		{"a list as a whole", "- a\n", 1, []string{"a mapping belongs here"}},
		{"alias", "scope: &s {outside: prompt}\n", 1, []string{"anchors"}},
		{"merge", "<<: {addr: x}\n", 1, []string{"plain text"}},
		{"two documents", "watch: true\n---\nwatch: false\n", 2, []string{"second document"}},
		{"date in a free value", "bundles:\n  labels:\n    a: 2001-01-01\n", 3, []string{"quote it"}},
		{"unsafe debug without its flag", "namespaces:\n  fs: block\n  terminal: unsafe_debug\n", 3, []string{"namespaces.terminal", "--unsafe-debug-broadcast"}},
		{"flag in the file", "unsafe_debug_broadcast: true\n", 1, []string{"unknown key"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := file(t, test.text)
			got, err := config.Load(path, environment(), nil)
			require.Error(t, err)
			assert.Nil(t, got)
			var refused *config.Error
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, path, refused.Source)
			assert.Equal(t, test.line, refused.Line, err.Error())
			for _, want := range test.wants {
				assert.ErrorContains(t, err, want)
			}
			assert.NotContains(t, err.Error(), "hush")
		})
	}
}

func TestBrokenYAMLNamesFileAndLine(t *testing.T) {
	path := file(t, "addr: x\n  watch: [\n")
	_, err := config.Load(path, environment(), nil)
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, err, "line 2")
}

func TestMissingFileIsAnError(t *testing.T) {
	_, err := config.Load(filepath.Join(t.TempDir(), "none.yaml"), environment(), nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestEmptyFileHasNoSettings(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "---\n", "{}\n"} {
		got, err := config.Load(file(t, text), environment(), nil)
		require.NoError(t, err, text)
		assert.Empty(t, got.Settings())
	}
}

func TestEnvironmentAndFlagRefusals(t *testing.T) {
	_, err := config.Load("", environment("POLICYD_ADDR", "x"), nil)
	require.ErrorContains(t, err, "POLICYD_ADDR: addr: ")
	_, err = config.Load("", environment("POLICYD_DECISION_LOG_REQUIRED", "maybe"), nil)
	require.ErrorContains(t, err, "POLICYD_DECISION_LOG_REQUIRED: decision_log.required: ")
	_, err = config.Load("", environment(), map[string]string{"state_dir": ""})
	require.ErrorContains(t, err, "--state-dir: state_dir: ")
	_, err = config.Load("", environment(), map[string]string{"scope.projects": "/a"})
	require.ErrorContains(t, err, "--scope-projects")
	_, err = config.Load("", environment(), map[string]string{"adr": "x"})
	require.ErrorContains(t, err, "no setting")
	_, err = config.Load("", func(string) (string, bool) { return "", false }, nil)
	require.ErrorContains(t, err, "HOME")
}

// TestUnsafeDebugNeedsItsFlag checks N4.
func TestUnsafeDebugNeedsItsFlag(t *testing.T) {
	path := file(t, "namespaces: {terminal: unsafe_debug}\n")
	got, err := config.Load(path, environment(), map[string]string{config.UnsafeDebugFlag: "true"})
	require.NoError(t, err)
	assert.True(t, got.UnsafeDebugBroadcast)
	assert.Equal(t, true, got.Settings()[config.UnsafeDebugFlag], "policy serves the mode by the flag")
	for _, overrides := range []map[string]string{nil, {config.UnsafeDebugFlag: "false"}} {
		_, err = config.Load(path, environment("POLICYD_UNSAFE_DEBUG_BROADCAST", "true"), overrides)
		require.ErrorContains(t, err, "--unsafe-debug-broadcast")
	}
	_, err = config.Load(path, environment(), map[string]string{config.UnsafeDebugFlag: "1"})
	require.ErrorContains(t, err, "--unsafe-debug-broadcast: ")
}

func TestVariablesCanGiveNumbers(t *testing.T) {
	path := file(t, "prompts: {per_session: \"${N}\"}\nwatch: ${W}\n")
	got, err := config.Load(path, environment("N", "7", "W", "true"), nil)
	require.NoError(t, err)
	assert.Equal(t, 7, got.Prompts.PerSession)
	assert.True(t, got.Watch)
	_, err = config.Load(path, environment("N", "seven", "W", "true"), nil)
	require.ErrorContains(t, err, "policyd.yaml:1: prompts.per_session")
}

func FuzzLoad(f *testing.F) {
	f.Add(contract)
	f.Add("a: *a\n")
	f.Add("? [a]\n: b\n")
	path := filepath.Join(f.TempDir(), "policyd.yaml")
	f.Fuzz(func(t *testing.T, text string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		got, err := config.Load(path, environment(), nil)
		require.NotEqual(t, got == nil, err == nil)
		if err != nil {
			require.True(t, strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "find "), err.Error())
		}
	})
}
