package guard

import (
	"strings"

	"policyd/extract/value"
)

// cursor is a place in a line. Its methods skip what needs no memory of the words before.
type cursor struct {
	text string
	pos  int
	// failed is true if the lexer doesn't understand the line.
	failed bool
}

// joinedLine skips a backslash and the newline behind it.
func (c *cursor) joinedLine() {
	if c.pos > 0 && strings.IndexByte("$<>&|;(", c.text[c.pos-1]) >= 0 {
		c.failed = true // shells join the lines before they look for operators
	}
	c.pos += 2
}

// redirectsAll reports whether an ampersand begins &> or &>>.
func (c *cursor) redirectsAll() bool {
	return strings.HasPrefix(c.text[c.pos:], "&>")
}

// substitutes reports whether a process substitution begins here.
func (c *cursor) substitutes() bool { return strings.HasPrefix(c.text[c.pos:], "<(") }

// comment skips to the end of the line. One that ends in a backslash is read
// in two ways by shells and parsers.
func (c *cursor) comment() {
	end := strings.IndexByte(c.text[c.pos:], '\n')
	if end < 0 {
		end = len(c.text) - c.pos
	}
	if end > 0 && c.text[c.pos+end-1] == '\\' {
		c.failed = true
	}
	c.pos += end
}

// arithmetic moves behind (( … )) if nothing in it can be anything but an
// expression. What the parser takes for commands there are words that this
// lexer never saw.
func (c *cursor) arithmetic() bool {
	rest := c.text[c.pos:]
	if !strings.HasPrefix(rest, "((") {
		return false
	}
	end := strings.Index(rest, "))")
	if end < 0 || strings.Trim(unbraced(rest[:end]), value.NameBytes+" \t+-*/%<>=!&|?:;,()$") != "" ||
		strings.Contains(rest[:end], "$(") {
		return false
	}
	c.pos += end + 2
	return true
}

// skipTo moves behind the next delimiter; escapes says whether a backslash
// quotes it.
func (c *cursor) skipTo(delimiter byte, escapes bool) {
	for c.pos++; c.pos < len(c.text); c.pos++ {
		switch {
		case c.text[c.pos] == delimiter:
			c.pos++
			return
		case escapes && c.text[c.pos] == '\\':
			c.pos++
		}
	}
	c.failed = true
}

// escaped moves behind a backslash and what it quotes. Inside a word a newline
// that it removes may join what the parser reads as two, and one with nothing
// behind it some shells keep and others drop.
func (c *cursor) escaped() {
	if rest := c.text[c.pos:]; rest == "\\" || strings.HasPrefix(rest, "\\\n") {
		c.failed = true
	}
	c.pos = min(c.pos+2, len(c.text))
}

// skipBody skips an expansion of that length whose body the lexer understands, and fails on any other.
func (c *cursor) skipBody(length int, understood bool) {
	if !understood {
		c.failed = true
		return
	}
	c.pos += length
}
