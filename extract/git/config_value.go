package git

// assignment reads "key", "key = value" after the first letter of the key.
func (p *configParser) assignment(first byte) error {
	if !p.opened {
		return p.fail("key outside a section")
	}
	key := []byte{lower(first)}
	c, ok := p.next()
	for ok && isKeyByte(c) {
		key = append(key, lower(c))
		c, ok = p.next()
	}
	for ok && (c == ' ' || c == '\t') {
		c, ok = p.next()
	}
	found := p.current
	found.key = string(key)
	if ok && c != '\n' {
		if c != '=' {
			return p.fail("bad key")
		}
		value, err := p.value()
		if err != nil {
			return err
		}
		found.value, found.hasValue = value, true
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
		c, ok := p.next()
		if !ok || c == '\n' {
			if quoted {
				return "", p.fail("unfinished quote")
			}
			return string(value), nil
		}
		if !quoted && isSpace(c) {
			if len(value) > 0 {
				blanks++
			}
			continue
		}
		if !quoted && (c == '#' || c == ';') {
			p.skipLine()
			return string(value), nil
		}
		for ; blanks > 0; blanks-- {
			value = append(value, ' ')
		}
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

func (p *configParser) escape(value []byte) ([]byte, error) {
	// The end of the file counts as the end of a line.
	c, ok := p.next()
	switch {
	case !ok, c == '\n':
		return value, nil
	case c == 't':
		return append(value, '\t'), nil
	case c == 'b':
		return append(value, '\b'), nil
	case c == 'n':
		return append(value, '\n'), nil
	case c == '\\', c == '"':
		return append(value, c), nil
	default:
		return nil, p.fail("unknown escape")
	}
}
