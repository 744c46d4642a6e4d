package tree

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// declaresArray reports whether a declaration can make a variable an array.
func declaresArray(cmd *syntax.DeclClause, name string) bool {
	array, named := false, false
	for _, arg := range cmd.Args {
		switch {
		case arg.Name != nil:
			named = named || arg.Name.Value == name
		case arg.Value != nil:
			option := arg.Value.Lit()
			if strings.HasPrefix(option, "-") {
				array = array || strings.ContainsAny(option, "aA")
			} else {
				array, named = array || option == "", true // quoted, or more than text
			}
		}
	}
	return array && named
}

// IsFunctionBody reports whether every shell takes a statement for the body of a function: one
// compound command. The parser also takes what an operator joins to it, which shells run at once,
// and commands that shells refuse.
func IsFunctionBody(body *syntax.Stmt) bool {
	if body == nil || body.Negated {
		return false
	}
	switch body.Cmd.(type) {
	case *syntax.Block, *syntax.Subshell, *syntax.IfClause, *syntax.ForClause, *syntax.WhileClause, *syntax.CaseClause,
		*syntax.TestClause, *syntax.ArithmCmd:
		return true
	default:
		return false
	}
}

// DeclaredNames lists the names that declarations anywhere in a body name.
func DeclaredNames(body *syntax.Stmt) []string {
	var names []string
	syntax.Walk(body, func(node syntax.Node) bool {
		if decl, ok := node.(*syntax.DeclClause); ok {
			for _, arg := range decl.Args {
				if arg.Name != nil {
					names = append(names, arg.Name.Value)
				}
			}
		}
		return true
	})
	return names
}

// IsPipe reports whether a statement is a pipeline.
func IsPipe(stmt *syntax.Stmt) bool {
	cmd, ok := stmt.Cmd.(*syntax.BinaryCmd)
	return ok && (cmd.Op == syntax.Pipe || cmd.Op == syntax.PipeAll)
}

// LastOfPipe returns the last statement of a pipeline.
func LastOfPipe(stmt *syntax.Stmt) *syntax.Stmt {
	for IsPipe(stmt) {
		pipe, _ := stmt.Cmd.(*syntax.BinaryCmd)
		stmt = pipe.Y
	}
	return stmt
}

// LeftOfTrue returns the left side of `… || true`, which prints what the whole prints, nil for
// other statements.
func LeftOfTrue(stmt *syntax.Stmt) *syntax.Stmt {
	either, ok := stmt.Cmd.(*syntax.BinaryCmd)
	if !ok || either.Op != syntax.OrStmt || len(stmt.Redirs) > 0 || stmt.Negated || len(either.Y.Redirs) > 0 {
		return nil
	}
	call, ok := either.Y.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(call.Args) != 1 || call.Args[0].Lit() != "true" && call.Args[0].Lit() != ":" {
		return nil
	}
	return either.X
}

// SubstitutedCall returns the simple command that an unquoted word substitutes the output of, nil for
// other words, and for a command with assignments or redirections.
func SubstitutedCall(word *syntax.Word) *syntax.CallExpr {
	if len(word.Parts) != 1 {
		return nil
	}
	part, ok := word.Parts[0].(*syntax.CmdSubst)
	if !ok || len(part.Stmts) != 1 || part.TempFile || part.ReplyVar || len(part.Stmts[0].Redirs) > 0 {
		return nil
	}
	call, ok := part.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 {
		return nil
	}
	return call
}

// MakesArray reports whether a script can make an array of a variable anywhere.
func MakesArray(file *syntax.File, name string) bool {
	found := false
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Assign:
			found = found || node.Name != nil && node.Name.Value == name && (node.Array != nil || node.Index != nil)
		case *syntax.DeclClause:
			found = found || declaresArray(node, name)
		}
		return !found
	})
	return found
}

// IsPlainAssignment reports whether an assignment is name=value, or a name alone.
func IsPlainAssignment(assign *syntax.Assign) bool {
	return assign.Name != nil && !assign.Append && assign.Index == nil && assign.Array == nil
}
