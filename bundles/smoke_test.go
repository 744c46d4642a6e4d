package bundles

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/policies"
)

func TestTheBuiltInPolicyPassesTheSmokeCases(t *testing.T) {
	require.NotNil(t, newEngine(t, Options{FS: policies.FS}).Current())
}

// The built-in cases make every rule of the built-in policy say something, except for those that need what no
// single call has: so a rule that fails is found before it is active.
func TestTheSmokeCasesRunEveryRule(t *testing.T) {
	// The first asks for a call from agent to agent, the other for a class, and the facts of the cases have none.
	without := []string{"agents/peers", "paths/class"}
	said := map[string]bool{}
	for _, settings := range []map[string]any{
		nil,
		{
			"agents":     map[string]any{"smoke": map[string]any{"deny_tools": []any{"read"}}},
			"safe_verbs": map[string]any{"common": map[string]any{"ls": []any{map[string]any{"form": map[string]any{"-l": "none", "<file>": "list"}}}}},
			"shell":      map[string]any{"remote_readers": true, "workspace_writes": true},
			"scope":      map[string]any{"outside": "request"},
			"namespaces": map[string]any{"fs": "collaborative", "terminal": "collaborative"},
		},
		{"namespaces": map[string]any{"fs": "self_handle", "terminal": "self_handle"}},
		{"contain": "required"},
		{"namespaces": map[string]any{"fs": "single_pass_through"}},
		{"namespaces": map[string]any{"fs": "unsafe_debug"}, "unsafe_debug_broadcast": true},
	} {
		snapshot := newEngine(t, Options{FS: policies.FS, Settings: settings}).Current()
		cases, err := SmokeCases()
		require.NoError(t, err)
		for i := range cases {
			for _, rule := range rulesThatSpeak(t, snapshot, cases[i].input) {
				said[rule] = true
			}
		}
	}
	rules := 0
	require.NoError(t, fs.WalkDir(policies.FS, "policyd/rules", func(name string, _ fs.DirEntry, err error) error {
		id, isRego := strings.CutSuffix(strings.TrimPrefix(name, "policyd/rules/"), ".rego")
		if !isRego || isTest(name) {
			return err
		}
		rules++
		if !slices.Contains(without, id) {
			assert.Truef(t, said[id], "no case makes %s say anything: add one to bundles/smoke/cases.json", id)
		}
		return err
	}))
	assert.Greater(t, rules, 20)
}

// rulesThatSpeak are the ids of rules that add to one of the sets for an input.
func rulesThatSpeak(t *testing.T, snapshot *Snapshot, in v1.Input) []string {
	t.Helper()
	if snapshot.ruled[in.Session.Agent] {
		in.About = append(slices.Clone(in.About), "ruled")
	}
	input, err := snapshot.words.inputTerm(&in)
	require.NoError(t, err)
	var found []string
	for _, query := range []string{
		"data.policyd.rules.deny[_].rule = x", "data.policyd.rules.prompt[_].rule = x", "data.policyd.rules.cover[_][1] = x",
	} {
		compiled, err := snapshot.compiler.QueryCompiler().Compile(ast.MustParseBody(query))
		require.NoError(t, err)
		err = topdown.NewQuery(compiled).WithCompiler(snapshot.compiler).WithStore(snapshot.store).WithTransaction(snapshot.txn).
			WithInput(input).WithStrictBuiltinErrors(true).Iter(t.Context(), func(result topdown.QueryResult) error {
			for _, value := range result {
				if id, isText := value.Value.(ast.String); isText {
					found = append(found, string(id))
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
	return found
}

// Each case is able to fail, and then states which it is and why it matters.
func TestSmokeCasesCanFail(t *testing.T) {
	snapshot := newEngine(t, Options{FS: policies.FS}).Current()
	cases, err := SmokeCases()
	require.NoError(t, err)
	for i := range cases {
		c := cases[i]
		failure, _ := snapshot.fails(t.Context(), &c, false, false)
		require.Empty(t, failure)
		judgement, err := snapshot.Judge(t.Context(), &c.input)
		require.NoError(t, err)
		// Operators may deny what the built-in rules say, and never allow what these deny.
		assert.NotEmpty(t, c.Why, c.Name)
		assert.Contains(t, c.WithOperators, v1.EffectDeny, c.Name)
		if judgement.Effect == v1.EffectDeny {
			assert.NotContains(t, c.Effects, v1.EffectAllow, c.Name)
		}
		c.Effects = slices.DeleteFunc(slices.Clone(c.Effects), func(e v1.Effect) bool { return e == judgement.Effect })
		failure, _ = snapshot.fails(t.Context(), &c, false, false)
		assert.Contains(t, failure, fmt.Sprintf("case %q: it decides %s", c.Name, judgement.Effect))
		assert.Contains(t, failure, c.Why)
		c.input.Schema = 99
		failure, timeout := snapshot.fails(t.Context(), &c, false, true)
		assert.Contains(t, failure, CodeFactsInvalid, "with settings, too")
		assert.False(t, timeout)
	}
}

// A bundle active is never replaced by one that the cases refuse, from whatever source.
func TestTheSmokeCasesGuardALocalBundle(t *testing.T) {
	for name, test := range map[string]struct{ body, says string }{
		"denies reading":    {`deny contains {"rule": "site/x", "code": "c", "message": "m", "item": i} if some i, _ in input.items`, ""},
		"covers everything": {`cover contains [i, "site/x"] if some i, _ in input.items`, `case "unknown program in public, unattended": it decides allow by site/x`},
		"fails for deletions": {
			"deny contains x if {\n\t\"delete\" in input.about\n\tx := {\"rule\": \"site/x\", \"code\": \"c\", \"message\": sprintf(\"%d\", [to_number(input.cwd)]), \"item\": 0}\n}",
			`case "delete": policy_error`,
		},
		"is no set":       {`deny := "no"`, ""},
		"finding no item": {`deny contains {"rule": "site/x", "code": "c", "message": "m", "item": 99}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			writeTree(t, dir, site("x", "x-1", test.body))
			_, err := New(t.Context(), Options{FS: policies.FS, Source: dir})
			if test.says == "" {
				require.NoError(t, err)
				return
			}
			var refusal *RefusalError
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, CheckSmoke, refusal.Check)
			require.ErrorContains(t, err, test.says)
		})
	}
}

// A policy of one's own is held to the cases without an operator's leave.
func TestTheSmokeCasesGuardAReplacement(t *testing.T) {
	_, err := New(t.Context(), Options{Source: "testdata/small"})
	var refusal *RefusalError
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, CheckSmoke, refusal.Check)
	require.ErrorContains(t, err, `case "read a secret file"`)
	require.ErrorContains(t, err, `case "read inside"`)
}

// The page lists the cases as they are.
func TestThePageListsTheCases(t *testing.T) {
	page, err := os.ReadFile("../docs/bundles.md")
	require.NoError(t, err)
	cases, err := SmokeCases()
	require.NoError(t, err)
	said := func(effects []v1.Effect) string {
		if len(effects) == 3 {
			return "any"
		}
		return anyOf(effects)
	}
	var table strings.Builder
	for i := range cases {
		fmt.Fprintf(&table, "| %s | %s | %s |\n", cases[i].Name, said(cases[i].Effects), said(cases[i].WithOperators))
	}
	require.Contains(t, string(page), "|---|---|---|\n"+table.String()+"\n")
}

// A policy whose evaluation never ends is refused at the first case, and what was active stays.
func TestAnActivationEndsAtTheFirstCaseThatDoesNot(t *testing.T) {
	endless := deciding(slow)
	_, err := New(t.Context(), Options{FS: mapFS(endless), Deadline: 10 * time.Millisecond})
	require.ErrorContains(t, err, "policy_timeout")
	assert.Equal(t, 1, strings.Count(err.Error(), "case "), err)

	dir := t.TempDir()
	e := newEngine(t, Options{FS: policies.FS, Source: siteIn(t, dir), Deadline: time.Minute})
	before := e.Current()
	running := make(chan Status)
	e.options.Deadline = 10 * time.Millisecond
	e.options.Prepare = func(map[string]any) (any, error) {
		running <- e.Status()
		return nil, nil
	}
	writeTree(t, dir, map[string]string{"site/acme/loop.rego": "package site.acme\n\n" + endlessRule})
	ended := make(chan error)
	go func() { ended <- e.Reload(t.Context()) }()
	var err2 error
	for err2 == nil {
		select {
		case status := <-running:
			assert.False(t, status.Activating.IsZero(), "it says that an activation runs")
		case err2 = <-ended:
		}
	}
	require.ErrorContains(t, err2, "policy_timeout")
	assert.Same(t, before, e.Current())
	assert.True(t, e.Status().Activating.IsZero())
	assert.Contains(t, e.Status().LastError, "policy_timeout")
}

const endlessRule = `deny contains {"code": "c", "message": "m", "item": 0} if {
	some a in numbers.range(1, 100000)
	some b in numbers.range(1, 100000)
	a * b == -1
}
`

// siteIn writes a bundle of one operator rule that never applies.
func siteIn(t *testing.T, dir string) string {
	t.Helper()
	writeTree(t, dir, map[string]string{
		".manifest":           `{"roots": ["site"]}`,
		"site/acme/loop.rego": "package site.acme\n\ndeny contains {\"code\": \"c\", \"message\": \"m\", \"item\": 0} if input.cwd == \"nowhere\"\n",
	})
	return dir
}
