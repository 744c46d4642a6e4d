package watch

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestKeysAreRead(t *testing.T) {
	for typed, want := range map[string][]Key{
		"":                          nil,
		"od":                        {'o', 'd'},
		"\x03":                      {KeyQuit},
		"\x04":                      {KeyQuit},
		"\x1b[A\x1b[B\x1b[C\x1b[D":  {KeyPrevious, KeyNext, KeyNext, KeyPrevious},
		"\x1bOA\x1bOB":              {KeyPrevious, KeyNext},
		"\x1b[1;5Ad":                {KeyPrevious, 'd'},
		"\x1b[3~d":                  {'d'},
		"\x1bod":                    {'d'}, // Alt and a letter is another key
		"\r\n\tx":                   {'x'},
		"\u00f6x":                   {'x'},
		"\x1b[200~oaad\x1b[201~x":   {'x'}, // pasted
		"\x1b[200~\x03\x1b[A\x1b[Z": nil,
		"\x1b[" + strings.Repeat("9", 1000) + "~x": {'x'},
	} {
		var got []Key
		for key := range Keys(t.Context(), strings.NewReader(typed)) {
			got = append(got, key)
		}
		assert.Equal(t, want, got, "%q", typed)
	}
}
