package shell

import (
	"strings"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
)

// sedReader follows a sed script command by command (sed(1), GNU and POSIX).
type sedReader struct {
	text string
	pos  int
}

// plainSed reports whether a script only edits what it prints: no e, w, W, r,
// R command, no e or w flag, nothing that this reader can't follow.
func plainSed(text string) bool {
	r := sedReader{text: text}
	depth, labelled := 0, 0
	for {
		r.skip(" \t\n;")
		if r.pos == len(r.text) {
			return depth == 0
		}
		begun := r.pos
		if !r.addresses() {
			return false
		}
		r.skip(" \t!")
		switch c := r.next(); c {
		case 'p', 'P', 'd', 'D', '=', 'n', 'N', 'h', 'H', 'g', 'G', 'x', 'z', 'F':
		case 'q', 'Q', 'l':
			r.skip(" \t")
			r.skip("0123456789")
		case '{':
			depth++
			continue
		case '}':
			depth--
		case 's':
			if !r.substitute() {
				return false
			}
		case 'y':
			if !r.transliterate() {
				return false
			}
		case 'b', 't', 'T', ':':
			end, ok := r.label(c)
			if !ok {
				return false
			}
			labelled = end
		case 'a', 'i', 'c':
			if !r.added() {
				return false
			}
		case '#':
			r.line()
		default:
			return false
		}
		if depth < 0 || r.pos > labelled && begun < labelled || !r.end() {
			return false
		}
	}
}

// selecting are the characters of addresses, and of commands that choose lines: no script
// that holds no other does more, wherever digits and newlines stand in it.
const selecting = "0123456789,+~$;{}!=pdqnN \t\n"

// onlySelects reports whether the text about the holes of a word is made of these.
func (b *wordBuilder) onlySelects() bool {
	text := b.text.String()
	end := 0
	for i := 0; i < len(b.holes); i += 2 {
		if strings.Trim(lexical.Unescape(text[end:b.holes[i]]), selecting) != "" {
			return false
		}
		end = b.holes[i+1]
	}
	return strings.Trim(lexical.Unescape(text[end:]), selecting) == ""
}

// added reads the text behind a, i and c, up to the end of its line. A
// backslash is followed where it stands right behind the command, before a
// newline: elsewhere implementations differ, and one at the end of the script
// would take in the script of the next -e.
func (r *sedReader) added() bool {
	r.skip(" \t")
	if strings.HasPrefix(r.text[r.pos:], "\\\n") {
		r.pos += 2
	}
	start := r.pos
	r.line()
	text := r.text[start:r.pos]
	return strings.TrimSpace(text) != "" && !strings.Contains(text, "\\")
}

// transliterate reads what follows y: two sections.
func (r *sedReader) transliterate() bool {
	delimiter := r.next()
	from := r.section(delimiter)
	return from && r.section(delimiter)
}

func (r *sedReader) next() byte {
	if r.pos == len(r.text) {
		return 0
	}
	r.pos++
	return r.text[r.pos-1]
}

func (r *sedReader) peek() byte {
	if r.pos == len(r.text) {
		return 0
	}
	return r.text[r.pos]
}

func (r *sedReader) skip(set string) {
	for r.pos < len(r.text) && strings.IndexByte(set, r.text[r.pos]) >= 0 {
		r.pos++
	}
}

func (r *sedReader) line() {
	for r.pos < len(r.text) && r.text[r.pos] != '\n' {
		r.pos++
	}
}

// label reads a label and returns where its line ends. It refuses what seds take
// for a part of the label or not. To some the whole line is the label: what stands in it must
// then not go on in the next line, which they read as commands.
func (r *sedReader) label(command byte) (end int, ok bool) {
	r.skip(" \t")
	for r.pos < len(r.text) && guard.IsNameByte(r.text[r.pos]) {
		r.pos++
	}
	r.skip(" \t")
	if c := r.peek(); c == '#' || c == '}' && command == ':' {
		return 0, false
	}
	if end := strings.IndexByte(r.text[r.pos:], '\n'); end >= 0 {
		return r.pos + end, true
	}
	return len(r.text), true
}

// end reports whether a command ends here.
func (r *sedReader) end() bool {
	r.skip(" \t")
	switch r.peek() {
	case 0, '\n', ';', '}', '#':
		return true
	}
	return false
}

// addresses reads up to two addresses.
func (r *sedReader) addresses() bool {
	if !r.address() {
		return false
	}
	r.skip(" \t")
	if r.peek() != ',' {
		return true
	}
	r.pos++
	r.skip(" \t+~")
	return r.address()
}

func (r *sedReader) address() bool {
	switch c := r.peek(); {
	case c == '$':
		r.pos++
	case c >= '0' && c <= '9':
		r.skip("0123456789")
		if r.peek() == '~' {
			r.pos++
			r.skip("0123456789")
		}
	case c == '/':
		r.pos++
		if !r.section('/') {
			return false
		}
		r.skip("IM")
	case c == '\\':
		r.pos++
		if delimiter := r.next(); !r.section(delimiter) {
			return false
		}
		r.skip("IM")
	}
	return true
}

// section reads up to the next delimiter that is not escaped. A bare delimiter
// in brackets is refused, since implementations differ about it.
func (r *sedReader) section(delimiter byte) bool {
	if delimiter == 0 || delimiter == '\n' || delimiter == '\\' || delimiter >= 0x80 || guard.IsNameByte(delimiter) {
		return false
	}
	for r.pos < len(r.text) {
		switch c := r.next(); c {
		case '\\':
			if r.next() == 0 {
				return false
			}
		case delimiter:
			return true
		case '[':
			end := r.bracket(delimiter)
			if end < 0 {
				return false
			}
			r.pos = end
		}
	}
	return false
}

// bracket returns the index behind the bracket expression that was opened, or
// -1. A delimiter behind one backslash is a member of it for everyone.
func (r *sedReader) bracket(delimiter byte) int {
	end := plainBracket(r.text, r.pos-1, "\n")
	if end < 0 {
		return -1
	}
	inside := r.text[r.pos:end]
	if strings.Contains(inside, `\\`) || strings.ContainsRune(strings.ReplaceAll(inside, `\`+string(delimiter), ""), rune(delimiter)) {
		return -1
	}
	return end
}

// substitute reads s/regex/replacement/flags.
func (r *sedReader) substitute() bool {
	delimiter := r.next()
	if !r.section(delimiter) {
		return false
	}
	// In the replacement brackets have no meaning.
	for {
		c := r.next()
		if c == 0 {
			return false
		}
		if c == '\\' {
			if r.next() == 0 {
				return false
			}
			continue
		}
		if c == delimiter {
			break
		}
	}
	r.skip("gpIiMm0123456789")
	return true
}
