package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Section 6: bash's printf shows times; what else stands in parentheses is not read.
func TestTimesThatPrintfShows(t *testing.T) {
	for line, known := range map[string]bool{
		`printf '%(%F)T\n' -1`: true, `printf '%(%Y-%m-%d)T %s\n' -1 x`: true, `printf '%s %(%s)T\n' a`: true,
		`printf '%(%F)n' x`: false, `printf '%(%F)T%n' -1 x`: false, `printf '%(a(b)T)n' x`: false, `printf '%(%F' x`: false, `printf '%n%(%F)T' x`: false,
		`printf '%(\051n)T' x`: false, `printf '%(%F)T%(%F)n' x y`: false, `printf "%($x)T" 1`: false,
	} {
		assert.Equal(t, !known, parse(t, line).Commands[0].Caveats.Has("inline_code"), line)
	}
}
