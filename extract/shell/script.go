package shell

import (
	"slices"
	"strings"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/sql"
)

// scriptVerdict says what a program text in a small language can do.
type scriptVerdict struct {
	// plain is true when the text only reads its input and prints.
	plain bool
	// environment is true when it reads the environment.
	environment bool
	variables   []string
	// streams are the standard streams that it prints to by their names, which some
	// programs open as any other file.
	streams []string
}

// scriptKind reads a program text of sed, awk, jq, yq, or SQL. A text that it can't
// follow to the end is not plain.
func scriptKind(language, text string) scriptVerdict {
	switch language {
	case "sed":
		return scriptVerdict{plain: plainSed(text)}
	case "awk":
		return awkVerdict(text)
	case "jq":
		return jqVerdict(text)
	case "yq":
		return scriptVerdict{plain: plainYq(text)}
	case sql.SQLite, sql.Postgres:
		return scriptVerdict{plain: sql.Reads(language, text)}
	}
	return scriptVerdict{}
}

// samples are what a program text may be in which numbers stand that only the run
// can tell: with a digit for each, and without those that may be empty. None are
// returned where more than a number of the language could come of the digits: they
// stand alone between marks that no name and no command has.
func samples(language string, word Word) []string {
	if len(word.hollow) > maxHollow {
		return nil
	}
	pieces := make([]string, 0, len(word.holes)/2+1)
	end := 0
	for i := 0; i+1 < len(word.holes); i += 2 {
		before := lexical.Unescape(word.Text[end:word.holes[i]])
		end = word.holes[i+1]
		behind := lexical.Unescape(word.Text[end:])
		if before != "" && strings.IndexByte(" ,;{(=<>!&|+*$\n-", before[len(before)-1]) < 0 ||
			behind != "" && strings.IndexByte(" ,;})=<>!&|+*\n-pdq", behind[0]) < 0 {
			return nil
		}
		pieces = append(pieces, before)
	}
	pieces = append(pieces, lexical.Unescape(word.Text[end:]))
	var texts []string
	for choice := range 1 << len(word.hollow) {
		if text, read := filled(word, pieces, choice); language != "sed" || read {
			texts = append(texts, text)
		}
	}
	return texts
}

// maxHollow bounds the numbers in a program text that may be empty: each doubles what
// the text may be.
const maxHollow = 4

// filled puts digits between the pieces of a text, but for the empty ones that a
// choice names by its bits. It reports false where sed refuses to read such a text to
// its end: a comma stands there without an address before it, or behind it. Up to
// there the text is that of the choice with digits everywhere.
func filled(word Word, pieces []string, choice int) (text string, read bool) {
	var out strings.Builder
	read = true
	for i, piece := range pieces {
		out.WriteString(piece)
		if i == len(pieces)-1 {
			break
		}
		at := slices.Index(word.hollow, word.holes[2*i])
		if at < 0 || choice&(1<<at) == 0 {
			out.WriteByte('7')
			continue
		}
		next := pieces[i+1]
		if i == 0 && piece == "" && strings.HasPrefix(next, ",") ||
			strings.HasSuffix(piece, ",") && next != "" && strings.IndexByte("pdq=", next[0]) >= 0 {
			read = false
		}
	}
	return out.String(), read
}

// jqOutside are builtins of jq that reach beyond the program's input.
var jqOutside = []string{"import", "include", "modulemeta", "get_search_list", "input_filename"}

// jqReader looks at every name of a filter that is not a field, those that
// strings interpolate among them.
type jqReader struct {
	text    string
	pos     int
	verdict scriptVerdict
}

func jqVerdict(text string) scriptVerdict {
	r := jqReader{text: text, verdict: scriptVerdict{plain: true}}
	if !r.filter(false) {
		r.verdict.plain = false
	}
	return r.verdict
}

// filter reads up to the end of the text, or to the bracket that closes an
// interpolation. It reports false where the text ends too early.
func (r *jqReader) filter(inside bool) bool {
	depth := 0
	for r.pos < len(r.text) {
		switch c := r.text[r.pos]; {
		case c == '"':
			if !r.quoted() {
				return false
			}
		case c == '#':
			if !r.comment() {
				return false
			}
		case guard.IsNameByte(c) && (c < '0' || c > '9'):
			r.name()
		case c == ')' && inside && depth == 0:
			r.pos++
			return true
		default:
			depth += nesting(c)
			r.pos++
		}
	}
	return !inside
}

func nesting(c byte) int {
	switch c {
	case '(':
		return 1
	case ')':
		return -1
	}
	return 0
}

// quoted reads a string, and the filters that stand in it behind a backslash and
// a bracket, whose strings may do so again.
func (r *jqReader) quoted() bool {
	for r.pos++; r.pos < len(r.text); {
		switch {
		case strings.HasPrefix(r.text[r.pos:], `\(`):
			r.pos += 2
			if !r.filter(true) {
				return false
			}
		case r.text[r.pos] == '\\':
			r.pos += 2
		case r.text[r.pos] == '"':
			r.pos++
			return true
		default:
			r.pos++
		}
	}
	return false
}

// comment reads to the end of the line. Only some versions let a backslash go on
// in the next.
func (r *jqReader) comment() bool {
	start := r.pos
	for r.pos < len(r.text) && r.text[r.pos] != '\n' {
		r.pos++
	}
	return !strings.Contains(r.text[start:r.pos], "\\")
}

func (r *jqReader) name() {
	start := r.pos
	for r.pos < len(r.text) && guard.IsNameByte(r.text[r.pos]) {
		r.pos++
	}
	name, field := r.text[start:r.pos], start > 0 && r.text[start-1] == '.'
	switch {
	case field:
	case name == "ENV" || name == "env":
		r.verdict.environment = true
	case slices.Contains(jqOutside, name):
		r.verdict.plain = false
	}
}

// stringEnd returns the index behind the string that begins at text[start], or -1.
func stringEnd(text string, start int) int {
	for i := start + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[start]:
			return i + 1
		case '\n':
			if text[start] == '/' {
				return -1
			}
		}
	}
	return -1
}
