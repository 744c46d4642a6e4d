package git

import "bytes"

// header reads a section header after its opening bracket.
func (p *configParser) header() error {
	var name []byte
	for {
		c, ok := p.next()
		switch {
		case !ok:
			return p.fail("unfinished section")
		case c == ']':
			return p.open(name, "", false)
		case c == '\n':
			return p.fail("unfinished section")
		case isSpace(c):
			return p.quotedSubsection(name)
		case !isKeyByte(c) && c != '.':
			return p.fail("bad section name")
		}
		name = append(name, lower(c))
	}
}

func (p *configParser) quotedSubsection(name []byte) error {
	c, ok := p.next()
	for ok && isSpace(c) && c != '\n' {
		c, ok = p.next()
	}
	if !ok || c != '"' {
		return p.fail("bad subsection")
	}
	var subsection []byte
	for {
		c, ok = p.next()
		if ok && c == '\\' {
			if c, ok = p.next(); ok && c != '\n' {
				subsection = append(subsection, c)
				continue
			}
		}
		if !ok || c == '\n' {
			return p.fail("unfinished subsection")
		}
		if c == '"' {
			break
		}
		subsection = append(subsection, c)
	}
	if c, ok = p.next(); !ok || c != ']' {
		return p.fail("unfinished section")
	}
	return p.open(name, string(subsection), true)
}

// open starts a section. git knows a variable by one dotted name, so that
// [a.b "c"] is section a with subsection b.c.
func (p *configParser) open(name []byte, subsection string, quoted bool) error {
	section, rest, dotted := bytes.Cut(name, []byte("."))
	if len(section) == 0 {
		return p.fail("section without a name")
	}
	switch {
	case dotted && quoted:
		subsection = string(rest) + "." + subsection
	case dotted:
		subsection = string(rest)
	}
	p.current = setting{section: string(section), subsection: subsection, hasSubsection: dotted || quoted}
	p.opened = true
	return nil
}
