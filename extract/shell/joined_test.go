package shell

import (
	"testing"

	v1 "policyd/api/v1"

	"github.com/stretchr/testify/assert"
)

// tree reads letters that stand together one by one, and xxd takes a number behind a letter for
// its value, but all others behind it for nothing at all: "xxd -ac 16 f" reads 16 and writes f.
func TestLettersThatStandTogether(t *testing.T) {
	for line, want := range map[string]v1.Form{
		"tree -adL 2 src": {{Name: "-a", Kind: "none"}, {Name: "-d", Kind: "none"}, {Name: "-L", Kind: "value"}, {Name: "<path>", Kind: "list"}},
		"tree -fi -L2":    {{Name: "-f", Kind: "none"}, {Name: "-i", Kind: "none"}, {Name: "-L", Kind: "value"}},
		"tree -ao x":      {{Name: "-a", Kind: "none"}, {Name: "-o", Kind: "write"}},
		"tree -LP 2 x":    {{Name: "-LP", Kind: "unknown"}, {Name: "<path>", Kind: "list"}},
		"tree -L2x":       {{Name: "-L2x", Kind: "unknown"}},
		"tree -az":        {{Name: "-az", Kind: "unknown"}},
		"xxd -l64 f":      {{Name: "-l", Kind: "value"}, {Name: "<file>", Kind: "read"}},
		"xxd -ac 16 f":    {{Name: "-ac", Kind: "unknown"}, {Name: "<file>", Kind: "read"}, {Name: "<output>", Kind: "write"}},
		"xxd -ab f":       {{Name: "-ab", Kind: "unknown"}, {Name: "<file>", Kind: "read"}},
		"xxd f -l64":      {{Name: "<file>", Kind: "read"}, {Name: "<output>", Kind: "write"}},
	} {
		assert.ElementsMatchf(t, want, parse(t, line).Commands[0].Form, "%q", line)
	}
}
