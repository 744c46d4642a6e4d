package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
)

// GNU's getopt(3) finds options anywhere. That of musl, and GNU's own where
// POSIXLY_CORRECT is set, ends them at the first operand: there `head a -n b` reads
// three files, and in `sed a -e p` a is the script.

// reorders reports whether a program leaves it to getopt(3) where options end.
func (p *parsed) reorders(program *argv.Program) bool {
	return program.Style == "" && !program.Permute && program.Wrapper == "" && program.Late == nil && !p.nested
}

// behind notes an option that stands behind the first operand, before it is read. It may
// be the name of a file as well.
func (p *parsed) behind(program *argv.Program, word Word) {
	if len(p.operands) == 0 || !p.reorders(program) {
		return
	}
	p.strays = append(p.strays, word)
	if p.reordered {
		return
	}
	p.reordered = true
	if rule, ok := program.Rule(p.has); ok {
		p.acting = acting(behindEmpty(rule, p.operands[0]))
	}
}

// behindEmpty is the rule of what stands behind a first operand that holds nothing: an empty
// script does nothing, such as that of "sed -i ” -e s/a/b/", BSD's way to keep no copy.
func behindEmpty(r argv.OperandRule, first Word) argv.OperandRule {
	if first.literal("") && len(r.Roles) > 1 && r.Roles[0].Kind == "sed" {
		r.Roles = r.Roles[1:]
	}
	return r
}

// acting reports whether operands are more than read or listed: program text, and
// what is written, deleted or run.
func acting(rule argv.OperandRule) bool {
	return slices.ContainsFunc(rule.Roles, func(r argv.Role) bool { return actingKinds[strings.TrimSuffix(r.Kind, "?")] })
}

var actingKinds = map[string]bool{
	"sed": true, "awk": true, "jq": true, "yq": true, "sqlite": true, "postgres": true, "database": true, "code": true, "write": true, "delete": true, "execute": true, "name": true, "unknown": true,
}

// stray notes a word behind the first operand that is the value of an option, or an
// operand. What leaves files out of a walk is no more than that.
func (p *parsed) stray(known argv.Option, word Word) {
	if !p.reordered {
		return
	}
	if filter := p.program.Filters[known.Canonical]; filter != "exclude" && filter != "exclude_dir" {
		p.strays = append(p.strays, word)
	}
}

// straying touches what the strays would name as operands.
func (p *parsed) straying(rule argv.OperandRule) {
	if p.acting && !acting(rule) {
		p.c.Caveats.Add("unknown_option")
	}
	if len(rule.Roles) == 0 {
		return
	}
	op := operations[strings.TrimSuffix(rule.Roles[len(rule.Roles)-1].Kind, "?")]
	for _, word := range p.strays {
		switch {
		case op == "", word.Text == "":
		case word.Kind == Number, word.Kind == Hash:
			for _, names := range word.names() {
				p.c.Accesses = append(p.c.Accesses, Access{Text: names, Op: op, Glob: true})
			}
		case word.Kind == Literal, word.Kind == Glob:
			p.c.Accesses = append(p.c.Accesses, Access{Text: word.Text, Op: op, Glob: word.Kind == Glob, IfExists: word.Kind == Literal})
		default:
			p.c.Caveats.Add("dynamic_option")
		}
	}
}

// operations are what is done with operands of a kind, where they may be any number.
var operations = map[string]string{
	"read": v1.OpRead, "input": v1.OpRead, "packed": v1.OpRead, "source": v1.OpRead, "import": v1.OpList, "local": v1.OpRead, "tree": v1.OpRead, "list": v1.OpList, "mount": v1.OpList,
	"write": v1.OpWrite, "expanded": v1.OpWrite, "delete": v1.OpDelete,
}

// names are patterns of all names that a number or a hash may be.
func (w Word) names() []string {
	switch {
	case len(w.holes) == 0:
		return []string{"*"}
	case w.holes[0] > 0:
		return []string{w.Text[:w.holes[0]] + "*"}
	case w.Signed:
		return []string{"[0-9]*", "-[0-9]*"}
	}
	return []string{"[0-9]*"}
}
