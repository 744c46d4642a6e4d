package tree

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
)

// maxBraces limits the braces of a word: each costs before the first alternative is there.
const maxBraces = 12

// AgreeOnBraces reports whether every shell of a dialect that knows braces expands those of a word
// as the parser does. They have to be balanced, none behind a backslash, and two dots have to stand
// in a list or in a sequence that all read alike. Of others bash drops the braces ({..{a,b}}), and
// zsh takes any two characters for the ends of a sequence, quoted and expanded ones too.
//
// bash expands braces before anything else, so no parameter may get a longer name ($x{a,b} is $xa
// and $xb), and no dollar sign something to expand.
func AgreeOnBraces(word *syntax.Word, dialect lexical.Dialect) bool {
	r := braceReader{dialect: dialect}
	for at, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		switch {
		case ok && !r.text(at, lit.Value), !ok && takesBrace(part, word.Parts[at+1:]):
			return false
		case !ok:
			r.mix()
		}
	}
	return len(r.open) == 0
}

type braceReader struct {
	dialect lexical.Dialect
	// open are the pairs that haven't ended, the innermost one last; pairs is how many began.
	open  []bracePair
	pairs int
}

// bracePair is a pair of braces while what stands in it is read.
type bracePair struct {
	// part is the index of the part that it begins in, start where its text begins there.
	part, start int
	// lists is true for a pair with a comma, dots for one with two dots, and in no pair within.
	lists, dots bool
	// mixed is true for a pair with something quoted or expanded, or another pair in it.
	mixed bool
}

// text reads the literal text of a part. It reports false if shells disagree.
func (r *braceReader) text(at int, text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			if i++; i < len(text) && (text[i] == '{' || text[i] == '}') {
				return false
			}
			if i < len(text) {
				r.mix()
			}
		case '$':
			return false
		case '{':
			if r.pairs++; r.pairs > maxBraces {
				return false
			}
			r.mix()
			r.open = append(r.open, bracePair{part: at, start: i + 1})
		case '}':
			if !r.closes(at, text[:i]) {
				return false
			}
		default:
			r.separator(text[i:])
		}
	}
	return true
}

// separator reads what separates the alternatives of the innermost pair.
func (r *braceReader) separator(rest string) {
	if len(r.open) == 0 {
		return
	}
	innermost := &r.open[len(r.open)-1]
	innermost.lists = innermost.lists || rest[0] == ','
	innermost.dots = innermost.dots || strings.HasPrefix(rest, "..")
}

// closes ends the innermost pair behind text. It reports false if shells disagree about it.
func (r *braceReader) closes(at int, text string) bool {
	if len(r.open) == 0 {
		return false
	}
	pair := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	zsh, inside := r.dialect.Zsh, ""
	if pair.part == at {
		inside = text[pair.start:]
	}
	switch {
	case pair.lists:
		return true
	case pair.dots:
		return !pair.mixed && pair.part == at && isSequence(inside, zsh) && (!r.dialect.OldBash || !guard.NewSequence(inside))
	}
	return !zsh || !pair.mixed || pair.part == at && !strings.ContainsAny(inside, ".\\")
}

// mix notes that something but text stands in the innermost pair, and so in all around it.
func (r *braceReader) mix() {
	for i := range r.open {
		r.open[i].mixed = true
	}
}

// takesBrace reports whether a part is a parameter whose name can go on with what braces put
// behind it.
func takesBrace(part syntax.WordPart, behind []syntax.WordPart) bool {
	parameter, ok := part.(*syntax.ParamExp)
	if !ok || !parameter.Short || len(behind) == 0 {
		return false
	}
	lit, ok := behind[0].(*syntax.Lit)
	return ok && lit.Value != "" && strings.IndexByte("{,}", lit.Value[0]) >= 0
}

// maxSequence is how many digits the ends of a sequence have at most.
const maxSequence = 6

// isSequence reports whether text is a sequence of numbers, or of letters of one case. zsh counts
// differently with a step, and knows none between letters.
func isSequence(text string, zsh bool) bool {
	ends := strings.Split(text, "..")
	if len(ends) != 2 && len(ends) != 3 {
		return false
	}
	if len(ends) == 3 && (zsh || !isEnd(ends[2])) {
		return false
	}
	return isEnd(ends[0]) && isEnd(ends[1]) || len(ends[0]) == 1 && len(ends[1]) == 1 && sameCase(ends[0][0], ends[1][0])
}

// isEnd reports whether text is a number that all shells count to.
func isEnd(text string) bool {
	text = strings.TrimPrefix(text, "-")
	return len(text) <= maxSequence && lexical.IsDigits(text)
}

func sameCase(a, b byte) bool {
	return 'a' <= a && a <= 'z' && 'a' <= b && b <= 'z' || 'A' <= a && a <= 'Z' && 'A' <= b && b <= 'Z'
}
