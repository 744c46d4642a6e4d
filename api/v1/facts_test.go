package v1_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// FuzzSetAndForm checks that what is written by hand is what encoding/json would write of a map, for any
// text.
func FuzzSetAndForm(f *testing.F) {
	for _, seed := range []string{"-n", "<file>", "a\"b", `a\b`, "é", "\x00", "\xff", ""} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, name, kind string) {
		set, err := json.Marshal(v1.Set{name})
		require.NoError(t, err)
		want, err := json.Marshal(map[string]bool{name: true})
		require.NoError(t, err)
		assert.Equal(t, string(want), string(set))
		form, err := json.Marshal(v1.Form{{Name: name, Kind: kind}})
		require.NoError(t, err)
		want, err = json.Marshal(map[string]string{name: kind})
		require.NoError(t, err)
		assert.Equal(t, string(want), string(form))
	})
}

func TestSetAndFormReadBack(t *testing.T) {
	var set v1.Set
	require.NoError(t, json.Unmarshal([]byte(`{"b":true,"a":true}`), &set))
	assert.Equal(t, v1.Set{"a", "b"}, set)
	require.Error(t, json.Unmarshal([]byte(`{"a":false}`), &set), "a name that is not held is left out")
	var form v1.Form
	require.NoError(t, json.Unmarshal([]byte(`{"-n":"none"}`), &form))
	assert.Equal(t, v1.Form{{Name: "-n", Kind: "none"}}, form)
	for _, empty := range []any{v1.Set(nil), v1.Form(nil)} {
		text, err := json.Marshal(empty)
		require.NoError(t, err)
		assert.JSONEq(t, "{}", string(text), "facts hold no null")
	}
}

// With two kinds for one option neither applies: no safe form contains "mixed".
func TestFormKeepsNoDoubleKind(t *testing.T) {
	var form v1.Form
	form.Put("-c", "none")
	form.Put("-c", "none")
	assert.Equal(t, v1.Form{{Name: "-c", Kind: "none"}}, form)
	form.Put("-c", "value")
	assert.Equal(t, v1.Form{{Name: "-c", Kind: "mixed"}}, form)
}

// The zero value denies, and so does unknown text.
func TestEffect(t *testing.T) {
	var zero v1.Effect
	assert.Equal(t, v1.EffectDeny, zero)
	for _, effect := range []v1.Effect{v1.EffectDeny, v1.EffectPrompt, v1.EffectAllow} {
		parsed, err := v1.ParseEffect(effect.String())
		require.NoError(t, err)
		assert.Equal(t, effect, parsed)
	}
	parsed, err := v1.ParseEffect("Allow")
	require.Error(t, err)
	assert.Equal(t, v1.EffectDeny, parsed)
	effect := v1.EffectAllow
	require.Error(t, effect.UnmarshalText([]byte("yes")))
	assert.Equal(t, v1.EffectDeny, effect, "a failed parse leaves no allow behind")
	assert.Equal(t, "deny", v1.Effect(9).String())
	assert.Equal(t, v1.EffectDeny, v1.Stricter(v1.EffectAllow, v1.EffectDeny))
}
