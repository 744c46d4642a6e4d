package record_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/record"
)

// FuzzHints checks that one pass finds exactly the patterns that looking for each of their hints finds.
func FuzzHints(f *testing.F) {
	masker := record.NewMasker()
	for _, test := range secrets {
		f.Add(test.text)
	}
	for _, text := range plain {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, each, _ := record.Hinted(masker, text)
		require.Equal(t, each, found)
	})
}

// TestEveryHintIsFoundAnywhere puts hints into text of all kinds, in any case,
// whole and cut short, beside characters that fold into letters.
func TestEveryHintIsFoundAnywhere(t *testing.T) {
	masker := record.NewMasker()
	_, _, hints := record.Hinted(masker, "")
	require.NotEmpty(t, hints)
	random := rand.New(rand.NewPCG(1, 2))
	around := []string{"", "/srv/proj", "a", " ", "=", "zoo", "K", "\x1a\x0f", "\xff", "é", "\u212aey", "-", "_", "MAR"}
	for range 20_000 {
		var text strings.Builder
		for range 1 + random.IntN(3) {
			text.WriteString(around[random.IntN(len(around))])
			hint := []byte(hints[random.IntN(len(hints))])
			for i := range hint {
				if random.IntN(2) == 0 {
					hint[i] = strings.ToUpper(string(hint[i]))[0]
				}
			}
			text.Write(hint[random.IntN(2) : len(hint)-random.IntN(2)])
		}
		text.WriteString(around[random.IntN(len(around))])
		found, each, _ := record.Hinted(masker, text.String())
		assert.Equal(t, each, found, "%q", text.String())
	}
	for _, hint := range hints {
		found, _, _ := record.Hinted(masker, hint)
		assert.NotZero(t, found, hint)
	}
}
