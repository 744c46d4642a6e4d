package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A program without an entry that runs commands elsewhere says so by its subcommand: no approval
// covers what it runs there.
func TestSubcommandsThatRunCommandsElsewhere(t *testing.T) {
	for line, inner := range map[string]bool{
		"juju ssh unit/0 -- systemctl stop x": true,
		"juju exec -u unit/0 -- ls":           true,
		"acmectl --region x ssh console":      true,
		"acmectl machines exec 1 ls":          true,
		"./acme ssh host id":                  true,
		"juju status":                         false,
		"acmectl --app a --region x ssh host": true,
		"acmectl deploy app":                  false,
		"acmectl --ssh x":                     false,
	} {
		assert.Equal(t, inner, parse(t, line).Commands[0].Caveats.Has("inner"), line)
	}
}
