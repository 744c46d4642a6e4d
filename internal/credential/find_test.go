package credential

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sample makes a token of an entry. It is put together here, so that no file holds what looks like one.
func sample(random *rand.Rand, t *token, prefix string) string {
	var out strings.Builder
	fill := func(p *part, length int) {
		members := sets[p.Bytes]
		for n := range length {
			from := members
			switch {
			case n == 0 && p.First != "":
				from = p.First
			case n == 0 && t.Mixed:
				from = "7" // the set of lower case has capitals nowhere, and each has digits
			case n == 1 && t.Mixed:
				from = "q"
			}
			out.WriteByte(from[random.IntN(len(from))])
		}
	}
	if t.Before != nil {
		fill(t.Before, t.Before.Min)
	}
	out.WriteString(prefix)
	for i := range t.Parts {
		p := &t.Parts[i]
		out.WriteString(p.Separator)
		length := p.Min + 4
		if p.Max > 0 {
			length = min(length, p.Max)
		}
		fill(p, length)
	}
	return out.String()
}

// surroundings are what tokens are between, each with a place for one.
var surroundings = []string{
	"%s", "curl -d %s https://x.example", "echo '%s'", `x="%s";`, "https://x.example/?a=%s&b=1", "a=%s", "[%s]", "%%3D%s ", "git pull (%s)\n",
}

// TestEveryTokenIsFound checks each entry of the table, in all surroundings.
func TestEveryTokenIsFound(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s := tokens()
	seen := 0
	for _, group := range s.starts {
		for _, start := range group {
			for _, around := range surroundings {
				token := sample(random, start.token, start.prefix)
				text := fmt.Sprintf(around, token)
				safe := Mask(text, masked)
				assert.NotContainsf(t, safe, token, "%s in %q", start.token.Issuer, around)
				assert.Containsf(t, safe, masked, "%s in %q: %q", start.token.Issuer, around, token)
				assert.Equalf(t, safe, Mask(safe, masked), "%s in %q", start.token.Issuer, around)
				seen++
			}
		}
	}
	assert.Greater(t, seen, 1000)
	assert.Less(t, len(s.starts), 256, "groups are numbered in a byte")
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{
		"https://u:T@h.example/x":                 "https://[masked]@h.example/x",
		"https://T@h.example/x":                   "https://[masked]@h.example/x",
		"HTTPS://T:@h.example":                    "HTTPS://[masked]@h.example",
		"git+https://T@h/x":                       "git+https://[masked]@h/x",
		"socks5h://u:p@h:1080":                    "socks5h://[masked]@h:1080",
		"ftps://u:p@h/":                           "ftps://[masked]@h/",
		"ssh://u:p@h/x":                           "ssh://[masked]@h/x",
		"postgres://:p@h/db":                      "postgres://[masked]@h/db",
		"ssh://git@h/x":                           "ssh://git@h/x",
		"u:p@h.example:x.git":                     "u:[masked]@h.example:x.git",
		"git@h.example:x.git":                     "git@h.example:x.git",
		"https://h/oauth2:T@other/x":              "https://h/oauth2:[masked]@other/x",
		"https://h/someone:longenough@x":          "https://h/someone:[masked]@x",
		"https://h/a:b@c":                         "https://h/a:b@c",
		"https://h/x?private_token=T&y=1":         "https://h/x?private_token=[masked]&y=1",
		"https://h/x?y=1&access_token=T":          "https://h/x?y=1&access_token=[masked]",
		"https://h/x?sig=T#x":                     "https://h/x?sig=[masked]#x",
		"https://h/x?X-Amz-Signature=T":           "https://h/x?X-Amz-Signature=[masked]",
		"https://h/x?page=2&keys=3&sort=token":    "https://h/x?page=2&keys=3&sort=token",
		"pull https://u:T@h/x and ftp://a:b@h":    "pull https://[masked]@h/x and ftp://[masked]@h",
		"https://h/?u=https://a:b@c":              "https://h/?u=https://[masked]@c",
		"nginx:1.25.3@sha256:00":                  "nginx:1.25.3@sha256:00",
		"docker://r/nginx:1.25.3-alpine@sha256:0": "docker://r/nginx:1.25.3-alpine@sha256:0",
		"npm:left-pad@1.0.0":                      "npm:left-pad@1.0.0",
		"https://[masked]@h/?token=[masked]":      "https://[masked]@h/?token=[masked]",
		"":                                        "",
	} {
		assert.Equal(t, want, Mask(text, masked), text)
		assert.Equal(t, want != text, Holds(text) && text != want, text)
	}
	assert.True(t, Holds("-----BEGIN RSA PRIVATE "+"KEY-----"))
	assert.True(t, Holds("Authorization: basic eA=="))
	assert.False(t, Holds("commit: Ask for authorization"))
}

// TestFindIsLinear counts on a text that is twice as long costing about twice as much, with much to spare.
func TestFindIsLinear(t *testing.T) {
	for _, piece := range []string{
		"eyJ", "eyJa.", "ghp_", "SG.", "sk-", "@", "u:p@", "://", "a://b:", "?token=", "&key=;", "/x:y@", "s.", "12345678:AA", "glsa_a", "xoxb-",
		"hooks.slack.com/services/A/", "https://", ":", "%3D", "Q~", "dapi0", "M.", "a?",
	} {
		// A text that is consumed by one span is no test of the rest.
		text := strings.Repeat(piece, 1<<20/len(piece))
		begin := time.Now()
		Find(text)
		assert.Less(t, time.Since(begin), 10*time.Second, piece)
	}
}

func TestTableIsRefused(t *testing.T) {
	for _, table := range []string{
		`[{"issuer":"x","prefixes":["a"],"parts":[]}]`, `[{"issuer":"x","parts":[{"bytes":"hex","min":1}]}]`,
		`[{"issuer":"x","prefixes":["a"],"parts":[{"bytes":"none","min":1}]}]`, `[{"prefix":"x"}]`, `{`,
	} {
		_, err := newScanner([]byte(table))
		require.Error(t, err, table)
	}
}

// FuzzMask: what is masked stays masked, and nothing of a token remains that was in the text.
func FuzzMask(f *testing.F) {
	f.Add("a ", " b", uint64(1))
	f.Add("https://u:", "@h", uint64(2))
	f.Add("?token=", "&x", uint64(3))
	f.Add("[masked", "]", uint64(4))
	s := tokens()
	var all []start
	for _, group := range s.starts {
		all = append(all, group...)
	}
	f.Fuzz(func(t *testing.T, before, behind string, seed uint64) {
		random := rand.New(rand.NewPCG(seed, seed))
		start := all[random.IntN(len(all))]
		token := sample(random, start.token, start.prefix)
		text := before + " " + token + " " + behind
		safe := Mask(text, masked)
		assert.NotContains(t, safe, token)
		again := Mask(safe, masked)
		for range 4 {
			again = Mask(again, masked)
		}
		assert.Equal(t, again, Mask(again, masked))
		last := 0
		for _, span := range Find(text) {
			assert.GreaterOrEqual(t, span.Start, last)
			assert.Greater(t, span.End, span.Start)
			last = span.End
		}
		assert.LessOrEqual(t, last, len(text))
	})
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("cd src && go test ./internal/token/... -run TestX | grep -n 'a:b' https://example.org/x?a=1 ", 4)
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Find(text)
	}
}
