package lexical

import (
	"iter"
	"strings"

	"policyd/extract/shell/guard"
)

// A Fragment is what stands between two separators of commands in a text that isn't parsed.
type Fragment struct {
	// Words are without quotes. ">" stands for any redirection.
	Words []string
	// Led is true if the first word may belong to a redirection, an assignment, an option or a quoted
	// text, so that any word may be the name of the program.
	Led bool
}

// redirections are the operators that hold separators of commands, among others.
var redirections = strings.NewReplacer("&>", " > ", ">&", " > ", "<&", " > ", ">|", " > ", ">", " > ", "<", " > ")

var quotes = strings.NewReplacer("'", "", `"`, "", `\`, "")

// Fragments returns the fragments of a text. Separators split it inside quotes as well.
func Fragments(text string) iter.Seq[Fragment] {
	return func(yield func(Fragment) bool) {
		single, double, escaped := 0, 0, false
		for part := range strings.FieldsFuncSeq(redirections.Replace(text), func(r rune) bool { return strings.ContainsRune("\n;|&(){}`", r) }) {
			f := Fragment{Words: strings.Fields(quotes.Replace(part)), Led: single%2+double%2 > 0 || escaped}
			single += strings.Count(part, "'")
			double += strings.Count(part, `"`)
			escaped = strings.HasSuffix(part, `\`)
			f.dropLeading()
			if len(f.Words) > 0 && !yield(f) {
				return
			}
		}
	}
}

// dropLeading drops the words that can't be the name of a program.
func (f *Fragment) dropLeading() {
	for len(f.Words) > 0 {
		first := f.Words[0]
		leads := first == ">" || first[0] == '-' || strings.Contains(first, "=") || IsDigits(first) && len(f.Words) > 1 && f.Words[1] == ">"
		if !leads && !guard.ReservedWord(first) {
			return
		}
		f.Words, f.Led = f.Words[1:], f.Led || leads
	}
}
