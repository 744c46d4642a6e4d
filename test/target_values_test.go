package test

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestRulesByTargetImageAndBranch checks the example in docs/bundles.md for the facts that extraction makes.
func TestRulesByTargetImageAndBranch(t *testing.T) {
	page, err := os.ReadFile("../docs/bundles.md")
	require.NoError(t, err)
	example := regexp.MustCompile("(?s)```rego\n(package site\\.targets.*?)```").FindSubmatch(page)
	require.NotNil(t, example)
	p := newPlace(t)
	query, err := rego.New(rego.Query(`x := {"deny": {f.code | some f in data.site.targets.deny}, "cover": count(data.site.targets.cover)}`),
		rego.Module("targets.rego", string(example[1])),
		rego.Module("data.rego", `package policyd.config

spaces := {"readable": {"personal": {"list.project": true, "read.project": true, "execute.project": true}}}
`)).PrepareForEval(t.Context())
	require.NoError(t, err)
	for line, want := range map[string][2]any{
		"make lint":                            {[]any{}, "1"},
		"make lint V=1":                        {[]any{}, "0"},
		"make deploy":                          {[]any{}, "0"},
		"docker run registry.example/a sh":     {[]any{}, "0"},
		"docker run evil.example/a sh":         {[]any{"image"}, "0"},
		"docker run $IMAGE sh":                 {[]any{"image"}, "0"},
		"git push origin main":                 {[]any{"push_main"}, "0"},
		"git push origin HEAD:main":            {[]any{"push_main"}, "0"},
		"git push origin feature:refs/heads/x": {[]any{}, "0"},
		"git push --all":                       {[]any{"push_main"}, "0"},
	} {
		call := p.call("Bash", map[string]any{"command": line})
		facts := p.engine.Facts(call, nil)
		results, err := query.Eval(t.Context(), rego.EvalInput(v1.Input{Facts: facts}))
		require.NoError(t, err)
		require.NotEmpty(t, results, line)
		got, ok := results[0].Bindings["x"].(map[string]any)
		require.True(t, ok)
		assert.Equal(t, want[0], got["deny"], line)
		assert.Equal(t, want[1], fmt.Sprint(got["cover"]), line)
	}
	facts := p.engine.Facts(p.call("Bash", map[string]any{"command": "git push backup main:x"}), nil)
	assert.Equal(t, v1.Values{{Name: "<remote>", Texts: []string{"backup"}}, {Name: "<refspec>", Texts: []string{"main:x"}}}, facts.Items[0].Values)
	assert.Equal(t, v1.Set{"remote backup"}, facts.Items[0].Risks)
}
