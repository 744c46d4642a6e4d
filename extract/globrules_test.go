package extract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// S3: ripgrep reads its globs as lines of ignore rules: an empty one and a comment leave
// nothing out, and blanks at the end are no part of a name.
func TestGlobsThatAreReadAsRules(t *testing.T) {
	p := newPlace(t)
	for line, want := range map[string]bool{
		"rg -g '*.md' x": false, "rg -g '!.env' x": false, "rg -g '!.env ' x": false, "rg -g '*.go' -g '*.md' x": false,
		"rg -g '.env ' x": true, "rg -g '' x": true, "rg -g '#' x": true, "rg -g ' ' x": true, "rg --glob='.env\n' x": true,
		"rg --iglob '.ENV ' x": true, "rg -g '*.go' -g '#x' x": true, "rg --files -g '.env ' | xargs cat": true,
	} {
		reaches := false
		for _, item := range p.facts("Bash", map[string]any{"command": line}).Items {
			reaches = reaches || item.Caveats.Has("reaches_secret") || item.Caveats.Has("reaches_unknown")
		}
		assert.Equal(t, want, reaches, line)
	}
}
