package shell

import (
	"slices"

	"policyd/extract/argv/script"
	"policyd/extract/shell/lexical"
)

// textBetween returns the text between the numbers that stand in a word, each by its start and its end.
func textBetween(text string, numbers []int) []string {
	out, end := make([]string, 0, len(numbers)/2+1), 0
	for i := 0; i+1 < len(numbers); i += 2 {
		out = append(out, lexical.Unescape(text[end:numbers[i]]))
		end = numbers[i+1]
	}
	return append(out, lexical.Unescape(text[end:]))
}

// numbered returns the program texts that a word with numbers can be.
func (w *Word) numbered(language string) []string {
	empty := make([]int, 0, len(w.hollow))
	for _, start := range w.hollow {
		empty = append(empty, slices.Index(w.holes, start)/2)
	}
	return script.Numbered(language, textBetween(w.Text, w.holes), empty)
}

// onlySelects reports whether the word is a script of sed that only selects lines, whatever its numbers are.
func (b *wordBuilder) onlySelects() bool {
	return !slices.ContainsFunc(textBetween(b.text.String(), b.holes), func(piece string) bool { return !script.OnlySelects(piece) })
}
