package syntax

import (
	"bytes"
	"fmt"
	"strings"
)

// Setting is one assignment in a configuration file.
type Setting struct {
	// Section and Key are in lower case.
	Section, Key string
	// Subsection is as written, or in lower case in the old form [section.sub].
	Subsection    string
	HasSubsection bool
	Value         string
	// HasValue is false for the shorthand without "=", which means true.
	HasValue bool
}

// Name is the full name as git prints it.
func (s Setting) Name() string {
	if s.HasSubsection {
		return s.Section + "." + s.Subsection + "." + s.Key
	}
	return s.Section + "." + s.Key
}

// configError is a line that git would refuse, or that is refused here because
// versions of git read it differently.
type configError struct {
	line int
	what string
}

func (e *configError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

// ParseConfig reads git's configuration format (git-config(1)). It is stricter than git: NUL
// bytes and keys before the first section are errors.
func ParseConfig(content []byte) ([]Setting, error) {
	p := &configParser{content: bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")), line: 1}
	if bytes.IndexByte(content, 0) >= 0 {
		return nil, p.fail("NUL byte")
	}
	for {
		c := p.next()
		for isBlank(c) || c == '\n' {
			c = p.next()
		}
		var err error
		switch {
		case c == 0:
			return p.settings, nil
		case c == '#' || c == ';':
			p.skipLine()
		case c == '[':
			err = p.header()
		case isLetter(c):
			err = p.assignment(c)
		default:
			err = p.fail("unexpected character")
		}
		if err != nil {
			return nil, err
		}
	}
}

type configParser struct {
	content  []byte
	at       int
	line     int
	current  Setting
	settings []Setting
}

// next reads one character, a carriage return before a newline left out. It is 0 at the end.
func (p *configParser) next() byte {
	if p.at >= len(p.content) {
		return 0
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
	return c
}

func (p *configParser) fail(what string) error { return &configError{line: p.line, what: what} }

func (p *configParser) skipLine() {
	for !endsLine(p.next()) {
		continue
	}
}

// header reads a section header after its opening bracket.
func (p *configParser) header() error {
	var name []byte
	for {
		c := p.next()
		switch {
		case endsLine(c):
			return p.fail("unfinished section")
		case c == ']':
			return p.open(name, "", false)
		case isBlank(c):
			return p.quotedSubsection(name)
		case !isKeyByte(c) && c != '.':
			return p.fail("bad section name")
		}
		name = append(name, lower(c))
	}
}

func (p *configParser) quotedSubsection(name []byte) error {
	c := p.next()
	for isBlank(c) {
		c = p.next()
	}
	if c != '"' {
		return p.fail("bad subsection")
	}
	var subsection []byte
	for c = p.next(); c != '"'; c = p.next() {
		if c == '\\' {
			c = p.next()
		}
		if endsLine(c) {
			return p.fail("unfinished subsection")
		}
		subsection = append(subsection, c)
	}
	if p.next() != ']' {
		return p.fail("unfinished section")
	}
	return p.open(name, string(subsection), true)
}

// open starts a section. git knows a variable by one dotted name, so that
// [a.b "c"] is section a with subsection b.c.
func (p *configParser) open(name []byte, subsection string, quoted bool) error {
	section, rest, dotted := strings.Cut(string(name), ".")
	if section == "" {
		return p.fail("section without a name")
	}
	switch {
	case dotted && quoted:
		subsection = rest + "." + subsection
	case dotted:
		subsection = rest
	}
	p.current = Setting{Section: section, Subsection: subsection, HasSubsection: dotted || quoted}
	return nil
}

// assignment reads "key", "key = value" after the first letter of the key.
func (p *configParser) assignment(first byte) error {
	if p.current.Section == "" {
		return p.fail("key outside a section")
	}
	key := []byte{lower(first)}
	c := p.next()
	for ; isKeyByte(c); c = p.next() {
		key = append(key, lower(c))
	}
	for c == ' ' || c == '\t' {
		c = p.next()
	}
	found := p.current
	found.Key = string(key)
	if !endsLine(c) {
		if c != '=' {
			return p.fail("bad key")
		}
		value, err := p.value()
		if err != nil {
			return err
		}
		found.Value, found.HasValue = value, true
	}
	p.settings = append(p.settings, found)
	return nil
}

// value reads up to the end of the line: blanks around it are dropped, quotes
// may open and close anywhere, and a backslash continues on the next line.
func (p *configParser) value() (string, error) {
	var value []byte
	quoted, blanks := false, 0
	for {
		c := p.next()
		switch {
		case quoted && endsLine(c):
			return "", p.fail("unfinished quote")
		case quoted:
		case c == '#' || c == ';':
			p.skipLine()
			return string(value), nil
		case endsLine(c):
			return string(value), nil
		case isBlank(c):
			blanks++
			continue
		}
		if len(value) > 0 {
			value = append(value, strings.Repeat(" ", blanks)...)
		}
		blanks = 0
		switch c {
		case '"':
			quoted = !quoted
		case '\\':
			var err error
			if value, err = p.escape(value); err != nil {
				return "", err
			}
		default:
			value = append(value, c)
		}
	}
}

// escapes are the characters that may follow a backslash in a value. At the end of a line
// or of the file the backslash is dropped.
var escapes = map[byte]string{0: "", '\n': "", 't': "\t", 'b': "\b", 'n': "\n", '\\': "\\", '"': "\""}

func (p *configParser) escape(value []byte) ([]byte, error) {
	text, known := escapes[p.next()]
	if !known {
		return nil, p.fail("unknown escape")
	}
	return append(value, text...), nil
}

func endsLine(c byte) bool { return c == 0 || c == '\n' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' || c == '\r' }
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
