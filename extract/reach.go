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
	"policyd/extract/value"
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

// treeWalk is a walk over what lies below a directory.
type treeWalk struct {
	root string
	// named is what the names below begin with as words of a command, base what these count from.
	named, base string
	// spelled is what the paths below begin with where an Include is matched against them.
	spelled string
	value.Walk
	value.Names
	// listing is true when nothing but names and metadata is looked at.
	listing bool
}

// certain drops what tools read differently. Of an include and an exclude the
// last match wins, and which that is was not kept: what is left out then counts
// as read, as far as an include names it.
func (t treeWalk) certain() treeWalk {
	t.Exclude = slices.DeleteFunc(slices.Clone(t.Exclude), func(glob string) bool { return !disk.PlainGlob(glob) })
	t.ExcludeDir = slices.DeleteFunc(slices.Clone(t.ExcludeDir), func(glob string) bool { return !disk.PlainGlob(glob) })
	if slices.ContainsFunc(t.Include, func(glob string) bool { return !disk.PlainGlob(glob) }) {
		t.Include, t.Exclude = nil, nil
	}
	if len(t.Include) > 0 {
		t.Exclude = nil
	}
	t.Ignoring = t.Ignoring && (t.Untracked || !t.FromStream && !t.Follow) && len(t.Include) == 0
	return t
}

func (t *treeWalk) reads(name string) bool {
	// Some tools fold case: an include may match more than it says.
	if len(t.Include) > 0 && !disk.MatchAny(t.Include, name) && !disk.MatchAny(t.Include, strings.ToLower(name)) {
		return false
	}
	return !disk.LeavesOut(t.Exclude, name)
}

// readsAcross reports whether an include matches a path, or from any segment of it on, as
// fnmatch(3) does without a flag, and git's pathspecs: "c*" is conf/key.pem as well.
func (t *treeWalk) readsAcross(below string) bool {
	if !t.Across {
		return false
	}
	for name := t.spelled + strings.TrimLeft(below, "/"); ; {
		first, rest, more := strings.Cut(name, "/")
		if disk.MatchAny(t.Include, first) || disk.MatchAny(t.Include, strings.ReplaceAll(name, "/", "\x01")) {
			return true
		}
		if !more {
			return false
		}
		name = rest
	}
}

func (t *treeWalk) enters(name string) bool { return !disk.LeavesOut(t.ExcludeDir, name) }

// reader walks one tree.
type reader struct {
	e *extraction
	treeWalk
	left   int
	answer string
	// doubles are secrets that may be read by another of their names.
	doubles []fs.FileInfo
	found   foundName
}

// foundName gets each name that becomes a word of a command, and the path that it names. It
// reports false when there are too many. It is nil where no name matters by itself.
type foundName func(named, full string) bool

func (e *extraction) walkTree(t *treeWalk, found foundName) string {
	if e.view.Resolver.Map.Crosses(t.root) {
		return reachesUnknown // what is mounted below doesn't lie where the sidecar would walk
	}
	r := reader{e: e, treeWalk: t.certain(), left: maxReached, found: found}
	if !r.listing {
		r.doubles = e.doubles(t.root)
	}
	rules := ignores{void: true}
	if r.Ignoring {
		rules = e.ignoresAbove(t.root)
	}
	seen := r.walk(t.root, rules, e.hidingAbove(t.root, &t.Walk))
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
	if r.Ignoring {
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
	if r.FromStream && (entry.IsDir() || r.reads(name)) && r.met(r.e.handed(named, r.base, &r.Names)) {
		return true
	}
	if r.met(r.rules(dir, name, entry)) {
		return true
	}
	if hidden.hides(name, entry.IsDir()) || rules.ignores(name, entry.IsDir()) {
		r.passed(dir+"/"+name, entry)
		return true
	}
	if r.Untracked && r.Ignoring && name == ".git" {
		return true // git names nothing in it
	}
	if r.found != nil && r.reads(name) && !r.found(named, dir+"/"+name) {
		return false
	}
	if r.Untracked && !r.e.printedAs(strings.TrimPrefix(named, "./"), r.base, &r.Names) && r.met(reachesUnknown) {
		return true
	}
	return r.entry(dir+"/"+name, entry, rules, hidden)
}

// rules says what an entry reaches that stands where a directory's ignore rules would.
func (r *reader) rules(dir, name string, entry fs.DirEntry) string {
	for _, file := range r.IgnoreFiles {
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
		if !r.enters(name) {
			return true
		}
		if r.listing && len(r.IgnoreFiles) > 0 {
			return name == ".git" || r.walk(full, rules, hidden)
		}
		if r.Ignoring && name == ".git" {
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
		if r.Follow && (!r.NamedLinks || r.reads(name)) {
			r.met(r.e.linked(full))
		}
	case r.listing:
	case !r.reads(name) && !r.readsAcross(full[len(r.root):]):
		r.passed(full, entry)
	case r.e.secretFile(full) || r.e.secretSettings(full) || r.doubled(entry):
		r.met(reachesSecret)
	}
	return true
}

// passed looks at a file that is not read: a secret with another name may be
// read by that one, before or after.
func (r *reader) passed(full string, entry fs.DirEntry) {
	if !r.over() && !r.listing && r.e.double(full, entry) != nil {
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

// handed says what a name reaches by the way it is handed on: cut into words, it
// names other files, or options. named is the name as it is printed.
func (e *extraction) handed(named, base string, names *value.Names) string {
	if names.Reading.Misread(named) || names.Parts && dashed(named) {
		return reachesUnknown
	}
	// It may be printed without the directory that it lies in.
	if last := path.Base(named); !names.Rooted && (strings.HasPrefix(last, "-") || names.Reading.Misread(last)) {
		return reachesUnknown
	}
	trimmed := !blankEnds(named)
	switch names.Handing {
	case value.Whole:
		return reachesNone
	case value.AsLines:
		return unknownUnless(trimmed && !strings.Contains(named, "\n"))
	case value.AsItems:
		return unknownUnless(trimmed && !strings.ContainsAny(named, "\n'\"\\"))
	default:
	}
	if strings.ContainsAny(named, "\n\r\v\f'\"\\*?[") || shell.Groups(named) || names.Braces && strings.Contains(named, "{") {
		return reachesUnknown
	}
	return unknownUnless(!strings.ContainsAny(named, " \t") || !names.Uncut && e.nothing(named, base))
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
	found := e.expandAs(text, base, a.Named && !a.FromStream && op == v1.OpList)
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
		if a.FromStream {
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
	if answer := e.handed(word, base, &a.Names); answer != reachesNone {
		item.Caveats.Add(answer)
	}
	if info, err := e.view.Stat(match); (a.FilesOnly || a.Module) && (err != nil || info.IsDir()) {
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
