package bundles

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"policyd/policies"
)

// An invalid configuration stops the start, and the error gives the place.
func TestConfigurationsAreChecked(t *testing.T) {
	service := map[string]any{"shelf": map[string]any{"url": "http://127.0.0.1:1"}}
	key := map[string]any{"ours": map[string]any{"algorithm": "HS256", "key": "a key of ours"}}
	one := func(name string, source map[string]any) map[string]any {
		return map[string]any{"services": service, "bundles": map[string]any{name: source}}
	}
	for name, test := range map[string]struct {
		configuration map[string]any
		says          string
	}{
		"unknown part":            {map[string]any{"decision_logs": map[string]any{}}, "bundles.decision_logs is no key"},
		"user in an address":      {map[string]any{"services": map[string]any{"s": map[string]any{"url": "https://u:p4ss@h"}}}, "bundles.services.s.url holds a user"},
		"no address":              {map[string]any{"services": map[string]any{"s": map[string]any{"url": "h"}}}, "bundles.services.s.url is no address"},
		"list of services":        {map[string]any{"services": []any{service}}, "has to be a mapping"},
		"plugin for credentials":  {map[string]any{"services": map[string]any{"s": map[string]any{"url": "https://h", "credentials": map[string]any{"plugin": "p"}}}}, "names a plugin"},
		"unknown service":         {one("team", map[string]any{"service": "other"}), `service name "other" not found`},
		"name with a path":        {one("../team", map[string]any{}), "is no name for a bundle"},
		"name of the embedded":    {one("embedded", map[string]any{}), "is no name for a bundle"},
		"keys without signing":    {merge(one("team", map[string]any{}), map[string]any{"keys": key}), "bundles.bundles.team has no signing block"},
		"signing by unknown key":  {merge(one("team", map[string]any{"signing": map[string]any{"keyid": "other"}}), map[string]any{"keys": key}), "other"},
		"relative file":           {one("team", map[string]any{"resource": "file://team"}), "is relative"},
		"file that is kept":       {one("team", map[string]any{"resource": "file:///team", "persist": true}), "leave persist out"},
		"polling":                 {one("team", map[string]any{"polling": map[string]any{"min_delay_seconds": 9, "max_delay_seconds": 3}}), "max polling delay"},
		"unsigned discovery":      {map[string]any{"services": service, "keys": key, "discovery": map[string]any{"resource": "d"}}, "bundles.discovery has no signing"},
		"status to the console":   {map[string]any{"status": map[string]any{"console": true}}, "bundles.status.console"},
		"wrong type in a service": {map[string]any{"services": map[string]any{"s": map[string]any{"url": "https://h", "allow_insecure_tls": "x"}}}, "cannot unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(t.Context(), Options{FS: policies.FS, Services: test.configuration, PersistDir: t.TempDir()})
			require.ErrorContains(t, err, test.says)
			require.NotContains(t, err.Error(), "p4ss")
		})
	}
}

// A discovered configuration names bundles, takes them away again, and can't leave out
// what the settings want.
func TestBundlesAreDiscovered(t *testing.T) {
	s := newShelf(t)
	discovered := func(names ...string) []byte {
		listed := map[string]any{}
		for _, name := range names {
			listed[name] = merge(map[string]any{"service": "shelf", "resource": "bundles/" + name, "trigger": "manual"}, wantSigned())
		}
		content, err := json.Marshal(map[string]any{"policyd": map[string]any{"bundles": listed}})
		require.NoError(t, err)
		return archive(t, sign(t, map[string]string{".manifest": `{"roots": ["policyd"]}`, "data.json": string(content)}, "a key of ours", "read"))
	}
	signed := func(name, verb string) []byte {
		return archive(t, sign(t, site(name, name+"-"+verb, denying(verb)), "a key of ours", "read"))
	}
	configuration := keyed(map[string]any{
		"services":  map[string]any{"shelf": map[string]any{"url": s.URL}},
		"discovery": merge(map[string]any{"resource": "bundles/discovery", "decision": "policyd", "trigger": "manual"}, wantSigned()),
	})
	e := fetching(t, configuration)
	require.Nil(t, e.Current())
	s.put("discovery", discovered("team"))
	s.put("team", signed("team", "ls"))
	require.NoError(t, e.Poll(t.Context()))
	require.Equal(t, "deny", decided(t, e))
	require.True(t, e.Status().Bundles[0].SignatureRequired)

	s.put("team", archive(t, site("team", "unsigned", denying("no such verb"))))
	require.Error(t, e.Poll(t.Context()))
	require.Equal(t, "deny", decided(t, e))

	// Keys are there, so what is discovered has to be signed.
	content := `{"policyd": {"bundles": {"team": {"service": "shelf", "resource": "bundles/team", "trigger": "manual"}}}}`
	s.put("discovery", archive(t, sign(t, map[string]string{".manifest": `{"roots": ["policyd"]}`, "data.json": content}, "a key of ours", "read")))
	_ = e.Poll(t.Context())
	require.Contains(t, e.Status().LastError, "has no signing block")
	require.Equal(t, "deny", decided(t, e))

	// Another bundle takes its place.
	s.put("discovery", discovered("other"))
	require.Error(t, e.Poll(t.Context()))
	require.Regexp(t, `\+team-ls-[0-9a-f]{12}$`, e.Current().Revision(), "rules stay until others take their place")
	require.Equal(t, "deny", decided(t, e))
	s.put("other", signed("other", "cat"))
	require.NoError(t, e.Poll(t.Context()))
	require.Empty(t, e.Status().LastError)
	require.Len(t, e.Status().Bundles, 1)
	require.Regexp(t, `^[0-9a-f]{12}\+other-cat-[0-9a-f]{12}$`, e.Current().Revision())
	require.Equal(t, "deny", decided(t, e))

	// An empty discovered configuration has no bundles.
	s.put("discovery", archive(t, sign(t, map[string]string{".manifest": `{"roots": ["policyd"]}`, "data.json": `{"policyd": {"bundles": {}}}`}, "a key of ours", "read")))
	require.NoError(t, e.Poll(t.Context()))
	require.Empty(t, e.Status().Bundles)
	require.Regexp(t, `^[0-9a-f]{12}$`, e.Current().Revision())
}
