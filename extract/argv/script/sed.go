package script

import (
	"strings"

	"policyd/extract/value"
)

// sedReader follows a sed script command by command (sed(1), GNU and POSIX).
type sedReader struct {
	text string
	pos  int
	// depth counts the blocks that are open.
	depth int
	// labelEnd is the index at which the line of the last label ends.
	labelEnd int
}

// sedCommands are the commands that only print, with the readers of what follows their letters. There is no e, w,
// W, r or R.
var sedCommands = []struct {
	letters string
	read    func(*sedReader) bool
}{
	{"pPdD=nNhHgGxzF", func(*sedReader) bool { return true }},
	{"qQl", (*sedReader).number},
	{"{", func(r *sedReader) bool { r.depth++; return true }},
	{"}", func(r *sedReader) bool { r.depth--; return r.depth >= 0 }},
	{"s", (*sedReader).substitute},
	{"y", (*sedReader).transliterate},
	{"btT", (*sedReader).branch},
	{":", (*sedReader).label},
	{"aic", (*sedReader).added},
	{"#", func(r *sedReader) bool { r.line(); return true }},
}

// sedOnlyPrints reports whether a script only edits what it prints: its commands are listed, no flag of s is e or w,
// and there is nothing that this reader can't follow.
func sedOnlyPrints(text string) bool {
	r := sedReader{text: text}
	for r.skip(" \t\n;"); r.pos < len(r.text); r.skip(" \t\n;") {
		if !r.command() {
			return false
		}
	}
	return r.depth == 0
}

func (r *sedReader) command() bool {
	start := r.pos
	if !r.addresses() {
		return false
	}
	r.skip(" \t!")
	letter := r.next()
	for _, command := range sedCommands {
		if strings.IndexByte(command.letters, letter) < 0 {
			continue
		}
		if !command.read(r) {
			return false
		}
		leavesLabel := r.pos > r.labelEnd && start < r.labelEnd
		return letter == '{' || !leavesLabel && r.end()
	}
	return false
}

// selecting are the bytes of addresses, and of commands that select lines: a script without any other byte
// does no more, wherever digits and newlines are added.
const selecting = "0123456789,+~$;{}!=pdqnN \t\n"

// OnlySelects reports whether a part of a sed script can do no more than select lines.
func OnlySelects(part string) bool { return strings.Trim(part, selecting) == "" }

// SelectsLine reports whether a script prints one line by its number.
func SelectsLine(script string) bool {
	number, ok := strings.CutSuffix(script, "p")
	return ok && isLineNumber(number)
}

// SelectsLines reports whether a script prints lines by their numbers: one, or a range.
func SelectsLines(script string) bool {
	lines, ok := strings.CutSuffix(script, "p")
	from, to, isRange := strings.Cut(lines, ",")
	return ok && isLineNumber(from) && (!isRange || isLineNumber(to))
}

func isLineNumber(text string) bool {
	return text == "$" || text == "0" || text != "" && text[0] != '0' && strings.Trim(text, "0123456789") == ""
}

// number reads the number that can follow q, Q and l.
func (r *sedReader) number() bool {
	r.skip(" \t")
	r.skip("0123456789")
	return true
}

// added reads the text behind a, i and c, up to the end of its line. A
// backslash is followed where it stands right behind the command, before a
// newline or, as GNU's sed takes it, before the text: elsewhere
// implementations differ, and one at the end of the script would take in the
// script of the next -e.
func (r *sedReader) added() bool {
	r.skip(" \t")
	if r.peek() == '\\' {
		r.pos++
		r.pos += len(r.text[r.pos:]) - len(strings.TrimPrefix(r.text[r.pos:], "\n"))
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

// label reads the label that a colon defines. No brace may follow, which is part of the label for some seds.
func (r *sedReader) label() bool { return r.branch() && r.peek() != '}' }

// branch reads a label. No comment may follow, which is part of the label for some seds. For others the whole line
// is the label: the commands on it must then not continue on the next line, which they read as commands.
func (r *sedReader) branch() bool {
	r.skip(" \t")
	r.skip(value.NameBytes)
	r.skip(" \t")
	r.labelEnd = len(r.text)
	if end := strings.IndexByte(r.text[r.pos:], '\n'); end >= 0 {
		r.labelEnd = r.pos + end
	}
	return r.peek() != '#'
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
	if delimiter == 0 || delimiter == '\n' || delimiter == '\\' || delimiter >= 0x80 || value.IsNameByte(delimiter) {
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
	end := bracketEnd(r.text, r.pos-1)
	if end < 0 || r.text[end-2] == '\\' {
		return -1
	}
	inside := r.text[r.pos:end]
	if strings.ContainsRune(inside, '\n') || strings.Contains(inside, `\\`) || strings.ContainsRune(strings.ReplaceAll(inside, `\`+string(delimiter), ""), rune(delimiter)) {
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
	for c := r.next(); c != delimiter; c = r.next() {
		if c == 0 || c == '\\' && r.next() == 0 {
			return false
		}
	}
	r.skip("gpIiMm0123456789")
	return true
}
