package shell

import (
	"slices"

	v1 "policyd/api/v1"
	"policyd/extract/value"
)

// A variable that holds one match of a pattern is known by the pattern. With text about it,
// as in src/$f, the word is a pattern of its own, which matches what is there under such a
// name; but what the matches themselves are called matters as well: outside of quotes the
// shell cuts "a .env" into two words, and "--pre=." at the head of a word makes it an option.

// origin is a pattern of which a match stands in a word.
type origin struct {
	pattern string
	// cut is true where it stands outside of quotes, head where the word begins with it.
	cut, head bool
}

// origins are the patterns of a word that a variable holds.
func origins(value Word) []origin {
	if value.origins != nil {
		return value.origins
	}
	return []origin{{pattern: value.Text, head: true}}
}

// edited reports whether a word is more, or less, than one of the matches that stand in it.
func (w Word) edited() bool {
	return slices.ContainsFunc(w.origins, func(from origin) bool { return from.pattern != w.Text })
}

// behindText reports whether a match stands in a word behind other text.
func (w Word) behindText() bool {
	return slices.ContainsFunc(w.origins, func(from origin) bool { return !from.head })
}

// matched adds the patterns of a value that was matched to those of the word.
func (b *wordBuilder) matched(value Word, quoted bool) {
	for _, from := range origins(value) {
		from.cut, from.head = !quoted, from.head && b.text.Len() == 0
		if !slices.Contains(b.origins, from) {
			b.origins = append(b.origins, from)
		}
	}
}

// handsOn notes the patterns that the words of a command, a loop or an array hold matches
// of, where the words' own patterns don't say all of them.
func (r *report) handsOn(st *state, words []Word) {
	for i := range words {
		word := &words[i]
		from := word.origins
		if from == nil && word.Kind == Glob && word.Recut {
			from = []origin{{pattern: word.Text, cut: true, head: true}}
		}
		for _, held := range from {
			if held.cut || held.head && held.pattern != word.Text {
				r.standing = append(r.standing, Access{
					Text: held.pattern, Op: v1.OpList, Naming: ByGlob, Split: held.cut, Names: value.Names{Rooted: !held.head, Braces: r.Posix}, Dirs: st.cwd.Known,
				})
			}
		}
	}
}

// printsWords reports whether a command does nothing with its words but print them.
func (s *surroundings) printsWords(st *state, argv []Word) bool {
	if argv[0].Kind != Literal {
		return false
	}
	if _, known := st.functions.Get(argv[0].Text); known {
		return false
	}
	program := s.table.Program(argv[0].Text)
	return program != nil && program.Inert
}
