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
func (w *walker) appendAlternatives(out []Word, st *state, word *syntax.Word) []Word {
	plain := tree.AgreeOnBraces(word, w.Dialect)
	if w.Posix || !plain {
		w.messy(guard.MessyBraces)
	}
	if plain {
		out = w.appendExpanded(out, st, word)
	}
	if w.Posix || !plain {
		out = append(out, w.word(st, word))
	}
	return out
}

func (w *walker) appendExpanded(out []Word, st *state, word *syntax.Word) []Word {
	split := *word
	split.Parts = append([]syntax.WordPart(nil), word.Parts...)
	if !syntax.SplitBraces(&split) {
		if w.Posix {
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
		if len(alternative.Parts) == 0 || len(alternative.Parts) == 1 && alternative.Lit() == "" && tree.IsLiteral(alternative.Parts[0]) {
			continue // an empty alternative without quotes is no word
		}
		out = append(out, w.word(st, alternative))
	}
	return out
}
