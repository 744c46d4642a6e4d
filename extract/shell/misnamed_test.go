package shell

import (
	"testing"

	"policyd/extract/shell/guard"

	"github.com/stretchr/testify/assert"
)

// V2: what stands before "=[" is a variable's name or the beginning of a command's. The
// parser takes it for an assignment in any case (a trap of its version 3.14).
func TestOnlyNamesAreAssigned(t *testing.T) {
	for _, line := range []string{"./src/x=[*", "x-y=[1]", "-x=[", "A=1 ./x=[*", "./x=[1] ls", "1=[a]", "$(./x=[1])", "export ./x=[1]"} {
		assert.NotEmpty(t, parse(t, line).Messy, line)
	}
	for _, line := range []string{"x=[*", "x=[1] ls", "a[1]=x", "x+=[1]"} {
		assert.NotContains(t, parse(t, line).Messy, guard.MessyDisagreement, line)
	}
}
