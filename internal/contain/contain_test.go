package contain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

func valid() Command {
	return Command{Argv: []string{"true"}, Dir: "/", Obligation: v1.Obligation{
		Kind: v1.ObligationContain, Profile: v1.ProfileProject, Network: v1.NetworkNone, Read: []string{"/"}, Write: []string{"/srv/p"},
	}}
}

// TestOnlyAKnownObligationIsRun: a value that isn't known here can't be enforced here.
func TestOnlyAKnownObligationIsRun(t *testing.T) {
	command := valid()
	require.NoError(t, check(&command))
	for name, change := range map[string]func(*Command){
		"zero obligation":      func(c *Command) { c.Obligation = v1.Obligation{} },
		"no program":           func(c *Command) { c.Argv = nil },
		"empty program":        func(c *Command) { c.Argv = []string{""} },
		"relative directory":   func(c *Command) { c.Dir = "x" },
		"kind":                 func(c *Command) { c.Obligation.Kind = "watch" },
		"profile":              func(c *Command) { c.Obligation.Profile = "strict" },
		"network":              func(c *Command) { c.Obligation.Network = "all" },
		"no network":           func(c *Command) { c.Obligation.Network = "" },
		"read_only that write": func(c *Command) { c.Obligation.Profile = v1.ProfileReadOnly },
		"relative path":        func(c *Command) { c.Obligation.Hide = []string{"x"} },
		"path with dots":       func(c *Command) { c.Obligation.Protect = []string{"/srv/p/../q"} },
		"path with a null":     func(c *Command) { c.Obligation.Read = []string{"/srv\x00"} },
		"everything written":   func(c *Command) { c.Obligation.Write = []string{"/"} },
		"devices written":      func(c *Command) { c.Obligation.Write = []string{"/dev"} },
	} {
		command := valid()
		change(&command)
		require.Error(t, check(&command), name)
	}
}

func TestBelow(t *testing.T) {
	assert.True(t, below("/a/b", "/a"))
	assert.True(t, below("/a", "/a"))
	assert.True(t, below("/a", "/"))
	assert.False(t, below("/ab", "/a"))
}
