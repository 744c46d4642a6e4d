package effect

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAddressesBeginWithAScheme(t *testing.T) {
	for text, want := range map[string]bool{
		"http://example.org/x": true, "FILE:/etc/passwd": true, "x:y": true, "svn+ssh://x": true,
		"a.xml": false, "./http://x": false, "a/b:c": false, ":x": false, "": false, "a b:c": false,
	} {
		assert.Equal(t, want, hasScheme(text), "%q", text)
	}
}
