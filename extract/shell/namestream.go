package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	gitsyntax "policyd/extract/git/syntax"
	"policyd/extract/value"
)

// NameStream is where a stream of file names comes from: what find or git ls-files
// found below some roots. A command that xargs or find -exec runs on the names
// touches at most everything there.
type NameStream struct {
	// dir is what the roots count from.
	dir   string
	roots []string
	// Walk selects the files below the roots whose names can be among them.
	value.Walk
	// Names are how the names become words.
	value.Names
	// files is true when no name is that of a directory, or of a link to one unless the
	// filters follow links.
	files bool
	// zero is true when a NUL stands behind each name, and not a newline.
	zero bool
	// marked are the names that stand in the lines behind signs, where these are none.
	marked *NameStream
	// widened is true when a root stands for what a pattern matches in it.
	widened bool
	// many is true when one run of the command gets several names.
	many bool
	// none is true when there may be no name at all, so that the word is empty.
	none bool
	// every is true when a word may be a name below any of the roots.
	every bool
	// listed is true when the roots are the words that are printed, patterns among them.
	listed bool
	// spaced is true when one line holds several words.
	spaced bool
	// besides are other names that there may be among them.
	besides []string
	// entries is the directory whose entries the names are, printed without it.
	entries string
	// hashes is true when each line begins with the hash of a commit, and rest
	// what follows it there: a separator, and more text.
	hashes bool
	rest   string
	// refs is true when the lines are names of refs, and none of files.
	refs bool
	// said is true when such a name may be what a tag says of itself.
	said bool
	// shown stands for a word if the words are parts of names, each from the beginning of a
	// segment on, and none of files.
	shown string
	// segment is true for parts that are one segment of a name each, and shortened where
	// something may be cut off its end.
	segment, shortened bool
	// below are the segments of names that stand in the paths, below the root.
	below []Word
	// of are the names whose directories the words are, where git tells them: of those that
	// are on no disk one may begin with a dash, and not every dirname refuses it.
	of *NameStream
	// cut, of parts, is a whole name that nothing but the text ending is cut off.
	cut    *Word
	ending string
	// made is true when the words are other names than those that were found: pieces of
	// such lie elsewhere.
	made bool
	// bare is true when the lines are no names, and hold no dash: none can be an option.
	bare bool
	// digits is set when the lines are no names, but begin with numbers.
	digits *begun
}

// word stands for the names below one root.
func (f *NameStream) word(root string) Word {
	if f.hashes {
		return Word{Kind: Hash, Text: hashText, class: objectName}
	}
	return Word{Kind: Names, Text: root, wordStream: wordStream{stream: f}}
}

// listed reports whether the word is one that another command prints as it stands.
func (w Word) listed() bool {
	return w.Kind == Names && w.stream != nil && w.stream.listed && !w.stream.Parts && !hasMeta(w.Text)
}

// cutAgain is a word of names as the items of a loop: where a variable holds them that
// nothing quotes, each piece of a name is one.
func (w Word) cutAgain(st *state) Word {
	switch {
	case !w.Recut || w.Kind != Names && w.Kind != Glob:
		return w
	case w.Kind == Names && w.stream.composed(): // pieces of names that lie elsewhere
	case w.Kind == Names:
		again := *w.stream
		again.Handing = value.AsWords
		return again.word(w.Text)
	case len(st.dirs) == 1 && !st.unknown && printable(w.Text, "*?[]"):
		matches := NameStream{dir: st.dirs[0], listed: true, roots: []string{w.Text}, Names: value.Names{Rooted: startsPlain([]string{w.Text})}}
		return matches.word(w.Text)
	}
	return Word{}
}

// spread lists the roots that a word of the stream may come from.
func (f *NameStream) spread(root string) []string {
	if f.every {
		return f.roots
	}
	return []string{root}
}

// orNone are the names of the stream where there may be none.
func (f *NameStream) orNone() *NameStream {
	some := *f
	some.none = true
	return &some
}

// access is what reading the names below a root touches. A program that reads
// directories whole reads what no filter on the names speaks of.
func (f *NameStream) access(root, op string, tree, split bool) Access {
	if f.refs {
		return Access{Text: refText, Op: op, Dynamic: true}
	}
	if f.made && op != v1.OpRead && op != v1.OpList {
		return Access{Text: root, Op: op, Dynamic: true} // what is not there yet is made, wherever that is
	}
	a := Access{
		Text: root, Op: op, Tree: tree || !f.listed, Glob: f.listed && hasMeta(root), Walk: f.Walk, Names: f.Names,
	}
	if tree && !f.files {
		a.Walk = value.Walk{Follow: true, Index: f.Index}
	}
	if a.FromStream = true; split {
		a.Handing = value.AsWords
	}
	return a
}

// run walks the command that the names are given to as a command of its own. It
// reports false, and walks nothing, when the command is not one that can stand
// as its own item.
func (f *NameStream) run(p *parsed, words []Word, place func(word Word, name Word) (Word, bool)) bool {
	if len(words) == 0 || len(f.roots) == 0 || words[0].Kind != Literal || !p.w.plainProgram(words[0].Text) && !scripted(words) {
		return false
	}
	all := *f
	all.every = len(f.roots) > 1
	run := make([]Word, 0, len(words)+1)
	for _, word := range words {
		placed, ok := place(word, all.word(f.roots[0]))
		if !ok {
			return false
		}
		run = append(run, placed)
	}
	p.after = append(p.after, run)
	return true
}

// plainProgram reports whether a program is one that the table explains and
// that runs nothing else.
func (l *listings) plainProgram(name string) bool {
	program := l.table.Program(name)
	return program != nil && !program.RunsAnything && program.Wrapper == "" && !argv.IsShell(name) &&
		!slices.Contains(l.table.Words.Shell.RunsText, name) && name != "cd" && name != "find"
}

// scripted reports whether a command is a shell with a script in its words.
func scripted(words []Word) bool {
	return argv.IsShell(words[0].Text) && len(words) > 2 && words[1].literal("-c") && words[2].Kind == Literal
}

// standsAlone puts the names in the place of a mark that is a word of its own.
func standsAlone(mark string) func(word, name Word) (Word, bool) {
	return func(word, name Word) (Word, bool) {
		if word.literal(mark) {
			return name, true
		}
		return word, !strings.Contains(word.Text, mark)
	}
}

// unwrapXargs makes the command of xargs an item of its own, if what it reads
// is known.
func (r nameRunner) unwrapXargs() bool {
	if len(r.args.Inner) == 0 {
		r.args.Inner = []Word{{Kind: Literal, Text: "echo"}} // what it runs where nothing is named
		r.args.Words = append(slices.Clip(r.args.Words), r.args.Inner...)
	}
	if !r.plainXargs() {
		return false
	}
	if first := r.args.Inner[0]; first.Kind == Literal && slices.Contains(r.w.table.Words.Printing.TextPrograms, first.Text) {
		r.after = append(r.after, append(slices.Clone(r.args.Inner), Word{Kind: Output, Text: "…"}))
		return true
	}
	f, ok := r.namesOfXargs()
	if !ok {
		return false
	}
	if r.has("-I") {
		return r.atMark(f)
	}
	words := append(slices.Clone(r.args.Inner), Word{Kind: Names})
	return f.run(r.parsed, words, func(word, name Word) (Word, bool) {
		if word.Kind == Names && word.stream == nil { // a name from elsewhere stands for itself
			name.Vanishes = !r.has("-r") // given nothing, GNU's runs the command without a name
			return name, true
		}
		return word, true
	})
}

// namesOfXargs are the names that xargs reads, if they are known and count from where it runs.
func (r nameRunner) namesOfXargs() (f NameStream, ok bool) {
	in, zero, lines := r.w.in, r.has("-0"), r.has("-d")
	if in == nil || r.elsewhere(in) || !r.w.input.whole(r.w.loops, zero) {
		return NameStream{}, false
	}
	if in.zero != zero || in.hashes && in.rest != "" || in.spaced && r.has("-L") {
		return NameStream{}, false
	}
	if lines && (zero || !r.cutAt.literal(`\n`) && !r.cutAt.literal("\n")) {
		return NameStream{}, false
	}
	f = *in
	f.many = true
	if zero {
		f.Handing = value.Whole
	}
	if lines {
		f.Handing = max(f.Handing, value.AsLines)
	}
	return f, true
}

// atMark makes the command of xargs -I an item of its own, which gets one name at each mark.
func (r nameRunner) atMark(f NameStream) bool {
	mark := r.mark.Text
	if f.spaced || r.has("-L") || r.has("-n") || r.mark.Kind != Literal || mark == "" { // of these options the last one counts
		return false
	}
	f.Handing, f.many = max(f.Handing, value.AsItems), false
	if r.w.options.Platform != "linux" {
		f.besides = append(slices.Clone(f.besides), mark) // BSD's leaves it where names are long, or words many
		if mark[0] == '-' {
			return false
		}
	}
	return f.run(r.parsed, r.args.Inner, standsAlone(mark))
}

// unwrapFd makes the command of fd -x an item of its own, if it takes the names as
// they are.
func (r nameRunner) unwrapFd() bool {
	if len(r.args.Inner) == 0 || r.c.Unknown || len(r.c.Dirs) != 1 || r.moved || !r.w.printsNames(r.c) {
		return false
	}
	f := producerStream(r.c, nil)
	if last := len(r.args.Inner) - 1; last > 0 && r.args.Inner[last].literal(";") {
		r.args.Inner = r.args.Inner[:last] // the end of the command, as find has it
	}
	if f == nil || slices.ContainsFunc(r.args.Inner, func(word Word) bool { return word.Kind != Literal || word.Text == ";" }) {
		return false
	}
	f.Handing, f.many = value.Whole, r.has("-X")
	words := slices.Clone(r.args.Inner)
	if !slices.ContainsFunc(words, func(word Word) bool { return strings.Contains(word.Text, "{") }) {
		words = append(words, Word{Kind: Literal, Text: "{}"})
	}
	return f.run(r.parsed, words, func(word, name Word) (Word, bool) {
		if word.literal("{}") {
			return name, true
		}
		return word, !strings.Contains(word.Text, "{") // {.} and the like are parts of names
	})
}

// plainXargs reports whether xargs has no option but those that leave names
// whole and read no other input.
func (r nameRunner) plainXargs() bool {
	if slices.ContainsFunc(r.args.Words[:len(r.args.Words)-len(r.args.Inner)], func(word Word) bool { return word.Kind != Literal }) {
		return false // a mark that only the run can tell
	}
	return !slices.ContainsFunc(r.c.Form, func(entry v1.Entry) bool {
		return !slices.Contains(r.w.table.Words.Printing.XargsOptions, entry.Name)
	})
}

// out is what the last command of a pipe prints, as a name stream; nil when that is
// not a stream of names that is known.
func (d *diskView) out(from int, in *NameStream) *NameStream {
	if len(d.line.Commands) == from+2 {
		return d.listed(&d.line.Commands[from], &d.line.Commands[from+1], in)
	}
	if len(d.line.Commands) != from+1 {
		return nil
	}
	c := &d.line.Commands[from]
	if c.Unknown || len(c.Dirs) != 1 || c.mixed || in != nil && in.digits != nil {
		return nil
	}
	prints := d.table.Prints(c.Verb)
	if allowed := prints.FiltersNames; allowed != nil && (len(c.Accesses) == 0 || c.Verb == "rg" && in != nil && onlyImplied(c)) {
		only := !slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return !slices.Contains(allowed, e.Name) })
		if _, zero := c.Form.Get("-z"); only && (in == nil || in.zero == zero) {
			return in.filtered(c)
		}
	}
	if c.picks && in != nil && !in.zero && len(c.Accesses) == 0 {
		return in
	}
	if c.first && in != nil && in.hashes && len(c.Accesses) == 0 && (in.rest == "" || in.rest[0] == ' ') {
		hashes := *in
		hashes.rest = ""
		return &hashes
	}
	has := func(option string) bool { _, ok := c.Form.Get(option); return ok }
	for _, made := range []func(*Command) *NameStream{d.hashStream, d.refStream} {
		if f := made(c); f != nil {
			c.Git.Handed = true
			return f
		}
	}
	if c.lines != nil {
		return printedStream(c)
	}
	if !d.printsNames(c) || c.stdin { // of which it prints a name that is none
		return nil
	}
	if lists := prints.Names.OnlyWith; lists != nil && !slices.ContainsFunc(lists, has) {
		return nil
	}
	if prints.Names.Commits != nil {
		return d.commitNames(c)
	}
	if f := d.untrackedStream(c); f != nil {
		return f
	}
	f := producerStream(c, prints.Names.Tracked)
	if f != nil && !f.listed {
		if c.Verb == "rg" && onlyImplied(c) && !has("--files") {
			f.besides = append(f.besides, "<stdin>") // as it calls what it is piped from outside
		}
		f.zero = slices.ContainsFunc(prints.Names.NULWith, has)
		f.Rooted = c.Verb == "find"
		f.files = f.files || !f.widened && slices.ContainsFunc(prints.Names.FilesWith, has) && !has("-L") // given -L some greps name directories
	}
	return f
}

// filtered is what a filter leaves of a stream of names. Where one of them is not text
// in the locale, grep may print a sentence instead, which GNU's did on standard output.
func (f *NameStream) filtered(c *Command) *NameStream {
	if _, text := c.Form.Get("-a"); f == nil || text || c.Verb != "grep" {
		return f
	}
	left := *f
	left.besides = append(slices.Clone(f.besides), "Binary", "file", "(standard", "input)", "matches", "Binary file (standard input) matches")
	return &left
}

// printsNames reports whether a producer is given nothing with which it prints more
// than the names of files, or these otherwise than they are: in colors, say.
func (l *listings) printsNames(c *Command, besides ...string) bool {
	allowed := l.table.Prints(c.Verb).Names.Options
	plain := func(option string) bool {
		return slices.Contains(allowed, option) || slices.Contains(besides, option) || c.color == colorNone && colors(c, option)
	}
	return allowed != nil && c.color != colorGiven && !slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return !plain(e.Name) })
}

// onlyImplied reports whether a command is given no path: behind a pipe rg then
// reads the pipe.
func onlyImplied(c *Command) bool {
	return len(c.Accesses) == 1 && c.Accesses[0].Text == "." && c.Accesses[0].Tree && !c.Accesses[0].Glob
}

// listed is what a command prints that xargs or find runs on names, where it
// prints some of them as they are (grep -l).
func (d *diskView) listed(runner, run *Command, in *NameStream) *NameStream {
	prints := d.table.Prints(run.Verb)
	allowed := prints.PicksNames
	has := func(c *Command, options []string) bool {
		return slices.ContainsFunc(options, func(option string) bool { _, ok := c.Form.Get(option); return ok })
	}
	if allowed == nil || !has(run, prints.Names.OnlyWith) ||
		slices.ContainsFunc(run.Form, func(e v1.Entry) bool { return !slices.Contains(allowed, e.Name) }) ||
		len(run.Accesses) == 0 || slices.ContainsFunc(run.Accesses, func(a Access) bool { return !a.FromStream && !a.IfExists }) {
		return nil
	}
	if len(run.Caveats) > 0 || len(runner.Dirs) != 1 || len(run.Dirs) != 1 || run.Dirs[0] != runner.Dirs[0] || run.Unknown || runner.Unknown {
		return nil
	}
	f := NameStream{}
	switch {
	case runner.Program == "xargs" && in != nil && !in.hashes && in.digits == nil && in.dir == run.Dirs[0] && !has(runner, []string{"-P"}):
		f = *in
		// Given no name, xargs has it read standard input, which it calls so.
		f.besides = append(slices.Clone(in.besides), "(standard", "input)", "(standard input)")
	case runner.Verb == "find" && runner.ran != nil && d.printsNames(runner, "-exec"):
		f = *runner.ran
	default:
		return nil
	}
	f.Handing, f.many, f.every, f.spaced = value.AsWords, false, len(f.roots) > 1, false
	f.zero = has(run, prints.Names.NULWith)
	return &f
}

// opened is what a command accesses besides what takes away what it complains of.
func (c *Command) opened() []Access {
	return slices.DeleteFunc(slices.Clone(c.Accesses), func(a Access) bool { return a.Op == v1.OpWrite && a.Text == "/dev/null" })
}

// listedNames is what ls prints: its operands as they stand, and of those that
// are directories the names without it. All of them lie below the working
// directory as long as no operand leads up or out.
func listedNames(c *Command, f *NameStream) *NameStream {
	_, itself := c.Form.Get("-d")
	operands := c.opened()
	var patterns []string
	for _, a := range operands {
		if a.Glob && !a.Dynamic && a.Op == v1.OpList && printable(a.Text, "*?[]") {
			patterns = append(patterns, a.Text)
		}
	}
	if len(patterns) > 0 && len(patterns) == len(operands) {
		f.roots, f.listed, f.FilesOnly, f.Walk = patterns, true, !itself, value.Walk{}
		f.Rooted = startsPlain(patterns)
		return f
	}
	if itself {
		return nil
	}
	for _, a := range operands {
		if a.Dynamic || strings.HasPrefix(a.Text, "/") || strings.HasPrefix(a.Text, "~") || strings.Contains(a.Text, "..") {
			return nil
		}
	}
	f.roots = []string{"."}
	if len(operands) == 1 && !operands[0].Glob && printable(operands[0].Text, "") {
		f.entries = operands[0].Text
	}
	return f
}

// about is where a name lies with plain text about it: in front of it the
// directory that it was found in, and a path that leads down behind it. All of
// that lies in the tree, whatever the name, as long as no link leads out of it.
func (f *NameStream) about(before, after string) *NameStream {
	if f.Tracked != nil || f.hashes || f.refs || f.Parts || f.listed || f.many || before == "" && (after == "" || f.none || len(f.besides) > 0) {
		return nil // without a name a path behind it would count from the root
	}
	one := *f
	one.entries, one.files, one.Walk = "", false, value.Walk{Follow: true}
	switch {
	case before == "":
	case f.entries == "" || !strings.HasSuffix(before, "/") || !printable(before, "") || path.Clean(before) != path.Clean(f.entries):
		return nil
	default:
		// What may be among the names besides lies there as well.
		one.roots, one.every, one.Rooted, one.besides = []string{f.entries}, false, true, nil
	}
	if after != "" && (after[0] != '/' || !printable(after, "*?") || slices.Contains(strings.Split(after, "/"), "..")) {
		return nil
	}
	one.many = hasMeta(after)
	return &one
}

// plainNames reports whether a word of the stream is the name of one file, as it counts
// from where it was found.
func (f *NameStream) plainNames() bool {
	return !f.hashes && !f.refs && !f.Parts && !f.listed && !f.many && !f.every && f.entries == "" && len(f.besides) == 0 && f.digits == nil
}

// startsPlain reports whether no word can be read as an option.
func startsPlain(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return strings.IndexByte("-*?[", word[0]) >= 0 })
}

// printable reports whether a text is one word to everything that cuts text into
// words: letters, digits, and what stands in paths, and the bytes of more.
func printable(text, more string) bool {
	return text != "" && text[0] != '-' && strings.Trim(text, value.NameBytes+"./@+,:=%-"+more) == ""
}

// printedStream is what printf and echo print, where each word is a name or a
// pattern. Text about a match makes a line that no file needs to be called: where it is cut
// into words, they may name anything.
func printedStream(c *Command) *NameStream {
	f := &NameStream{dir: c.Dirs[0], listed: true, spaced: c.Verb == "echo" && len(c.lines) > 1}
	for _, word := range c.lines {
		if word.Recut || word.edited() {
			return nil
		}
		if word.Kind == Glob && printable(word.Text, "*?[]") || word.Kind == Literal && printable(word.Text, "") {
			f.roots = append(f.roots, word.Text)
			f.spaced = f.spaced || c.Verb == "echo" && word.Kind == Glob
			continue
		}
		return nil
	}
	f.Rooted = startsPlain(f.roots)
	return f
}

// writtenNames are the names that a here-document lists, one a line.
func writtenNames(st *state, r *syntax.Redirect) *NameStream {
	if r.Op != syntax.Hdoc || r.N != nil || r.Hdoc == nil || len(st.dirs) != 1 || st.unknown {
		return nil
	}
	f := &NameStream{dir: st.dirs[0], listed: true, roots: strings.Split(strings.TrimSuffix(r.Hdoc.Lit(), "\n"), "\n")}
	if slices.ContainsFunc(f.roots, func(line string) bool { return !printable(line, "") }) {
		return nil
	}
	f.Rooted = startsPlain(f.roots)
	return f
}

func hasMeta(text string) bool { return strings.ContainsAny(text, "*?[") }

// hashStream is what git prints of commits, where each line begins with a hash.
func (l *listings) hashStream(c *Command) *NameStream {
	allowed := l.table.Prints(c.Verb).Hashes
	if allowed == nil || len(c.Caveats) > 0 || c.Git.Blobs > 0 || len(c.Git.Settings) > 0 || !gitsyntax.PrintsOneLine(c.Git.date) ||
		slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return !slices.Contains(allowed, e.Name) }) {
		return nil
	}
	f := &NameStream{dir: c.Dirs[0], roots: []string{hashText}, hashes: true}
	if c.Verb == "git rev-list" {
		return f
	}
	format := c.Git.Format
	if _, short := c.Form.Get("--oneline"); short {
		f.rest = " "
		if format != "" { // the one that comes last counts
			return nil
		}
		return f
	}
	for _, prefix := range []string{"format:", "tformat:"} {
		format = strings.TrimPrefix(format, prefix)
	}
	if len(format) < 2 || format[:2] != "%h" && format[:2] != "%H" || !oneLine(format) {
		return nil
	}
	f.rest = format[2:]
	return f
}

// oneLine reports whether a format of git prints one line for each commit.
func oneLine(format string) bool {
	for _, code := range strings.Split(format, "%")[1:] {
		if code == "" || strings.IndexByte("hHtTpPsfdDacC", code[0]) < 0 {
			return false
		}
	}
	return !strings.ContainsAny(format, "\n\\")
}

func producerStream(c *Command, tracked []string) *NameStream {
	f := &NameStream{dir: c.Dirs[0], Walk: value.Walk{Follow: true}}
	if c.Verb == "ls" {
		return listedNames(c, f)
	}
	if len(tracked) > 0 && len(c.Git.Revisions) == 0 && c.Git.Blobs == 0 &&
		!slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return !slices.Contains(tracked, e.Name) }) {
		return trackedStream(c)
	}
	if slices.ContainsFunc(c.Git.Pathspecs, func(spec string) bool { return strings.HasPrefix(spec, ":") }) {
		return nil // it may select files that lie elsewhere
	}
	for _, a := range c.Accesses {
		if a.Spelled || a.IfExists {
			continue // a pattern of git's, below a root that counts already, or what counts by itself
		}
		if a.Glob && c.found != nil && !a.Dynamic {
			if !f.within(a.Text) {
				return nil
			}
			continue
		}
		if a.Glob || a.Dynamic || a.Maybe || a.Text == "" {
			return nil
		}
		f.roots = append(f.roots, a.Text)
		f.Include, f.SkipHidden, f.Types = a.Include, a.SkipHidden, append(slices.Clip(f.Types), a.Types...)
	}
	// What git is given by options (-X) is read, and no place to look in.
	_, places := c.Form.Get("<path>")
	if len(f.roots) == 0 || strings.HasPrefix(c.Verb, "git ") && !places {
		f.roots = append(f.roots, ".")
	}
	if c.found != nil {
		f.Walk, f.files = *c.found, !c.found.Follow
	}
	f.widen()
	return f
}

// within adds the directory, named by a pattern, that all of its matches lie below as far
// as no link among them leads elsewhere. There is none where names that are found could
// begin with what only the disk knows.
func (f *NameStream) within(pattern string) bool {
	dir := pattern[:max(strings.IndexAny(pattern, "*?["), 0)]
	dir = dir[:max(strings.LastIndexByte(dir, '/'), 0)]
	f.roots, f.widened = append(f.roots, dir), true
	return printable(dir, "") && !strings.Contains(pattern, `\`) && !strings.Contains(pattern, "..")
}

// widen makes a stream one of all that lies below directories which patterns match in: a
// match may be a link, and find goes through one that a slash stands behind.
func (f *NameStream) widen() {
	if f.widened {
		f.Follow, f.NamedLinks, f.files = true, false, false
	}
}
