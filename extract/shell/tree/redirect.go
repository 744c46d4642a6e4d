package tree

import (
	"slices"
	"strings"

	"policyd/extract/shell/lexical"

	"mvdan.cc/sh/v3/syntax"
)

// SharesStdin reports whether a redirection can give a command the stream that the commands around
// it read.
func SharesStdin(r *syntax.Redirect) bool {
	if r.Op == syntax.DplIn {
		return true
	}
	if r.Op != syntax.RdrIn && r.Op != syntax.RdrInOut || ReadsSubstitution(r) {
		return false
	}
	name := r.Word.Lit()
	return strings.HasPrefix(name, "/dev/") && name != "/dev/null" || strings.HasPrefix(name, "/proc/")
}

// DoesMoreThanDiscardErrors is the opposite of DiscardsErrors.
func DoesMoreThanDiscardErrors(r *syntax.Redirect) bool { return !DiscardsErrors(r) }

// OnlyDocument returns the text of the one here-document that a command reads. It reports false if
// something in it is expanded, or something else redirected.
func OnlyDocument(redirs []*syntax.Redirect) (text string, ok bool) {
	found := false
	for _, r := range redirs {
		switch {
		case DiscardsErrors(r):
		case (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc) && SetsStdin(r) && !found:
			if text, found = DocumentBody(r); !found {
				return "", false
			}
		default:
			return "", false
		}
	}
	return text, found
}

// DocumentBody returns the body of a here-document. It reports false if something in it is expanded,
// or if shells remove tabs from it.
func DocumentBody(r *syntax.Redirect) (string, bool) {
	_, quoted, ok := Delimiter(r.Word)
	if !ok {
		return "", false
	}
	var body strings.Builder
	if r.Hdoc != nil {
		for _, part := range r.Hdoc.Parts {
			lit, plain := part.(*syntax.Lit)
			if !plain {
				return "", false
			}
			body.WriteString(lit.Value)
		}
	}
	text := body.String()
	if r.Op == syntax.DashHdoc && strings.Contains("\n"+text, "\n\t") {
		return "", false // shells take the tabs away
	}
	if !quoted {
		text = lexical.RemoveBackslashes(text, "$`\\\n")
	}
	return text, true
}

// SetsStdout reports whether a redirection replaces standard output.
func SetsStdout(r *syntax.Redirect) bool {
	return r.N == nil && !IsInput(r.Op) || r.N != nil && strings.TrimLeft(r.N.Value, "0") == "1"
}

// AssignsBeforeRedirecting reports whether the assignments of a statement can change where its own
// redirections lead, or what its here-document holds. If they have no command, or one that can be
// no word, bash and ksh assign before they expand redirections, and other shells after.
func AssignsBeforeRedirecting(stmt *syntax.Stmt) bool {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if ok && len(call.Assigns) > 0 && slices.ContainsFunc(stmt.Redirs, ExpandsDocument) {
		return true
	}
	alone := ok && (len(call.Args) == 0 || call.Args[0].Lit() == "")
	return alone && len(call.Assigns) > 0 && slices.ContainsFunc(stmt.Redirs, func(r *syntax.Redirect) bool {
		return r.Word != nil && !IsConstant(r.Word)
	})
}

// CrossesStreams reports whether a redirection can open for output what was opened for input.
func CrossesStreams(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		from := ""
		if r.Word != nil {
			from = r.Word.Lit()
		}
		input := r.N == nil && r.Op == syntax.DplIn || r.N != nil && r.N.Value == "0"
		return !input && from != "1" && from != "2" && from != "-"
	default:
		return IsInput(r.Op) && !SetsStdin(r)
	}
}

// ExpandsDocument reports whether a here-document holds expansions.
func ExpandsDocument(r *syntax.Redirect) bool {
	return r.Hdoc != nil && slices.ContainsFunc(r.Hdoc.Parts, func(part syntax.WordPart) bool { return !IsLiteral(part) })
}

// Delimiter returns the delimiter of a here-document, and whether it is quoted. It reports false for
// one that shells can read in several ways.
func Delimiter(word *syntax.Word) (text string, quoted, ok bool) {
	if word == nil || len(word.Parts) != 1 {
		return "", false, false
	}
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		return part.Value, false, !strings.ContainsAny(part.Value, "\\$`")
	case *syntax.SglQuoted:
		return part.Value, true, !part.Dollar && !strings.Contains(part.Value, "\n")
	case *syntax.DblQuoted:
		if lit := word.Lit(); lit == "" && len(part.Parts) == 1 && !part.Dollar {
			inner, isLit := part.Parts[0].(*syntax.Lit)
			if isLit {
				return inner.Value, true, !strings.ContainsAny(inner.Value, "\\$`\n")
			}
		}
	}
	return "", false, false
}

// StdinText returns the text that redirections give a command on standard input, "" if it isn't
// known.
func StdinText(list []*syntax.Redirect) (text string) {
	for _, r := range list {
		if !SetsStdin(r) {
			continue
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			text = DocumentText(r)
		case syntax.WordHdoc:
			text = Text(r.Word)
		default:
			text = ""
		}
	}
	return text
}

// DocumentText returns the body of a here-document as it is written, "" if something in it is expanded.
func DocumentText(r *syntax.Redirect) string {
	if text, ok := DocumentBody(r); ok {
		return text
	}
	if r.Hdoc == nil || len(r.Hdoc.Parts) != 1 {
		return ""
	}
	if lit, plain := r.Hdoc.Parts[0].(*syntax.Lit); plain {
		return lit.Value
	}
	return ""
}

// MixesOutput reports whether a redirection can add something to what a command prints: errors, by
// a descriptor or a name that standard output has.
func MixesOutput(r *syntax.Redirect) bool {
	switch {
	case IsInput(r.Op) && r.Op != syntax.RdrInOut:
		return false
	case r.Op == syntax.DplOut || r.Op == syntax.RdrAll || r.Op == syntax.AppAll:
		return true
	}
	own := r.Op != syntax.RdrInOut && (r.N == nil || r.N.Value == "1")
	return !own && (r.Word == nil || r.Word.Lit() != "/dev/null")
}

// DiscardsErrors reports whether a redirection discards standard error, and does nothing else.
func DiscardsErrors(r *syntax.Redirect) bool {
	return (r.Op == syntax.RdrOut || r.Op == syntax.AppOut) && r.N != nil && r.N.Value == "2" && r.Word != nil && r.Word.Lit() == "/dev/null"
}

// ReadsSubstitution reports whether standard input is a process substitution.
func ReadsSubstitution(r *syntax.Redirect) bool {
	if r.Op != syntax.RdrIn || r.N != nil || r.Word == nil || len(r.Word.Parts) != 1 {
		return false
	}
	_, ok := r.Word.Parts[0].(*syntax.ProcSubst)
	return ok
}

// SetsStdin reports whether a redirection replaces or shares standard input.
func SetsStdin(r *syntax.Redirect) bool {
	return IsInput(r.Op) && (r.N == nil || strings.Trim(r.N.Value, "0") == "")
}

// IsInput reports whether an operator opens or copies a descriptor for reading.
func IsInput(op syntax.RedirOperator) bool {
	switch op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return true
	default:
		return false
	}
}
