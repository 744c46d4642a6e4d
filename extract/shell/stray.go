package shell

import (
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
)

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
		case word.Kind == Number, word.Kind == Hash:
			for _, names := range word.names() {
				o.c.Accesses = append(o.c.Accesses, Access{Text: names, Op: op, Naming: ByGlob})
			}
		case word.Kind == Glob:
			o.c.Accesses = append(o.c.Accesses, Access{Text: word.Text, Op: op, Naming: ByGlob})
		case word.Kind == Literal:
			o.c.Accesses = append(o.c.Accesses, Access{Text: word.Text, Op: op, Naming: ByName, Presence: IfExists})
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

// names are patterns of all names that a number or a hash may be.
func (w Word) names() []string {
	switch {
	case len(w.holes) == 0:
		return []string{"*"}
	case w.holes[0].start > 0:
		return []string{w.Text[:w.holes[0].start] + "*"}
	case w.dashed():
		return []string{"[0-9]*", "-[0-9]*"}
	}
	return []string{"[0-9]*"}
}
