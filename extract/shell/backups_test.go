package shell

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/command"
)

// sed -i with a suffix writes another file beside each that it changes, or where the
// suffix says.
func TestSedKeepsFilesUnderOtherNames(t *testing.T) {
	for line, kept := range map[string]string{
		"sed -inv s/a/b/ .e": ".env", "sed -i.bak s/a/b/ src/x": "src/x.bak", "sed --in-place=old/* s/a/b/ src/x": "old/x", "sed -i'x_*' s/a/b/ src/y": "src/x_y",
		"sed -i~ s/a/b/ 'a b'": "a b~",
	} {
		accesses := parse(t, line).Commands[0].Accesses
		assert.Truef(t, slices.ContainsFunc(accesses, func(a command.Access) bool { return a.Text == kept && a.Op == "write" }), "%q: %+v", line, accesses)
	}
	assert.Len(t, parse(t, "sed -i s/a/b/ x").Commands[0].Accesses, 1)
}
