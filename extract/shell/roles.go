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

// pathKinds are the kinds of roles that a path-like operand can have.
var pathKinds = map[string]bool{
	"read": true, "write": true, "delete": true, "execute": true, "list": true, "tree": true, "dir": true,
	"rev": true, "pathspec": true, "unknown": true, "source": true, "import": true, "expanded": true, "mount": true, "local": true, "input": true, "transfer": true, "arrival": true, "database": true,
}

// certainPaths are the kinds of operands that are paths whatever they look like.
var certainPaths = map[string]bool{
	"read": true, "write": true, "delete": true, "execute": true, "list": true, "tree": true, "packed": true,
	"module": true, "output": true, "input": true, "archive": true, "local": true, "source": true, "expanded": true,
}

// operandReader does what the operands of a program mean.
type operandReader struct{ verbChain }

// roles gives every operand its role, and does what the role means.
func (o operandReader) roles() {
	o.openArchives()
	before := len(o.c.Accesses)
	operands := o.args.Operands
	var behind []expansion.Word
	if o.program.Pathspecs && o.args.Dashes >= 0 {
		operands, behind = o.args.Operands[:o.args.Dashes], o.args.Operands[o.args.Dashes:]
	}
	rule, ok := o.program.Rule(o.has)
	if !ok {
		rule = argv.OperandRule{}
	}
	assigned, fits := rule.Assign(len(operands))
	if !fits {
		o.c.Caveats.Add("unknown_option")
	}
	whole := o.walks()
	o.selects()
	paths := o.assigned(operands, assigned, whole)
	for _, r := range rule.Roles[min(len(operands), len(rule.Roles)):] {
		o.c.Reading.Stdin = o.c.Reading.Stdin || r.Kind == "read" && !r.Repeat // cmp compares with it
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
	o.places.land(&o.effects, o.program.Places)
	if o.c.Verb == "git push" {
		gitPush{&o.effects, o.args.Operands}.changes()
	}
}

// assigned does what operands mean by their roles. It reports whether one of them is a path.
func (o operandReader) assigned(operands []expansion.Word, roles []argv.Role, whole bool) (paths bool) {
	for i, word := range operands {
		if i >= len(roles) {
			o.c.Form.Put("<more>", "unknown")
			o.AnyPath(word)
			continue
		}
		r := roles[i]
		if r.Kind == "command" {
			o.c.Form.Put(r.Label, "command")
			o.args.Inner = operands[i:]
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
	riskReader{&o.effects}.role(o.program, r, word)
	o.operandOf(r.Kind, word)
	if pathKinds[r.Kind] && r.Kind != "mount" {
		o.pathOperand(word)
	}
	if !r.Repeat {
		o.Single(word)
	}
	if r.Kind == "read" || r.Kind == "input" {
		o.c.Reading.Files++
		o.c.Reading.Stdin = o.c.Reading.Stdin || word.Kind == expansion.Literal && r.Kind == "input" && value.AsInput.Misread(word.Text) // so that there is no file
	}
	if o.program.Places != nil {
		o.places.add(r.Kind, word)
	}
	if r.Name == "key" && o.c.Program == "git" && word.Kind == expansion.Literal {
		o.c.Git.Setting = word.Text
	}
	o.c.Form.Put(r.Label, o.stated(r, word, whole))
}

// stated does what the kind of an operand means for the program, and returns the kind that the form states.
func (o operandReader) stated(r argv.Role, word expansion.Word, whole bool) string {
	switch {
	case r.Kind == "list" && o.has("-delete"):
		o.access(word, v1.OpDelete, true)
	case r.Kind == "read" && slices.ContainsFunc(o.program.Modifies, o.has):
		o.variables(word)
		o.access(word, v1.OpWrite, false)
		for _, suffix := range o.backups {
			o.access(backup(word, suffix), v1.OpWrite, false)
		}
		return "write"
	case r.Kind == "read" && whole:
		o.variables(word)
		o.access(word, v1.OpRead, true)
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

// opened notes a word of which a program that runs others, or scripts, may do anything: with an
// option of Idle it only reads.
func (o operandReader) opened(word expansion.Word) {
	if first := o.args.Operands[0]; slices.ContainsFunc(o.program.Idle, o.has) && first.Kind == expansion.Literal && !strings.HasPrefix(first.Text, "+") {
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
		o.access(expansion.Word{Kind: expansion.Literal, Text: "."}, v1.OpRead, true)
	case o.program.Implicit == "list":
		if o.has("-delete") {
			o.access(expansion.Word{Kind: expansion.Literal, Text: "."}, v1.OpDelete, true)
		}
		o.c.Accesses = append(o.c.Accesses, command.Access{Text: ".", Op: v1.OpList, Naming: command.ByName, Walk: o.filters})
	case o.program.Implicit != "" && o.program.Implicit != "tree":
		o.access(expansion.Word{Kind: expansion.Literal, Text: o.program.Implicit}, v1.OpRead, false)
	}
}

// raw takes every word as something that could be a path.
func (r commandReader) raw() {
	r.c.Form.Put("<words>", "unknown")
	r.loose(r.args.Words)
}

// straying touches what the strays would name as operands.
func (o operandReader) straying(rule argv.OperandRule) {
	if o.args.Strays.Act && !rule.Acts() {
		o.c.Caveats.Add("unknown_option")
	}
	if len(rule.Roles) == 0 {
		return
	}
	op := operations[strings.TrimSuffix(rule.Roles[len(rule.Roles)-1].Kind, "?")]
	for _, word := range o.args.Strays.Words {
		switch {
		case op == "", word.Text == "":
		case word.Kind == expansion.Number, word.Kind == expansion.Hash:
			for _, names := range namesOf(word) {
				o.c.Accesses = append(o.c.Accesses, command.Access{Text: names, Op: op, Naming: command.ByGlob})
			}
		case word.Kind == expansion.Glob:
			o.c.Accesses = append(o.c.Accesses, command.Access{Text: word.Text, Op: op, Naming: command.ByGlob})
		case word.Kind == expansion.Literal:
			o.c.Accesses = append(o.c.Accesses, command.Access{Text: word.Text, Op: op, Naming: command.ByName, Presence: command.IfExists})
		default:
			o.c.Caveats.Add("dynamic_option")
		}
	}
}

// operations are what is done with operands of a kind, where they may be any number.
var operations = map[string]string{
	"read": v1.OpRead, "input": v1.OpRead, "packed": v1.OpRead, "source": v1.OpRead, "import": v1.OpList, "local": v1.OpRead, "tree": v1.OpRead, "list": v1.OpList, "mount": v1.OpList,
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
