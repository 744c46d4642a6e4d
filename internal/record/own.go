package record

import (
	"encoding/base64"
	"slices"
	"strings"
)

// ownTokens are policyd's own tokens, and what they look like in base64. Nil has none.
type ownTokens struct {
	tokens []string
	// encoded are parts of a token in base64 that don't depend on the text around it: one for each of the
	// three possible offsets of the token.
	encoded []string
}

// SetOwn makes tokens secret everywhere: as they are, percent-encoded, and in base64, where all of the
// encoded text is masked. It replaces the earlier ones. Empty ones are ignored.
func (m *Masker) SetOwn(tokens []string) {
	tokens = slices.DeleteFunc(slices.Clone(tokens), func(token string) bool { return len(token) < shortest })
	if before := m.own.Load(); before != nil && slices.Equal(before.tokens, tokens) {
		return
	}
	own := &ownTokens{tokens: tokens}
	for _, token := range tokens {
		for offset := range 3 {
			padded := []byte(strings.Repeat("x", offset) + token)
			// The first group contains bytes before the token, the last ones bytes after it.
			first, last := 4*((offset+2)/3), 4*(len(padded)/3)
			for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
				piece := encoding.EncodeToString(padded)[first:last]
				if !slices.Contains(own.encoded, piece) {
					own.encoded = append(own.encoded, piece)
				}
			}
		}
	}
	m.own.Store(own)
}

func (o *ownTokens) mask(text string) string {
	if o == nil || len(o.tokens) == 0 {
		return text
	}
	for _, token := range o.tokens {
		if len(text) >= len(token) {
			text = strings.ReplaceAll(text, token, Masked)
		}
	}
	for _, piece := range o.encoded {
		text = maskAround(text, piece)
	}
	if strings.Contains(text, "%") {
		text = o.maskPercent(text)
	}
	return text
}

// maskAround masks each run of base64 that holds a piece.
func maskAround(text, piece string) string {
	if len(text) < len(piece) {
		return text
	}
	var out strings.Builder
	for rest := text; ; {
		at := strings.Index(rest, piece)
		if at < 0 {
			if out.Len() == 0 {
				return text
			}
			out.WriteString(rest)
			return out.String()
		}
		from, end := at, at+len(piece)
		for from > 0 && inBase64(rest[from-1]) {
			from--
		}
		for end < len(rest) && inBase64(rest[end]) {
			end++
		}
		out.WriteString(rest[:from])
		out.WriteString(Masked)
		rest = rest[end:]
	}
}

func inBase64(c byte) bool {
	return nameByte(c) || c == '+' || c == '/' || c == '-' || c == '='
}

// maskPercent masks tokens with percent-encoded bytes.
func (o *ownTokens) maskPercent(text string) string {
	decoded, from := make([]byte, 0, len(text)), make([]int, 0, len(text)+1)
	for i := 0; i < len(text); i++ {
		from = append(from, i)
		if text[i] == '%' && i+2 < len(text) {
			high, low := hexDigit(text[i+1]), hexDigit(text[i+2])
			if high >= 0 && low >= 0 {
				decoded = append(decoded, byte(high<<4|low)) //nolint:gosec // two digits
				i += 2
				continue
			}
		}
		decoded = append(decoded, text[i])
	}
	from = append(from, len(text))
	plain := string(decoded)
	var out strings.Builder
	at := 0
	for _, span := range o.spans(plain) {
		out.WriteString(text[from[at]:from[span[0]]])
		out.WriteString(Masked)
		at = span[1]
	}
	out.WriteString(text[from[at]:])
	return out.String()
}

// spans are the positions of tokens in a text, in order. No token contains another.
func (o *ownTokens) spans(text string) [][2]int {
	var spans [][2]int
	for _, token := range o.tokens {
		for at := 0; ; {
			next := strings.Index(text[at:], token)
			if next < 0 {
				break
			}
			spans = append(spans, [2]int{at + next, at + next + len(token)})
			at += next + len(token)
		}
	}
	slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
	return slices.CompactFunc(spans, func(a, b [2]int) bool { return b[0] < a[1] })
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
