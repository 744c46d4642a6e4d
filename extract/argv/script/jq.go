package script

import (
	"slices"
	"strings"

	"policyd/extract/value"
)

// jqOutside are builtins of jq that reach beyond the program's input.
var jqOutside = []string{"import", "include", "modulemeta", "get_search_list", "input_filename"}

// jqReader looks at every name of a filter that is not a field, those that
// strings interpolate among them.
type jqReader struct {
	text    string
	pos     int
	verdict Verdict
}

// jqVerdict reads a filter.
func jqVerdict(text string) Verdict {
	r := jqReader{text: text, verdict: Verdict{OnlyPrints: true}}
	if !r.filter(false) {
		r.verdict.OnlyPrints = false
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
		case value.IsNameByte(c) && (c < '0' || c > '9'):
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
	for r.pos < len(r.text) && value.IsNameByte(r.text[r.pos]) {
		r.pos++
	}
	name, field := r.text[start:r.pos], start > 0 && r.text[start-1] == '.'
	switch {
	case field:
	case name == "ENV" || name == "env":
		r.verdict.Environment = true
	case slices.Contains(jqOutside, name):
		r.verdict.OnlyPrints = false
	}
}
