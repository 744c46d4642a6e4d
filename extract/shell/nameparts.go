package shell

import (
	"slices"
	"strings"

	"policyd/extract/shell/lexical"
	"policyd/extract/value"
)

// namesFiles reports whether a word of the stream is the name of a file, a part of it, or several
// of them with newlines between.
func (f *NameStream) namesFiles() bool { return !f.refs && !f.hashes && f.digits == nil }

// partsOf are parts of the names that a word stands for: names that were found, and one match
// of a pattern. shown stands for them where only the run can tell. It reports false for any
// other word.
func partsOf(st *state, word Word, shown string) (Word, bool) {
	var parts NameStream
	several := false
	switch {
	case word.Kind == Names && word.stream != nil && word.stream.namesFiles() && (!word.stream.many || !word.Split):
		parts = *word.stream
	case word.isHeldMatch(st) && printable(word.Text, "*?[]") && !strings.Contains(word.Text, "/-"):
		parts = NameStream{dir: st.dirs[0], listed: true, roots: patternsOf(word), Names: value.Names{Handing: value.Whole}}
		several = len(parts.roots) > 1 // with text about it
	default:
		return Word{}, false
	}
	parts.shown, parts.segment, parts.cut = shown, false, nil
	if parts.Parts, parts.many, parts.Rooted, parts.entries = true, false, false, ""; word.Split {
		parts.Handing = value.AsWords
	}
	parts.every = parts.every || several
	return parts.word(word.Text), true
}

// fileNames is the stream of a word that is whole names of files, as they were found below the directory
// that they count from. It is nil for other words.
func (w *Word) fileNames() *NameStream {
	f := w.stream
	if w.Kind != Names || f == nil || !f.namesFiles() || f.Parts || f.listed || f.entries != "" || f.composed() || f.above() {
		return nil
	}
	return f
}

// isHeldMatch reports whether a variable holds the word as one match of a pattern in the only working
// directory of a state.
func (w *Word) isHeldMatch(st *state) bool {
	return w.Kind == Glob && !w.Expands && !st.unknown && len(st.dirs) == 1 && (len(w.dirs) == 0 || slices.Equal(w.dirs, st.dirs))
}

// patternsOf are the pattern of a word, and those of which matches stand in it.
func patternsOf(word Word) []string {
	patterns := []string{word.Text}
	for _, from := range word.origins {
		if !slices.Contains(patterns, from.pattern) {
			patterns = append(patterns, from.pattern)
		}
	}
	return patterns
}

// directories are those that names lie in: below what the roots lie in, or that itself. It
// reports false for any other word.
func directories(word Word) (Word, bool) {
	f := word.fileNames()
	if f == nil || f.many && word.Split {
		return Word{}, false
	}
	dirs := NameStream{dir: f.dir, Walk: value.Walk{Follow: true}, Names: value.Names{Handing: f.Handing, Uncut: true}, none: word.Vanishes} // dirname fails without a word
	if word.Split {
		dirs.Handing = value.AsWords
	}
	if dirs.of = f.of; f.Tracked != nil {
		dirs.of = f
	}
	for _, root := range f.spread(word.Text) {
		if !printable(root, "") || strings.Contains(root, "..") {
			return Word{}, false
		}
		dirs.roots = append(dirs.roots, lexical.Dirname(root))
	}
	if len(f.besides) > 0 {
		dirs.roots = append(dirs.roots, ".") // where what is no name would lie
	}
	dirs.every = len(dirs.roots) > 1
	return dirs.word(dirs.roots[0]), true
}

// directoryOfMatch is the directory of one match of a pattern that a variable holds: what the
// pattern has in front of its last slash, or a match of that. It reports false for any other word.
func directoryOfMatch(st *state, word Word) (Word, bool) {
	if word.Split || word.edited() || !word.isMatchIn(st) || lexical.Climbs(word.Text) || strings.HasSuffix(word.Text, "/") || word.Text[0] == '-' {
		return Word{}, false
	}
	dir := lexical.Dirname(word.Text)
	if !hasMeta(dir) {
		return Word{Kind: Literal, Text: dir}, true
	}
	matches := NameStream{dir: st.dirs[0], listed: true, roots: []string{dir}, Names: value.Names{Rooted: startsPlain([]string{dir}), Handing: value.AsLines}}
	return matches.word(dir), true
}

// beside is a word of a name without its ending and with another one, which stands in plain
// text: what is called so in the directory of the name ("${f%.go}_test.go"). It reports false for
// any other word.
func beside(part Word, after string) (Word, bool) {
	if part.Kind != Names || part.stream == nil || part.stream.cut == nil || part.Split || strings.Trim(after, nameBytes) != "" || strings.Trim(after, ".") == "" || after[0] == '-' {
		return Word{}, false
	}
	name := part.stream.cut
	f := name.fileNames()
	if f == nil || f.many {
		return Word{}, false
	}
	// Nothing is left of a name that is no more than the ending.
	other := NameStream{dir: f.dir, roots: f.roots, every: f.every, Walk: value.Walk{Follow: true}, Names: value.Names{Rooted: f.Rooted, Handing: f.Handing, Uncut: true}, made: true, of: f.of, besides: []string{after}}
	if f.Tracked != nil {
		other.of, other.Rooted = f, false
	}
	for _, known := range slices.Concat(f.spread(name.Text), f.besides) {
		if !printable(known, "") || lexical.Climbs(known) {
			return Word{}, false
		}
		other.besides = append(other.besides, strings.TrimSuffix(known, part.stream.ending)+after) // a root that is a file
	}
	return other.word(name.Text), true
}

// above reports whether git may tell names of what lies above the directory that they count
// from ("../x"), as its pathspecs say.
func (f *NameStream) above() bool {
	return slices.ContainsFunc(f.Tracked, func(spec string) bool {
		if strings.HasPrefix(spec, ":!") || strings.HasPrefix(spec, ":^") {
			return !printable(spec[2:], "*?") || strings.HasPrefix(spec[2:], "/")
		}
		return !printable(spec, "*?") || spec[0] == '/' || spec[0] == ':' || lexical.Climbs(spec)
	})
}

// composed reports whether the words are no names that were found, so that pieces of them, where
// the shell cuts them, lie elsewhere.
func (f *NameStream) composed() bool { return f.made || len(f.below) > 0 }
