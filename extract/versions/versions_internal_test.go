package versions

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Which go.mod makes the go command fetch another toolchain.
func TestDirectives(t *testing.T) {
	for _, content := range []string{
		"module m\n\ngo 1.99\n", "go 1.99", "  go\t1.22 // note\n", "go 1.21.5\n", "go 1.22rc1\n", "go 2\n", "go x\n", "go 1.20\ngo 1.99\n",
	} {
		assert.True(t, Directs(content, "go", "1.21"), content)
	}
	for _, content := range []string{"module m\n", "go 1.21\n", "go 1.18\n", "go 1.20.3 // 1.99\n", "gopher 9\n", "// go 1.99\n", ""} {
		assert.False(t, Directs(content, "go", "1.21"), content)
	}
	assert.True(t, Directs("\ttoolchain\tgo1.99", "toolchain", ""))
	assert.False(t, Directs("toolchains\n", "toolchain", ""))
}
