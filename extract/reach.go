package extract

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/shell"
	"policyd/extract/stat"
)

// Bounds of looking at what recursion and globs reach (S3). Beyond them the
// answer is that it is not known.
const (
	maxReached = 20000
	maxMatches = 1000
)

// Answers of a look at a tree or a glob.
const (
	reachesNone    = ""
	reachesSecret  = "reaches_secret"
	reachesOutside = "reaches_outside"
	reachesUnknown = "reaches_unknown"
)

// filter says which files of a tree a tool reads.
type filter struct {
	include, exclude, excludeDir []string
	skipHidden, follow           bool
	// namedLinks is true where follow holds for links alone whose names are read.
	namedLinks bool
	// across is true where a star of an include matches slashes, too, and a name what lies
	// below it: the globs are matched against whole paths, which begin with spelled.
	across  bool
	spelled string
	// unhidden are globs of hidden files that are read all the same.
	unhidden []string
	// names is true when nothing but names and metadata is looked at.
	names bool
	// fed is true when the names become words of a command, in the way that
	// handing says; rooted when each begins with the root's.
	fed, rooted bool
	handing     shell.Handing
	// parts is true when a word may begin with any segment of a name.
	parts bool
	// uncut is true when other names are made of a name, and of each of its pieces.
	uncut bool
	// braces is true when the shell splits them in such a name.
	braces bool
	// reading is what the command may take such a name for.
	reading shell.Reading
	// ignoring is true when ignore rules leave files out.
	ignoring bool
	// untracked is true when git prints the names, of what it doesn't ignore: what it ignores
	// is none of them, even where they are words.
	// With quoted names with blanks stand in quotes.
	untracked, quoted bool
	// ignoreFiles are the files of rules that are read in each directory.
	ignoreFiles []string
}

// plain drops what tools read differently. Of an include and an exclude the
// last match wins, and which that is was not kept: what is left out then counts
// as read, as far as an include names it.
func (f filter) plain() filter {
	f.exclude = slices.DeleteFunc(slices.Clone(f.exclude), func(glob string) bool { return !disk.PlainGlob(glob) })
	f.excludeDir = slices.DeleteFunc(slices.Clone(f.excludeDir), func(glob string) bool { return !disk.PlainGlob(glob) })
	if slices.ContainsFunc(f.include, func(glob string) bool { return !disk.PlainGlob(glob) }) {
		f.include, f.exclude = nil, nil
	}
	if len(f.include) > 0 {
		f.exclude = nil
	}
	f.ignoring = f.ignoring && (f.untracked || !f.fed && !f.follow) && len(f.include) == 0
	return f
}

func (f *filter) reads(name string) bool {
	// Some tools fold case: an include may match more than it says.
	if len(f.include) > 0 && !disk.MatchAny(f.include, name) && !disk.MatchAny(f.include, strings.ToLower(name)) {
		return false
	}
	return !disk.LeavesOut(f.exclude, name)
}

// readsAcross reports whether an include matches a path, or from any segment of it on, as
// fnmatch(3) does without a flag, and git's pathspecs: "c*" is conf/key.pem as well.
func (f *filter) readsAcross(below string) bool {
	if !f.across {
		return false
	}
	for name := f.spelled + strings.TrimLeft(below, "/"); ; {
		first, rest, more := strings.Cut(name, "/")
		if disk.MatchAny(f.include, first) || disk.MatchAny(f.include, strings.ReplaceAll(name, "/", "\x01")) {
			return true
		}
		if !more {
			return false
		}
		name = rest
	}
}

func (f *filter) enters(name string) bool { return !disk.LeavesOut(f.excludeDir, name) }

// reader walks one tree.
type reader struct {
	e      *extraction
	f      filter
	left   int
	answer string
	// root is the tree's directory, named what names below it begin with where
	// they become words, and base what those words count from.
	root, named, base string
	// doubles are secrets that may be read by another of their names.
	doubles []fs.FileInfo
	found   foundName
}

// foundName gets each name that becomes a word of a command, and the path that it names. It
// reports false when there are too many. It is nil where no name matters by itself.
type foundName func(named, full string) bool

// tree says what reading everything below root reaches.
func (e *extraction) tree(root string, f filter) string {
	return e.treeOf(root, "", "", f, nil)
}

func (e *extraction) walkTree(root, named, base string, f filter, found foundName) string {
	if e.view.Resolver.Map.Crosses(root) {
		return reachesUnknown // what is mounted below doesn't lie where the sidecar would walk
	}
	r := reader{e: e, f: f.plain(), left: maxReached, root: root, named: named, base: base, found: found}
	if !r.f.names {
		r.doubles = e.doubles(root)
	}
	rules := ignores{void: true}
	if r.f.ignoring {
		rules = e.ignoresAbove(root)
	}
	seen := r.walk(root, rules, e.hidingAbove(root, &r.f))
	if r.answer == reachesNone && !seen {
		return reachesUnknown
	}
	return r.answer
}

// met notes what is reached, the first of it, and reports whether that ends the walk.
func (r *reader) met(answer string) bool {
	if r.e.sought != nil && answer != reachesSecret {
		return false // what else there is, the look for secrets says
	}
	if r.answer == reachesNone {
		r.answer = answer
	}
	return r.over()
}

// over reports whether an answer ends the walk. Where names matter by themselves, none does.
func (r *reader) over() bool { return r.answer != reachesNone && r.found == nil }

// walk reads a directory and everything below. It reports false when it could
// not see all of it.
func (r *reader) walk(dir string, rules ignores, hidden hiding) bool {
	entries, err := r.e.view.ReadDir(dir)
	if err != nil {
		return !r.e.view.Barred(err) && (os.IsPermission(err) || os.IsNotExist(err))
	}
	if r.f.ignoring {
		rules = r.e.ignoresIn(rules, dir)
	}
	hidden = hidden.within(r.e, dir)
	for _, entry := range entries {
		if r.left--; r.left < 0 {
			return false
		}
		if !r.visit(dir, entry, rules, hidden) {
			return false
		}
		if r.over() {
			return true
		}
	}
	return true
}

// visit looks at one entry of a directory, and below it.
func (r *reader) visit(dir string, entry fs.DirEntry, rules ignores, hidden hiding) bool {
	name := entry.Name()
	named := r.named + dir[len(r.root):] + "/" + name
	if r.f.fed && (entry.IsDir() || r.f.reads(name)) && r.met(r.e.handed(named, r.base, &r.f)) {
		return true
	}
	if r.met(r.rules(dir, name, entry)) {
		return true
	}
	if hidden.hides(name, entry.IsDir()) || rules.ignores(name, entry.IsDir()) {
		r.passed(dir+"/"+name, entry)
		return true
	}
	if r.f.untracked && r.f.ignoring && name == ".git" {
		return true // git names nothing in it
	}
	if r.found != nil && r.f.reads(name) && !r.found(named, dir+"/"+name) {
		return false
	}
	if r.f.untracked && !r.e.printedAs(strings.TrimPrefix(named, "./"), r.base, &r.f) && r.met(reachesUnknown) {
		return true
	}
	return r.entry(dir+"/"+name, entry, rules, hidden)
}

// rules says what an entry reaches that stands where a directory's ignore rules would.
func (r *reader) rules(dir, name string, entry fs.DirEntry) string {
	for _, file := range r.f.ignoreFiles {
		switch inside, below := strings.CutPrefix(file, name); {
		case !below || inside != "" && inside[0] != '/':
		case inside != "":
			return r.e.settingsFile(dir + "/" + file)
		case entry.Type()&fs.ModeSymlink != 0:
			return r.e.linked(dir + "/" + name)
		}
	}
	return reachesNone
}

func (r *reader) entry(full string, entry fs.DirEntry, rules ignores, hidden hiding) bool {
	name := entry.Name()
	switch {
	case entry.IsDir():
		if !r.f.enters(name) {
			return true
		}
		if r.f.names && len(r.f.ignoreFiles) > 0 {
			return name == ".git" || r.walk(full, rules, hidden)
		}
		if r.f.ignoring && name == ".git" {
			if r.e.gitDirSecret(full) {
				r.met(reachesSecret) // where hidden directories are read, it is
			}
			return true
		}
		if r.e.secretDirectory(full) {
			return r.met(reachesSecret) || r.walk(full, rules, hidden)
		}
		return r.walk(full, rules, hidden)
	case entry.Type()&fs.ModeSymlink != 0:
		if r.f.follow && (!r.f.namedLinks || r.f.reads(name)) {
			r.met(r.e.linked(full))
		}
	case r.f.names:
	case !r.f.reads(name) && !r.f.readsAcross(full[len(r.root):]):
		r.passed(full, entry)
	case r.e.secretFile(full) || r.e.secretSettings(full) || r.doubled(entry):
		r.met(reachesSecret)
	}
	return true
}

// passed looks at a file that is not read: a secret with another name may be
// read by that one, before or after.
func (r *reader) passed(full string, entry fs.DirEntry) {
	if !r.over() && !r.f.names && r.e.double(full, entry) != nil {
		r.met(reachesUnknown)
	}
}

// doubled reports whether an entry is another name of a secret.
func (r *reader) doubled(entry fs.DirEntry) bool {
	if len(r.doubles) == 0 {
		return false
	}
	info, err := entry.Info()
	return err != nil || slices.ContainsFunc(r.doubles, func(secret fs.FileInfo) bool { return os.SameFile(secret, info) })
}

// handingOf is how names become words where a command is given what a run finds.
func handingOf(a *shell.Access) filter {
	return filter{handing: a.Handing, braces: a.Braces, rooted: a.Rooted, reading: a.Reading, parts: a.Parts, uncut: a.Uncut}
}

// handed says what a name reaches by the way it is handed on: cut into words, it
// names other files, or options. named is the name as it is printed.
func (e *extraction) handed(named, base string, f *filter) string {
	if f.reading.Misread(named) || f.parts && dashed(named) {
		return reachesUnknown
	}
	// It may be printed without the directory that it lies in.
	if last := path.Base(named); !f.rooted && (strings.HasPrefix(last, "-") || f.reading.Misread(last)) {
		return reachesUnknown
	}
	trimmed := !blankEnds(named)
	switch f.handing {
	case shell.Whole:
		return reachesNone
	case shell.AsLines:
		return unknownUnless(trimmed && !strings.Contains(named, "\n"))
	case shell.AsItems:
		return unknownUnless(trimmed && !strings.ContainsAny(named, "\n'\"\\"))
	default:
	}
	if strings.ContainsAny(named, "\n\r\v\f'\"\\*?[") || shell.Groups(named) || f.braces && strings.Contains(named, "{") {
		return reachesUnknown
	}
	return unknownUnless(!strings.ContainsAny(named, " \t") || !f.uncut && e.nothing(named, base))
}

// nothing reports whether no piece of a text that is cut at its blanks names anything.
func (e *extraction) nothing(text, base string) bool {
	for word := range strings.FieldsFuncSeq(text, shell.Separates) {
		if word[0] == '-' || word[0] == '/' || slices.Contains(strings.Split(word, "/"), "..") || base == "" || e.view.Exists(base+"/"+word) {
			return false
		}
	}
	return true
}

// blankEnds reports whether a segment of a name begins with a blank, or the name ends with one:
// names are printed from a segment on ("./" left out, or all but the last one), and read and
// xargs take away what stands at the ends of a line. Of " .." the directory above is left.
func blankEnds(named string) bool {
	for segment := range strings.SplitSeq(named, "/") {
		if strings.TrimLeftFunc(segment, unicode.IsSpace) != segment {
			return true
		}
	}
	return strings.TrimSpace(named) != named
}

// dashed reports whether a part of a name may be read as an option: a segment, or what stands
// behind a blank.
func dashed(named string) bool {
	parts := strings.FieldsFunc(named, func(r rune) bool { return r == '/' || unicode.IsSpace(r) })
	return slices.ContainsFunc(parts, func(part string) bool { return part[0] == '-' })
}

func unknownUnless(plain bool) string {
	if plain {
		return reachesNone
	}
	return reachesUnknown
}

// linked says what following a symbolic link in a tree reaches. A link to a
// directory is not walked: what lies below it is then not known.
func (e *extraction) linked(full string) string {
	resolved, err := e.view.Resolve(full)
	switch {
	case err != nil:
		return reachesUnknown
	case e.spaceOf(&resolved) == v1.SpaceOutside:
		return reachesOutside
	case e.readsSecret(&resolved):
		return reachesSecret
	case resolved.Dir || resolved.Unseen:
		return reachesUnknown
	}
	return reachesNone
}

// expansion is what a glob expands to.
type expansion struct {
	e       *extraction
	matches []string // absolute, unresolved
	words   []string // as the command gets them
	unknown bool
	// over is true when a bound ended the look at it, and unknown, too.
	over bool
	// directories counts those that a "**" led to.
	directories int
	// named is true where of a last segment that matches ".." only the word counts.
	named bool
	// hidden is true where patterns match names that begin with a dot, as those of many tools do.
	hidden bool
}

// expandHidden expands a pattern as tools do that make no difference of hidden names.
func (e *extraction) expandHidden(text, base string) expansion {
	out := expansion{e: e, hidden: true}
	out.all(text, base)
	return out
}

// expand expands a shell pattern that counts from base. In text a backslash
// quotes the character behind it.
func (e *extraction) expand(text, base string) expansion {
	return e.expandAs(text, base, false)
}

// expandAs does the same, with named where only the words that match count.
func (e *extraction) expandAs(text, base string, named bool) expansion {
	out := expansion{e: e, named: named}
	out.all(text, base)
	return out
}

// all expands a pattern that counts from base.
func (x *expansion) all(text, base string) {
	start, rest := base, text
	if strings.HasPrefix(text, "/") {
		start, rest = "/", strings.TrimLeft(text, "/")
	}
	if start == "" {
		x.unknown = true
		return
	}
	segments := strings.Split(rest, "/")
	prefix := ""
	if strings.HasPrefix(text, "/") {
		prefix = "/"
	}
	x.step(start, prefix, segments)
	x.itself(start, prefix, rest)
}

// directories are those among the matches of an absolute pattern, each behind a newline: all that
// a shell may find, files left out, or "" where that is not certain. What else matches must not be
// cut by a shell, nor be read otherwise than it stands.
func (e *extraction) directories(pattern string) string {
	found := e.expand(pattern, "/")
	if found.unknown {
		return ""
	}
	var list strings.Builder
	for _, match := range found.matches {
		if !plainWord(match) {
			return ""
		}
		resolved, err := e.view.Resolve(match)
		if err != nil || resolved.Unseen {
			return ""
		}
		if resolved.Dir {
			list.WriteString("\n" + strings.TrimSuffix(match, "/"))
		}
	}
	return list.String()
}

// itself adds the file that is called like the pattern. Where nothing matches, shells hand the
// pattern on as it stands, and brackets don't match their own text: "[a]" is a name as well.
// Whether nothing matches isn't known for certain: what matches here may not match there.
func (x *expansion) itself(dir, word, text string) {
	if !x.unknown && strings.Contains(text, "[") {
		if name := disk.Unquote(text); !slices.Contains(x.words, word+name) {
			x.descend(dir, word, name, nil, true)
		}
	}
}

func (x *expansion) step(dir, word string, segments []string) {
	if x.over || len(segments) == 0 {
		return
	}
	segment, rest := segments[0], segments[1:]
	last := len(rest) == 0
	if !disk.HasMeta(segment) {
		name := disk.Unquote(segment)
		x.descend(dir, word, name, rest, last)
		return
	}
	if segment == "**" {
		x.deep(dir, word, rest)
		return
	}
	dotted := strings.HasPrefix(segment, ".")
	segment, plain := disk.AsMatched(segment)
	lastNamed := x.named && (last || len(rest) == 1 && rest[0] == "")
	up, err := path.Match(segment, "..")
	if !plain || slices.Contains(rest, "..") || dotted && !lastNamed && (up || err != nil) {
		x.unknown = true // shells differ about it, and some take ".." for a match
	}
	if err != nil {
		return
	}
	entries, err := x.e.view.ReadDir(dir)
	if err != nil {
		x.unknown = x.unknown || errors.Is(err, disk.ErrUnseen) || x.e.view.Barred(err)
		return // nothing there to match
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") && !x.hidden && !strings.HasPrefix(disk.Unquote(segment), ".") {
			continue
		}
		if ok, err := disk.Match(segment, name); err != nil {
			x.unknown = true
			return
		} else if ok {
			x.descend(dir, word, name, rest, last)
		}
	}
}

// deep expands "**" as shells with and without globstar do: any number of
// directories, or one name.
func (x *expansion) deep(dir, word string, rest []string) {
	x.directories++
	if len(rest) == 0 || x.directories > maxMatches {
		x.unknown, x.over = true, true // it reads everything below
		return
	}
	x.step(dir, word, rest)
	entries, err := x.e.view.ReadDir(dir)
	if err != nil {
		x.unknown = x.unknown || errors.Is(err, disk.ErrUnseen) || x.e.view.Barred(err)
		return
	}
	for _, entry := range entries {
		switch name := entry.Name(); {
		case strings.HasPrefix(name, ".") && !x.hidden:
		case entry.IsDir():
			x.deep(dir+"/"+name, word+name+"/", rest)
		case entry.Type()&fs.ModeSymlink != 0:
			x.throughLink(dir+"/"+name, word+name+"/", rest)
		}
	}
}

// throughLink goes on behind a link that "**" matches as one name does. Some shells go on
// below it, too: what lies there is looked at by its own names, unless it lies elsewhere.
func (x *expansion) throughLink(full, word string, rest []string) {
	resolved, err := x.e.view.Resolve(full)
	switch {
	case err != nil:
		x.unknown = x.unknown || !stat.Missing(err)
	case !resolved.Dir && !resolved.Unseen:
	case x.e.ownRoot(resolved.Real) == "":
		x.unknown = true
	default:
		x.step(full, word, rest)
	}
}

func (x *expansion) descend(dir, word, name string, rest []string, last bool) {
	full, next := strings.TrimSuffix(dir, "/")+"/"+name, word+name
	if !last {
		x.step(full, next+"/", rest)
		return
	}
	if !x.e.view.Exists(full) {
		return
	}
	if len(x.matches) >= maxMatches {
		x.unknown, x.over = true, true
		return
	}
	x.matches = append(x.matches, full)
	x.words = append(x.words, next)
}

// globbed adds what a pattern reaches to an item: every match is looked at,
// and the caveat names the gravest.
func (e *extraction) globbed(t *touched, item *v1.Item, a *shell.Access, base string) []string {
	text, op := a.Text, a.Op
	if a.Spelled {
		e.patternName(t, text, op)
		return nil
	}
	found := e.expandAs(text, base, a.Named && !a.Fed && op == v1.OpList)
	if a.NoMatch {
		if found.unknown || len(found.matches) > 0 {
			item.Caveats.Add("dynamic_option")
		}
		return nil
	}
	if a.IfExists && !found.unknown && len(found.matches) == 0 {
		return nil
	}
	if a.Single && len(found.matches) > 1 {
		item.Caveats.Add("dynamic_option")
	}
	if found.unknown {
		item.Caveats.Add(reachesUnknown)
	}
	e.cutNames(item, a, &found)
	// The directory whose names the pattern lists, or the pattern itself
	// where nothing matches, is touched as well.
	literal := text[:disk.MetaIndex(text)]
	literal = literal[:strings.LastIndexByte(literal, '/')+1]
	near := e.touch(t, disk.Unquote(literal), base, v1.OpList).Space
	if changes(op) && !found.sure(text) {
		e.touch(t, shellExpanded(disk.Unquote(text)), base, op) // what is made is called like the pattern
	}
	for i, match := range found.matches {
		word := found.words[i]
		if strings.HasPrefix(word, "-") && !a.Rooted || strings.HasPrefix(word, ":") && strings.HasPrefix(item.Verb, "git ") {
			item.Caveats.Add("dynamic_option") // git reads magic behind a colon
		}
		if a.Reading.Misread(word) {
			item.Caveats.Add(reachesUnknown)
		}
		if a.Fed {
			e.fedMatch(item, a, match, word, base)
		}
		e.matched(t, item, match, word, op, near)
	}
	e.patternName(t, text, op)
	return found.matches
}

// sure reports whether a match is one to every shell, and not to those alone that fold case.
func (x *expansion) sure(text string) bool {
	return slices.ContainsFunc(x.words, func(word string) bool {
		ok, err := path.Match(text, word)
		return ok && err == nil
	})
}

// shellExpanded is a path in which the shell has expanded what it expands.
func shellExpanded(text string) string {
	if strings.HasPrefix(text, "~") {
		return "./" + text
	}
	return text
}

// cutNames judges the names that a pattern matches where the shell cuts them once more.
func (e *extraction) cutNames(item *v1.Item, a *shell.Access, found *expansion) {
	if !a.Split {
		return
	}
	cut := func(word string) bool {
		return strings.ContainsAny(word, " \t\n*?[\\") || shell.Groups(word) || a.Braces && strings.Contains(word, "{")
	}
	// Without a match the pattern itself is handed on, and split: as long as that leaves one
	// word, nothing has its name.
	if len(found.matches) == 0 && (a.Inner || cut(strings.NewReplacer("*", "", "?", "").Replace(a.Text))) || slices.ContainsFunc(found.words, cut) {
		item.Caveats.Add("dynamic_word")
	}
}

// fedMatch judges one match of a pattern whose matches become words.
func (e *extraction) fedMatch(item *v1.Item, a *shell.Access, match, word, base string) {
	f := handingOf(a)
	if answer := e.handed(word, base, &f); answer != reachesNone {
		item.Caveats.Add(answer)
	}
	if info, err := e.view.Stat(match); (a.Leaf || a.Module) && (err != nil || info.IsDir()) {
		item.Caveats.Add(reachesUnknown)
	}
}

// patternName denies a pattern that itself spells a secret: `.env*`, `id_rsa*`.
func (e *extraction) patternName(t *touched, text, op string) {
	spelled := strings.TrimRight(disk.Unquote(text), "*?")
	if op == v1.OpList || spelled == "" || strings.HasSuffix(spelled, "/") {
		return
	}
	if entry := e.x.lists.Secrets.File(spelled); entry != "" {
		e.facts.Paths = append(e.facts.Paths, v1.Path{
			Raw: text, Real: spelled, Op: op, Space: v1.SpaceUnknown, Item: t.item,
			Class: v1.Form{{Name: "secret", Kind: entry}},
		})
	}
}

// foundNames adds the names below a directory that another command finds, with the
// operation that is done to each.
func (e *extraction) foundNames(t *touched, item *v1.Item, op, root string) foundName {
	left, near := maxMatches, e.space(root)
	return func(named, full string) bool {
		if left--; left < 0 {
			return false
		}
		e.matched(t, item, full, named, op, near)
		return true
	}
}

// changes reports whether an operation does more to a file than to look at it.
func changes(op string) bool { return op != v1.OpList && op != v1.OpRead }

// matched adds a path that only the disk knows, as if the line named it: a match of a
// pattern, or a name that another command finds. One that is only looked at is kept if
// it is on a list, or lies in another space than near, where it was looked for.
func (e *extraction) matched(t *touched, item *v1.Item, match, word, op, near string) {
	p := e.touch(t, match, "", op)
	p.Raw = word
	switch space := p.Space; {
	case p.Caveats.Has("error"):
		item.Caveats.Add(reachesUnknown)
	case op != v1.OpList && (e.secretFile(match) || slices.ContainsFunc(p.Class, givesAway)):
		item.Caveats.Add(reachesSecret)
	case space == v1.SpaceOutside && len(p.Links) > 0:
		item.Caveats.Add(reachesOutside)
	}
	if !changes(op) && len(p.Class) == 0 && p.Space == near && !p.Caveats.Has("ambiguous") {
		e.facts.Paths = e.facts.Paths[:len(e.facts.Paths)-1]
	}
}

// givesAway reports whether a class is one of what no file may be read of.
func givesAway(class v1.Entry) bool {
	return class.Name == "secret" || class.Name == "secret_directory" || class.Name == "own"
}
