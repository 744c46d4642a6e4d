package extract

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/ownaddress"
	"policyd/extract/shell"
)

// addressed adds the caveats of a command that reaches the network, or may: own_address if
// it names the sidecar's address in its words as the shell expands them, in a redirection,
// or in the line, whose assignments it may follow; dynamic_word if only the run knows
// which port it names.
func (e *extraction) addressed(item *v1.Item, c *shell.Command, line string) {
	self := e.x.address
	for _, access := range c.Accesses {
		for _, device := range []string{"/dev/tcp/", "/dev/udp/"} {
			if rest, found := strings.CutPrefix(access.Text, device); found && self.Pair(strings.Split(rest, "/")) {
				item.Caveats.Add("own_address")
			}
		}
	}
	if !slices.ContainsFunc(connecting, item.Caveats.Has) {
		return
	}
	if self.Given(c.Argv) || self.WithPort(line, ownaddress.AnyHost) {
		item.Caveats.Add("own_address")
	}
	if self.Uncertain(c.Argv) {
		item.Caveats.Add("dynamic_word")
	}
}

// connecting are the caveats of commands that reach the network, or may.
var connecting = []string{"network", "unknown_program", "runs_anything", "executes", "inline_code"}
