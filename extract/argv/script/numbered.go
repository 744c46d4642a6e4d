package script

import (
	"slices"
	"strings"
)

// maxEmpty bounds the numbers in a program text that can be empty: each doubles the texts to read.
const maxEmpty = 4

// Numbered returns the texts that a program of sed or awk can be if numbers stand between its pieces that only
// the run knows: with a digit for each number, and also without those in empty, which are indexes of pieces in
// front of them. It returns nil if the digits could become more than a number of the language: a number stands
// between marks that no name and no command contains.
func Numbered(language string, pieces []string, empty []int) []string {
	if language != "sed" && language != "awk" || len(empty) > maxEmpty {
		return nil
	}
	for i, behind := range pieces[1:] {
		before := pieces[i]
		if behind == "" && i+2 < len(pieces) {
			return nil // two numbers that touch
		}
		if before != "" && strings.IndexByte(" ,;{(=<>!&|+*$\n-", before[len(before)-1]) < 0 ||
			behind != "" && strings.IndexByte(" ,;})=<>!&|+*\n-pdq", behind[0]) < 0 {
			return nil
		}
	}
	var texts []string
	for choice := range 1 << len(empty) {
		if text, read := fill(pieces, empty, choice); language != "sed" || read {
			texts = append(texts, text)
		}
	}
	return texts
}

// fill puts a digit between pieces, except at the empty numbers that the bits of choice select. read is false if
// sed refuses the text before its end: a comma lacks an address in front of it or behind it. Up to there the text
// equals that of choice 0.
func fill(pieces []string, empty []int, choice int) (text string, read bool) {
	var out strings.Builder
	read = true
	for i, piece := range pieces {
		out.WriteString(piece)
		if i == len(pieces)-1 {
			break
		}
		at := slices.Index(empty, i)
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
