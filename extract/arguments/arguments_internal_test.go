package arguments

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Arguments are split as encoding/json would decode them.
func FuzzDecodeArgs(f *testing.F) {
	for _, seed := range []string{
		``, `null`, ` {} `, `[]`, `"x"`, `{"a":"b"}`, "{ \"a\" : [1,{\"x\":\"]}\"}] ,\n\t\"b\":null}", `{"a":"\\\"}","a":2}`, `{"é":1,"\u0061":2,"a":-1.5e3}`,
		`{"a":{"b":[]},"c":true}`, `{"a"}`, `{"a":1}x`, "{\"\xff\":1}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal([]byte(text), &want)
		got, err := Decode([]byte(text))
		require.Equal(t, wantErr == nil, err == nil)
		require.Len(t, got, len(want))
		for _, argument := range got {
			require.Equal(t, string(want[argument.Name]), string(argument.Raw), argument.Name)
		}
	})
}

// A text is read as encoding/json does, escapes and all.
func FuzzDecodeText(f *testing.F) {
	for _, seed := range []string{
		`""`, `"a"`, `"\""`, `"\u0026\u0026\n\t\b\f\r\/\\"`, `"\u00e9"`, `"é"`, "\"\xff\"", `"\ud83d\ude00"`, `"\u12"`, `"\u+123"`, `"\x"`, `"\"`, `x`, `"`,
		"\"\x01\"", `"\u007f\u0080"`, `"\u0_7f"`, "\"\"\t", "\"a\" ", " \"a\"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want string
		if json.Unmarshal([]byte(text), &want) != nil || text[0] != '"' {
			return // arguments are valid JSON before a text is read
		}
		got, err := Text([]byte(text))
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

func TestArguments(t *testing.T) {
	args, err := Decode([]byte(`{"b":["x","y"],"a":"\u0078","n":1,"o":{},"mixed":["x",1]}`))
	require.NoError(t, err)
	texts, err := args.Take("b")
	require.NoError(t, err)
	assert.Equal(t, []string{"x", "y"}, texts)
	texts, err = args.Take("a")
	require.NoError(t, err)
	assert.Equal(t, []string{"x"}, texts)
	texts, err = args.Take("missing")
	require.NoError(t, err)
	assert.Empty(t, texts)
	for _, name := range []string{"n", "o", "mixed"} {
		_, err = args.Take(name)
		require.ErrorIs(t, err, ErrArgument, name)
	}
	args.Ignore([]string{"o", "none"})
	assert.Empty(t, args.Rest(), "what is of the wrong type was used all the same")
	assert.Nil(t, args.Raw("none"))
	args, err = Decode([]byte(`{"z":1,"y":2}`))
	require.NoError(t, err)
	assert.Equal(t, []string{"y", "z"}, args.Rest())
}
