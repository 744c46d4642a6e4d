package bundles

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

func judge(t *testing.T, e *Engine) v1.Judgement {
	t.Helper()
	judgement, err := e.Current().Judge(t.Context(), threeCommands())
	require.NoError(t, err)
	return judgement
}

// A bundle that can't be activated is refused with the place that is wrong.
func TestNewRefusesABundle(t *testing.T) {
	good := deciding(prompting("good"))
	calling := func(call string) map[string]string {
		return with(good, "policyd/rules/extra.rego", "package policyd.rules\n\nextra if {\n\t"+call+"\n}\n")
	}
	for name, test := range map[string]struct {
		files map[string]string
		says  string
	}{
		"that does not parse":      {with(good, "policyd/a.rego", "package policyd.a\n\nx := {"), "policyd/a.rego:3"},
		"that does not compile":    {with(good, "policyd/a.rego", "package policyd.a\n\nx := y"), "policyd/a.rego:3"},
		"with an unused variable":  {calling("unused := 1"), "policyd/rules/extra.rego:4"},
		"that sends":               {calling(`http.send({"url": "http://x", "method": "get"})`), "policyd/rules/extra.rego:4: rego_type_error: function http.send is forbidden"},
		"that looks up":            {calling(`net.lookup_ip_addr("x")`), "net.lookup_ip_addr is forbidden"},
		"that reads the sidecar":   {calling(`opa.runtime().env`), "opa.runtime is forbidden"},
		"that throws dice":         {calling(`rand.intn("x", 2) == 1`), "rand.intn is forbidden"},
		"that makes names":         {calling(`uuid.rfc4122("x") == "y"`), "uuid.rfc4122 is forbidden"},
		"that checks by a schema":  {calling(`json.match_schema({}, {"$ref": "file:///etc/passwd"})[0]`), "json.match_schema is forbidden"},
		"that verifies a schema":   {calling(`json.verify_schema({"$ref": "http://127.0.0.1/"})[0]`), "json.verify_schema is forbidden"},
		"that dates certificates":  {calling(`crypto.x509.parse_and_verify_certificates("x")[0]`), "crypto.x509.parse_and_verify_certificates is forbidden"},
		"that shifts":              {calling(`bits.lsh(1, 2) == 4`), "bits.lsh is forbidden"},
		"that reads the clock":     {calling(`time.now_ns() > 1`), "time.now_ns is forbidden"},
		"that replaces for itself": {calling(`count([]) == 1 with count as http.send`), "policyd/rules/extra.rego:4"},
		"without an entrypoint":    {map[string]string{".manifest": `{"roots": ["policyd"]}`, "policyd/data.json": `{"main": {"decision": {}}}`}, "no rule data.policyd.main.decision"},
		"with a module outside":    {with(good, "a.rego", "package elsewhere"), "a.rego"},
		"with data outside":        {with(good, "elsewhere/data.json", `{"a": 1}`), "elsewhere"},
		"with data that is broken": {with(good, "policyd/x/data.json", "{\n\"a\": 1,\n}"), "policyd/x/data.json:3"},
		"with YAML that is broken": {with(good, "policyd/x/data.yaml", "a: 1\n b: 2"), "policyd/x/data.yaml"},
		"with a manifest cut off":  {with(good, ".manifest", "{\n\"roots\": ["), ".manifest:2"},
		"with a misspelt manifest": {with(good, ".manifest", "{\n\"root\": [\"policyd\"]}"), ".manifest:2"},
		"with data that is a rule": {with(good, "policyd/main/data.json", `{"decision": {}}`), "policyd/main/main.rego:3"},
		"with settings of no kind": {with(good, "policyd/settings/data.json", `[]`), "settings"},
		"that allows broadcasts":   {with(good, "policyd/settings/data.json", `{"unsafe_debug_broadcast": true}`), "settings.unsafe_debug_broadcast is given on the command line alone"},
		"with compiled rules":      {with(good, "policy.wasm", "x"), "policy.wasm: only Rego"},
		"that is a patch":          {map[string]string{"patch.json": `{"data": []}`}, "patch.json"},
		"that is too large":        {with(good, "policyd/large.rego", "package policyd.large\n#"+strings.Repeat("x", maxBundleBytes)), "more than 8388608 bytes"},
		"that is too large in sum": {with(with(good, "policyd/a.rego", "package policyd.a\n#"+strings.Repeat("x", maxBundleBytes/2)), "policyd/b.rego", "package policyd.b\n#"+strings.Repeat("x", maxBundleBytes/2)), "more than 8388608 bytes"},
		"with data below site":     {with(with(good, ".manifest", `{"roots": ["policyd", "site"]}`), "site/a/data.json", `{"cover": [[0, "x"]]}`), "site/a/data.json: data below site"},
		"with data named site":     {with(with(good, ".manifest", `{"roots": ["policyd", "site"]}`), "data.json", `{"site": {"a": 1}}`), "data below site"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(t.Context(), unsmoked(Options{FS: mapFS(test.files)}))
			require.ErrorContains(t, err, test.says)
			require.ErrorContains(t, err, "embedded")

			dir := t.TempDir()
			writeTree(t, dir, test.files)
			_, err = New(t.Context(), unsmoked(Options{FS: mapFS(good), Source: dir}))
			if strings.Contains(name, "entrypoint") || strings.Contains(name, "patch") {
				require.Error(t, err)
				return
			}
			require.ErrorContains(t, err, test.says)
			require.ErrorContains(t, err, dir)
		})
	}
}

func TestNewRefusesASource(t *testing.T) {
	dir := t.TempDir()
	for name, source := range map[string]string{
		"that is not there":   filepath.Join(dir, "nowhere"),
		"of another kind":     filepath.Join(dir, "bundle.zip"),
		"that is no archive":  filepath.Join(dir, "bundle.tar.gz"),
		"that unpacks to all": filepath.Join(dir, "bomb.tar.gz"),
		"with a name twice":   filepath.Join(dir, "twice.tar.gz"),
	} {
		if !strings.HasSuffix(source, "nowhere") {
			require.NoError(t, os.WriteFile(source, []byte("x"), 0o600))
		}
		if strings.HasSuffix(source, "bomb.tar.gz") {
			half := "package policyd.x\n#" + strings.Repeat("x", maxBundleBytes/2)
			bomb := with(with(deciding(prompting("")), "policyd/a.rego", half), "policyd/b.rego", half)
			require.NoError(t, os.WriteFile(source, archive(t, bomb), 0o600))
		}
		if strings.HasSuffix(source, "twice.tar.gz") {
			twice := with(deciding(prompting("")), "/policyd/main/main.rego", "package policyd.main\n\n"+prompting("other"))
			require.NoError(t, os.WriteFile(source, archive(t, twice), 0o600))
		}
		t.Run(name, func(t *testing.T) {
			_, err := New(t.Context(), unsmoked(Options{FS: mapFS(deciding(prompting(""))), Source: source}))
			require.ErrorContains(t, err, source)
			require.NotContains(t, err.Error(), "files sum up", "it has to be refused before its files are unpacked")
		})
	}
	_, err := New(t.Context(), unsmoked(Options{}))
	require.ErrorContains(t, err, "no embedded bundle")
}

func TestSourceThatOwnsPolicydReplacesTheEmbeddedBundle(t *testing.T) {
	embedded := mapFS(deciding(prompting("embedded")))
	own := deciding(prompting("own"))
	dir := t.TempDir()
	writeTree(t, dir, own)
	packed := filepath.Join(t.TempDir(), "bundle.tar.gz")
	require.NoError(t, os.WriteFile(packed, archive(t, own), 0o600))

	require.Equal(t, "embedded", judge(t, newEngine(t, Options{FS: embedded})).Hint)
	fromDirectory := newEngine(t, Options{FS: embedded, Source: dir})
	require.Equal(t, "own", judge(t, fromDirectory).Hint)
	fromArchive := newEngine(t, Options{FS: embedded, Source: packed})
	require.Equal(t, "own", judge(t, fromArchive).Hint)
	require.Equal(t, fromDirectory.Current().Revision(), fromArchive.Current().Revision(), "same content, same revision")
	require.Equal(t, "own", judge(t, newEngine(t, Options{Source: dir})).Hint)
}

func TestSourceOfASiteIsLoadedBesideTheEmbeddedBundle(t *testing.T) {
	site := map[string]string{
		".manifest":                 `{"roots": ["site", "site_data"], "revision": "site-7"}`,
		"site/acme/push.rego":       "package site.acme\n\ndeny contains {\"code\": \"no_cat\", \"message\": data.site_data.acme.why, \"item\": i} if {\n\tsome i, item in input.items\n\titem.verb == \"cat\"\n}\n",
		"site_data/acme/data.json":  `{"why": "cats are banned"}`,
		"site/acme/push_test.rego":  "package site.acme_test\n\ntest_x if data.site_data.acme.why\n",
		".git/data.json":            "not JSON",
		"site/acme/.push.rego.swp":  "not Rego",
		"site/acme/.#push.rego":     "not Rego",
		"site/acme/cases/push.yaml": "not: [data",
	}
	dir := t.TempDir()
	writeTree(t, dir, site)
	small := os.DirFS("testdata/small")
	e := newEngine(t, Options{FS: small, Source: dir, TestOnActivate: true})
	judgement := judge(t, e)
	require.Equal(t, v1.EffectDeny, judgement.Effect)
	require.Equal(t, "site/acme", judgement.Reasons[0].Rule)
	require.Equal(t, "cats are banned", judgement.Reasons[0].Message)
	alone := newEngine(t, Options{FS: small})
	require.Regexp(t, "^"+regexp.QuoteMeta(alone.Current().Revision())+`\+site-7-[0-9a-f]{12}$`, e.Current().Revision())
	require.Equal(t, v1.EffectAllow, judge(t, alone).Effect)

	// It can't add to the packages of the embedded bundle.
	writeTree(t, dir, map[string]string{".manifest": `{"roots": ["site", "site_data", "policyd/rules"]}`})
	err := e.Reload(t.Context())
	require.ErrorContains(t, err, `it owns the root "policyd/rules"`)
}

// A directory that is called like the embedded bundle hides none of its modules.
func TestSourceNamesDoNotCollide(t *testing.T) {
	t.Chdir(t.TempDir())
	own := map[string]string{
		".manifest":              `{"roots": ["site"]}`,
		"policyd/main/main.rego": "package site.acme\n\nextra := 1\n",
	}
	writeTree(t, "embedded", own)
	require.Equal(t, "both", judge(t, newEngine(t, Options{FS: mapFS(deciding(prompting("both"))), Source: "embedded"})).Hint)
}

func TestLinkedFilesArePartOfADirectory(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	writeTree(t, dir, deciding(prompting("mine")))
	writeTree(t, elsewhere, deciding(prompting("linked")))
	main := filepath.Join(dir, "policyd/main/main.rego")
	require.NoError(t, os.Remove(main))
	require.NoError(t, os.Symlink(filepath.Join(elsewhere, "policyd/main/main.rego"), main))
	e := newEngine(t, Options{Source: dir})
	require.Equal(t, "linked", judge(t, e).Hint)

	// A linked directory could not be followed: skipping it in silence would drop rules.
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, "policyd/more")))
	require.ErrorContains(t, e.Reload(t.Context()), "policyd/more")
}

func TestTestsGateTheActivation(t *testing.T) {
	gated := func(tests string) (string, error) {
		dir := t.TempDir()
		writeTree(t, dir, with(deciding(prompting("hi")), "policyd/main/main_test.rego", "package policyd.main_test\n\n"+tests))
		require.Equal(t, "hi", judge(t, newEngine(t, Options{Source: dir})).Hint, "tests are no part of a snapshot")
		_, err := New(t.Context(), unsmoked(Options{Source: dir, TestOnActivate: true}))
		return dir, err
	}
	dir, err := gated("test_passes if true\n\ntest_fails if data.policyd.main.decision.hint == \"other\"\n")
	require.ErrorContains(t, err, dir+"/policyd/main/main_test.rego:5: data.policyd.main_test.test_fails failed")
	require.NotContains(t, err.Error(), "test_passes")
	_, err = gated("test_x if y\n")
	require.ErrorContains(t, err, "main_test.rego:3")
	_, err = gated("test_x if 1 / count([]) == 1\n")
	require.ErrorContains(t, err, "divide by zero")
}

func TestSettingsAreMergedDeeply(t *testing.T) {
	var seen map[string]any
	options := Options{
		Source:         "testdata/small",
		TestOnActivate: true, // the bundle's test of its greeting passes, since settings are left out
		Settings: map[string]any{
			"greeting": "bonjour",
			"scope":    map[string]any{"projects": []string{"/srv"}, "depth": 2},
		},
		Prepare: func(policyd map[string]any) (any, error) {
			seen = policyd
			return "prepared", nil
		},
	}
	e := newEngine(t, options)
	require.Equal(t, "prepared", e.Current().Prepared())
	require.Equal(t, map[string]any{
		"greeting": "bonjour",
		"scope":    map[string]any{"outside": "prompt", "projects": []any{"/srv"}, "depth": json.Number("2")},
	}, seen["settings"])
	require.Contains(t, seen["config"], "safe")

	in := threeCommands()
	in.Items[0].Verb = "rm"
	judgement, err := e.Current().Judge(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, "bonjour", judgement.Reasons[0].Message)

	// What Prepare does to its data afterwards changes no judgement.
	seen["settings"].(map[string]any)["greeting"] = "changed"
	judgement, err = e.Current().Judge(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, "bonjour", judgement.Reasons[0].Message)

	_, err = New(t.Context(), unsmoked(Options{Source: "testdata/small", Settings: map[string]any{"f": func() {}}}))
	require.ErrorContains(t, err, "read settings")
}

func TestPrepareCanRefuse(t *testing.T) {
	refuse := errors.New("config.secrets is missing")
	_, err := New(t.Context(), unsmoked(Options{Source: "testdata/small", Prepare: func(map[string]any) (any, error) { return nil, refuse }}))
	require.ErrorIs(t, err, refuse)
	require.ErrorContains(t, err, "testdata/small")
}

func TestRevisionNamesWhatDecides(t *testing.T) {
	files := deciding(prompting("one"))
	revision := func(files map[string]string, settings map[string]any) string {
		return newEngine(t, Options{FS: mapFS(files), Settings: settings}).Current().Revision()
	}
	plain := revision(files, nil)
	require.Regexp(t, `^[0-9a-f]{12}$`, plain)
	require.Equal(t, plain, revision(files, map[string]any{}))
	require.Equal(t, plain, revision(with(files, "policyd/x_test.rego", "package policyd.x_test"), nil), "tests don't decide")
	require.NotEqual(t, plain, revision(deciding(prompting("two")), nil))
	require.NotEqual(t, plain, revision(with(files, "policyd/settings/data.json", `{"greeting": "x"}`), nil))
	require.NotEqual(t, plain, revision(with(files, "policyd/x.rego", "package policyd.x"), nil))

	named := with(files, ".manifest", `{"roots": ["policyd"], "revision": "v7"}`)
	require.Regexp(t, `^v7-[0-9a-f]{12}$`, revision(named, nil))
	require.Equal(t, revision(named, nil), revision(with(named, "policyd/x_test.rego", "package policyd.x_test"), nil), "tests don't decide")
	require.NotEqual(t, revision(named, nil), revision(with(named, "policyd/x.rego", "package policyd.x"), nil), "edited rules under the manifest's revision are another one")
	one, two := revision(named, map[string]any{"a": 1}), revision(named, map[string]any{"a": 2})
	require.Regexp(t, `^v7-[0-9a-f]{12}\+settings-[0-9a-f]{12}$`, one)
	require.NotEqual(t, one, two)
}

func TestReloadKeepsTheLastGoodPolicy(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, deciding(prompting("first")))
	clock := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var activated, stated []string
	var rejected []error
	var e *Engine
	e = newEngine(t, Options{
		Source: dir,
		Now:    func() time.Time { return clock },
		OnActivate: func(s *Snapshot) {
			activated = append(activated, s.Revision())
			if e != nil {
				stated = append(stated, e.Status().Revision)
			}
		},
		OnReject: func(err error) { rejected = append(rejected, err) },
	})
	first := e.Current()
	require.Equal(t, Status{Source: dir, Revision: first.Revision(), ActivatedAt: clock}, e.Status())

	clock = clock.Add(time.Hour)
	main := filepath.Join(dir, "policyd/main/main.rego")
	replaceFile(t, main, []byte("package policyd.main\n\ndecision := nonsense\n"))
	err := e.Reload(t.Context())
	require.ErrorContains(t, err, main+":3")
	require.Same(t, first, e.Current())
	require.Equal(t, "first", judge(t, e).Hint)
	status := e.Status()
	require.Equal(t, err.Error(), "activate bundle: "+status.LastError)
	require.Equal(t, 1, status.Failures)
	require.Equal(t, first.Revision(), status.Revision)
	require.Equal(t, clock.Add(-time.Hour), status.ActivatedAt)

	replaceFile(t, main, []byte("package policyd.main\n\n"+prompting("second")))
	require.NoError(t, e.Reload(t.Context()))
	require.Equal(t, "second", judge(t, e).Hint)
	status = e.Status()
	require.Empty(t, status.LastError)
	require.Equal(t, 1, status.Failures)
	require.Equal(t, clock, status.ActivatedAt)
	require.Equal(t, []string{first.Revision(), e.Current().Revision()}, activated)
	require.Equal(t, []string{first.Revision()}, stated, "whoever reads that a policy is active gets its decisions")
	require.Len(t, rejected, 1)
	var refusal *RefusalError
	require.ErrorAs(t, rejected[0], &refusal)
	require.Equal(t, CheckCompile, refusal.Check)
	require.Equal(t, dir, refusal.Bundle)

	// The snapshot that somebody still holds is what it was.
	judgement, err := first.Judge(t.Context(), threeCommands())
	require.NoError(t, err)
	require.Equal(t, "first", judgement.Hint)
}
