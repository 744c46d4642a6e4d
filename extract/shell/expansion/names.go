package expansion

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/lexical"
	"policyd/extract/shell/stream"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// A word can stand for names that another command prints: whole ones, parts of them, and names that
// are composed of them.

// OfNames is a word that stands for names, below root if they have one root. A hash is known to be
// one whatever it is the hash of.
func OfNames(names *stream.NameStream, root string) Word {
	if names.Kind == stream.Hashes {
		return Word{Kind: Hash, Text: stream.HashText, Class: ObjectName}
	}
	return Word{Kind: Names, Text: root, wordStream: wordStream{Stream: names}}
}

func ofName(name stream.Name) Word { return OfNames(name.Stream, name.Root) }

// Name is what the word stands for.
func (w *Word) Name() stream.Name {
	if w.Kind != Names {
		return stream.Name{Root: w.Text}
	}
	return stream.Name{Stream: w.Stream, Root: w.Text}
}

// IsPart reports whether the word is a part of a name.
func (w *Word) IsPart() bool { return w.Stream != nil && w.Stream.Part != nil }

// cutAgain is a word of names as the items of a loop: if a variable holds them that nothing quotes,
// each piece of a name is one.
func cutAgain(w Word, cwd *value.Directories) Word {
	switch {
	case !w.Recut || w.Kind != Names && w.Kind != Glob:
		return w
	case w.Kind == Names && w.Stream.IsComposed(): // pieces of names that lie elsewhere
	case w.Kind == Names:
		again := *w.Stream
		again.Handing = value.AsWords
		return OfNames(&again, w.Text)
	case cwd.Single() && lexical.IsOneWord(w.Text, "*?[]"):
		return OfNames(stream.NewWritten(cwd.Known[0], w.Text), w.Text)
	}
	return Word{}
}

// IsHeldMatch reports whether a variable holds the word as one match of a pattern in the only working
// directory.
func (w *Word) IsHeldMatch(cwd *value.Directories) bool {
	return w.Kind == Glob && !w.Expands && cwd.Single() && (len(w.dirs) == 0 || slices.Equal(w.dirs, cwd.Known))
}

// PartOf is a part of the names that a word stands for: names that were found, and one match of a
// pattern. It reports false for any other word.
func PartOf(cwd *value.Directories, word Word, part stream.Part) (Word, bool) {
	switch {
	case word.Kind == Names && word.Stream != nil && word.Stream.AreFiles() && (!word.Stream.Several || !word.Split):
		return OfNames(word.Stream.PartOf(part, word.Split), word.Text), true
	case word.IsHeldMatch(cwd) && lexical.IsOneWord(word.Text, "*?[]") && !strings.Contains(word.Text, "/-"):
		matches := stream.NameStream{Kind: stream.Written, Dir: cwd.Known[0], Roots: patterns(word), Names: value.Names{Handing: value.Whole}}
		return OfNames(matches.PartOf(part, word.Split), word.Text), true
	}
	return Word{}, false
}

// withText is a name that a command found with text around it: a name itself, if the text leads nowhere
// else, and text that only the run knows if not.
func withText(word *syntax.Word, name Word) Word {
	before, behind, direct := tree.AroundExpansion(word, func(text string) bool { return !lexical.HasWildcard(text) })
	led := tree.LedByText(word)
	if !direct || name.Stream == nil {
		return asText(name, led)
	}
	if names := name.Stream.Surrounded(before, behind); names != nil {
		name.Stream, name.Text, name.Split = names, names.Roots[0], name.Split || names.Several
		return name
	}
	if behind == "" && name.Stream.IsFile() && plainRevision(before) {
		name.Blob = name.Stream
	}
	// Of some names nothing is left: then what follows them begins the word.
	if before == "" && name.Stream.AreFiles() && strings.TrimLeft(behind, `-\`) == behind {
		name.Begins, led = name.Stream, true
	}
	return asText(name, led)
}

// asText is a word with a name in it as text that only the run knows.
func asText(w Word, led bool) Word {
	if w.Kind = Output; !led {
		w.Text = "…" + w.Text // if nothing is left, or a later part, no "./" stands in front
	}
	return w
}

// plainRevision reports whether a text names one revision and ends in a colon.
func plainRevision(text string) bool {
	rev, colon := strings.CutSuffix(text, ":")
	return colon && stream.IsOneRevision(rev) && rev[0] != '^' && rev[0] != '.' && !strings.Contains(rev, "..") && !strings.ContainsAny(rev, "{}")
}

// withRefs is a word with some names of refs in it: a revision of its own if the text around them
// steps back, or makes a range, and text that only the run knows if not.
func withRefs(word Word, refs int) Word {
	object := refs == 1 && stream.IsObjectOfRef(word.Text) && (!word.Split || !word.Stream.Several)
	if !stream.IsRevisionOfRef(word.Text, refs) && !object {
		word.Kind, word.Stream = Output, nil
	}
	return word
}

// nameIn is a name, or a part of one, and its place in the text of a word.
type nameIn struct {
	name       stream.Name
	start, end int
}

// named notes a name that is added to the text next.
func (b *Builder) named(word Word) {
	start := b.text.Len()
	b.names = append(b.names, nameIn{name: word.Name(), start: start, end: start + len(word.Text)})
}

// pathOf is the word as a path below a directory in literal text, with names in it. It reports false
// for any other word.
func (b *Builder) pathOf() (Word, bool) {
	if b.split || len(b.names) == 0 || len(b.names) != b.count || !b.Cwd.Single() {
		return Word{}, false
	}
	text, names := b.text.String(), make([]stream.Name, 0, len(b.names))
	for _, in := range slices.Backward(b.names) {
		names = append(names, in.name)
		text = text[:in.start] + stream.Hole + text[in.end:]
	}
	path, ok := stream.Path(b.Cwd.Known[0], text, names)
	if !ok {
		return Word{}, false
	}
	return ofName(path), true
}

// A variable that holds one match of a pattern is known by the pattern. With text about it,
// as in src/$f, the word is a pattern of its own, which matches what is there under such a
// name; but what the matches themselves are called matters as well: outside of quotes the
// shell cuts "a .env" into two words, and "--pre=." at the head of a word makes it an option.

// Origin is a pattern of which a match stands in a word.
type Origin struct {
	Pattern string
	// Cut is true where it stands outside of quotes, head where the word begins with it.
	Cut, Head bool
}

// Origins are the patterns of a word that a variable holds.
func Origins(value Word) []Origin {
	if value.Origins != nil {
		return value.Origins
	}
	return []Origin{{Pattern: value.Text, Head: true}}
}

// IsEdited reports whether a word is more, or less, than one of the matches that stand in it.
func (w Word) IsEdited() bool {
	return slices.ContainsFunc(w.Origins, func(from Origin) bool { return from.Pattern != w.Text })
}

// IsBehindText reports whether a match stands in a word behind other text.
func (w Word) IsBehindText() bool {
	return slices.ContainsFunc(w.Origins, func(from Origin) bool { return !from.Head })
}

// matched adds the patterns of a value that was matched to those of the word.
func (b *Builder) matched(value Word, quoted bool) {
	for _, from := range Origins(value) {
		from.Cut, from.Head = !quoted, from.Head && b.text.Len() == 0
		if !slices.Contains(b.origins, from) {
			b.origins = append(b.origins, from)
		}
	}
}

// patterns are the pattern of a word, and those of which matches stand in it.
func patterns(w Word) []string {
	patterns := []string{w.Text}
	for _, from := range w.Origins {
		if !slices.Contains(patterns, from.Pattern) {
			patterns = append(patterns, from.Pattern)
		}
	}
	return patterns
}

// Item is what the variable of a loop holds in one round over the word.
func (w Word) Item(cwd *value.Directories) Word {
	quotedNames := w.Kind == Names && !w.Split && !w.Vanishes // one round even without a name
	if w.Kind == Glob {
		// Without a match the loop runs once with the pattern itself.
		w.Variables = nil
	}
	mayBeEmpty := w.MayBeEmpty() && !w.Vanishes // an empty one makes no round
	if w = cutAgain(w, cwd); w.Kind != Names {
		w.Class = itemClass(w, mayBeEmpty)
		return w
	}
	one := *w.Stream
	one.Several, one.Empty = false, quotedNames
	item := OfNames(&one, w.Text)
	item.Class = unread(quotedNames)
	return item
}

// itemClass is the class of one of the fields that the shell splits a word into.
func itemClass(w Word, mayBeEmpty bool) *value.Class {
	switch {
	case w.Kind == Literal, w.Kind == Glob, w.Kind == Hash:
		return w.Class
	case IsNumber(w):
		return Numeral(w.MayBeginWithDash(), mayBeEmpty)
	case !w.Split && !w.Vanishes:
		return w.Class
	case w.Class == nil || w.Class.All().Meets(value.Patterns):
		return unread(mayBeEmpty)
	}
	field := w.Class.Slice()
	if !mayBeEmpty {
		field = field.Present()
	}
	return refer(&field)
}

// OfLines is a word of names: as many words as there are names.
func OfLines(lines stream.Lines) (Word, bool) {
	names := lines.Names()
	if names == nil || lines.EndByNUL() {
		return Word{}, false
	}
	all := *names
	all.Several = true
	return OfNames(&all, all.Roots[0]), true
}

// OfNumbers is the word that a substitution becomes which prints such lines.
func OfNumbers(n stream.Numbers) (Word, bool) {
	if !n.One && n.Behind == 0 && !n.Signed {
		return Word{Kind: Output, Text: "$(…)", Class: counts}, true
	}
	return Word{Kind: Number, Text: "$(…)", Class: Numeral(n.Signed, true)}, n.One && n.Behind == 0
}
