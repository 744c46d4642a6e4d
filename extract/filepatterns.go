package extract

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	v1 "policyd/api/v1"
	"policyd/extract/catalog"
	"policyd/extract/disk"
	"policyd/extract/shell/lexical"
	"policyd/extract/value"
)

// maxPatternWalks bounds the directories that are walked one by one for one pattern. What more of them hold isn't known.
const maxPatternWalks = 128

// globbed adds the items of a glob of npm's: what it names as it stands, and what it matches. Names beyond ASCII match
// others that look alike on some systems, so that all below the directory in front of one counts.
func (f *fileTools) globbed(raw string, t *catalog.Tool) v1.Path {
	if at := strings.IndexFunc(raw, func(r rune) bool { return r > unicode.MaxASCII }); at >= 0 {
		return f.namedPath(f.patternRoot(raw[:strings.LastIndexByte(raw[:at], '/')+1]+"*"), "tree", t, true)
	}
	if !strings.ContainsAny(raw, globMarks) {
		p := f.namedPath(raw, "tree", t, false)
		for _, match := range f.globs.ExpandAsTool(raw, f.facts.Cwd).Matches {
			if path.Clean(match) != path.Clean(f.view.Absolute(raw, f.facts.Cwd)) {
				f.namedPath(match, "tree", t, false)
			}
		}
		return p
	}
	if name := f.meantAsName(raw, f.facts.Cwd); name != "" {
		f.namedPath(name, "tree", t, false)
	}
	globs, known := value.Alternatives(raw)
	if !known || strings.ContainsAny(raw, "()") || raw[0] == '!' || raw[0] == '#' {
		return f.namedPath(f.patternRoot(raw), "tree", t, true)
	}
	p := f.namedPath(f.patternRoot(raw), v1.OpRead, t, true)
	found := touched{item: len(f.facts.Items) - 1, set: v1.Set{touchName(p.Op, p.Space)}}
	for _, glob := range globs {
		f.matched(&found, glob, p.Space)
	}
	item := &f.facts.Items[found.item]
	item.Touches = f.facts.room.set(found.set...)
	if found.special {
		item.Caveats.Add("special")
	}
	if found.secret {
		item.Caveats.Add(disk.ReachesSecret)
	}
	return p
}

// deepGlob is a glob cut at its first "**".
type deepGlob struct {
	// start is what stands in front, and deep the segments from there on; none without a "**".
	start string
	deep  []string
}

func cutDeep(glob string) deepGlob {
	segments := strings.Split(glob, "/")
	at := slices.Index(segments, "**")
	switch {
	case at < 0:
		return deepGlob{start: glob}
	case at == 0:
		return deepGlob{".", segments}
	case at == 1 && segments[0] == "":
		return deepGlob{"/.", segments[1:]}
	}
	return deepGlob{strings.Join(segments[:at], "/"), segments[at:]}
}

// reads reports whether a match of the start is read, or walked, by itself: a directory before "**", and any other file
// without, or where nothing else follows: "**" stands for no segment, too.
func (g deepGlob) reads(directory bool) bool {
	if directory || len(g.deep) == 0 {
		return directory == (len(g.deep) > 0)
	}
	return !slices.ContainsFunc(g.deep, func(segment string) bool { return segment != "**" && segment != "" })
}

// matched adds what a glob without braces matches to an item. Directories that match are not read, and those that "**"
// stands behind wholly, as far as the last segment matches. near is the space that the pattern starts from.
func (f *fileTools) matched(t *touched, glob, near string) {
	item := &f.facts.Items[t.item]
	f.locator.patternName(t, glob, v1.OpRead)
	cut, tree := cutDeep(glob), disk.Tree{Links: disk.LinkedDirectories}
	if len(cut.deep) > 0 {
		tree.Include = lastSegment(cut.deep[1:])
	}
	if strings.HasPrefix(glob+"/", "**/") && len(cut.deep) < 3 {
		tree.Links = disk.LinkedFiles // "**" follows one link unless it begins the pattern
	}
	found := f.globs.ExpandAsTool(cut.start, f.facts.Cwd)
	if found.Unknown || slices.Contains(cut.deep, "..") {
		item.Caveats.Add(disk.ReachesUnknown)
	}
	var dirs []string
	for i, match := range found.Matches {
		resolved, err := f.view.Resolve(match)
		directory := err == nil && resolved.Dir
		if err == nil && !resolved.Unseen && !cut.reads(directory) {
			continue
		} else if directory {
			dirs = append(dirs, resolved.Real)
		}
		f.locator.matched(t, item, match, found.Words[i], v1.OpRead, near)
	}
	f.walks(item, tree, dirs)
}

// walks adds what walks of some directories reach to an item: those that the beginning of a glob matches.
func (f *fileTools) walks(item *v1.Item, tree disk.Tree, dirs []string) {
	if len(dirs) > maxPatternWalks {
		item.Caveats.Add(disk.ReachesUnknown)
		return
	}
	for _, dir := range dirs {
		tree.Root = dir
		f.classes.Reach(item, func() string { return f.trees.Reach(tree, nil) })
	}
}

// included are globs over the base names of all that a text includes in a search: one glob, or several with commas or
// blanks between them. There are none if it only excludes ("!"): then the search leaves out what it otherwise does.
// known is false if it may include anything.
func included(text string) (names []string, known bool) {
	globs := listed(text)
	if len(globs) > 1 {
		if text[0] == '!' && slices.ContainsFunc(globs, func(glob string) bool { return glob[0] != '!' }) {
			return nil, false // taken for one glob, it leaves all others in
		}
		globs = append(globs, text[:1]+strings.ReplaceAll(text[1:], "!", "?"))
	}
	for _, glob := range globs {
		if glob[0] == '!' {
			continue
		}
		bases, known := value.BaseNames(glob)
		if !known {
			return nil, false
		}
		names = append(names, bases...)
	}
	return names, len(globs) > 0
}

// listed cuts a text at its blanks, and at commas outside of braces.
func listed(text string) []string {
	var globs []string
	begin, depth := 0, 0
	for i, r := range text + "," {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		default:
			if !unicode.IsSpace(r) && !scriptSpace(r) && (r != ',' || depth > 0 && i < len(text)) {
				continue
			}
			if begin < i {
				globs = append(globs, text[begin:i])
			}
			begin = i + utf8.RuneLen(r)
		}
	}
	return globs
}

// lastSegment is the glob over base names that the last of some segments is, none if any name matches.
func lastSegment(segments []string) []string {
	if len(segments) == 0 {
		return nil
	}
	last := value.Widened(segments[len(segments)-1])
	if slices.Contains([]string{"", ".", "*", "**"}, last) {
		return nil
	}
	return []string{last}
}

var (
	// gitEscapes stand for one character, or for the edge of a word, in every extended regular expression of git's.
	gitEscapes = regexp.MustCompile(`\\[.|bBsSwW<>*+?"'/\-$^\[\](){}]`)
	plainSets  = regexp.MustCompile(`\[\^?(a-z|A-Z|0-9|[A-Za-z0-9_ ])+\]`)
	// repeatedEdge is an edge of a line or a word that is repeated.
	repeatedEdge = regexp.MustCompile("(\\^|\\$|\\\\[bB<>'`])[*+?{]")
	emptyGroup   = regexp.MustCompile(`\(\||\(\)|\|\)|\|\||^\||\|$|[*+?]{2}`)
)

// maxExpression bounds an expression, which a program can only be started with if it isn't too long.
const maxExpression = 4096

// isGitExpression reports whether git grep -E reads a text as a regular expression on every system: one that all
// programs read, or one with groups and sets.
func isGitExpression(text string) bool {
	if len(text) > maxExpression || strings.ContainsRune(text, 0) || repeatedEdge.MatchString(text) {
		return false
	}
	if lexical.IsPortableExpression(text) {
		return true
	}
	bare := plainSets.ReplaceAllString(gitEscapes.ReplaceAllString(text, "x"), "x")
	if strings.ContainsAny(bare, "\\[]{}\n") || emptyGroup.MatchString(bare) {
		return false
	}
	_, err := regexp.CompilePOSIX(bare)
	return err == nil
}
