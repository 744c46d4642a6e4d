package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/shell/command"
)

// S3: a backslash in a set of characters takes from a sign what it means there: what such a
// pattern stands for is not known.
func TestQuotesInSets(t *testing.T) {
	for line, known := range map[string]bool{
		`cat .[\!e]nv`: false, `cat .[\^e]nv`: false, `cat .[z\-e]nv`: false, `cat s/.[\!e]nv`: false, `head id_[\!r]sa`: false,
		`cat .[!e]x`: true, `cat a\ [a-z].txt`: true, `cat app/\[slug\]/page.tsx`: true, `cat [a-c]/b\ c.txt`: true,
	} {
		c := last(t, line)
		require.NotEmpty(t, c.Accesses, line)
		assert.Equal(t, known, c.Accesses[len(c.Accesses)-1].Naming != command.Unnamed && !c.Caveats.Has("dynamic_word"), line)
	}
}
