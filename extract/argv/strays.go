package argv

import (
	"slices"
	"strings"

	"policyd/extract/argv/script"
)

// GNU's getopt(3) finds options anywhere. musl's, and GNU's own if POSIXLY_CORRECT is set, end them at the first
// operand: there `head a -n b` reads three files, and in `sed a -e p` a is the script.

// Strays are the words behind the first operand that such a parser takes for operands.
type Strays[W Word] struct {
	Words []W
	// Act is true if the operands did more than be read before the first option behind them.
	Act bool

	met bool
}

// reorders reports whether a program leaves it to getopt(3) where options end.
func (p *Program) reorders(nested bool) bool {
	return p.Style == "" && !p.Permute && p.Wrapper == "" && p.Late == nil && !nested
}

// stray notes an option behind the first operand, before it is parsed.
func (p *Parser[W]) stray(program *Program, option W) {
	if len(p.Operands) == 0 || !program.reorders(p.nested) {
		return
	}
	p.Strays.Words = append(p.Strays.Words, option)
	if p.Strays.met {
		return
	}
	p.Strays.met = true
	if rule, ok := program.Rule(p.Form.Has); ok {
		p.Strays.Act = rule.behind(p.Operands[0].Argument()).Acts()
	}
}

// value notes the value of an option behind the first operand, by the filter that it is of a walk. A value that leaves
// files out is no more than that.
func (s *Strays[W]) value(filter string, value W) {
	if s.met && filter != "exclude" && filter != "exclude_dir" {
		s.Words = append(s.Words, value)
	}
}

// behind returns the rule of the words behind the first operand. An empty script does nothing: BSD's way to keep no
// copy is "sed -i ” -e s/a/b/".
func (r OperandRule) behind(first Argument) OperandRule {
	if first.Is("") && len(r.Roles) > 1 && r.Roles[0].Kind == "sed" {
		r.Roles = r.Roles[1:]
	}
	return r
}

// Acts reports whether operands are more than read or listed: program text, and what is written, deleted or run.
func (r OperandRule) Acts() bool {
	return slices.ContainsFunc(r.Roles, func(role Role) bool {
		switch kind := strings.TrimSuffix(role.Kind, "?"); kind {
		case "database", "code", "write", "delete", "compressed", "compressed_kept", "execute", "name", "unknown":
			return true
		default:
			return script.Is(kind)
		}
	})
}
