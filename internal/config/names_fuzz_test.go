package config

import (
	"strings"
	"testing"
	"unicode"
)

// FuzzNames checks that a name that is taken is seen as it is wherever it is shown: in answers, in logs and
// in events.
func FuzzNames(f *testing.F) {
	for _, seed := range []string{"alice", "alice@example.org", "spiffe://example.org/a", "-a", "a b", "a\nb", "\u202ea", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		for kind, check := range map[string]func(string) error{"token": tokenName, "certificate": certificateName} {
			if check(name) != nil {
				continue
			}
			if name == "" || len(name) > longestCertificate || strings.ContainsFunc(name, func(r rune) bool {
				return r > unicode.MaxASCII || !unicode.IsPrint(r) || unicode.IsSpace(r)
			}) {
				t.Fatalf("%s takes %q", kind, name)
			}
		}
	})
}
