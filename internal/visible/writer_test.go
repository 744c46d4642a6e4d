package visible_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/visible"
)

func TestWriterEscapes(t *testing.T) {
	for text, want := range map[string]string{
		"git push\n\tü ☃ 漢":                 "git push\n\tü ☃ 漢",
		"codex\x1b]0;PWNED\x07":             `codex\u001b]0;PWNED\u0007`,
		"a\rb\x7f\u009b31m":                 `a\u000db\u007f\u009b31m`,
		"a\u202eb\u2066c\u200bd\u00a0e":     `a\u202eb\u2066c\u200bd\u00a0e`,
		"tag \U000e0041":                    `tag \udb40\udc41`,
		"broken \xff\xe6\xbc and \ufffd it": "broken \\ufffd\\ufffd\\ufffd and \ufffd it",
	} {
		var out bytes.Buffer
		w := visible.NewWriter(&out)
		for i := range len(text) { // each byte alone
			n, err := w.Write([]byte{text[i]})
			require.NoError(t, err)
			require.Equal(t, 1, n)
		}
		require.NoError(t, w.Flush())
		assert.Equal(t, want, out.String())
	}
}

func TestWriterReportsErrors(t *testing.T) {
	w := visible.NewWriter(failing{})
	_, err := w.Write([]byte("x"))
	require.ErrorIs(t, err, errFull)
	assert.IsType(t, failing{}, visible.Raw(w))
	assert.IsType(t, failing{}, visible.Raw(failing{}))
}

var errFull = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

// FuzzWriter: whatever is written, and however it is cut, nothing hidden comes out, and JSON means the same.
func FuzzWriter(f *testing.F) {
	f.Add("a\x1bb", 1)
	f.Add("\xe2\x80\xae", 2)
	f.Add("\U000e0041\x7f", 3)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		print := func(text string, cut int) string {
			var out bytes.Buffer
			w := visible.NewWriter(&out)
			at := min(max(cut, 0), len(text))
			for _, part := range []string{text[:at], text[at:]} {
				_, err := w.Write([]byte(part))
				require.NoError(t, err)
			}
			require.NoError(t, w.Flush())
			return out.String()
		}
		shown := print(text, cut)
		assert.True(t, utf8.ValidString(shown))
		assert.False(t, strings.ContainsFunc(shown, func(r rune) bool {
			return r != '\n' && r != '\t' && !unicode.IsPrint(r)
		}), "%q", shown)
		encoded, err := json.Marshal(text)
		require.NoError(t, err)
		var want, got string
		require.NoError(t, json.Unmarshal(encoded, &want))
		require.NoError(t, json.Unmarshal([]byte(print(string(encoded), cut)), &got))
		assert.Equal(t, want, got)
	})
}
