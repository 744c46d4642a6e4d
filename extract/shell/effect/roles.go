package effect

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/output"
	"policyd/extract/value"
)

// pathKinds are the kinds of roles that a path-like operand can have.
var pathKinds = map[string]bool{
	"read": true, "write": true, "delete": true, "execute": true, "list": true, "tree": true, "dir": true,
	"rev": true, "pathspec": true, "unknown": true, "source": true, "import": true, "expanded": true, "mount": true, "local": true, "page": true, "input": true, "transfer": true, "arrival": true, "database": true,
}

// certainPaths are the kinds of operands that are paths whatever they look like.
var certainPaths = map[string]bool{
	"read": true, "write": true, "delete": true, "execute": true, "list": true, "tree": true, "packed": true,
	"module": true, "output": true, "input": true, "archive": true, "local": true, "page": true, "source": true, "expanded": true,
}

// operandReader does what the operands of a program mean.
type operandReader struct{ verbChain }

// roles gives every operand its role, and does what the role means.
func (o operandReader) roles() {
	o.openArchives()
	before := len(o.Command.Accesses)
	operands := o.Args.Operands
	var behind []expansion.Word
	if o.program.Pathspecs && o.Args.Dashes >= 0 {
		operands, behind = o.Args.Operands[:o.Args.Dashes], o.Args.Operands[o.Args.Dashes:]
	}
	rule, ok := o.program.Rule(o.Has)
	if !ok {
		rule = argv.OperandRule{}
	}
	assigned, fits := rule.Assign(len(operands))
	if !fits {
		o.Command.Caveats.Add("unknown_option")
	}
	whole := o.walks()
	o.selects()
	paths := o.assigned(operands, assigned, whole)
	for _, r := range rule.Roles[min(len(operands), len(rule.Roles)):] {
		o.Command.Reading.Stdin = o.Command.Reading.Stdin || r.Kind == "read" && !r.Repeat // cmp compares with it
	}
	for _, word := range behind {
		paths = paths || !word.Vanishes
		// However many names a pattern has, behind "--" each is a path.
		o.role(argv.Role{Name: "path", Label: "<path>", Kind: "pathspec", Repeat: word.Kind == expansion.Glob}, word, whole)
	}
	o.straying(rule)
	o.commitRisk(operands, behind)
	o.changed(before)
	if !paths || o.program.Implicit == "project" {
		o.impliedAccess(whole)
	}
	o.places.land(&o.Effects, o.program.Places)
	if o.Command.Verb == "git push" {
		gitPush{&o.Effects, o.Args.Operands}.changes()
	}
}

// assigned does what operands mean by their roles. It reports whether one of them is a path.
func (o operandReader) assigned(operands []expansion.Word, roles []argv.Role, whole bool) (paths bool) {
	for i, word := range operands {
		if i >= len(roles) {
			o.Command.Form.Put("<more>", "unknown")
			o.AnyPath(word)
			continue
		}
		r := roles[i]
		if r.Kind == "command" {
			o.Command.Form.Put(r.Label, "command")
			o.Args.Inner = operands[i:]
			return paths
		}
		paths = paths || pathKinds[r.Kind] && !word.Vanishes
		o.role(r, word, whole)
	}
	return paths
}

// role does what an operand of a role means.
func (o operandReader) role(r argv.Role, word expansion.Word, whole bool) {
	o.target(r, word)
	o.judge(r.Label, word)
	riskReader{&o.Effects}.role(o.program, r, word)
	o.operandOf(r.Kind, word)
	if pathKinds[r.Kind] && r.Kind != "mount" {
		o.pathOperand(word)
	}
	if !r.Repeat {
		o.Single(word)
	}
	if r.Kind == "read" || r.Kind == "input" {
		o.Command.Reading.Files++
		o.Command.Reading.Stdin = o.Command.Reading.Stdin || word.Kind == expansion.Literal && r.Kind == "input" && value.AsInput.Misread(word.Text) // so that there is no file
	}
	if o.program.Places != nil {
		o.places.add(r.Kind, word)
	}
	if r.Name == "key" && o.Command.Program == "git" && word.Kind == expansion.Literal {
		o.Command.Git.Setting = word.Text
	}
	o.Command.Form.Put(r.Label, o.stated(r, word, whole))
}

// stated does what the kind of an operand means for the program, and returns the kind that the form states.
func (o operandReader) stated(r argv.Role, word expansion.Word, whole bool) string {
	switch {
	case r.Kind == "list" && o.Has("-delete"):
		o.Access(word, v1.OpDelete, true)
	case r.Kind == "read" && slices.ContainsFunc(o.program.Modifies, o.Has):
		o.variables(word)
		o.Access(word, v1.OpWrite, false)
		for _, suffix := range o.backups {
			o.Access(backup(word, suffix), v1.OpWrite, false)
		}
		return "write"
	case whole && o.entersTree(r.Kind):
		o.variables(word)
		o.Access(word, operations[r.Kind], true)
		return r.Kind
	}
	if o.program.RunsAnything && !pathKinds[r.Kind] && r.Kind != "command" {
		o.opened(word)
	}
	if r.Kind != "name" && slices.Contains(o.program.ChainRoles, r.Name) && strings.ContainsAny(word.Text, "./=") {
		o.AnyPath(word) // a file that is made, or a definition that holds a path
	}
	return o.kind(r.Kind, word)
}

// entersTree reports whether an operand of a kind stands for all that a directory holds, if the program walks trees.
func (o operandReader) entersTree(kind string) bool {
	return kind == "read" || kind == "write" && o.program.Places == nil
}

// opened notes a word of which a program that runs others, or scripts, may do anything: with an
// option of Idle it only reads.
func (o operandReader) opened(word expansion.Word) {
	if first := o.Args.Operands[0]; slices.ContainsFunc(o.program.Idle, o.Has) && first.Kind == expansion.Literal && !strings.HasPrefix(first.Text, "+") {
		o.anyPart(word, v1.OpRead)
		return
	}
	o.AnyPath(word)
}

// backup is the name under which sed keeps a file that it changes: with the suffix
// behind it, or put into the suffix for each star there.
func backup(file, suffix expansion.Word) expansion.Word {
	if file.Kind != expansion.Literal && file.Kind != expansion.Glob || suffix.Kind != expansion.Literal {
		return file // nothing is known of either
	}
	dir, base := "", file.Text
	if slash := strings.LastIndexByte(base, '/'); slash >= 0 {
		dir, base = base[:slash+1], base[slash+1:]
	}
	name := base + suffix.Text
	if strings.Contains(suffix.Text, "*") {
		name = strings.ReplaceAll(suffix.Text, "*", base)
	}
	if !strings.Contains(name, "/") {
		name = dir + name
	}
	file.Text = name
	return file
}

// walks reports whether path operands are read with everything below them.
func (o operandReader) walks() bool {
	return o.hasAny(o.program.Recursive)
}

// impliedAccess is what a command touches when it is given no path.
func (o operandReader) impliedAccess(whole bool) {
	switch {
	case whole || o.program.Implicit == "tree" || o.program.Implicit == "project":
		o.Access(expansion.Word{Kind: expansion.Literal, Text: "."}, v1.OpRead, true)
	case o.program.Implicit == "list":
		if o.Has("-delete") {
			o.Access(expansion.Word{Kind: expansion.Literal, Text: "."}, v1.OpDelete, true)
		}
		o.Command.Accesses = append(o.Command.Accesses, command.Access{Text: ".", Op: v1.OpList, Naming: command.ByName, Walk: o.Filters})
	case o.program.Implicit != "" && o.program.Implicit != "tree":
		o.Access(expansion.Word{Kind: expansion.Literal, Text: o.program.Implicit}, v1.OpRead, false)
	}
}

// raw takes every word as something that could be a path.
func (r commandReader) raw() {
	r.Command.Form.Put("<words>", "unknown")
	r.loose(r.Args.Words)
}

// straying touches what the strays would name as operands.
func (o operandReader) straying(rule argv.OperandRule) {
	if o.Args.Strays.Act && !rule.Acts() {
		o.Command.Caveats.Add("unknown_option")
	}
	if len(rule.Roles) == 0 {
		return
	}
	op := operations[strings.TrimSuffix(rule.Roles[len(rule.Roles)-1].Kind, "?")]
	for _, word := range o.Args.Strays.Words {
		switch {
		case op == "", word.Text == "":
		case word.Kind == expansion.Number, word.Kind == expansion.Hash:
			for _, names := range namesOf(word) {
				o.Command.Accesses = append(o.Command.Accesses, command.Access{Text: names, Op: op, Naming: command.ByGlob})
			}
		case word.Kind == expansion.Glob:
			o.Command.Accesses = append(o.Command.Accesses, command.Access{Text: word.Text, Op: op, Naming: command.ByGlob})
		case word.Kind == expansion.Literal:
			o.Command.Accesses = append(o.Command.Accesses, command.Access{Text: word.Text, Op: op, Naming: command.ByName, Presence: command.IfExists})
		default:
			o.Command.Caveats.Add("dynamic_option")
		}
	}
}

// operations are what is done with operands of a kind, where they may be any number.
var operations = map[string]string{
	"read": v1.OpRead, "input": v1.OpRead, "packed": v1.OpRead, "source": v1.OpRead, "import": v1.OpList, "local": v1.OpRead, "page": v1.OpRead, "tree": v1.OpRead, "list": v1.OpList, "mount": v1.OpList,
	"write": v1.OpWrite, "expanded": v1.OpWrite, "delete": v1.OpDelete,
}

// namesOf are patterns of all names that a number or a hash may be.
func namesOf(w expansion.Word) []string {
	switch {
	case len(w.Holes) == 0:
		return []string{"*"}
	case w.Holes[0].Start > 0:
		return []string{w.Text[:w.Holes[0].Start] + "*"}
	case w.MayBeginWithDash():
		return []string{"[0-9]*", "-[0-9]*"}
	}
	return []string{"[0-9]*"}
}

// ReadOptions reads the options and leaves the operands.
func (r commandReader) ReadOptions(program *argv.Program) {
	r.Args.Begin(program)
	if program.AtFiles {
		r.noAtFiles()
	}
	switch program.Style {
	case "find":
		nameRunner(r).find(program)
	case "raw":
		r.raw()
	default:
		r.Args.Parse(program)
	}
	r.Command.Git.Dashes = r.Command.Git.Dashes || r.Args.Dashes >= 0
}

// Operand notes a word that may turn into an option when it is expanded.
func (p *Reader) Operand(program *argv.Program, word expansion.Word) {
	if !program.Inert && p.mayTurn(program, word) {
		p.Command.Caveats.Add("dynamic_option")
	}
}

// Value notes an option's value, and what it accesses by its kind.
func (p *Reader) Value(known argv.Option, kind string, word expansion.Word) {
	canonical := known.Canonical
	switch canonical {
	case argv.OptionNumber:
		gitReader{&p.Effects}.count(word)
		return
	case "--max-count":
		gitReader{&p.Effects}.count(word)
	case "-I":
		p.mark = word // the last one counts
	case "-d":
		p.cutAt = word
	}
	verbChain{p, p.Args.Program}.judge(canonical, word)
	verbChain{p, p.Args.Program}.defined(canonical, kind, word)
	riskReader{&p.Effects}.add(known.Risk, &word)
	if p.Args.Program != nil && word.Text != "" && slices.Contains(p.Args.Program.Modifies, canonical) {
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
	p.placed(canonical, kind, word)
	if output.IsColorOption(p.Command, canonical) {
		p.Command.Printing.Color = max(p.Command.Printing.Color, output.ColorOf(word))
	}
	if p.Command.Program == "git" {
		gitReader{&p.Effects}.printing(canonical, word)
	}
	stateGravest(&p.Command.Form, canonical, kind)
}

// placed notes the value of an option that says where the program puts something, or what.
func (p *Reader) placed(canonical, kind string, word expansion.Word) {
	if p.Args.Program == nil {
		return
	}
	if p.Args.Program.Places != nil {
		p.places.option(p.Args.Program.Places, canonical, kind, word)
	}
	if p.Args.Program.Unpacks.Names(canonical) {
		p.into = append(p.into, word)
	}
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
func (p *Reader) Single(word expansion.Word) {
	p.NoteSingle(word, p.takesAnyWords())
}

// takesAnyWords reports whether the program may be given any words.
func (p *Reader) takesAnyWords() bool { return p.Args.Program != nil && p.Args.Program.Inert }

// inert notes a word that has no effect on files, as long as it is known.
func (p *Reader) inert(word expansion.Word) {
	switch word.Kind {
	case expansion.Dynamic:
		p.Command.Caveats.Add("dynamic_word")
	case expansion.Output:
		if !p.takesAnyWords() {
			p.Command.Caveats.Add("output_word")
		}
	case expansion.Glob:
		p.Command.Accesses = append(p.Command.Accesses, command.Access{Text: word.Text, Op: v1.OpList, Naming: command.ByGlob})
	case expansion.Names:
		// The names are looked at on the disk: one that begins with a dash is an option.
		switch {
		case p.takesAnyWords():
		case word.Stream != nil && word.Stream.AreRefs() && p.refsHere(word):
		case word.IsPart() && p.partsHere(word):
		default:
			p.Access(word, v1.OpList, false)
		}
	default: // a known word has no effect
	}
}

// operandOf does the same for an operand whose kind is known: one that is a path is one
// however it is written.
func (o operandReader) operandOf(kind string, word expansion.Word) {
	if o.Command.Effective.Operand != "" || word.Kind != expansion.Literal || !certainPaths[kind] || word.Text == "" || word.Text == "-" {
		return
	}
	noPath := kind == "input" && value.AsInput.Misread(word.Text) || kind == "local" && hasScheme(word.Text)
	if !noPath {
		o.Command.Effective.Operand, o.Command.Effective.File = word.Text, o.program.FilesUnless != nil && !slices.ContainsFunc(o.program.FilesUnless, o.Has)
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
