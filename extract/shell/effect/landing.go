package effect

import (
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/value"
)

// placement is what a program puts somewhere, and where.
type placement struct {
	sources, targets []expansion.Word
	// names are those that options give to files that are put there.
	names []expansion.Word
}

// add notes an operand, or the value of an option, of a program that puts sources somewhere.
func (l *placement) add(kind string, word expansion.Word) {
	switch kind {
	case "write":
		l.targets = append(l.targets, word)
	case "read", "delete", "list", "tree", "url":
		l.sources = append(l.sources, word)
	}
}

// option notes the value of an option.
func (l *placement) option(places *argv.Placement, canonical, kind string, word expansion.Word) {
	from := slices.Contains(places.From, canonical)
	switch {
	case from && places.Fetches() && kind == "write":
		l.names = append(l.names, word)
	case from || slices.Contains(places.Into, canonical):
		l.add(kind, word)
	}
}

// land ties the sources to the accesses that name where they go.
func (l *placement) land(e *Effects, places *argv.Placement) {
	if places == nil {
		return
	}
	if places.Alone && len(l.sources)+len(l.targets) == 1 {
		l.sources, l.targets = append(l.sources, l.targets...), []expansion.Word{{Kind: expansion.Literal, Text: "."}}
		e.Command.Accesses = append(e.Command.Accesses, command.AccessTo(v1.OpWrite, "."))
	}
	unknown := e.Command.Caveats.Has("unknown_option") // which may have taken a source for its value
	switch {
	case places.Fetches():
		l.fetched(e, places)
		return
	case len(l.sources) == 0 && !unknown:
		return
	}
	landing := &command.Landing{
		Tree: e.hasAny(places.Trees), Exact: e.hasAny(places.Exact), Parents: e.hasAny(places.Parents), Follow: e.Filters.Follow,
		Vague: unknown || e.hasAny(places.Vague), Makes: making(e, places),
	}
	for _, word := range l.sources {
		landing.Sources = append(landing.Sources, command.Access{Text: word.Text, Op: v1.OpList, Naming: command.NamingOf(word)})
	}
	for i := range e.Command.Accesses {
		a := &e.Command.Accesses[i]
		if a.Op == v1.OpWrite && a.Presence != command.IfPathLike && slices.ContainsFunc(l.targets, func(target expansion.Word) bool { return target.Text == a.Text }) {
			a.Landing = landing
		}
	}
}

// making is what options make of sources.
func making(e *Effects, places *argv.Placement) command.Making {
	switch {
	case e.hasAny(places.Symbolic):
		return command.SymbolicLinks
	case e.hasAny(places.Linked):
		return command.HardLinks
	}
	return command.Copies
}

// fetched notes the files that a program makes of what addresses name.
func (l *placement) fetched(e *Effects, places *argv.Placement) {
	into := expansion.Word{Kind: expansion.Literal, Text: "."}
	if len(l.targets) > 0 {
		into = l.targets[len(l.targets)-1]
	}
	byName := e.hasAny(places.Fetched) && !e.hasAny(places.FetchedUnless)
	if !byName && len(l.targets) == 0 {
		return
	}
	landing := &command.Landing{Parents: true, Vague: byName && (e.hasAny(places.Vague) || e.Command.Caveats.Has("unknown_option"))}
	for _, word := range l.names {
		landing.Vague = landing.Vague || word.Kind != expansion.Literal
		landing.Sources = append(landing.Sources, command.AccessTo(v1.OpList, word.Text))
	}
	for i := 0; byName && i < len(l.sources); i++ {
		name, known := lastSegment(l.sources[i])
		landing.Vague = landing.Vague || !known
		landing.Sources = append(landing.Sources, command.AccessTo(v1.OpList, name))
	}
	naming := command.Unnamed
	if into.Kind == expansion.Literal {
		naming = command.ByName
	}
	e.Command.Accesses = append(e.Command.Accesses, command.Access{Text: into.Text + "/", Op: v1.OpWrite, Naming: naming, Landing: landing})
}

// lastSegment is the name that a file gets by its address. It is not known where programs
// make different names of it.
func lastSegment(word expansion.Word) (name string, known bool) {
	if word.Kind != expansion.Literal {
		return "", false
	}
	rest := word.Text
	if _, behind, found := strings.Cut(rest, "://"); found {
		rest = behind
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, asked := strings.Cut(rest, "?")
	slash := strings.LastIndexByte(rest, '/')
	name = rest[slash+1:]
	if slash < 0 || name == "" {
		name = "index.html"
	}
	return name, !asked && !strings.ContainsAny(name, `%{}[]\;*`)
}

// elsewhere reports whether an operand may be a path on another machine or in a container,
// "host:path" or "namespace/pod:path", and whether it can be no path of this one.
func elsewhere(word expansion.Word) (may, sure bool) {
	first, _, _ := strings.Cut(word.Text, "/")
	may = word.Kind == expansion.Literal && strings.Contains(word.Text, ":") && strings.IndexByte("/.~", word.Text[0]) < 0
	return may, may && strings.Contains(first, ":")
}

// fetch reports whether a source is elsewhere for sure.
func (l *placement) fetch() bool {
	return slices.ContainsFunc(l.sources, func(word expansion.Word) bool {
		_, sure := elsewhere(word)
		return sure
	})
}

// transfer notes a source that is sent with all below it, or that comes from elsewhere.
func (l *placement) transfer(e *Effects, word expansion.Word) {
	may, sure := elsewhere(word)
	if may {
		l.sources = append(l.sources, word)
	}
	if !sure {
		e.Access(word, v1.OpRead, true)
	}
}

// arrival notes where sources go: a path that is written, under the names that those from
// elsewhere have.
func (l *placement) arrival(e *Effects, word expansion.Word) {
	if _, sure := elsewhere(word); sure {
		return
	}
	e.Access(word, v1.OpWrite, false)
	landing := &command.Landing{}
	for _, source := range l.sources {
		name := strings.TrimRight(source.Text[strings.IndexByte(source.Text, ':')+1:], "/")
		name = name[strings.LastIndexByte(name, '/')+1:]
		landing.Vague = landing.Vague || strings.Trim(name, ".") == "" || strings.ContainsAny(name, `*?[{\\$`+"`") || e.Has("-r")
		landing.Sources = append(landing.Sources, command.AccessTo(v1.OpList, name))
	}
	if len(l.sources) > 0 {
		e.Command.Accesses[len(e.Command.Accesses)-1].Landing = landing
	}
}

// changes notes what a program changes besides what its words name, and where it does so that isn't a path of its words.
func (r commandReader) changes(program *argv.Program) {
	implied := &r.Command.Implied
	implied.Changes, implied.Unnamed = r.change(program), nil
	if implied.Changes != command.ChangesTree {
		return
	}
	into := r.into
	if len(into) == 0 && !slices.ContainsFunc(program.Unpacks.Renames, r.Has) && !r.Command.Caveats.Has("unknown_option") {
		into = r.named(program)
	}
	if len(into) == 0 {
		implied.Unnamed = []string{"."}
	}
	for _, word := range into {
		if dir := unnamed(word); dir != "" {
			implied.Unnamed = append(implied.Unnamed, dir)
		}
	}
}

// change is the kind of what a program changes besides what its words name.
func (r commandReader) change(program *argv.Program) command.Change {
	has := func(name string) bool { return r.Has(name) || name == argv.Elsewhere && r.places.fetch() }
	switch unpacks := program.Unpacks.Holds(has); {
	case program.Keeps.Holds(has):
		return command.ChangesNothing
	case unpacks && slices.ContainsFunc(program.Unpacks.Named, r.Has):
		return command.ChangesNamed
	case unpacks && program.Tracked:
		return command.ChangesTracked
	case unpacks:
		return command.ChangesTree
	case program.Tracked:
		return command.ChangesRefs
	}
	return command.ChangesNothing
}

// named are the operands that say what a program unpacks, or where.
func (r commandReader) named(program *argv.Program) []expansion.Word {
	rule, _ := program.Rule(r.Has)
	roles, _ := rule.Assign(len(r.Args.Operands))
	var words []expansion.Word
	for i := range min(len(roles), len(r.Args.Operands)) {
		if program.Unpacks.Names(roles[i].Label) {
			words = append(words, r.Args.Operands[i])
		}
	}
	return words
}

// unnamed is the directory below which a word names files as a pattern, as some programs read it, or where only the run
// knows it; empty for a word that names one path.
func unnamed(word expansion.Word) string {
	meta := strings.IndexAny(word.Text, `*?[\`)
	switch {
	case word.Kind != expansion.Literal || word.Text == "":
		return "."
	case meta < 0:
		return ""
	}
	return word.Text[:strings.LastIndexByte(word.Text[:meta], '/')+1] + "."
}

// openArchives notes the archives that options named, once all options are
// known: tar -t reads what tar -c writes. An archive named host:file lies on
// another machine, which tar asks for it.
func (o operandReader) openArchives() {
	op, kind := v1.OpWrite, "write"
	if slices.ContainsFunc(o.program.Reading, o.hasAll) {
		op, kind = v1.OpRead, "read"
	}
	for i, word := range o.archives {
		if strings.Contains(word.Text, ":") {
			o.Command.Caveats.Add("network")
			o.Command.Caveats.Add("executes")
		}
		o.variables(word)
		o.accessAs(value.AsArchive, word, op, false)
		o.Command.Form.Put(o.archiveOptions[i], kind)
	}
}

// hasAll reports whether a command is given each of some options, with blanks between them.
func (o operandReader) hasAll(options string) bool {
	return !slices.ContainsFunc(strings.Fields(options), func(option string) bool { return !o.Has(option) })
}

// packedSuffixes are what programs that unpack add to a name when nothing has
// it as it stands (gzip(1), unzip(1)).
var packedSuffixes = []string{".gz", ".z", "-gz", "-z", "_z", ".Z", ".tgz", ".taz", ".bz2", ".xz", ".lzma", ".zst", ".zip", ".ZIP"}

// readPacked is a file that is read unpacked. Some of the programs are scripts
// that put the name into a text for sed, and others match it as a pattern, so
// that it has to be a plain one.
func readPacked(e *Effects, word expansion.Word) {
	if word.Kind == expansion.Glob {
		word.Split = true
	}
	from := len(e.Command.Accesses)
	e.Access(word, v1.OpRead, false)
	for i := from; i < len(e.Command.Accesses); i++ {
		e.Command.Accesses[i].Inner = true
	}
	if word.Kind == expansion.Literal && !plainFile(word.Text) {
		e.Command.Caveats.Add("unknown_option")
	}
	readWith(e, word, packedSuffixes)
}

// compressed is a file that is replaced by an uncompressed one, or the other way round, or that such a one comes beside.
func compressed(e *Effects, word expansion.Word, op string) {
	e.Access(word, op, false)
	for _, suffix := range packedSuffixes {
		plain, cut := strings.CutSuffix(word.Text, suffix)
		// A pattern that begins otherwise than with a dot matches no protected file's name with a suffix alone.
		if cut && (word.Kind == expansion.Literal || word.Kind == expansion.Glob && strings.HasPrefix(path.Base(plain), ".")) {
			e.Access(expansion.Word{Kind: word.Kind, Text: plain}, v1.OpWrite, false)
		}
	}
}

// moduleSuffixes are what node adds to a name when nothing has it as it stands.
var moduleSuffixes = []string{".js", ".json", ".node", ".mjs", ".cjs"}

// readModule is a file that node reads, which may be named without its suffix. For a
// directory of that name it reads a file that another one names.
func readModule(e *Effects, word expansion.Word) {
	from := len(e.Command.Accesses)
	e.Access(word, v1.OpRead, false)
	for i := from; i < len(e.Command.Accesses); i++ {
		if a := &e.Command.Accesses[i]; a.Below == command.Tree {
			e.Command.Caveats.Add("reaches_unknown")
		} else {
			a.Below = command.Module
		}
	}
	readWith(e, word, moduleSuffixes)
}

// readWith adds the files that are read in place of a named one: those there are with a suffix behind the name.
func readWith(e *Effects, word expansion.Word, suffixes []string) {
	if word.Kind != expansion.Literal {
		return
	}
	for _, suffix := range suffixes {
		e.Command.Accesses = append(e.Command.Accesses, command.Access{Text: word.Text + suffix, Op: v1.OpRead, Naming: command.ByName, Presence: command.IfExists})
	}
}

func plainFile(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < 0x80 && !value.IsNameByte(c) && strings.IndexByte("./-+=,%", c) < 0 {
			return false
		}
	}
	return true
}

// noAtFiles refuses words that begin with "@", or may: the GNU binary tools
// take further arguments from the file that such a word names.
func (r commandReader) noAtFiles() {
	for _, word := range r.Args.Words {
		if strings.HasPrefix(word.Text, "@") {
			r.risk(argv.Shortened(word.Text))
			r.Command.Form.Put("<@file>", "unknown")
		}
		if strings.HasPrefix(word.Text, "@") || word.Kind != expansion.Literal && !r.beginsPlain(word, "@") {
			r.Command.Caveats.Add("unknown_option")
		}
	}
}
