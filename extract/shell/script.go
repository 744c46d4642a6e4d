package shell

import (
	"policyd/extract/argv/script"
	"policyd/extract/shell/lexical"
)

// textBetween returns the text between the numbers that stand in the word.
func (w *Word) textBetween() []string {
	out, end := make([]string, 0, len(w.holes)+1), int32(0)
	for _, number := range w.holes {
		out = append(out, lexical.Unescape(w.Text[end:number.start]))
		end = number.end
	}
	return append(out, lexical.Unescape(w.Text[end:]))
}

// numbered returns the program texts that a word with numbers can be.
func (w *Word) numbered(language string) []string {
	empty := make([]int, 0, len(w.holes))
	for i := range w.holes {
		if w.holes[i].class.MayBeEmpty() {
			empty = append(empty, i)
		}
	}
	return script.Numbered(language, w.textBetween(), empty)
}

// onlySelects reports whether the word is a script of sed that only selects lines, whatever its numbers are.
func (w *Word) onlySelects() bool {
	if w.Kind != Output || w.Split || len(w.holes) == 0 {
		return false
	}
	for _, piece := range w.textBetween() {
		if !script.OnlySelects(piece) {
			return false
		}
	}
	return true
}
