package server

import (
	"encoding/base64"
	"strings"
	"testing"
)

// FuzzParseToken checks that a token that is taken is one line of 32 bytes or more, as a header carries it.
func FuzzParseToken(f *testing.F) {
	f.Add(strings.Repeat("a", 43))
	f.Add("short")
	f.Add(strings.Repeat("a", 42) + "=")
	f.Add(strings.Repeat("a", 50) + "\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		token, err := parseToken("file", text)
		if err != nil {
			if token != "" {
				t.Fatalf("%q with an error", token)
			}
			return
		}
		raw, err := base64.RawURLEncoding.DecodeString(token)
		if err != nil || len(raw) < 32 || strings.ContainsAny(token, " \r\n\t") {
			t.Fatalf("%q is taken", token)
		}
		if _, err := NewKeyring([]Key{{Principal: Principal{Role: RoleAgent}, Token: token}}); err != nil {
			t.Fatal(err)
		}
	})
}
