package bundles

import (
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// sound is a result that allows threeCommands.
const sound = `{
	"effect": "allow",
	"reasons": [{"rule": "r", "code": "c", "effect": "allow", "message": "m", "item": 0}],
	"covered": [[0, "a"], [1, "a"], [2, "a"]], "uncovered": [], "choices": [], "hint": "",
	"refusal_hint": "", "route": {"mode": "", "peer": "", "select": ""}, "jsonrpc_error": null
}`

func TestResultThatIsSoundAllows(t *testing.T) {
	read, err := newVocabulary().judgement(ast.MustParseTerm(sound), threeCommands())
	require.NoError(t, err)
	require.Equal(t, v1.EffectAllow, read.Effect)
	require.NotNil(t, read.Uncovered)
	require.NotNil(t, read.Choices)
}

// The covers are the reasons of an allow, and nothing else goes without a reason.
func TestResultWithoutReasonsIsAnAllow(t *testing.T) {
	bare := strings.Replace(sound, `[{"rule": "r", "code": "c", "effect": "allow", "message": "m", "item": 0}]`, `[]`, 1)
	read, err := newVocabulary().judgement(ast.MustParseTerm(bare), threeCommands())
	require.NoError(t, err)
	require.Equal(t, v1.EffectAllow, read.Effect)
	require.Empty(t, read.Reasons)
	for _, effect := range []string{"prompt", "deny"} {
		other := strings.Replace(bare, `"effect": "allow"`, `"effect": "`+effect+`"`, 1)
		_, err := newVocabulary().judgement(ast.MustParseTerm(other), threeCommands())
		require.ErrorContains(t, err, "without a reason")
	}
}

// Each row spoils the sound result in one place, and states what the error has to name.
func TestResultThatIsMalformedIsNoJudgement(t *testing.T) {
	rpc := `"jsonrpc_error": {"code": 1, "message": "", "data": {"namespace": "", "mode": "", "method": "", "reason": ""}}`
	for name, test := range map[string]struct{ old, new, says string }{
		"a missing key":           {`"hint": "",`, ``, "hint"},
		"an unknown key":          {`"hint": "",`, `"hint": "", "hints": "",`, "hints"},
		"a key in place of one":   {`"hint": "",`, `"Hint": "",`, "hint"},
		"no effect":               {`"effect": "allow",`, `"effect": "",`, "effect"},
		"an unknown effect":       {`"effect": "allow",`, `"effect": "ALLOW",`, "ALLOW"},
		"an effect of no text":    {`"effect": "allow",`, `"effect": true,`, "boolean"},
		"reasons of no list":      {`[{"rule": "r", "code": "c", "effect": "allow", "message": "m", "item": 0}]`, `{}`, "reasons"},
		"a reason of no object":   {`{"rule": "r", "code": "c", "effect": "allow", "message": "m", "item": 0}`, `"r"`, "reason"},
		"a reason without rule":   {`"rule": "r", `, ``, "rule"},
		"a reason with more":      {`"rule": "r", `, `"rule": "r", "more": 1, `, "more"},
		"an empty rule":           {`"rule": "r"`, `"rule": ""`, "rule is empty"},
		"an empty code":           {`"code": "c"`, `"code": ""`, "code is empty"},
		"a message of no text":    {`"message": "m"`, `"message": null`, "message"},
		"a reason of no effect":   {`"effect": "allow", "message"`, `"effect": "maybe", "message"`, "maybe"},
		"a reason that denies":    {`"effect": "allow", "message"`, `"effect": "deny", "message"`, "reason 0 denies"},
		"a reason's late item":    {`"item": 0`, `"item": 3`, "3 of 3"},
		"a reason's early item":   {`"item": 0`, `"item": -2`, "-2"},
		"a reason's half item":    {`"item": 0`, `"item": 0.5`, "whole"},
		"a reason's item text":    {`"item": 0`, `"item": "0"`, "string"},
		"a cover of a late item":  {`[0, "a"],`, `[0, "a"], [3, "a"],`, "3 of 3"},
		"a cover of the call":     {`[0, "a"],`, `[0, "a"], [-1, "a"],`, "-1"},
		"a cover of no pair":      {`[0, "a"],`, `[0, "a"], [0],`, "pair"},
		"a cover of three":        {`[0, "a"],`, `[0, "a"], [0, "a", "a"],`, "pair"},
		"a cover by nobody":       {`[0, "a"],`, `[0, ""],`, "empty"},
		"a cover by a number":     {`[0, "a"],`, `[0, 1],`, "number"},
		"covers of no list":       {`[[0, "a"], [1, "a"], [2, "a"]]`, `{"0": "a"}`, "covered"},
		"an item nobody covers":   {`[0, "a"],`, ``, "nothing covers item 0"},
		"an item left uncovered":  {`"uncovered": []`, `"uncovered": [1]`, "item 1 is uncovered"},
		"uncovered late":          {`"uncovered": []`, `"uncovered": [3]`, "3 of 3"},
		"uncovered descending":    {`"uncovered": []`, `"uncovered": [1, 0]`, "ascend"},
		"uncovered twice":         {`"uncovered": []`, `"uncovered": [1, 1]`, "ascend"},
		"uncovered of no list":    {`"uncovered": []`, `"uncovered": null`, "null"},
		"choices of no order":     {`"choices": []`, `"choices": {"once"}`, "choices"},
		"a choice of no text":     {`"choices": []`, `"choices": [1]`, "choice"},
		"an empty choice":         {`"choices": []`, `"choices": [""]`, "choice"},
		"a hint of no text":       {`"hint": ""`, `"hint": null`, "hint"},
		"a route of no object":    {`{"mode": "", "peer": "", "select": ""}`, `""`, "route"},
		"a route without peer":    {`"peer": "", `, ``, "peer"},
		"a route to a number":     {`"peer": "", `, `"peer": 1, `, "peer"},
		"an RPC error of no kind": {`"jsonrpc_error": null`, `"jsonrpc_error": false`, "jsonrpc_error"},
		"an RPC error, bare":      {`"jsonrpc_error": null`, `"jsonrpc_error": {"code": 1, "message": ""}`, "data"},
		"an RPC error, no code":   {`"jsonrpc_error": null`, strings.Replace(rpc, `1`, `"1"`, 1), "code"},
		"an RPC error, no text":   {`"jsonrpc_error": null`, strings.Replace(rpc, `"message": ""`, `"message": 1`, 1), "message"},
		"an RPC error, no mode":   {`"jsonrpc_error": null`, strings.Replace(rpc, `"mode": "", `, ``, 1), "mode"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, sound, test.old)
			spoilt := strings.Replace(sound, test.old, test.new, 1)
			read, err := newVocabulary().judgement(ast.MustParseTerm(spoilt), threeCommands())
			require.ErrorContains(t, err, test.says)
			require.Equal(t, v1.Judgement{}, read)
		})
	}
}

// No bundle can allow what the facts themselves rule out.
func TestResultNeverAllowsAgainstTheFacts(t *testing.T) {
	allow := ast.MustParseTerm(sound)
	incomplete := *threeCommands()
	incomplete.Complete = false
	_, err := newVocabulary().judgement(allow, &incomplete)
	require.ErrorContains(t, err, "incomplete")

	nobody := strings.NewReplacer(`[[0, "a"], [1, "a"], [2, "a"]]`, `[]`, `"item": 0`, `"item": -1`).Replace(sound)
	empty := *threeCommands()
	empty.Items = nil
	_, err = newVocabulary().judgement(ast.MustParseTerm(nobody), &empty)
	require.ErrorContains(t, err, "no items")

	empty.About = append(empty.About, "nothing")
	_, err = newVocabulary().judgement(ast.MustParseTerm(nobody), &empty)
	require.NoError(t, err, "a comment alone")
	empty.Messy = true
	_, err = newVocabulary().judgement(ast.MustParseTerm(nobody), &empty)
	require.ErrorContains(t, err, "no items")

	once := []v1.Approval{{ID: "a", Once: true}}
	incomplete.Approvals, empty.Approvals = once, once
	_, err = newVocabulary().judgement(allow, &incomplete)
	require.NoError(t, err, "a person saw the whole call")
	_, err = newVocabulary().judgement(ast.MustParseTerm(nobody), &empty)
	require.NoError(t, err, "a person saw the whole call")
}
