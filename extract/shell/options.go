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
	"policyd/extract/shell/guard"
	"policyd/extract/sql"
	"policyd/extract/value"
)

// leading reads the global options before a subcommand and returns the rest.
func (p *parsed) leading(program *argv.Program) []Word {
	rest := p.words
	p.level = program
	for len(rest) > 0 && rest[0].isOption() && !rest[0].literal("--") {
		taken := p.option(program, rest)
		rest = rest[taken:]
	}
	return rest
}

// options reads the options and leaves the operands.
func (p *parsed) options(program *argv.Program) {
	p.dashes = -1
	p.program, p.level = program, program
	if program.AtFiles {
		p.noAtFiles()
	}
	switch program.Style {
	case "find":
		p.find(program)
		return
	case "equals":
		p.equals(program)
		return
	case "raw":
		p.raw()
		return
	case "text":
		p.operands = p.words
		return
	case "tar":
		p.oldBundle(program)
		if len(p.words) > 0 && p.words[0].Vanishes {
			p.c.Caveats.Add("dynamic_option") // the next word may be the bundle
		}
	}
	early := program.EndsAtOperand()
	rest := p.words
	for len(rest) > 0 {
		word := rest[0]
		if p.takesNext && !word.isOption() {
			p.anyPath(word)
		}
		p.takesNext = false
		switch {
		case len(p.operands) > 0 && word.isOption() && p.late(program, word):
			p.c.Caveats.Add("unknown_option")
			p.operands = append(p.operands, word)
			rest = rest[1:]
		case word.literal("--"):
			p.endAtDashes(program, rest)
			return
		case word.isOption():
			p.behind(program, word)
			rest = rest[p.option(program, rest):]
			if len(p.inner) > 0 {
				return
			}
		case p.attached(program, rest):
			rest = rest[1:]
		case early:
			p.endAtOperand(program, rest)
			return
		default:
			p.unsure(program, word)
			if p.operands == nil {
				p.operands = make([]Word, 0, len(rest))
			}
			p.firstSeparator(program, word, rest[1:])
			p.operands = append(p.operands, word)
			rest = rest[1:]
		}
	}
}

// late reports whether an option comes too late to count as one: behind the
// first operand.
func (p *parsed) late(program *argv.Program, word Word) bool {
	if program.Late != nil {
		return !slices.ContainsFunc(program.Late, func(name string) bool { return strings.HasPrefix(word.Text, name) })
	}
	// BSD's getopt(3) ends the options there.
	return p.w.options.Platform == "darwin" && program.Style == "" && !program.Permute && !p.nested
}

// unsure notes a word that may turn into an option when it is expanded.
func (p *parsed) unsure(program *argv.Program, word Word) {
	if program.Inert {
		return
	}
	switch {
	case word.Kind != Literal && strings.HasPrefix(word.Text, "-"):
		p.c.Caveats.Add("dynamic_option") // a pattern that matches nothing stays as it is
	case word.Dashed && (word.Kind == Number || word.Kind == Hash):
		p.c.Caveats.Add("dynamic_option") // a command that fails prints nothing
	case word.Kind == Number && word.Signed && (!word.Letters || program.Digits()):
		p.c.Caveats.Add("dynamic_option") // behind the digits of one others may stand
	case (word.Led || word.bare && !word.Dashed) && !word.Split, word.begins != nil && !word.Split && p.partsHere(word.begins.word(word.begins.roots[0])):
		return
	case word.Kind == Dynamic || word.Kind == Output:
		if word.Split || !strings.HasPrefix(word.Text, "/") && !strings.HasPrefix(word.Text, "./") {
			p.c.Caveats.Add("dynamic_option")
		}
	case program.Style == "find" && word.Kind == Glob && strings.HasSuffix(word.Text, "/"):
		// No word of an expression ends so, and find refuses one that it doesn't know.
	case word.Kind == Glob && word.Text != "" && strings.IndexByte("*?[", word.Text[0]) >= 0 && program.Acts():
		p.c.Caveats.Add("dynamic_option")
	}
}

// option reads the option at the head of rest and returns how many words it took.
func (p *parsed) option(program *argv.Program, rest []Word) int {
	word := rest[0]
	text := word.Text
	if program.Numeric && strings.Trim(text[1:], "0123456789") == "" {
		p.c.Form.Put("-NUM", "none")
		p.count(Word{Kind: Literal, Text: text[1:]})
		return 1
	}
	name, value, attached := strings.Cut(text, "=")
	if known, ok := program.Options[name]; ok && (strings.HasPrefix(text, "--") || len(name) > 2 || !attached) {
		return p.longOption(known, value, attached, rest)
	}
	if strings.HasPrefix(text, "--") || program.Style == "go" || program.Style == "find" {
		if program.Style == "go" && strings.HasPrefix(text, "--") {
			if known, ok := program.Options[name[1:]]; ok {
				return p.longOption(known, value, attached, rest)
			}
		}
		if program.Joinable(text) {
			return p.bundle(program, rest)
		}
		p.unlistedOption(text, rest[1:])
		p.unknownOption(text)
		return 1
	}
	return p.bundle(program, rest)
}

// attached reads an option whose value stands in the same word and only the
// run can tell, where nothing hangs on the value. It reports false for any
// other word.
func (p *parsed) attached(program *argv.Program, rest []Word) bool {
	word := rest[0]
	known, ok := program.Options[word.Option]
	if !ok || program.Style != "" || len(known.Kinds) != 1 || len(p.operands) > 0 && p.late(program, word) {
		return false
	}
	kind := known.Kinds[0]
	digits := word.Kind == Number && !word.Signed
	switch {
	case word.Split:
		return false // what a split word holds behind a blank are words of their own
	case kind == "value" || kind == "pattern":
		if word.Kind != Output && word.Kind != Hash && word.Kind != Number {
			return false
		}
	case !digits || kind != "value?" && kind != "number?":
		return false
	}
	if name, ok := strings.CutPrefix(word.Option, "--"); ok && name != "" {
		_, word.Text, _ = strings.Cut(word.Text, "=")
	} else {
		// A command that fails prints nothing, and the next word would be the value.
		if !digits || !strings.HasSuffix(kind, "?") && len(rest) > 1 {
			return false
		}
		word.Text = strings.TrimPrefix(word.Text, word.Option)
	}
	p.value(known.Canonical, kind, word)
	return true
}

func (p *parsed) unknownOption(text string) {
	p.c.Form.Put(optionName(text), "unknown")
	p.c.Caveats.Add("unknown_option")
	if p.unsettled == 0 {
		p.unsettled = 1 + len(p.operands)
	}
	p.takesNext = !strings.Contains(text, "=")
	p.anyPath(Word{Kind: Literal, Text: text})
}

// longOption reads an option that stands as a word of its own.
func (p *parsed) longOption(known argv.Option, value string, attached bool, rest []Word) int {
	kind := known.Kinds[0]
	optional := strings.HasSuffix(kind, "?")
	switch {
	case kind == "none":
		if attached {
			p.unknownOption(rest[0].Text)
		} else {
			p.c.Form.Put(known.Canonical, kind)
		}
		return 1
	case attached:
		p.value(known.Canonical, kind, Word{Kind: Literal, Text: value})
		return 1 + p.moreValues(known, rest[1:])
	case optional && p.nextIsValue(kind, rest):
		p.value(known.Canonical, kind, rest[1])
		return 2
	case optional:
		p.value(known.Canonical, kind, Word{Kind: Literal})
		return 1
	case kind == "command":
		p.c.Form.Put(known.Canonical, kind)
		p.inner = rest[1:]
		return len(rest)
	}
	taken := 0
	for i, kind := range known.Kinds {
		if 1+i >= len(rest) {
			p.c.Form.Put(known.Canonical, "unknown")
			p.c.Caveats.Add("unknown_option")
			break
		}
		p.single(rest[1+i])
		if p.optionAfterAll(kind, rest[1+i]) {
			p.c.Caveats.Add("unknown_option")
		}
		p.value(known.Canonical, kind, rest[1+i])
		p.stray(known, rest[1+i])
		taken++
	}
	return 1 + taken
}

// nextIsValue reports whether the next word is the optional value of an option: to make a
// number is behind -j, to lsof any word that doesn't begin as an option does.
func (p *parsed) nextIsValue(kind string, rest []Word) bool {
	if kind == "number?" && len(rest) > 1 {
		next := rest[1]
		return next.Kind == Number && !next.Signed || next.Kind == Literal && next.Text != "" && strings.Trim(next.Text, "0123456789") == ""
	}
	if p.program == nil || !p.program.OptionalNext || len(rest) < 2 {
		return false
	}
	if p.mayLead(rest[1]) && !rest[1].isOption() {
		p.c.Caveats.Add("dynamic_option")
	}
	return !rest[1].isOption()
}

// optionAfterAll reports whether a value that is a word of its own may be an option
// instead: to programs that read their words themselves, such as ripgrep, one with a dash
// in front is none of some options, which then have their default.
func (p *parsed) optionAfterAll(kind string, word Word) bool {
	return p.program != nil && p.program.Style == "" && p.program.Permute && kind != "pattern" &&
		word.isOption() && strings.Trim(word.Text[1:], "0123456789") != ""
}

// moreValues reads what an option with several values takes besides the
// attached one.
func (p *parsed) moreValues(known argv.Option, rest []Word) int {
	for i, kind := range known.Kinds[1:] {
		if i >= len(rest) {
			p.c.Caveats.Add("unknown_option")
			return len(rest)
		}
		p.single(rest[i])
		p.value(known.Canonical, kind, rest[i])
	}
	return len(known.Kinds) - 1
}

// bundle reads short options that share one dash, the last of which may take a
// value: attached, or the next word.
func (p *parsed) bundle(program *argv.Program, rest []Word) int {
	text := rest[0].Text
	for i := 1; i < len(text); i++ {
		known, ok := program.Options["-"+text[i:i+1]]
		if !ok {
			p.unlistedOption("-"+text[i:], rest[1:])
			p.unknownOption("-" + text[i:])
			return 1
		}
		kind := known.Kinds[0]
		value := text[i+1:]
		if p.tied(program, known, value) {
			p.unknownOption("-" + text[i:])
			return 1
		}
		switch {
		case kind == "none":
			p.c.Form.Put(known.Canonical, kind)
		case value == "" && strings.HasSuffix(kind, "?"):
			return p.longOption(known, "", false, rest)
		case strings.HasSuffix(kind, "?"):
			p.value(known.Canonical, kind, Word{Kind: Literal, Text: value})
			return 1
		case value != "":
			p.value(known.Canonical, kind, Word{Kind: Literal, Text: value})
			return 1 + p.moreValues(known, rest[1:])
		default:
			return p.longOption(known, "", false, rest)
		}
	}
	return 1
}

// tied reports whether a value behind a short option begins with "=" and says
// what is touched: getopt(3) takes the sign for part of the value, and the parsers of
// ripgrep, fd, npm and cobra leave it out, so that the value is either.
func (p *parsed) tied(program *argv.Program, known argv.Option, value string) bool {
	if len(value) < 2 || value[0] != '=' {
		return false
	}
	switch strings.TrimSuffix(known.Kinds[0], "?") {
	case "none", "value", "pattern", "sed", "awk", "jq", "yq", sql.SQLite, sql.Postgres:
		filter := program.Filters[known.Canonical]
		return filter != "" && filter != "type" // no type begins with the sign
	}
	return true
}

// value notes an option's value, and what it touches by its kind. Several
// values of one option keep the gravest kind.
func (p *parsed) value(canonical, kind string, word Word) {
	if canonical == "-I" {
		p.mark = word // the last one counts
	}
	if canonical == "-d" {
		p.cutAt = word
	}
	p.judge(p.program, canonical, word)
	p.defined(canonical, kind, word)
	p.optionRisk(canonical, word)
	if p.program != nil && word.Text != "" && slices.Contains(p.program.Modifies, canonical) {
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
	if p.c.Program == "git" && slices.Contains(formatOptions, canonical) {
		if canonical == "--format" || canonical == "--pretty" {
			p.c.Git.Format = word.Text
		}
		p.c.Git.Formats = append(p.c.Git.Formats, word.Text)
		if checksSignature(word) {
			p.c.Caveats.Add("executes")
		}
	}
	if canonical == "--max-count" {
		p.count(word)
	}
	if colors(p.c, canonical) {
		p.c.color = max(p.c.color, colorOf(word))
	}
	if p.c.Program == "git" && canonical == "--date" {
		p.c.Git.date = word.Text
		if word.Kind != Literal {
			p.c.Git.date = "\n"
		}
	}
	if held, ok := p.c.Form.Get(canonical); ok && held != kind {
		if acts, _ := argv.KnownKind(strings.TrimSuffix(kind, "?")); !acts {
			kind = held
		}
		p.c.Form = slices.DeleteFunc(p.c.Form, func(e v1.Entry) bool { return e.Name == canonical })
	}
	p.c.Form.Put(canonical, kind)
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
	if p.program == nil {
		return
	}
	kind := p.program.Filters[canonical]
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
	if p.program.Filters[option] == "glob" {
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
		p.access(word, v1.OpRead, p.program != nil && p.program.Network)
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
		p.anyPath(word)
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
		p.anyPath(word)
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

// single notes a word that stands in a place of its own: a pattern that
// matches several files would push the others into places of their own.
func (p *parsed) single(word Word) {
	switch {
	case word.Kind == Glob && !word.Vanishes:
		p.c.Accesses = append(p.c.Accesses, Access{Text: word.Text, Op: v1.OpList, Glob: true, Single: word.Expands})
	case word.Kind == Fed && word.feed.many:
		p.c.Caveats.Add("dynamic_option")
	case word.Vanishes && (p.program == nil || !p.program.Inert):
		p.c.Caveats.Add("dynamic_option") // what stands behind it may take its place
	case word.Split && (word.Kind == Output || word.Kind == Dynamic) && (p.program == nil || !p.program.Inert):
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
		case p.program != nil && p.program.Inert:
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
	texts := []string{word.Text}
	if len(word.holes) > 0 && (language == "sed" || language == "awk") {
		texts = samples(language, word)
	} else if word.Kind != Literal {
		texts = nil
	}
	if len(texts) == 0 {
		p.c.Caveats.Add("dynamic_word")
		return "code"
	}
	verdict := scriptKind(language, texts[0])
	for _, text := range texts[1:] {
		verdict.plain = verdict.plain && scriptKind(language, text).plain
	}
	if language == "yq" && strings.HasSuffix(texts[0], ".yq") {
		verdict.plain = false // a file of that name holds the expression that is run
	}
	p.c.Variables = append(p.c.Variables, verdict.variables...)
	for _, stream := range verdict.streams {
		p.access(Word{Kind: Literal, Text: stream}, v1.OpWrite, false)
	}
	if verdict.environment {
		p.c.Caveats.Add("reads_environment")
	}
	if !verdict.plain {
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

// anyPath notes a word of a role that is not known: each path that it may hold can be
// written, and a directory may be read with all that is below.
func (p *parsed) anyPath(word Word) {
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

// operand remembers the first path-like operand (V3).
func (p *parsed) operand(word Word) {
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
