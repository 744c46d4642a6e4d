package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// macOS brings bash 3.2, which people and agents run as bash, and as sh. Of what bash has learnt
// since, it reports errors about most, and reads these otherwise: associative arrays,
// of which it makes arrays whose subscripts are expressions; sequences in braces with
// a step, which stay as they are, or with zeros in front, which it drops; escapes that
// it leaves alone; and the ends of substitutions, which it looks for by counting
// brackets and quotes, be they those of a comment, a here-document or a case.

// NewEscapes reports whether $'…' holds an escape that bash 3.2 may not know.
func NewEscapes(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; strings.IndexByte(`abefnrtv01234567x\'`, text[i]) < 0 {
			return true
		}
	}
	return false
}

// NewSequence reports whether bash 3.2 reads a sequence in braces otherwise.
func NewSequence(text string) bool {
	ends := strings.Split(text, "..")
	return len(ends) != 2 || paddedNumber(ends[0]) || paddedNumber(ends[1])
}

func paddedNumber(text string) bool {
	text = strings.TrimPrefix(text, "-")
	return len(text) > 1 && text[0] == '0'
}

// NewSubstitutions reports whether bash 3.2 may find the end of a substitution elsewhere.
func NewSubstitutions(text string, file *syntax.File) bool {
	if !strings.Contains(text, "$(") && !strings.Contains(text, "<(") {
		return false
	}
	found := false
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = found || misleads(node)
		}
		return !found
	})
	return found
}

// misleads reports whether something in a substitution may hold brackets or quotes that
// are none of its own.
func misleads(substitution syntax.Node) bool {
	marks := "'\"`()\\"
	found := false
	syntax.Walk(substitution, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Comment:
			found = found || strings.ContainsAny(node.Text, marks)
		case *syntax.CaseClause:
			found = true
		case *syntax.Redirect:
			found = found || node.Hdoc != nil && (node.Hdoc.Lit() == "" || strings.ContainsAny(node.Hdoc.Lit(), marks))
		}
		return !found
	})
	return found
}
