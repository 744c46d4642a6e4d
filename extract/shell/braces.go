package shell

import (
	"strings"

	"policyd/extract/shell/guard"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Bounds of brace expansion: what a word may expand to, and the braces it may
// hold, since each costs before the first alternative is there.
const (
	maxAlternatives = 64
	maxBraces       = 12
)

// appendAlternatives expands a word with braces. Some of the shells called sh know none: there
// the word as it is written stands behind what the others make of it.
func (w *walker) appendAlternatives(out []Word, st *state, word *syntax.Word) []Word {
	plain := w.plainBraces(word)
	if w.posix || !plain {
		w.messy(guard.MessyBraces)
	}
	if plain {
		out = w.appendExpanded(out, st, word)
	}
	if w.posix || !plain {
		out = append(out, w.word(st, word))
	}
	return out
}

func (w *walker) appendExpanded(out []Word, st *state, word *syntax.Word) []Word {
	split := *word
	split.Parts = append([]syntax.WordPart(nil), word.Parts...)
	if !syntax.SplitBraces(&split) {
		if w.posix {
			return out
		}
		return append(out, w.word(st, word))
	}
	before := len(out)
	for alternative, err := range expand.BracesSeq(&expand.Config{}, &split) {
		if err != nil || len(out)-before >= maxAlternatives {
			w.messy(guard.MessyBraces)
			break
		}
		if len(alternative.Parts) == 0 || len(alternative.Parts) == 1 && alternative.Lit() == "" && isLit(alternative.Parts[0]) {
			continue // an empty alternative without quotes is no word
		}
		out = append(out, w.word(st, alternative))
	}
	return out
}

func hasBrace(word *syntax.Word) bool {
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.Contains(lit.Value, "{") {
			return true
		}
	}
	return false
}

// bracePair is a pair of braces while what stands in it is read.
type bracePair struct {
	part, start int
	// lists is true when a comma stands in it, dots when two dots do, and in no
	// pair within.
	lists, dots bool
	// mixed is true when something in it is quoted, expanded, or a pair of its own.
	mixed bool
}

// plainBraces reports whether every shell that knows braces makes of them the
// words that the parser does. They have to be balanced, none behind a backslash,
// and two dots to stand in a list, or in a sequence that all read alike: of others
// bash drops the braces ({..{a,b}}), and zsh takes any two characters for the ends
// of a sequence, be they quoted or what an expansion gives.
//
// bash splits the text before it expands anything in it, so that no parameter may
// get a longer name ($x{a,b} is $xa and $xb), and no dollar sign something to expand.
func (w *walker) plainBraces(word *syntax.Word) bool {
	var open []bracePair
	pairs := 0
	for at, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			if grows(part, word.Parts[at+1:]) {
				return false
			}
			mix(open)
			continue
		}
		text := lit.Value
		for i := 0; i < len(text); i++ {
			last := len(open) - 1
			switch c := text[i]; {
			case c == '\\' && i+1 < len(text):
				if i++; text[i] == '{' || text[i] == '}' {
					return false
				}
				mix(open)
			case c == '$':
				return false
			case c == '{':
				if pairs++; pairs > maxBraces {
					return false
				}
				mix(open)
				open = append(open, bracePair{part: at, start: i + 1})
			case c == '}' && (last < 0 || !open[last].plain(at, text[:i], w.zsh, w.oldBash)):
				return false
			case c == '}':
				open = open[:last]
			case c == ',' && last >= 0:
				open[last].lists = true
			case c == '.' && last >= 0 && i+1 < len(text) && text[i+1] == '.':
				open[last].dots = true
			}
		}
	}
	return len(open) == 0
}

// grows reports whether a part is a parameter whose name may go on with what
// braces put behind it.
func grows(part syntax.WordPart, behind []syntax.WordPart) bool {
	parameter, ok := part.(*syntax.ParamExp)
	if !ok || !parameter.Short || len(behind) == 0 {
		return false
	}
	lit, ok := behind[0].(*syntax.Lit)
	return ok && lit.Value != "" && strings.IndexByte("{,}", lit.Value[0]) >= 0
}

// mix notes that something but plain text stands in the innermost pair, and so in
// all around it.
func mix(open []bracePair) {
	for i := range open {
		open[i].mixed = true
	}
}

// plain reports whether all shells read a pair alike that ends behind text, in the
// part with the number at.
func (p *bracePair) plain(at int, text string, zsh, oldBash bool) bool {
	switch {
	case p.lists:
		return true
	case p.dots:
		return !p.mixed && p.part == at && sequence(text[p.start:], zsh) && (!oldBash || !guard.NewSequence(text[p.start:]))
	}
	return !zsh || !p.mixed || p.part == at && !strings.ContainsAny(text[p.start:], ".\\")
}

// maxSequence is how many digits the ends of a sequence may have.
const maxSequence = 6

// sequence reports whether text is a sequence of numbers, or of letters of one
// case. zsh counts otherwise with a step, and knows none between letters.
func sequence(text string, zsh bool) bool {
	ends := strings.Split(text, "..")
	if len(ends) != 2 && len(ends) != 3 {
		return false
	}
	if len(ends) == 3 && (zsh || !braceNumber(ends[2])) {
		return false
	}
	return braceNumber(ends[0]) && braceNumber(ends[1]) || sameCase(ends[0]+ends[1]) && len(ends[0]) == 1
}

func braceNumber(text string) bool {
	text = strings.TrimPrefix(text, "-")
	return text != "" && len(text) <= maxSequence && strings.Trim(text, "0123456789") == ""
}

// sameCase reports whether text is two letters of one case.
func sameCase(text string) bool {
	return len(text) == 2 && (strings.Trim(text, "abcdefghijklmnopqrstuvwxyz") == "" || strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "")
}
