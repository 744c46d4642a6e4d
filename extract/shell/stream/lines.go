package stream

import (
	"slices"
	"strings"

	"policyd/extract/argv/filter"
)

// Lines is what a command prints, if every line has one form that is known.
type Lines struct {
	form form
	// names are those in the lines, if there are any.
	names *NameStream
	// behind is what follows the hash of a commit: nothing, or a separator and more text.
	behind  string
	numbers Numbers
}

type form uint8

const (
	unknown form = iota
	// onePerLine is a name on each line.
	onePerLine
	// nulTerminated is a NUL behind each name instead of a newline.
	nulTerminated
	// severalPerLine can be several names on a line.
	severalPerLine
	// hashed begins with the hash of a commit.
	hashed
	// numbered begins with a number.
	numbered
)

// NameLines are lines of one name each.
func NameLines(names *NameStream) Lines { return Lines{form: onePerLine, names: names} }

// NameRecords are names that end by NUL.
func NameRecords(names *NameStream) Lines { return Lines{form: nulTerminated, names: names} }

// WordLines are lines that can hold several names each.
func WordLines(names *NameStream) Lines { return Lines{form: severalPerLine, names: names} }

// HashLines are lines that begin with the hash of a commit, and go on as behind says.
func HashLines(dir, behind string) Lines {
	return Lines{form: hashed, names: &NameStream{Kind: Hashes, Dir: dir, Roots: []string{HashText}}, behind: behind}
}

// NumberLines are lines that begin with a number.
func NumberLines(numbers Numbers) Lines { return Lines{form: numbered, numbers: numbers} }

// Known reports whether anything is known of the lines.
func (l Lines) Known() bool { return l.form != unknown }

// EndByNUL reports whether the names end by NUL.
func (l Lines) EndByNUL() bool { return l.form == nulTerminated }

// SeveralPerLine reports whether a line can hold several names.
func (l Lines) SeveralPerLine() bool { return l.form == severalPerLine }

// Numbers returns how the lines begin, if they begin with numbers.
func (l Lines) Numbers() (Numbers, bool) { return l.numbers, l.form == numbered }

// Names returns the names that the lines consist of, nil if they hold anything else, or nothing.
func (l Lines) Names() *NameStream {
	if l.behind != "" || l.names == nil || len(l.names.Roots) == 0 {
		return nil
	}
	return l.names
}

// Files returns the names that the lines consist of, nil if they hold anything else than names of files or of refs.
func (l Lines) Files() *NameStream {
	if l.form == hashed {
		return nil
	}
	return l.Names()
}

// FilesBy returns the names, one on each line, or each of them ended by NUL if nul is true. It is nil for
// other lines.
func (l Lines) FilesBy(nul bool) *NameStream {
	if l.form == severalPerLine || l.EndByNUL() != nul {
		return nil
	}
	return l.Files()
}

// Dir is the directory that names in the lines count from.
func (l Lines) Dir() string {
	if l.names == nil {
		return ""
	}
	return l.names.Dir
}

// BeginWithHash reports whether the first of some variables that read assigns gets the hash of a
// commit that a line begins with, and nothing else. separators are those that the line is cut at.
func (l Lines) BeginWithHash(variables int, separators string) bool {
	if l.form != hashed {
		return false
	}
	if variables == 1 {
		return l.behind == ""
	}
	return separators != "" && strings.HasPrefix(l.behind, separators)
}

// FirstFields returns what is left of the lines before the first blank: hashes.
func (l Lines) FirstFields() (Lines, bool) {
	if l.form != hashed || l.behind != "" && l.behind[0] != ' ' {
		return Lines{}, false
	}
	l.behind = ""
	return l, true
}

// With returns the lines with texts that can be among the names.
func (l Lines) With(extra ...string) Lines {
	if l.names != nil {
		names := *l.names
		names.Extra = slices.Concat(names.Extra, extra)
		l.names = &names
	}
	return l
}

// Numbers is how lines begin: with the digits of a number. Shells evaluate what they take for a number,
// so that it matters whether the rest of a line can be anything else.
type Numbers struct {
	filter.Line
	// Signed is true if a number can be below zero: a time before 1970.
	Signed bool
}

// AloneIn reports whether the first of some variables that read assigns gets the number, and nothing
// else. separators are those that a line is cut at, isDefault is true if IFS isn't set.
func (n Numbers) AloneIn(variables int, separators string, isDefault bool) bool {
	blank := isDefault || separators == " "
	switch {
	case n.Behind == 0:
		return variables == 1 && (blank || separators == "" && !n.Padded)
	case variables == 1:
		return false
	case n.Behind == ' ' || n.Behind == '\t':
		return isDefault
	default:
		return !isDefault && !n.Padded && separators == string(n.Behind)
	}
}
