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
	"policyd/extract/shell/effect"
	"policyd/extract/shell/lexical"
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
	globs, known := disk.Alternatives(raw)
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

// matched adds what a glob without braces matches to an item. Directories that match are not read, and those that "**"
// stands behind wholly, as far as the last segment matches. near is the space that the pattern starts from.
func (f *fileTools) matched(t *touched, glob, near string) {
	item := &f.facts.Items[t.item]
	f.locator.patternName(t, glob, v1.OpRead)
	glob = disk.Widened(glob)
	segments := strings.Split(glob, "/")
	deep := slices.Index(segments, "**")
	start, tree := glob, disk.Tree{Links: disk.LinkedDirectories}
	if deep >= 0 {
		start = strings.Join(segments[:deep], "/")
		if start == "" {
			start = glob[:strings.Index(glob, "**")] + "."
		}
		tree.Include = lastSegment(segments[deep+1:])
	}
	if deep == 0 && len(segments) < 3 {
		tree.Links = disk.LinkedFiles // "**" follows one link unless it begins the pattern
	}
	found := f.globs.ExpandAsTool(start, f.facts.Cwd)
	if found.Unknown || deep >= 0 && slices.Contains(segments[deep:], "..") {
		item.Caveats.Add(disk.ReachesUnknown)
	}
	// "**" stands for no segment, too, and then the rest of the pattern is a file.
	onlyDeep := deep >= 0 && !slices.ContainsFunc(segments[deep:], func(segment string) bool { return segment != "**" && segment != "" })
	var dirs []string
	for i, match := range found.Matches {
		resolved, err := f.view.Resolve(match)
		directory := err == nil && resolved.Dir
		if skipped := directory != (deep >= 0) && (directory || !onlyDeep); err == nil && !resolved.Unseen && skipped {
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
		bases, known := baseNames(glob)
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
			if !unicode.IsSpace(r) && !endsAddress(r) && (r != ',' || depth > 0 && i < len(text)) {
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

// baseNames are globs over the base names of all that a glob may match: to ripgrep, and to programs that read no braces.
func baseNames(glob string) (names []string, known bool) {
	globs, known := disk.Alternatives(glob)
	if !known || !effect.RuleAsWritten(glob) || strings.ContainsAny(glob, "![]()") {
		return nil, false
	}
	if strings.Contains(glob, "{") {
		globs = append(globs, strings.NewReplacer("{", "?", "}", "?").Replace(glob))
	}
	for _, glob := range globs {
		name := glob[strings.LastIndexByte(glob, '/')+1:]
		if strings.Trim(name, ".") == "" {
			return nil, false // a directory
		}
		names = append(names, name)
	}
	return names, true
}

// lastSegment is the glob over base names that the last of some segments is, none if any name matches.
func lastSegment(segments []string) []string {
	if len(segments) == 0 || slices.Contains([]string{"", ".", "*", "**"}, segments[len(segments)-1]) {
		return nil
	}
	return segments[len(segments)-1:]
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
