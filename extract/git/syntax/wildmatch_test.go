package syntax

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// FuzzWildMatch holds that the matcher agrees with a slow one by definition.
func FuzzWildMatch(f *testing.F) {
	for _, text := range pathspecTexts() {
		f.Add(text, "sub/b.go")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		pattern, known := loosen(pattern)
		if len(pattern) > 12 || len(text) > 12 || !known {
			return
		}
		assert.Equal(t, slowMatch(pattern, text), wildMatch(pattern, text), "%q %q", pattern, text)
	})
}

func slowMatch(pattern, text string) bool {
	if pattern == "" {
		return text == ""
	}
	if pattern[0] == '*' {
		return slowMatch(pattern[1:], text) || text != "" && slowMatch(pattern, text[1:])
	}
	size, ok := matchOne(pattern, text)
	return ok && slowMatch(pattern[size:], text[1:])
}
