package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
)

// changed makes writes of what operands were taken to read, if the program writes the files
// that they name: git checkout REVISION -- PATH. Which files a pattern of git's selects is
// not looked up.
func (o operandReader) changed(from int) {
	if !slices.ContainsFunc(o.program.Changes, func(option string) bool { return option == "*" || o.has(option) }) {
		return
	}
	o.c.Git.PathRisk = o.program.Risks["<path>"]
	for i := from; i < len(o.c.Accesses); i++ {
		a := &o.c.Accesses[i]
		if i > from || a.Naming == ByGlob {
			o.risk(o.c.Git.PathRisk) // what follows a revision is a path
		}
		if a.Naming == ByPathspec {
			o.c.Caveats.Add("lands_unknown")
		}
		if a.Op == v1.OpRead {
			a.Op = v1.OpWrite
		}
	}
}

// commitRisk notes the risk of an operand that names a commit and no path: the only one, and not
// the commit that is checked out. A file is taken for a commit unless the word can be none.
func (o operandReader) commitRisk(operands, behind []Word) {
	for _, word := range operands {
		if spelledPath(word.Text) {
			o.risk(o.program.Risks["<path>"])
			return
		}
	}
	if len(operands) == 1 && len(behind) == 0 && !operands[0].literal("HEAD") && !operands[0].literal("@") {
		o.risk(o.program.Risks["<commit>"])
	}
}

// spelledPath reports whether a word can name no revision.
func spelledPath(text string) bool {
	return text == "." || strings.ContainsAny(text, "*?[\\") || strings.HasPrefix(text, ":") || text == ".." || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || strings.HasPrefix(text, "/") || strings.HasSuffix(text, "/")
}
