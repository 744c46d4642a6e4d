package bundles

import (
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/policies"
)

// fetching is an engine of the built-in policy and bundles of a service.
func fetching(t *testing.T, configuration map[string]any, change ...func(*Options)) *Engine {
	t.Helper()
	options := Options{FS: policies.FS, Services: configuration, PersistDir: t.TempDir(), Deadline: patience}
	for _, c := range change {
		c(&options)
	}
	return newEngine(t, options)
}

// effect decides the line of three commands, or is a text that states that nothing decides.
func decided(t *testing.T, e *Engine) string {
	t.Helper()
	snapshot := e.Current()
	if snapshot == nil {
		return "no policy"
	}
	judgement, err := snapshot.Judge(t.Context(), threeCommands())
	require.NoError(t, err)
	return judgement.Effect.String()
}

func TestBundlesOfAServiceComeIntoForce(t *testing.T) {
	s := newShelf(t)
	e := fetching(t, s.services(nil, "team", "other"))
	require.Nil(t, e.Current(), "nothing decides before all bundles have come")
	require.Equal(t, []string{"other", "team"}, e.Status().Waiting)
	s.put("team", archive(t, site("team", "t-1", denying("no such verb"))))
	require.Error(t, e.Poll(t.Context()), "the other one is not there")
	require.Nil(t, e.Current())
	s.put("other", archive(t, site("other", "o-1", denying("no such verb"))))
	require.NoError(t, e.Poll(t.Context()))
	<-e.Ready()
	require.Equal(t, "allow", decided(t, e))
	require.Regexp(t, `^[0-9a-f]{12}\+o-1-[0-9a-f]{12}\+t-1-[0-9a-f]{12}$`, e.Current().Revision())
	require.Equal(t, 1, s.unchanged, "team was known by its tag")

	s.put("team", archive(t, site("team", "t-2", denying("ls"))))
	require.NoError(t, e.Poll(t.Context()))
	require.Equal(t, "deny", decided(t, e))
	status := e.Status()
	require.Empty(t, status.LastError)
	require.Empty(t, status.Waiting)
	require.Len(t, status.Bundles, 2)
	require.Equal(t, "t-2", status.Bundles[1].Revision)
	require.Equal(t, 2, status.Bundles[1].Activations)
	require.False(t, status.Bundles[1].Restored)
}

// A faulty bundle is reported, and the active policy stays.
func TestABadBundleOfAServiceChangesNothing(t *testing.T) {
	good := site("team", "t-1", denying("ls"))
	whole := archive(t, sign(t, good, "a key of ours", "read"))
	big := with(good, "site_data/team/data.json", `{"x": "`+string(make20MB())+`"}`)
	for name, test := range map[string]struct {
		files map[string]string
		raw   []byte
		fault http.HandlerFunc
		check string
		says  string
	}{
		"unsigned":                  {files: good, check: CheckFetch, says: ".signatures.json"},
		"signed by another key":     {files: sign(t, good, "another key", "read"), check: CheckFetch, says: "verif"},
		"signed for another scope":  {files: sign(t, good, "a key of ours", "write"), check: CheckFetch, says: "scope"},
		"changed after signing":     {files: with(sign(t, good, "a key of ours", "read"), "site/team/team.rego", "package site.team"), check: CheckFetch, says: "digest mismatch"},
		"roots of others":           {files: sign(t, with(good, ".manifest", `{"roots": ["site/team", "policyd/rules"]}`), "a key of ours", "read"), check: CheckRoots, says: `owns the root "policyd/rules"`},
		"roots of the other bundle": {files: sign(t, with(good, ".manifest", `{"roots": ["site"]}`), "a key of ours", "read"), check: CheckRoots, says: "belongs to bundle"},
		"no roots":                  {files: sign(t, with(good, ".manifest", `{}`), "a key of ours", "read"), check: CheckRoots, says: `owns the root ""`},
		"posing as rules":           {files: sign(t, with(good, "site/team/data.json", `{"deny": []}`), "a key of ours", "read"), check: CheckContents, says: "would pose as rules"},
		"too large":                 {files: sign(t, big, "a key of ours", "read"), check: CheckFetch, says: "more than 8388608 bytes"},
		"forbidden function":        {files: sign(t, site("team", "x", `deny contains x if x := http.send({"url": "http://localhost", "method": "GET"})`), "a key of ours", "read"), check: CheckCompile, says: "function http.send is forbidden"},
		"failing test":              {files: sign(t, with(good, "site/team/team_test.rego", "package site.team\n\ntest_never if false\n"), "a key of ours", "read"), check: CheckTests, says: "test_never failed"},
		"rule that fails":           {files: sign(t, site("team", "x", `deny contains x if x := 1 / (count(input.items) - count(input.items))`), "a key of ours", "read"), check: CheckSmoke, says: "team/site/team/team.rego:3"},
		"cover of everything":       {files: sign(t, site("team", "x", `cover contains [i, "site/all"] if some i, _ in input.items`), "a key of ours", "read"), check: CheckSmoke, says: "by site/all"},
		"no archive":                {raw: []byte("<html>"), check: CheckFetch, says: "archive read failed"},
		"cut off":                   {raw: archive(t, good)[:200], check: CheckFetch, says: "EOF"},
		"cut off before its sum":    {raw: whole[:len(whole)-8], check: CheckFetch, says: "the archive is not whole"},
		"changed on its way":        {raw: flipped(slices.Clone(whole)), check: CheckFetch, says: "the archive is not whole"},
		"server error": {
			fault: func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusInternalServerError) },
			check: CheckFetch, says: "Internal Server Error",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			e := fetching(t, keyed(s.services(wantSigned(), "team", "other")), func(o *Options) { o.TestOnActivate = true })
			s.put("other", archive(t, sign(t, site("other", "o-1", denying("no such verb")), "a key of ours", "read")))
			s.put("team", archive(t, sign(t, good, "a key of ours", "read")))
			require.NoError(t, e.Poll(t.Context()))
			before := e.Current()
			require.Equal(t, "deny", decided(t, e))

			switch {
			case test.fault != nil:
				s.misbehave(test.fault)
			case test.raw != nil:
				s.put("team", test.raw)
			default:
				s.put("team", archive(t, test.files))
			}
			require.Error(t, e.Poll(t.Context()))
			require.Same(t, before, e.Current())
			status := e.Status().Bundles[1]
			require.Equal(t, "team", status.Name)
			assert.Equal(t, test.check, status.Check)
			assert.Contains(t, status.LastError, test.says)
			assert.Contains(t, status.LastError, "bundle team ")
			assert.Equal(t, "t-1", status.Revision)
			assert.Equal(t, 1, status.Failures)

			// What is right again is active with the next poll.
			s.put("team", archive(t, sign(t, site("team", "t-2", denying("no such verb")), "a key of ours", "read")))
			require.NoError(t, e.Poll(t.Context()))
			require.Equal(t, "allow", decided(t, e))
			require.Empty(t, e.Status().Bundles[1].LastError)
			require.Equal(t, 1, e.Status().Bundles[1].Failures)
		})
	}
}

// Rules for records come from a service only if the settings give its bundle that name: a publisher of a
// team's rules can't erase its traces from the log.
func TestRulesForRecordsNeedTheirOwnBundle(t *testing.T) {
	masks := map[string]string{
		".manifest":           `{"roots": ["system/log"], "rego_version": 1, "revision": "m-1"}`,
		"system/log/log.rego": "package system.log\n\nmask contains \"/call/args\"\n",
	}
	below := with(site("team", "t-1", denying("ls")), ".manifest", `{"roots": ["site/team", "site_data/team", "system/log/team"], "rego_version": 1}`)
	for name, files := range map[string]map[string]string{"team": masks, "other": below} {
		s := newShelf(t)
		e := fetching(t, s.services(nil, name))
		s.put(name, archive(t, files))
		require.Error(t, e.Poll(t.Context()))
		require.Equal(t, CheckRoots, e.Status().Bundles[0].Check)
		require.Contains(t, e.Status().Bundles[0].LastError, "isn't called system_log")
		require.Nil(t, e.Current())
	}
	s := newShelf(t)
	e := fetching(t, s.services(nil, "system_log"))
	s.put("system_log", archive(t, masks))
	require.NoError(t, e.Poll(t.Context()))
	rules, err := e.Current().RecordRules()
	require.NoError(t, err)
	require.True(t, rules.Any())
}

// That there is nothing new takes back that a service was away, and not that its bundle
// was refused.
func TestARefusalIsReportedUntilAnotherBundleIsActive(t *testing.T) {
	s := newShelf(t)
	e := fetching(t, s.services(nil, "team"))
	s.put("team", archive(t, site("team", "t-1", denying("ls"))))
	require.NoError(t, e.Poll(t.Context()))
	unchanged := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) }

	for _, fault := range []http.HandlerFunc{
		func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "away", http.StatusBadGateway) },
		func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		s.misbehave(fault)
		require.Error(t, e.Poll(t.Context()))
		require.Equal(t, CheckFetch, e.Status().Bundles[0].Check)
		s.misbehave(unchanged)
		require.NoError(t, e.Poll(t.Context()))
		require.Empty(t, e.Status().Bundles[0].Check)
		require.Empty(t, e.Status().Bundles[0].LastError)
	}

	for check, body := range map[string]string{CheckFetch: "nonsense", CheckSmoke: `cover contains [i, "site/all"] if some i, _ in input.items`} {
		s.put("team", archive(t, site("team", "t-2", body)))
		require.Error(t, e.Poll(t.Context()))
		refused := e.Status().Bundles[0]
		require.Equal(t, check, refused.Check)
		s.misbehave(unchanged)
		require.NoError(t, e.Poll(t.Context()))
		require.Equal(t, refused.Check, e.Status().Bundles[0].Check)
		require.Equal(t, refused.LastError, e.Status().Bundles[0].LastError)
		require.Equal(t, "t-1", e.Status().Bundles[0].Revision)
	}

	s.put("team", archive(t, site("team", "t-3", denying("ls"))))
	require.NoError(t, e.Poll(t.Context()))
	require.Empty(t, e.Status().Bundles[0].Check)
	require.Empty(t, e.Status().Bundles[0].LastError)
}

// flipped is an archive whose checksum fits no more.
func flipped(content []byte) []byte {
	content[len(content)-8] ^= 1
	return content
}

func make20MB() []byte {
	out := make([]byte, 20<<20)
	for i := range out {
		out[i] = 'x'
	}
	return out
}
