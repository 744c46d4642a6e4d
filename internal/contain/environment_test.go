package contain

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEnvironmentDropsNamesByPattern(t *testing.T) {
	env := []string{"PATH=/bin", "GIT_DIR=x", "GH_TOKEN=t", "TOKEN=t", "A_KEY_B=k", "POLICYD_TOKEN=t", "TMPDIR=/x", "broken", "=odd", "EMPTY="}
	got := environment(env, []string{"GIT_*", "*_TOKEN", "*KEY*"}, "/run/tmp")
	assert.Equal(t, []string{"PATH=/bin", "TOKEN=t", "EMPTY=", "TMPDIR=/run/tmp", "TMP=/run/tmp", "TEMP=/run/tmp"}, got)
	assert.Equal(t, []string{"TMPDIR=/t", "TMP=/t", "TEMP=/t"}, environment(env, []string{"*"}, "/t"))
}

func TestLookupTakesTheLastValue(t *testing.T) {
	assert.Equal(t, "b", lookup([]string{"PATH=a", "PATH=b", "PATHS=c"}, "PATH"))
	assert.Empty(t, lookup(nil, "PATH"))
}
