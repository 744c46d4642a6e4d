package trust

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// V5: settings of a partial clone count, be they the person's.
func TestPersonsPartialCloneFetches(t *testing.T) {
	for text, want := range map[string]Effects{
		"[remote \"origin\"]\n\tpromisor = true\n": LazyFetch, "[format]\n\tpretty = %h\n": 0,
	} {
		s := newSandbox(t)
		s.Commit(s.Project)
		s.Append(s.Home+"/.gitconfig", text)
		assert.Equal(t, want, s.inspect(s.Project, "log").Effects, text)
	}
}
