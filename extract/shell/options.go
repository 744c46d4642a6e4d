package shell

import (
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/argv/script"
	"policyd/extract/shell/guard"
	"policyd/extract/sql"
	"policyd/extract/value"
)

// options reads the options and leaves the operands.
func (p *parsed) options(program *argv.Program) {
	p.args.Begin(program)
	if program.AtFiles {
		p.noAtFiles()
	}
	switch program.Style {
	case "find":
		p.find(program)
	case "raw":
		p.raw()
	default:
		p.args.Parse(program)
	}
	p.c.Git.Dashes = p.c.Git.Dashes || p.args.Dashes >= 0
}

// Operand notes a word that may turn into an option when it is expanded.
func (p *parsed) Operand(program *argv.Program, word Word) {
	if !program.Inert && p.mayTurn(program, word) {
		p.c.Caveats.Add("dynamic_option")
	}
}

// mayTurn reports whether a word may become an option of a program when it is expanded.
func (p *parsed) mayTurn(program *argv.Program, word Word) bool {
	if word.Kind != Literal && strings.HasPrefix(word.Text, "-") {
		return true // a pattern that matches nothing stays as it is
	}
	switch word.Kind {
	case Number:
		// A command that fails prints nothing. Digits of other options may follow the sign.
		return word.Dashed || word.Signed && (!word.Letters || program.Digits())
	case Hash:
		return word.Dashed
	case Dynamic, Output:
		return !p.begun(word) && (word.Split || !strings.HasPrefix(strings.TrimPrefix(word.Text, "."), "/"))
	case Glob:
		return !p.begun(word) && hasMeta(word.Text[:min(len(word.Text), 1)]) && matchesOptions(program, word.Text)
	default:
		return false
	}
}

// matchesOptions reports whether a pattern may match an option that does more than choose output. No word of an
// expression ends in a slash, and find refuses words that it doesn't know.
func matchesOptions(program *argv.Program, pattern string) bool {
	return program.Acts() && (program.Style != "find" || !strings.HasSuffix(pattern, "/"))
}

// begun reports whether the beginning of a word is known not to be a dash, whatever it expands to: text, or a name.
func (p *parsed) begun(word Word) bool {
	if word.Split {
		return false
	}
	return word.Led || word.bare && !word.Dashed || word.begins != nil && p.partsHere(word.begins.word(word.begins.roots[0]))
}

// Value notes an option's value, and what it accesses by its kind.
func (p *parsed) Value(known argv.Option, kind string, word Word) {
	canonical := known.Canonical
	switch canonical {
	case argv.OptionNumber:
		p.count(word)
		return
	case "--max-count":
		p.count(word)
	case "-I":
		p.mark = word // the last one counts
	case "-d":
		p.cutAt = word
	}
	p.judge(p.args.Program, canonical, word)
	p.defined(canonical, kind, word)
	p.riskOf(known.Risk, &word)
	if p.args.Program != nil && word.Text != "" && slices.Contains(p.args.Program.Modifies, canonical) {
		p.backups = append(p.backups, word)
	}
	if kind == "archive" {
		// An option behind it may make it one that is only read.
		p.archives, p.archiveOptions = append(p.archives, word), append(p.archiveOptions, canonical)
		return
	}
	if kind = p.kind(kind, word); kind == "" {
		return
	}
	p.filter(canonical, word)
	p.placedOption(canonical, kind, word)
	p.printing(canonical, word)
	p.states(canonical, kind)
}

// states puts an option into the form. Of several values the gravest kind counts.
func (p *parsed) states(canonical, kind string) {
	if held, ok := p.c.Form.Get(canonical); ok && held != kind {
		if acts, _ := argv.KnownKind(strings.TrimSuffix(kind, "?")); !acts {
			kind = held
		}
		p.c.Form = slices.DeleteFunc(p.c.Form, func(e v1.Entry) bool { return e.Name == canonical })
	}
	p.c.Form.Put(canonical, kind)
}

// printing notes an option that chooses how output looks.
func (p *parsed) printing(canonical string, word Word) {
	if colors(p.c, canonical) {
		p.c.color = max(p.c.color, colorOf(word))
	}
	if p.c.Program != "git" {
		return
	}
	if slices.Contains(formatOptions, canonical) && checksSignature(word) {
		p.c.Caveats.Add("executes")
	}
	switch canonical {
	case "--format", "--pretty":
		p.c.Git.Format = word.Text
	case "--date":
		p.c.Git.date = word.Text
		if word.Kind != Literal {
			p.c.Git.date = "\n"
		}
	}
}

// count notes how many commits git is to print. Of several numbers the last one counts, of which
// the largest is no less.
func (p *parsed) count(word Word) {
	number, err := strconv.Atoi(word.Text)
	if word.Kind != Literal || err != nil || number < 0 {
		number = math.MaxInt
	}
	p.c.Git.Count = max(p.c.Git.Count, number)
}

// filter notes which files an option makes a walk over a tree leave out. A
// glob over more than base names is not followed: the walk is then wider.
func (p *parsed) filter(canonical string, word Word) {
	if p.args.Program == nil {
		return
	}
	kind := p.args.Program.Filters[canonical]
	followed := word.Kind == Literal && !strings.ContainsAny(word.Text, "/{")
	name, not := strings.CutPrefix(word.Text, "!")
	switch {
	case kind == "":
	case kind == "glob" && not && word.Kind == Literal:
		if followed {
			p.filters.Exclude = append(p.filters.Exclude, name)
			p.filters.ExcludeDir = append(p.filters.ExcludeDir, name)
		}
	case kind == "glob" || kind == "include" || kind == "extension":
		p.takesIn = true
		if kind == "extension" {
			followed = followed && !hasMeta(word.Text) && !strings.Contains(word.Text, `\\`)
			word.Text = "*." + strings.TrimLeft(word.Text, ".") // as fd takes them away, however many
		}
		// Where leaving out comes first, some programs read what nothing names.
		p.takesAll = p.takesAll || !followed || kind == "include" && p.leavesOut || kind == "glob" && !RuleAsWritten(word.Text)
		p.filters.Include = append(p.filters.Include, word.Text)
		p.filters.Across = p.filters.Across || kind == "include" && p.w.options.Platform == "darwin"
	case kind == "exclude":
		p.leavesOut = true
		if followed {
			p.filters.Exclude = append(p.filters.Exclude, word.Text)
		}
	case kind == "type":
		p.filters.Types = append(p.filters.Types, typeName(word))
	case kind == "exclude_dir" && p.w.options.Platform == "darwin" && hasMeta(word.Text):
		// Some of BSD's greps take the name for the pattern: only one that is spelled out is left out.
	case kind == "exclude_dir" && followed:
		p.filters.ExcludeDir = append(p.filters.ExcludeDir, word.Text)
	}
}

// RuleAsWritten reports whether a glob that a program reads as a line of ignore rules stands
// for itself: an empty one and a comment stand for none, and blanks at the end are taken away.
func RuleAsWritten(glob string) bool {
	return glob != "" && glob[0] != '#' && strings.TrimRightFunc(glob, unicode.IsSpace) == glob
}

// typeName is a type of files that an option names, empty where it isn't known.
func typeName(word Word) string {
	if word.Kind != Literal {
		return ""
	}
	return strings.TrimPrefix(word.Text, "=")
}

// given reports whether an option is there that makes a walk read what it would
// leave out. A glob that only leaves out more doesn't.
func (p *parsed) given(option string) bool {
	if p.args.Program.Filters[option] == "glob" {
		return p.takesIn && p.has(option)
	}
	return p.has(option)
}

// kind does what a value of the given kind means, and returns the kind that
// the form states.
func (p *parsed) kind(kind string, word Word) string {
	if word.Kind == Fed && word.feed != nil && word.feed.every {
		return p.everyRoot(kind, word)
	}
	p.variables(word)
	base := strings.TrimSuffix(kind, "?")
	if base != kind && word.Kind == Literal && word.Text == "" && base != "execute" {
		return kind // optional and not given
	}
	return p.meant(base, kind, word)
}

// meant does the same for one word that is given, by the kind without its mark.
func (p *parsed) meant(base, kind string, word Word) string {
	switch base {
	case "number":
		return strings.Replace(kind, base, "value", 1)
	case "read":
		// What is on the network can have no use for a directory but to send what it holds.
		p.access(word, v1.OpRead, p.args.Program != nil && p.args.Program.Network)
	case "input", "packed", "module":
		return p.readAs(base, word)
	case "tree":
		p.access(word, v1.OpRead, true)
	case "list":
		p.access(word, v1.OpList, false)
	case "mount":
		p.mount(word)
	case "write":
		p.written(word)
	case "delete":
		p.access(word, v1.OpDelete, false)
	case "execute":
		p.c.Caveats.Add("executes")
		p.maybePath(word, v1.OpExecute)
	case "dir":
		p.move(word)
	case "code":
		p.c.Caveats.Add("inline_code")
	case "sed", "awk", "jq", "yq", sql.SQLite, sql.Postgres:
		return p.script(base, word)
	case "database":
		return p.database(kind, word)
	case "config":
		return p.config(word)
	case "rev":
		p.revision(word)
	case "pathspec":
		p.pathspec(word)
	case "url", "repository", "destination", "data", "field", "upload":
		return p.sent(base, kind, word)
	case "host":
		p.c.Caveats.Add("network")
	case "variable":
		p.variable(word)
	case "range":
		p.access(Word{Kind: word.Kind, Text: word.Text[strings.LastIndexByte(word.Text, ':')+1:]}, v1.OpRead, false)
	case "unknown":
		p.c.Caveats.Add("unknown_option")
		p.AnyPath(word)
	case "options":
		p.optionFile(word)
	case "package", "names", "transfer", "arrival", "assigned", "assignment":
		p.named(base, word)
	case "macro":
		p.macro(word)
	case "source", "configuration", "import", "expanded", "setting", "local", "public", "socket", "plus", "word", "fields", "bare", "inside", "member", "interface", "merges", "output", "format", "job":
		return p.spelled(base, kind, word)
	case "pattern", "value", "name":
		p.inertAs(base, word)
		if base != "pattern" {
			p.leadsOut(word)
		}
	}
	return kind
}

// database notes the file of a database, which is opened for writing. One that is named by an
// address can be anywhere, and be opened by code that the address chooses.
func (p *parsed) database(kind string, word Word) string {
	if word.literal(":memory:") {
		return kind
	}
	if strings.Contains(word.Text, ":") {
		p.anyPart(word, v1.OpWrite)
		p.c.Caveats.Add("inline_code")
		return "code"
	}
	p.access(word, v1.OpWrite, false)
	return kind
}

// readAs notes what is read in one of the ways that a form calls read.
func (p *parsed) readAs(base string, word Word) string {
	switch base {
	case "input":
		p.accessAs(value.AsInput, word, v1.OpRead, false)
	case "packed":
		p.packed(word)
	default:
		p.stem(word)
	}
	return "read"
}

// written notes a file that is written. Some programs take what stands behind a mark in it.
func (p *parsed) written(word Word) {
	p.access(word, v1.OpWrite, false)
	if i := strings.IndexAny(word.Text, ":="); i >= 0 {
		p.leadsOut(Word{Kind: word.Kind, Text: word.Text[i:]})
	}
}

// everyRoot does the same for a word that may come from any root of its feed: what
// one of them means doesn't speak for the others. The gravest kind is returned.
func (p *parsed) everyRoot(kind string, word Word) string {
	gravest := kind
	for _, root := range word.feed.roots {
		one := *word.feed
		one.roots, one.every = []string{root}, false
		word.Text, word.feed = root, &one
		if stated := p.kind(kind, word); stated != kind {
			gravest = stated
		}
	}
	return gravest
}

// spelled does the same for the kinds that only some words are explained by.
func (p *parsed) spelled(base, kind string, word Word) string {
	literal := word.Kind == Literal
	switch base {
	case "setting":
		return p.knownIf(kind, literal && plainSetting(word.Text))
	case "output":
		if word.literal("-") {
			return "value" // standard output
		}
		p.access(word, v1.OpWrite, false)
		return "write"
	case "local":
		p.access(word, v1.OpRead, false)
		return p.knownIf("read", literal && localName(word.Text))
	case "source":
		p.access(word, v1.OpRead, false)
		return p.codeIf(streams(word), "read")
	case "configuration":
		p.c.Caveats.Add("executes")
		p.maybePath(word, v1.OpExecute)
		return p.codeIf(streams(word) || strings.HasPrefix(strings.TrimSpace(word.Text), "{"), "execute")
	case "expanded":
		return p.expanded(word)
	case "import":
		p.access(word, v1.OpList, false)
		return p.knownIf("list", literal && !strings.Contains(word.Text, "@"))
	case "inside":
		p.access(word, v1.OpRead, false)
		return p.knownIf(kind, literal && !strings.ContainsAny(word.Text, `*?[\`))
	case "member":
		// Of a directory everything in it is read: a name with a suffix is that of a file.
		p.access(word, v1.OpRead, false)
		return p.knownIf(kind, literal && !strings.ContainsAny(word.Text, `*?[\`) && !strings.HasSuffix(word.Text, "/") && path.Ext(strings.TrimLeft(path.Base(word.Text), ".")) != "")
	case "public":
		return p.knownIf(kind, literal && slices.Contains(p.w.table.Words.Operands.PublicSettings, word.Text))
	case "fields":
		return p.knownIf(kind, literal && p.w.table.Words.Operands.PublicFields(word.Text))
	case "socket":
		return p.knownIf(kind, literal && p.w.table.Words.Operands.SelectsSockets(word.Text))
	case "plus":
		return p.knownIf(kind, literal && strings.HasPrefix(word.Text, "+"))
	case "bare":
		return p.knownIf(kind, literal && strings.Trim(word.Text, guard.WordBytes+".-*?") == "" && !strings.HasSuffix(strings.ToLower(word.Text), ".ps1"))
	case "format":
		return p.format(kind, word)
	case "word":
		return p.knownIf(kind, literal && !strings.ContainsAny(word.Text, " \t\n*?["))
	case "merges":
		return p.knownIf(kind, literal && slices.Contains(plainMerges, word.Text))
	case "interface":
		_, tag, _ := strings.Cut(word.Text, ".")
		return p.knownIf(kind, literal && strings.Trim(tag, "0123456789") == "")
	case "job":
		return p.knownIf(kind, isNumber(word) || literal && decimal(strings.TrimPrefix(word.Text, "%")))
	default:
		return p.knownIf(kind, false)
	}
}

// format does the same for how output looks: a name that ends in "file" has the path of a template behind
// "=", or in another option.
func (p *parsed) format(kind string, word Word) string {
	name, file, named := strings.Cut(word.Text, "=")
	switch fromFile := strings.HasSuffix(name, "file"); {
	case word.Kind != Literal, fromFile && !named:
		p.AnyPath(word)
		return p.knownIf(kind, false)
	case fromFile:
		p.access(Word{Kind: Literal, Text: file}, v1.OpRead, false)
		return "read"
	}
	return kind
}

// plainMerges are the ways to show a merge that compare what is stored. To merge
// again, as "remerge" does, and "on" where a setting says so, writes objects and
// runs merge drivers.
var plainMerges = []string{"off", "none", "first-parent", "1", "separate", "combined", "c", "dense-combined", "cc"}

// knownIf returns the kind of a word that is explained only where something
// holds.
func (p *parsed) knownIf(kind string, holds bool) string {
	if holds {
		return kind
	}
	p.c.Caveats.Add("unknown_option")
	return "unknown"
}

// expanded notes a file, or a pattern that the program itself expands. A pattern may match any file
// below the directory in front of its first mark, and isn't known if that is the working directory.
func (p *parsed) expanded(word Word) string {
	marks := strings.IndexAny(word.Text, "*?[{(!")
	if word.Kind != Literal || marks < 0 {
		p.access(word, v1.OpWrite, false)
		return "write"
	}
	dir := path.Dir(word.Text[:marks] + "x")
	p.access(Word{Kind: Literal, Text: dir}, v1.OpWrite, true)
	return p.knownIf("write", dir != ".")
}

// codeIf returns the kind of a file of program text, and "code" if the line itself holds the text.
func (p *parsed) codeIf(inline bool, kind string) string {
	if inline {
		p.c.Caveats.Add("inline_code")
		return "code"
	}
	return kind
}

// plainSetting reports whether a text is the name of a setting and nothing else: one
// with a "=" sets it, and one that begins with a dot or a slash or holds two of them
// side by side is a path from /proc/sys for some programs, "net/../../../etc/passwd".
func plainSetting(text string) bool {
	separator := func(c byte) bool { return c == '.' || c == '/' }
	for i := range len(text) {
		if text[i] == '=' || separator(text[i]) && (i == 0 || separator(text[i-1])) {
			return false
		}
	}
	return true
}

// hasScheme reports whether a text begins as an address does: letters and a colon.
func hasScheme(text string) bool {
	scheme, _, found := strings.Cut(text, ":")
	return found && scheme != "" && strings.IndexFunc(scheme, func(r rune) bool {
		return !strings.ContainsRune("+-.0123456789abcdefghijklmnopqrstuvwxyz", unicode.ToLower(r))
	}) < 0
}

// localName reports whether a text can be nothing but the name of a file for a program
// that takes addresses as well: one with an escape ("..%2fnotes", "%2eenv") is the
// name of another file for it where none is called that.
func localName(text string) bool {
	return !hasScheme(text) && !strings.Contains(text, "%")
}

// mount notes a word of which only the disk that it lies on matters.
func (p *parsed) mount(word Word) {
	if word.Kind != Literal || !slices.Contains(p.w.table.Words.Operands.MountPoints, word.Text) {
		p.access(word, v1.OpList, false)
	}
}

// optionFile notes a file that further options are read from. They can be any, those
// that write or run included.
func (p *parsed) optionFile(word Word) {
	p.c.Caveats.Add("executes")
	p.access(word, v1.OpRead, false)
}

// variable notes a variable that is shown.
func (p *parsed) variable(word Word) {
	p.c.Variables = append(p.c.Variables, word.Text)
	if !slices.Contains(p.w.table.Words.Variables.Public, word.Text) && word.Text != "HOME" && word.Text != "PWD" {
		p.c.Caveats.Add("private_variable")
	}
}

// data notes the files that a value sent over the network takes in: @file, and
// name=<file with attributes behind a semicolon.
func (p *parsed) data(word Word) {
	if strings.Contains(word.Text, "%output{") {
		p.c.Caveats.Add("dynamic_option") // a file that is written, for curl's -w
	}
	for _, mark := range []string{"@", "<"} {
		if _, path, ok := strings.Cut(word.Text, mark); ok {
			path, _, _ = strings.Cut(path, ";")
			p.access(Word{Kind: word.Kind, Text: path}, v1.OpRead, false)
		}
	}
}

// Single notes a word that stands in a place of its own: a pattern that
// matches several files would push the others into places of their own.
func (p *parsed) Single(word Word) {
	switch {
	case word.Kind == Glob && !word.Vanishes:
		p.c.Accesses = append(p.c.Accesses, Access{Text: word.Text, Op: v1.OpList, Glob: true, Single: word.Expands})
	case word.Kind == Fed && word.feed.many:
		p.c.Caveats.Add("dynamic_option")
	case word.Vanishes && (p.args.Program == nil || !p.args.Program.Inert):
		p.c.Caveats.Add("dynamic_option") // what stands behind it may take its place
	case word.Split && (word.Kind == Output || word.Kind == Dynamic) && (p.args.Program == nil || !p.args.Program.Inert):
		p.c.Caveats.Add("dynamic_option") // the shell makes as many words of it as there are blanks
	}
}

// inert notes a word that has no effect on files, as long as it is known.
func (p *parsed) inert(word Word) {
	switch word.Kind {
	case Dynamic:
		p.c.Caveats.Add("dynamic_word")
	case Output:
		p.c.Caveats.Add("output_word")
	case Glob:
		p.c.Accesses = append(p.c.Accesses, Access{Text: word.Text, Op: v1.OpList, Glob: true})
	case Fed:
		// The names are looked at on the disk: one that begins with a dash is an option.
		switch {
		case p.args.Program != nil && p.args.Program.Inert:
		case word.feed != nil && word.feed.refs && p.refsHere(word):
		case word.feed != nil && word.feed.Parts && p.partsHere(word):
		default:
			p.access(word, v1.OpList, false)
		}
	default: // a known word has no effect
	}
}

// inertAs notes a word without an effect on files, which may be a pattern that the
// program refuses.
func (p *parsed) inertAs(kind string, word Word) {
	p.c.refusable = p.c.refusable || kind == "pattern" && !plainExpression(word)
	p.inert(word)
}

// script reads a program text in a small language.
func (p *parsed) script(language string, word Word) string {
	if language == "yq" {
		p.maybePath(word, v1.OpRead) // yq takes what names a file for one
	}
	if language == "sed" && word.selects {
		return language
	}
	var texts []string
	switch {
	case word.Kind == Literal:
		texts = []string{word.Text}
	case len(word.holes) > 0:
		texts = word.numbered(language)
	}
	if len(texts) == 0 {
		p.c.Caveats.Add("dynamic_word")
		return "code"
	}
	verdict := script.Read(language, texts[0])
	for _, text := range texts[1:] {
		verdict.OnlyPrints = verdict.OnlyPrints && script.Read(language, text).OnlyPrints
	}
	for _, stream := range verdict.Streams {
		p.access(Word{Kind: Literal, Text: stream}, v1.OpWrite, false)
	}
	if verdict.Environment {
		p.c.Caveats.Add("reads_environment")
	}
	if !verdict.OnlyPrints {
		p.c.Caveats.Add("inline_code")
		return "code"
	}
	return language
}

// variables notes the variables that a word expands.
func (p *parsed) variables(word Word) {
	p.c.Variables = append(p.c.Variables, word.Variables...)
	if word.Kind == Dynamic {
		p.c.Caveats.Add("dynamic_word")
	}
}

// access notes a word that is a path.
func (p *parsed) access(word Word, op string, tree bool) {
	p.accessAs(value.AsPath, word, op, tree)
}

// accessAs does the same for a program that may take it for something else.
func (p *parsed) accessAs(reading value.Reading, word Word, op string, tree bool) {
	if word.literal("-") && op == v1.OpRead {
		p.c.stdin = true
		return
	}
	switch {
	case word.Kind == Fed && (word.feed == nil || word.feed.refs):
		word.Kind = Dynamic // a part of a name is another name, and a ref is none of a file
	case word.Kind == Fed && word.feed.Parts:
		word.Kind, word.Text = Dynamic, word.feed.shown
	case word.Kind == Fed && (p.elsewhere(word.feed) || word.Split && word.feed.composed()):
		word.Kind = Dynamic // the names count from another directory, or are pieces of such
	case word.Kind == Fed:
		for _, root := range word.feed.spread(word.Text) {
			a := word.feed.access(root, op, tree, word.Split)
			a.Reading = reading
			p.c.Accesses = append(p.c.Accesses, a)
		}
		for _, name := range word.feed.besides {
			p.c.Accesses = append(p.c.Accesses, Access{Text: name, Op: op, Tree: tree, Walk: value.Walk{Follow: tree}, IfExists: true})
		}
		p.c.Accesses = append(p.c.Accesses, word.feed.looked()...)
		return
	case word.Kind == Pipe && op == v1.OpRead:
		return // what it reads, the commands within have read
	}
	if word.Kind == Literal && word.Text == "" {
		return
	}
	a := Access{Text: word.Text, Op: op, Tree: tree, Glob: word.Kind == Glob, Split: word.Split, Walk: p.filters}
	a.One, a.Inner, a.Reading = a.Glob && !word.Expands, word.behindText(), reading
	if word.Kind == Dynamic || word.Kind == Output || word.Kind == Number || word.Kind == Hash {
		a.Dynamic = true
		p.c.Caveats.Add("dynamic_word")
	}
	p.c.Accesses = append(p.c.Accesses, a)
}

// maybePath notes a word that could be a path.
func (p *parsed) maybePath(word Word, op string) {
	if p.c.stdin = p.c.stdin || word.literal("-"); word.Text == "" || word.literal("-") {
		return
	}
	if word.Kind == Fed {
		p.access(word, op, true)
		return
	}
	if word.Kind == Dynamic || word.Kind == Output {
		p.c.Caveats.Add("dynamic_word")
	}
	p.c.Accesses = append(p.c.Accesses, Access{
		Text: word.Text, Op: op, Glob: word.Kind == Glob, Maybe: true,
		Dynamic: word.Kind == Dynamic || word.Kind == Output,
	})
}

// AnyPath notes a word of a role that is not known: each path that it may hold can be
// written, and a directory may be read with all that is below.
func (p *parsed) AnyPath(word Word) {
	added := p.anyPart(word, v1.OpWrite)
	for i := range added {
		added[i].Tree = added[i].Tree || added[i].Maybe
	}
}

// anyPart notes a word of which a path may be any part, and returns the accesses that this adds.
func (p *parsed) anyPart(word Word, op string) []Access {
	before := len(p.c.Accesses)
	p.maybePath(word, op)
	added := p.c.Accesses[before:]
	for i := range added {
		if added[i].Maybe {
			added[i].Reading = value.AsAnything
		}
	}
	return added
}

// move notes an option that changes the working directory of the command.
func (p *parsed) move(word Word) {
	if dirs := p.w.matched(p.st, word); dirs != nil && !p.moved && !p.c.Unknown && slices.Equal(p.c.Dirs, p.st.dirs) {
		p.moved, p.dirs = true, dirs
		return
	}
	if word.Kind != Literal || word.Text == "" {
		p.c.Caveats.Add("dynamic_word")
		p.c.Unknown = true
		p.moved, p.dirs = true, nil
		return
	}
	from := p.c.Dirs
	if p.moved {
		from = p.dirs
	}
	p.moved = true
	if p.w.rooted(word.Text) {
		p.dirs = []string{word.Text}
		p.c.Unknown = false
		return
	}
	p.dirs = nil
	for _, dir := range from {
		p.dirs = append(p.dirs, dir+"/"+word.Text)
	}
}

// pathOperand remembers the first path-like operand (V3).
func (p *parsed) pathOperand(word Word) {
	if p.c.Operand == "" && word.Kind == Literal && pathLike(word.Text) {
		p.c.Operand = word.Text
	}
}

// operandOf does the same for an operand whose kind is known: one that is a path is one
// however it is written.
func (p *parsed) operandOf(program *argv.Program, kind string, word Word) {
	if p.c.Operand != "" || word.Kind != Literal || !certainPaths[kind] || word.Text == "" || word.Text == "-" {
		return
	}
	noPath := kind == "input" && value.AsInput.Misread(word.Text) || kind == "local" && hasScheme(word.Text)
	if !noPath {
		p.c.Operand, p.c.OperandFile = word.Text, program.FilesUnless != nil && !slices.ContainsFunc(program.FilesUnless, p.has)
	}
}

// pathLike reports whether a word looks like a path and like nothing else.
func pathLike(text string) bool {
	switch text {
	case "~", ".", "..", "./...":
		return true
	}
	return strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~/") || strings.HasPrefix(text, "./") ||
		strings.HasPrefix(text, "../")
}
