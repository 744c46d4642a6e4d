package shellquote_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/internal/shellquote"
)

// FuzzJoin checks that words come back from the line that was made of them.
func FuzzJoin(f *testing.F) {
	f.Add("/opt/policy d/policyd-hook", "it's", "")
	f.Add("a\\", "$(x)", "\n")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		words := []string{a, b, c}
		got := shellquote.Split(shellquote.Join(words))
		assert.Equal(t, words, got)
	})
}
