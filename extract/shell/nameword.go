package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/stream"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// A word can stand for names that another command prints: whole ones, parts of them, and names that
// are composed of them.

// wordOfNames is a word that stands for names, below root if they have one root. A hash is known to be
// one whatever it is the hash of.
func wordOfNames(names *stream.NameStream, root string) Word {
	if names.Kind == stream.Hashes {
		return Word{Kind: Hash, Text: stream.HashText, class: objectName}
	}
	return Word{Kind: Names, Text: root, wordStream: wordStream{stream: names}}
}

func wordOfName(name stream.Name) Word { return wordOfNames(name.Stream, name.Root) }

// name is what the word stands for.
func (w *Word) name() stream.Name {
	if w.Kind != Names {
		return stream.Name{Root: w.Text}
	}
	return stream.Name{Stream: w.stream, Root: w.Text}
}

// isWritten reports whether the word is one that another command prints as it stands.
func (w *Word) isWritten() bool {
	return w.Kind == Names && w.stream != nil && w.stream.AreWords() && !lexical.HasWildcard(w.Text)
}

// isPart reports whether the word is a part of a name.
func (w *Word) isPart() bool { return w.stream != nil && w.stream.Part != nil }

// cutAgain is a word of names as the items of a loop: if a variable holds them that nothing quotes,
// each piece of a name is one.
func (w Word) cutAgain(st *state) Word {
	switch {
	case !w.Recut || w.Kind != Names && w.Kind != Glob:
		return w
	case w.Kind == Names && w.stream.IsComposed(): // pieces of names that lie elsewhere
	case w.Kind == Names:
		again := *w.stream
		again.Handing = value.AsWords
		return wordOfNames(&again, w.Text)
	case st.cwd.Single() && lexical.IsOneWord(w.Text, "*?[]"):
		return wordOfNames(stream.NewWritten(st.cwd.Known[0], w.Text), w.Text)
	}
	return Word{}
}

// isHeldMatch reports whether a variable holds the word as one match of a pattern in the only working
// directory of a state.
func (w *Word) isHeldMatch(st *state) bool {
	return w.Kind == Glob && !w.Expands && st.cwd.Single() && (len(w.dirs) == 0 || slices.Equal(w.dirs, st.cwd.Known))
}

// patterns are the pattern of the word, and those of which matches stand in it.
func (w *Word) patterns() []string {
	patterns := []string{w.Text}
	for _, from := range w.origins {
		if !slices.Contains(patterns, from.pattern) {
			patterns = append(patterns, from.pattern)
		}
	}
	return patterns
}

// partOf is a part of the names that a word stands for: names that were found, and one match of a
// pattern. It reports false for any other word.
func partOf(st *state, word Word, part stream.Part) (Word, bool) {
	switch {
	case word.Kind == Names && word.stream != nil && word.stream.AreFiles() && (!word.stream.Several || !word.Split):
		return wordOfNames(word.stream.PartOf(part, word.Split), word.Text), true
	case word.isHeldMatch(st) && lexical.IsOneWord(word.Text, "*?[]") && !strings.Contains(word.Text, "/-"):
		matches := stream.NameStream{Kind: stream.Written, Dir: st.cwd.Known[0], Roots: word.patterns(), Names: value.Names{Handing: value.Whole}}
		return wordOfNames(matches.PartOf(part, word.Split), word.Text), true
	}
	return Word{}, false
}

// withText is a name that a command found with text around it: a name itself, if the text leads nowhere
// else, and text that only the run knows if not.
func withText(word *syntax.Word, name Word) Word {
	before, behind, direct := tree.AroundExpansion(word, func(text string) bool { return !lexical.HasWildcard(text) })
	led := tree.LedByText(word)
	if !direct || name.stream == nil {
		return name.asText(led)
	}
	if names := name.stream.Surrounded(before, behind); names != nil {
		name.stream, name.Text, name.Split = names, names.Roots[0], name.Split || names.Several
		return name
	}
	if behind == "" && name.stream.IsFile() && plainRevision(before) {
		name.blob = name.stream
	}
	// Of some names nothing is left: then what follows them begins the word.
	if before == "" && name.stream.AreFiles() && strings.TrimLeft(behind, `-\`) == behind {
		name.begins, led = name.stream, true
	}
	return name.asText(led)
}

// asText is a word with a name in it as text that only the run knows.
func (w Word) asText(led bool) Word {
	if w.Kind = Output; !led {
		w.Text = "…" + w.Text // if nothing is left, or a later part, no "./" stands in front
	}
	return w
}

// plainRevision reports whether a text names one revision and ends in a colon.
func plainRevision(text string) bool {
	rev, colon := strings.CutSuffix(text, ":")
	return colon && oneRevision(rev) && rev[0] != '^' && rev[0] != '.' && !strings.Contains(rev, "..") && !strings.ContainsAny(rev, "{}")
}

// withRefs is a word with some names of refs in it: a revision of its own if the text around them
// steps back, or makes a range, and text that only the run knows if not.
func withRefs(word Word, refs int) Word {
	object := refs == 1 && stream.IsObjectOfRef(word.Text) && (!word.Split || !word.stream.Several)
	if !stream.IsRevisionOfRef(word.Text, refs) && !object {
		word.Kind, word.stream = Output, nil
	}
	return word
}

// nameIn is a name, or a part of one, and its place in the text of a word.
type nameIn struct {
	name       stream.Name
	start, end int
}

// named notes a name that is added to the text next.
func (b *wordBuilder) named(word Word) {
	start := b.text.Len()
	b.names = append(b.names, nameIn{name: word.name(), start: start, end: start + len(word.Text)})
}

// pathOf is the word as a path below a directory in literal text, with names in it. It reports false
// for any other word.
func (b *wordBuilder) pathOf(st *state) (Word, bool) {
	if b.split || len(b.names) == 0 || len(b.names) != b.count || !st.cwd.Single() {
		return Word{}, false
	}
	text, names := b.text.String(), make([]stream.Name, 0, len(b.names))
	for _, in := range slices.Backward(b.names) {
		names = append(names, in.name)
		text = text[:in.start] + stream.Hole + text[in.end:]
	}
	path, ok := stream.Path(st.cwd.Known[0], text, names)
	if !ok {
		return Word{}, false
	}
	return wordOfName(path), true
}

// appendAccesses adds what an operation on the names that a word stands for touches, without what their
// composition needs. A program that reads directories whole reads what no filter on the names selects.
func (w *Word) appendAccesses(accesses []Access, op string, tree bool) []Access {
	name := w.name()
	for _, root := range name.Roots() {
		accesses = append(accesses, accessOf(name.Stream, root, op, tree, w.Split))
	}
	return accesses
}

func accessOf(names *stream.NameStream, root, op string, tree, split bool) Access {
	if !names.AreFiles() {
		return Access{Text: root, Op: op} // what is not there yet is made, wherever that is
	}
	a := Access{Text: root, Op: op, Naming: ByName, Below: Tree, Walk: names.Walk, Names: names.Names}
	if names.Kind == stream.Written {
		a.Below = treeIf(tree)
		if lexical.HasWildcard(root) {
			a.Naming = ByGlob
		}
	}
	if tree && !names.OnlyFiles {
		a.Walk = value.Walk{Follow: true, Index: names.Index}
	}
	a.FromStream, a.Parts, a.Uncut = true, names.Part != nil, names.Composed != nil
	if split {
		a.Handing = value.AsWords
	}
	return a
}

// composing are the names that a path is composed of.
func composing(names *stream.NameStream) []Access {
	var accesses []Access
	for _, name := range names.Composed {
		for _, root := range name.Roots() {
			a := accessOf(name.Stream, root, v1.OpList, false, false)
			a.Parts = true
			accesses = append(accesses, a)
		}
		accesses = append(accesses, composing(name.Stream)...)
	}
	return accesses
}

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
