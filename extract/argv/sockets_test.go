package argv

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// V5: who selects sockets by the name of a host has the name looked up, which
// carries it out of the machine.
func TestSocketsAreSelectedByFigures(t *testing.T) {
	operands := newTable(t).Words.Operands
	cases := map[string]bool{
		"": true, ":3000": true, "tcp:3000": true, "TCP": true, "4": true, "6TCP@[::1]:22": true, "tcp@127.0.0.1:80": true,
		"@127.0.0.1": true, "@::1": true, "sport": true, "( dport = :ssh or sport = :ssh )": true, "10.0.0.0/8": true,
		"[::1]:22": true, "127.0.0.1:ssh": true, "*:80": true, "state": true, "time-wait": true, "!=": true,
		"evil.example": false, "@evil.example": false, "tcp@evil.example:80": false, "dst evil.example": false,
		"evil": false, "evil:80": false, "[evil.example]": false, "dst=evil.example": false, "127.0.0.1.evil.example": false,
		"tcp@": true, "1.2.3.4@evil": false, "10.0.0.0@evil/8": false,
	}
	for text, want := range cases {
		assert.Equal(t, want, operands.SelectsSockets(text), "%q", text)
	}
}
