package credential

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

//go:embed tokens.json
var tokensJSON []byte

// token describes the tokens of an issuer: a prefix, and what follows it.
type token struct {
	Issuer   string   `json:"issuer"`
	Prefixes []string `json:"prefixes"`
	Parts    []part   `json:"parts"`
	// Bounded is true if the byte before the prefix must not be a byte of the first part: the prefix alone is
	// too ordinary inside a word.
	Bounded bool `json:"bounded"`
	// Exact is true if the byte after the last part must not be a byte of that part.
	Exact bool `json:"exact"`
	// Mixed is true if the parts must contain a digit and a letter: ordinary words would match otherwise.
	Mixed bool `json:"mixed"`
	// Before is what is in front of the prefix and belongs to the token.
	Before *part `json:"before"`
}

// part is a run of bytes of a token, after a separator.
type part struct {
	Separator string `json:"separator"`
	Bytes     string `json:"bytes"`
	Min       int    `json:"min"`
	// Max is 0 if there is none.
	Max int `json:"max"`
	// First contains the allowed first bytes of a part, if it isn't empty.
	First string `json:"first"`

	class class
}

// class is a set of sets of bytes.
type class uint16

// sets are the sets of bytes that parts name.
var sets = map[string]string{
	"digit":   "0123456789",
	"hex":     "0123456789abcdefABCDEF",
	"upper":   "0123456789" + capitals,
	"lower":   "0123456789" + small,
	"alnum":   "0123456789" + capitals + small,
	"word":    "0123456789" + capitals + small + "_",
	"token":   "0123456789" + capitals + small + "_-",
	"dotted":  "0123456789" + capitals + small + "_-.~",
	"equals":  "0123456789" + capitals + small + "_-=",
	"percent": "0123456789" + capitals + small + "-_%",
	"base64":  "0123456789" + capitals + small + "_-+/=",
	"path":    "0123456789" + capitals + small + "_-/",
}

const (
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	small    = "abcdefghijklmnopqrstuvwxyz"
)

// start is a prefix of a token.
type start struct {
	prefix string
	token  *token
}

// scanner finds tokens. It looks each pair of bytes up among the first two of all prefixes.
type scanner struct {
	classes [256]class
	hex     class
	// groups has the number of a group of starts for each pair of bytes, and 0 for no group.
	groups [1 << 16]uint8
	starts [][]start
}

// longestRun bounds a part with parts after it, for a token that isn't bounded: without it, each of many
// prefixes in one run would be scanned to its end.
const longestRun = 512

// tokens returns the scanner of the embedded table, which a test checks.
var tokens = sync.OnceValue(func() *scanner {
	s, err := newScanner(tokensJSON)
	if err != nil {
		panic(err)
	}
	return s
})

func newScanner(table []byte) (*scanner, error) {
	var list []*token
	decoder := json.NewDecoder(strings.NewReader(string(table)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&list); err != nil {
		return nil, fmt.Errorf("read token table: %w", err)
	}
	s := &scanner{starts: make([][]start, 1)}
	bits := map[string]class{}
	for name, members := range sets {
		bit := class(1) << len(bits)
		bits[name] = bit
		for _, c := range []byte(members) {
			s.classes[c] |= bit
		}
	}
	s.hex = bits["hex"]
	for _, t := range list {
		if err := t.prepare(bits); err != nil {
			return nil, err
		}
		for _, prefix := range t.Prefixes {
			s.add(start{prefix: prefix, token: t})
		}
	}
	return s, nil
}

func (t *token) prepare(bits map[string]class) error {
	if len(t.Parts) == 0 || len(t.Prefixes) == 0 {
		return fmt.Errorf("read token table: %s has no prefix or no part", t.Issuer)
	}
	all := make([]*part, 0, len(t.Parts)+1)
	for i := range t.Parts {
		all = append(all, &t.Parts[i])
	}
	if t.Before != nil {
		all = append(all, t.Before)
	}
	for _, p := range all {
		bit, known := bits[p.Bytes]
		if !known {
			return fmt.Errorf("read token table: %s names bytes %q", t.Issuer, p.Bytes)
		}
		p.class = bit
	}
	return nil
}

// add files a prefix under its first two bytes, longer ones first. A prefix of a single byte is filed under
// each pair that begins with it and continues with its first part.
func (s *scanner) add(new start) {
	seconds := make([]byte, 0, 256)
	if len(new.prefix) > 1 {
		seconds = append(seconds, new.prefix[1])
	} else {
		for c := range 256 {
			if s.classes[c]&new.token.Parts[0].class != 0 {
				seconds = append(seconds, byte(c))
			}
		}
	}
	for _, second := range seconds {
		pair := pairOf(new.prefix[0], second)
		if s.groups[pair] == 0 {
			s.groups[pair] = uint8(len(s.starts)) //nolint:gosec // a test checks that there are fewer groups
			s.starts = append(s.starts, nil)
		}
		group := &s.starts[s.groups[pair]]
		at := 0
		for at < len(*group) && len((*group)[at].prefix) >= len(new.prefix) {
			at++
		}
		*group = append((*group)[:at], append([]start{new}, (*group)[at:]...)...)
	}
}

func pairOf(first, second byte) uint16 { return uint16(first)<<8 | uint16(second) }

// at returns the token whose prefix begins at a byte of text, at or after a limit.
func (s *scanner) at(text string, i, limit int) (span Span, found bool) {
	if i+1 >= len(text) {
		return Span{}, false
	}
	group := s.groups[pairOf(text[i], text[i+1])]
	if group == 0 {
		return Span{}, false
	}
	for _, candidate := range s.starts[group] {
		if !strings.HasPrefix(text[i:], candidate.prefix) {
			continue
		}
		if span, found := s.match(text, i, limit, &candidate); found {
			return span, true
		}
	}
	return Span{}, false
}

func (s *scanner) match(text string, i, limit int, candidate *start) (span Span, found bool) {
	t, from, end := candidate.token, i, i+len(candidate.prefix)
	if t.Bounded && i > 0 && text[i-1] != '=' && s.classes[text[i-1]]&t.Parts[0].class != 0 && !s.percent(text[:i]) {
		return Span{}, false
	}
	if t.Before != nil {
		if from = s.before(text, i, limit, t.Before); from < 0 {
			return Span{}, false
		}
	}
	body := end
	if end = s.partsEnd(text, body, t); end < 0 {
		return Span{}, false
	}
	last := t.Parts[len(t.Parts)-1].class
	if t.Exact && end < len(text) && s.classes[text[end]]&last != 0 || t.Mixed && !mixed(text[body:end]) {
		return Span{}, false
	}
	return Span{Start: from, End: end}, true
}

// partsEnd returns the end of a token's parts that begin at i, and -1 if one is missing.
func (s *scanner) partsEnd(text string, i int, t *token) int {
	for n := range t.Parts {
		p := &t.Parts[n]
		if !strings.HasPrefix(text[i:], p.Separator) {
			if p.Min == 0 {
				break
			}
			return -1
		}
		length := s.run(text[i+len(p.Separator):], p, t.Bounded || n == len(t.Parts)-1)
		if length < p.Min {
			return -1
		}
		i += len(p.Separator) + length
	}
	return i
}

// before returns where the part in front of a prefix begins, or -1.
func (s *scanner) before(text string, i, limit int, p *part) int {
	from := i
	for from > limit && i-from <= p.Max && s.classes[text[from-1]]&p.class != 0 {
		if i-from >= p.Min && s.percent(text[:from]) {
			break
		}
		from--
	}
	if length := i - from; length < p.Min || length > p.Max || p.First != "" && strings.IndexByte(p.First, text[from]) < 0 {
		return -1
	}
	return from
}

// percent reports whether a text ends in a percent-encoded byte.
func (s *scanner) percent(text string) bool {
	digits, hex := len(text)-2, s.hex
	return digits > 0 && text[digits-1] == '%' && s.classes[text[digits]]&hex != 0 && s.classes[text[digits+1]]&hex != 0
}

// run is how long a part is at the start of text.
func (s *scanner) run(text string, p *part, any bool) int {
	most := len(text)
	if p.Max > 0 {
		most = min(most, p.Max)
	} else if !any {
		most = min(most, longestRun)
	}
	length := 0
	for length < most && s.classes[text[length]]&p.class != 0 {
		length++
	}
	return length
}

// mixed reports whether a text contains a digit and a letter.
func mixed(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.ContainsAny(text, capitals+small)
}
