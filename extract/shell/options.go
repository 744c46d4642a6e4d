package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/value"
)

// options reads the options and leaves the operands.
func (r commandReader) options(program *argv.Program) {
	r.args.Begin(program)
	if program.AtFiles {
		r.noAtFiles()
	}
	switch program.Style {
	case "find":
		nameRunner(r).find(program)
	case "raw":
		r.raw()
	default:
		r.args.Parse(program)
	}
	r.c.Git.Dashes = r.c.Git.Dashes || r.args.Dashes >= 0
}

// Operand notes a word that may turn into an option when it is expanded.
func (p *parsed) Operand(program *argv.Program, word expansion.Word) {
	if !program.Inert && p.mayTurn(program, word) {
		p.c.Caveats.Add("dynamic_option")
	}
}

// Value notes an option's value, and what it accesses by its kind.
func (p *parsed) Value(known argv.Option, kind string, word expansion.Word) {
	canonical := known.Canonical
	switch canonical {
	case argv.OptionNumber:
		gitReader{&p.effects}.count(word)
		return
	case "--max-count":
		gitReader{&p.effects}.count(word)
	case "-I":
		p.mark = word // the last one counts
	case "-d":
		p.cutAt = word
	}
	verbChain{p, p.args.Program}.judge(canonical, word)
	verbChain{p, p.args.Program}.defined(canonical, kind, word)
	riskReader{&p.effects}.add(known.Risk, &word)
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
	if p.args.Program != nil && p.args.Program.Places != nil {
		p.places.option(p.args.Program.Places, canonical, kind, word)
	}
	if colors(p.c, canonical) {
		p.c.Printing.Color = max(p.c.Printing.Color, colorOf(word))
	}
	if p.c.Program == "git" {
		gitReader{&p.effects}.printing(canonical, word)
	}
	stateGravest(&p.c.Form, canonical, kind)
}

// stateGravest puts an option into a form. Of several values the gravest kind counts.
func stateGravest(form *v1.Form, option, kind string) {
	if held, ok := form.Get(option); ok && held != kind {
		if acts, _ := argv.KnownKind(strings.TrimSuffix(kind, "?")); !acts {
			kind = held
		}
		*form = slices.DeleteFunc(*form, func(e v1.Entry) bool { return e.Name == option })
	}
	form.Put(option, kind)
}

// Single notes a word whose place gives it its meaning.
func (p *parsed) Single(word expansion.Word) {
	p.single(word, p.args.Program != nil && p.args.Program.Inert)
}

// inert notes a word that has no effect on files, as long as it is known.
func (p *parsed) inert(word expansion.Word) {
	switch word.Kind {
	case expansion.Dynamic:
		p.c.Caveats.Add("dynamic_word")
	case expansion.Output:
		p.c.Caveats.Add("output_word")
	case expansion.Glob:
		p.c.Accesses = append(p.c.Accesses, command.Access{Text: word.Text, Op: v1.OpList, Naming: command.ByGlob})
	case expansion.Names:
		// The names are looked at on the disk: one that begins with a dash is an option.
		switch {
		case p.args.Program != nil && p.args.Program.Inert:
		case word.Stream != nil && word.Stream.AreRefs() && p.refsHere(word):
		case word.IsPart() && p.partsHere(word):
		default:
			p.access(word, v1.OpList, false)
		}
	default: // a known word has no effect
	}
}

// operandOf does the same for an operand whose kind is known: one that is a path is one
// however it is written.
func (o operandReader) operandOf(kind string, word expansion.Word) {
	if o.c.Effective.Operand != "" || word.Kind != expansion.Literal || !certainPaths[kind] || word.Text == "" || word.Text == "-" {
		return
	}
	noPath := kind == "input" && value.AsInput.Misread(word.Text) || kind == "local" && hasScheme(word.Text)
	if !noPath {
		o.c.Effective.Operand, o.c.Effective.File = word.Text, o.program.FilesUnless != nil && !slices.ContainsFunc(o.program.FilesUnless, o.has)
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
