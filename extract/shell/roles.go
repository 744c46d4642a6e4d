package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
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

// roles gives every operand its role, and does what the role means.
func (p *parsed) roles(program *argv.Program) {
	p.openArchives(program)
	before := len(p.c.Accesses)
	operands := p.args.Operands
	var behind []Word
	if program.Pathspecs && p.args.Dashes >= 0 {
		operands, behind = p.args.Operands[:p.args.Dashes], p.args.Operands[p.args.Dashes:]
	}
	rule, ok := program.Rule(p.has)
	if !ok {
		rule = argv.OperandRule{}
	}
	assigned, fits := rule.Assign(len(operands))
	if !fits {
		p.c.Caveats.Add("unknown_option")
	}
	whole := p.walks(program)
	p.selects(program)
	paths := false
	for i, word := range operands {
		if i >= len(assigned) {
			p.c.Form.Put("<more>", "unknown")
			p.AnyPath(word)
			continue
		}
		r := assigned[i]
		if r.Kind == "command" {
			p.c.Form.Put(r.Label, "command")
			p.args.Inner = operands[i:]
			break
		}
		paths = paths || pathKinds[r.Kind] && !word.Vanishes
		p.role(program, r, word, whole)
	}
	for _, r := range rule.Roles[min(len(operands), len(rule.Roles)):] {
		p.c.stdin = p.c.stdin || r.Kind == "read" && !r.Repeat // cmp compares with it
	}
	for _, word := range behind {
		paths = paths || !word.Vanishes
		// However many names a pattern has, behind "--" each is a path.
		p.role(program, argv.Role{Name: "path", Label: "<path>", Kind: "pathspec", Repeat: word.Kind == Glob}, word, whole)
	}
	p.straying(rule)
	p.commitRisk(program, operands, behind)
	p.changed(program, before)
	if !paths || program.Implicit == "project" {
		p.impliedAccess(program, whole)
	}
	p.places.land(&p.effects, program.Places)
	if p.c.Verb == "git push" {
		p.pushes()
	}
}

func (p *parsed) role(program *argv.Program, r argv.Role, word Word, whole bool) {
	kind := r.Kind
	p.target(program, r, word)
	p.judge(program, r.Label, word)
	p.roleRisk(program, r, word)
	p.operandOf(program, kind, word)
	if pathKinds[kind] && kind != "mount" {
		p.pathOperand(word)
	}
	if !r.Repeat {
		p.Single(word)
	}
	if kind == "read" || kind == "input" {
		p.c.files++
		p.c.stdin = p.c.stdin || word.Kind == Literal && kind == "input" && value.AsInput.Misread(word.Text) // so that there is no file
	}
	if program.Places != nil {
		p.places.add(kind, word)
	}
	if r.Name == "key" && p.c.Program == "git" && word.Kind == Literal {
		p.c.Git.Setting = word.Text
	}
	switch {
	case kind == "list" && p.has("-delete"):
		p.access(word, v1.OpDelete, true)
	case kind == "read" && slices.ContainsFunc(program.Modifies, p.has):
		p.variables(word)
		p.access(word, v1.OpWrite, false)
		for _, suffix := range p.backups {
			p.access(backup(word, suffix), v1.OpWrite, false)
		}
		p.c.Form.Put(r.Label, "write")
		return
	case kind == "read" && whole:
		p.variables(word)
		p.access(word, v1.OpRead, true)
		p.c.Form.Put(r.Label, kind)
		return
	}
	if program.RunsAnything && !pathKinds[kind] && kind != "command" {
		p.opened(program, word)
	}
	if r.Kind != "name" && slices.Contains(program.ChainRoles, r.Name) && strings.ContainsAny(word.Text, "./=") {
		p.AnyPath(word) // a file that is made, or a definition that holds a path
	}
	p.c.Form.Put(r.Label, p.kind(kind, word))
}

// opened notes a word of which a program that runs others, or scripts, may do anything: with an
// option of Idle it only reads.
func (p *parsed) opened(program *argv.Program, word Word) {
	if first := p.args.Operands[0]; slices.ContainsFunc(program.Idle, p.has) && first.Kind == Literal && !strings.HasPrefix(first.Text, "+") {
		p.anyPart(word, v1.OpRead)
		return
	}
	p.AnyPath(word)
}

// backup is the name under which sed keeps a file that it changes: with the suffix
// behind it, or put into the suffix for each star there.
func backup(file, suffix Word) Word {
	if file.Kind != Literal && file.Kind != Glob || suffix.Kind != Literal {
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
func (p *parsed) walks(program *argv.Program) bool {
	return p.hasAny(program.Recursive)
}

// impliedAccess is what a command touches when it is given no path.
func (p *parsed) impliedAccess(program *argv.Program, whole bool) {
	switch {
	case whole || program.Implicit == "tree" || program.Implicit == "project":
		p.access(Word{Kind: Literal, Text: "."}, v1.OpRead, true)
	case program.Implicit == "list":
		if p.has("-delete") {
			p.access(Word{Kind: Literal, Text: "."}, v1.OpDelete, true)
		}
		p.c.Accesses = append(p.c.Accesses, Access{Text: ".", Op: v1.OpList, Walk: p.filters})
	case program.Implicit != "" && program.Implicit != "tree":
		p.access(Word{Kind: Literal, Text: program.Implicit}, v1.OpRead, false)
	}
}

// raw takes every word as something that could be a path.
func (p *parsed) raw() {
	p.c.Form.Put("<words>", "unknown")
	p.loose(p.args.Words)
}
