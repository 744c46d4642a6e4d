package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
)

// changed makes writes of what operands were taken to read, if the program writes the files
// that they name: git checkout REVISION -- PATH. Which files a pattern of git's selects is
// not looked up.
func (p *parsed) changed(program *argv.Program, from int) {
	if !slices.ContainsFunc(program.Changes, func(option string) bool { return option == "*" || p.has(option) }) {
		return
	}
	p.c.Git.PathRisk = program.Risks["<path>"]
	for i := from; i < len(p.c.Accesses); i++ {
		a := &p.c.Accesses[i]
		if i > from || a.Glob {
			p.risk(p.c.Git.PathRisk) // what follows a revision is a path
		}
		if a.Spelled {
			p.c.Caveats.Add("lands_unknown")
		}
		if a.Op == v1.OpRead {
			a.Op = v1.OpWrite
		}
	}
}

// commitRisk notes the risk of an operand that names a commit and no path: the only one, and not
// the commit that is checked out. A file is taken for a commit unless the word can be none.
func (p *parsed) commitRisk(program *argv.Program, operands, behind []Word) {
	for _, word := range operands {
		if spelledPath(word.Text) {
			p.risk(program.Risks["<path>"])
			return
		}
	}
	if len(operands) == 1 && len(behind) == 0 && !operands[0].literal("HEAD") && !operands[0].literal("@") {
		p.risk(program.Risks["<commit>"])
	}
}

// spelledPath reports whether a word can name no revision.
func spelledPath(text string) bool {
	return text == "." || strings.ContainsAny(text, "*?[\\") || strings.HasPrefix(text, ":") || text == ".." || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || strings.HasPrefix(text, "/") || strings.HasSuffix(text, "/")
}
