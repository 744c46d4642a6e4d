package record_test

import (
	"strings"
	"testing"

	"github.com/goccy/go-json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/record"
)

// flat are arguments as agents send them most, and odd those that look like them.
var (
	flat = []string{
		`{}`, `{"command":"git status"}`, `{"command": "ls -la", "timeout": 120000, "run_in_background": false}`,
		`{"file_path":"/srv/a","offset":1,"limit":20,"deep":true}`, `{"a":"","a":"b"}`, `{"":"<&>"}`,
		`{"a":"\n"}`, `{"a":"é"}`, `{"\u0061":"b"}`, `{"command":"cd src \u0026\u0026 echo \"hi\" \\\\"}`,
	}
	odd = []string{
		``, `}`, `{`, `{}x`, `{ }`, `[]`, `null`, `"a"`, `{"a"}`, `{"a":}`, `{"a":01}`, `{"a":0}`, `{"a":-1}`, `{"a":1.5}`, `{"a":1e400}`,
		`{"a":"\x"}`, `{"a":"\`, `{"a":null}`, `{"a":{}}`, `{"a":[1]}`, `{"a":"b",}`, `{"a":"b"`, `{"a":"b}`,
		`{"a":tru}`, `{"a":truex}`, `{"a":"b"}{"c":"d"}`, "{\"a\":\"\t\"}", `{"a":"b" }`, `{"a":"b",  "c":"d"}`, "{\"a\":\"\xff\"}",
	}
)

// FuzzFlatMembers checks that whatever the quick way reads, the decoder reads alike.
func FuzzFlatMembers(f *testing.F) {
	for _, text := range append(append([]string{}, flat...), odd...) {
		f.Add(text)
	}
	for _, text := range []string{`\ud83d\ude00`, `\ud800`, `\ud800x`, `\udc00\ud800`, `\u00zz`, `\u`, `\u00e`, `\ud83d\u0041`, `\/`} {
		f.Add(`{"a":"` + text + `"}`)
	}
	f.Fuzz(func(t *testing.T, text string) {
		members, is := record.FlatMembers(text)
		if !is {
			require.Nil(t, members)
			return
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var want map[string]any
		require.NoError(t, decoder.Decode(&want))
		require.Equal(t, want, members)
		require.True(t, json.Valid([]byte(text)))
	})
}

func TestUsualArgumentsAreReadTheQuickWay(t *testing.T) {
	for _, text := range flat {
		_, is := record.FlatMembers(text)
		assert.True(t, is, text)
	}
	for _, text := range odd {
		_, is := record.FlatMembers(text)
		assert.False(t, is, text)
	}
}
