package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
)

// Landing says what a program puts at the path that an access names, so that
// what really is written can be told: `cp a b` writes b/a where b is a directory.
type Landing struct {
	// Sources are the words whose files are put there.
	Sources []Access
	// Tree is true when what lies below a source goes with it.
	Tree bool
	// Exact is true when the path is never taken for a directory to put sources in.
	Exact bool
	// Parents is true when a source keeps the directories that it names.
	Parents bool
	// Makes is what is made of each source.
	Makes Making
	// Follow is true when links below a source are followed.
	Follow bool
	// Vague is true when an option has a say in where things land.
	Vague bool
}

// Making is what a program makes of a source.
type Making uint8

const (
	// Copies are files of their own. It also stands for sources that are moved.
	Copies Making = iota
	// HardLinks are other names of the sources.
	HardLinks
	// SymbolicLinks are links to the sources' names, which count from where the link lies.
	SymbolicLinks
)

// placed notes an operand or the value of an option of a program that puts
// sources somewhere.
func (p *parsed) placed(kind string, word Word) {
	switch kind {
	case "write":
		p.targets = append(p.targets, word)
	case "read", "delete", "list", "tree", "url":
		p.sources = append(p.sources, word)
	}
}

func (p *parsed) placedOption(canonical, kind string, word Word) {
	if p.args.Program == nil || p.args.Program.Places == nil {
		return
	}
	switch places := p.args.Program.Places; {
	case slices.Contains(places.From, canonical) && places.Fetches() && kind == "write":
		p.names = append(p.names, word)
	case slices.Contains(places.Into, canonical) || slices.Contains(places.From, canonical):
		p.placed(kind, word)
	}
}

// land ties the sources to the accesses that name where they go.
func (p *parsed) land(program *argv.Program) {
	places := program.Places
	if places == nil {
		return
	}
	if places.Alone && len(p.sources)+len(p.targets) == 1 {
		p.sources, p.targets = append(p.sources, p.targets...), []Word{{Kind: Literal, Text: "."}}
		p.c.Accesses = append(p.c.Accesses, Access{Text: ".", Op: v1.OpWrite})
	}
	if places.Fetches() {
		p.fetched(places)
		return
	}
	if len(p.sources) == 0 && !p.c.Caveats.Has("unknown_option") { // which may have taken a source for its value
		return
	}
	holds := func(options []string) bool {
		return slices.ContainsFunc(options, func(option string) bool { return option == "*" || p.has(option) })
	}
	landing := &Landing{
		Tree: holds(places.Trees), Exact: holds(places.Exact), Parents: holds(places.Parents), Follow: p.filters.Follow,
		Vague: holds(places.Vague) || p.c.Caveats.Has("unknown_option"),
	}
	switch {
	case holds(places.Symbolic):
		landing.Makes = SymbolicLinks
	case holds(places.Linked):
		landing.Makes = HardLinks
	}
	for _, word := range p.sources {
		landing.Sources = append(landing.Sources, Access{
			Text: word.Text, Op: v1.OpList, Glob: word.Kind == Glob, Dynamic: word.Kind != Literal && word.Kind != Glob,
		})
	}
	for _, target := range p.targets {
		for i := range p.c.Accesses {
			if a := &p.c.Accesses[i]; a.Op == v1.OpWrite && a.Text == target.Text && !a.Maybe {
				a.Landing = landing
			}
		}
	}
}

// fetched notes the files that a program makes of what addresses name.
func (p *parsed) fetched(places *argv.Placement) {
	given := func(option string) bool { return option == "*" || p.has(option) }
	into := Word{Kind: Literal, Text: "."}
	if len(p.targets) > 0 {
		into = p.targets[len(p.targets)-1]
	}
	byName := slices.ContainsFunc(places.Fetched, given) && !slices.ContainsFunc(places.FetchedUnless, given)
	if !byName && len(p.targets) == 0 {
		return
	}
	landing := &Landing{Parents: true, Vague: byName && (slices.ContainsFunc(places.Vague, given) || p.c.Caveats.Has("unknown_option"))}
	for _, word := range p.names {
		landing.Vague = landing.Vague || word.Kind != Literal
		landing.Sources = append(landing.Sources, Access{Text: word.Text, Op: v1.OpList})
	}
	for i := 0; byName && i < len(p.sources); i++ {
		name, known := lastSegment(p.sources[i])
		landing.Vague = landing.Vague || !known
		landing.Sources = append(landing.Sources, Access{Text: name, Op: v1.OpList})
	}
	p.c.Accesses = append(p.c.Accesses, Access{Text: into.Text + "/", Op: v1.OpWrite, Dynamic: into.Kind != Literal, Landing: landing})
}

// lastSegment is the name that a file gets by its address. It is not known where programs
// make different names of it.
func lastSegment(word Word) (name string, known bool) {
	if word.Kind != Literal {
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
func elsewhere(word Word) (may, sure bool) {
	first, _, _ := strings.Cut(word.Text, "/")
	may = word.Kind == Literal && strings.Contains(word.Text, ":") && strings.IndexByte("/.~", word.Text[0]) < 0
	return may, may && strings.Contains(first, ":")
}

// transfer notes a source that is sent with all below it, or that comes from elsewhere.
func (p *parsed) transfer(word Word) {
	may, sure := elsewhere(word)
	if may {
		p.sources = append(p.sources, word)
	}
	if !sure {
		p.access(word, v1.OpRead, true)
	}
}

// arrival notes where sources go: a path that is written, under the names that those from
// elsewhere have.
func (p *parsed) arrival(word Word) {
	if _, sure := elsewhere(word); sure {
		return
	}
	p.access(word, v1.OpWrite, false)
	landing := &Landing{}
	for _, source := range p.sources {
		name := strings.TrimRight(source.Text[strings.IndexByte(source.Text, ':')+1:], "/")
		name = name[strings.LastIndexByte(name, '/')+1:]
		landing.Vague = landing.Vague || strings.Trim(name, ".") == "" || strings.ContainsAny(name, `*?[{\\$`+"`") || p.has("-r")
		landing.Sources = append(landing.Sources, Access{Text: name, Op: v1.OpList})
	}
	if len(p.sources) > 0 {
		p.c.Accesses[len(p.c.Accesses)-1].Landing = landing
	}
}
