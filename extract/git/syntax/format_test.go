package syntax

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// V5: a name may stand for any format that settings name, and git's own names for its own.
func TestPrettyFormats(t *testing.T) {
	settings, err := ParseConfig([]byte("[pretty]\n\tmine = other\n\tOther = third\n\tthird = %h %G?\n\tloop = loop\n\tplain = %h\n\tshort = %G?\n" +
		"[pretty \"a\"]\n\tb = format:%-GK\n[format]\n\tpretty = mine\n\tnotes = true\n[log]\n\tpretty = %G?\n"))
	require.NoError(t, err)
	var formats PrettyFormats
	for _, s := range settings {
		formats.Add(s)
	}
	for format, checks := range map[string]bool{
		"mine": true, "MINE": true, "mi": true, "other": true, "th": true, "a.b": true, "A": true, "sho": true, "%G?": true, "tformat:%+GS": true,
		"loop": true, "nosuch": true, "short": false, "": false, "format:mine": false, "mine%": false, "oneline": false,
	} {
		assert.Equalf(t, checks, formats.ChecksSignature(format), "%q", format)
	}
	assert.True(t, formats.ChecksByDefault())
	var none PrettyFormats
	assert.False(t, none.ChecksSignature("mine"))
	assert.False(t, none.ChecksByDefault())
}
