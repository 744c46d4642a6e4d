package shell

import (
	"policyd/extract/shell/guard"
	"policyd/extract/shell/tree"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxAlternatives limits what the braces of a word expand to.
const maxAlternatives = 64

// appendAlternatives expands a word with braces. Some of the shells called sh know none: there
// the word as it is written stands behind what the others make of it.
func (s splitter) appendAlternatives(out []Word, word *syntax.Word) []Word {
	plain := tree.AgreeOnBraces(word, s.w.Dialect)
	if s.w.Posix || !plain {
		s.w.messy(guard.MessyBraces)
	}
	if plain {
		out = s.appendExpanded(out, word)
	}
	if s.w.Posix || !plain {
		out = append(out, s.w.word(s.st, word))
	}
	return out
}

func (s splitter) appendExpanded(out []Word, word *syntax.Word) []Word {
	split := *word
	split.Parts = append([]syntax.WordPart(nil), word.Parts...)
	if !syntax.SplitBraces(&split) {
		if s.w.Posix {
			return out
		}
		return append(out, s.w.word(s.st, word))
	}
	before := len(out)
	for alternative, err := range expand.BracesSeq(&expand.Config{}, &split) {
		if err != nil || len(out)-before >= maxAlternatives {
			s.w.messy(guard.MessyBraces)
			break
		}
		if len(alternative.Parts) == 0 || len(alternative.Parts) == 1 && alternative.Lit() == "" && tree.IsLiteral(alternative.Parts[0]) {
			continue // an empty alternative without quotes is no word
		}
		out = append(out, s.w.word(s.st, alternative))
	}
	return out
}
