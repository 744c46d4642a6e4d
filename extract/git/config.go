package git

import (
	"bytes"
	"fmt"
)

// setting is one assignment in a configuration file.
type setting struct {
	section       string // lower case
	subsection    string // as written; lower case in the old [section.sub] form
	hasSubsection bool
	key           string // lower case
	value         string
	hasValue      bool // false for the shorthand without "=", which means true
}

// name is the full name as git prints it.
func (s setting) name() string {
	if s.hasSubsection {
		return s.section + "." + s.subsection + "." + s.key
	}
	return s.section + "." + s.key
}

// configError is a line that git would refuse, or that is refused here because
// versions of git read it differently.
type configError struct {
	line int
	what string
}

func (e *configError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

// parseConfig reads git's configuration format. It is stricter than git: NUL
// bytes and keys before the first section are errors.
func parseConfig(content []byte) ([]setting, error) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	if bytes.IndexByte(content, 0) >= 0 {
		return nil, &configError{line: 1, what: "NUL byte"}
	}
	p := &configParser{content: content, line: 1}
	for {
		p.skipBlank()
		c, ok := p.next()
		switch {
		case !ok:
			return p.settings, nil
		case c == '#' || c == ';':
			p.skipLine()
		case c == '[':
			if err := p.header(); err != nil {
				return nil, err
			}
		case isLetter(c):
			if err := p.assignment(c); err != nil {
				return nil, err
			}
		default:
			return nil, p.fail("unexpected character")
		}
	}
}

type configParser struct {
	content  []byte
	at       int
	line     int
	current  setting
	opened   bool
	settings []setting
}

// next reads one character, a carriage return before a newline left out.
func (p *configParser) next() (byte, bool) {
	if p.at >= len(p.content) {
		return 0, false
	}
	c := p.content[p.at]
	p.at++
	if c == '\r' && p.at < len(p.content) && p.content[p.at] == '\n' {
		c = '\n'
		p.at++
	}
	if c == '\n' {
		p.line++
	}
	return c, true
}

func (p *configParser) peek() (byte, bool) {
	at, line := p.at, p.line
	c, ok := p.next()
	p.at, p.line = at, line
	return c, ok
}

func (p *configParser) fail(what string) error { return &configError{line: p.line, what: what} }

func (p *configParser) skipBlank() {
	for c, ok := p.peek(); ok && isSpace(c); c, ok = p.peek() {
		p.next()
	}
}

func (p *configParser) skipLine() {
	for c, ok := p.next(); ok && c != '\n'; c, ok = p.next() {
		continue
	}
}

func isSpace(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isKeyByte(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || c == '-'
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
