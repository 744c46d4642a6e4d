package tree

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Entry is one change of directory that a line begins with.
type Entry struct {
	// Dir is its word, without quotes.
	Dir string
	// Home is true if a "~" at its beginning stands for the home directory.
	Home bool
}

// Enters splits a line at the changes of directory that it begins with: each is a cd alone, or
// joined by && to what follows. rest is the line behind them. stays is true if rest certainly leaves
// its shell in the directory that it begins in; it is false for a line that doesn't parse.
func Enters(line string) (entries []Entry, rest string, stays bool) {
	p := NewParser()
	defer p.Release()
	for {
		file, err := p.Parse(line)
		if err != nil {
			return nil, "", false
		}
		entry, end := entering(file)
		if end == 0 {
			return entries, line, staysIn(file)
		}
		entries, line = append(entries, entry), line[end:]
	}
}

// entering is the cd that a file begins with, and where what follows it begins; 0 for none.
func entering(file *syntax.File) (entry Entry, end uint) {
	if len(file.Stmts) == 0 {
		return Entry{}, 0
	}
	first := file.Stmts[0]
	if len(file.Stmts) > 1 {
		end = file.Stmts[1].Pos().Offset()
	}
	for {
		if first.Negated || first.Background || first.Coprocess || first.Disown {
			return Entry{}, 0
		}
		both, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		if len(first.Redirs) > 0 || both.Op != syntax.AndStmt && both.Op != syntax.OrStmt {
			return Entry{}, 0
		}
		if _, deeper := both.X.Cmd.(*syntax.BinaryCmd); !deeper && both.Op == syntax.OrStmt {
			return Entry{}, 0 // what follows runs if there is no such directory
		}
		first, end = both.X, both.Y.Pos().Offset()
	}
	entry, ok := changeOfDirectory(first)
	if !ok {
		return Entry{}, 0
	}
	return entry, end
}

// changeOfDirectory is the word of a plain cd, whose output and errors may be discarded.
func changeOfDirectory(stmt *syntax.Stmt) (Entry, bool) {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(call.Args) != 2 || call.Args[0].Lit() != "cd" {
		return Entry{}, false
	}
	for _, redirect := range stmt.Redirs {
		discards := redirect.Op == syntax.RdrOut && redirect.Word.Lit() == "/dev/null"
		joins := redirect.Op == syntax.DplOut && slices.Contains([]string{"1", "2"}, redirect.Word.Lit())
		if !discards && !joins {
			return Entry{}, false
		}
	}
	entry, ok := literalWord(call.Args[1])
	return entry, ok && entry.Dir != "" && entry.Dir[0] != '-' && entry.Dir[0] != '+'
}

// literalWord is a word in which a shell reads nothing but quotes, and a "~/" at its beginning.
func literalWord(word *syntax.Word) (entry Entry, plain bool) {
	var text strings.Builder
	for i, part := range word.Parts {
		literal, bare := part.(*syntax.Lit)
		if bare && i == 0 && (literal.Value == "~" && len(word.Parts) == 1 || strings.HasPrefix(literal.Value, "~/")) {
			entry.Home = true
			text.WriteString("~")
			part = &syntax.Lit{Value: literal.Value[1:]}
		}
		value, plain := literalPart(part)
		if !plain {
			return Entry{}, false
		}
		text.WriteString(value)
	}
	entry.Dir = text.String()
	return entry, true
}

// literalPart is the text of a part of a word in which nothing is expanded.
func literalPart(part syntax.WordPart) (text string, plain bool) {
	switch part := part.(type) {
	case *syntax.Lit:
		return part.Value, !strings.ContainsAny(part.Value, "\\*?[]{}()~^#=!")
	case *syntax.SglQuoted:
		return part.Value, !part.Dollar
	case *syntax.DblQuoted:
		if part.Dollar || len(part.Parts) != 1 {
			return "", !part.Dollar && len(part.Parts) == 0
		}
		literal, ok := part.Parts[0].(*syntax.Lit)
		if !ok {
			return "", false
		}
		return literal.Value, !strings.ContainsAny(literal.Value, "\\!")
	}
	return "", false
}

// staysIn reports whether a script leaves its own shell in the directory in which it begins.
// Subshells, substitutions and what runs beside it have directories of their own.
func staysIn(file *syntax.File) bool {
	stays := true
	syntax.Walk(file, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.Stmt:
			return !node.Background && !node.Coprocess
		case *syntax.CallExpr:
			stays = stays && (len(node.Args) == 0 || keepsDirectory(node.Args[0]))
		}
		return stays
	})
	return stays
}

// keepsDirectory reports whether a command certainly leaves the directory of its shell: it is
// a program, or a builtin that runs no text and no other command.
func keepsDirectory(name *syntax.Word) bool {
	word, plain := literalWord(name)
	return plain && word.Dir != "" && !movers[word.Dir]
}

// movers are the builtins that change the directory, or run what may.
var movers = map[string]bool{
	"cd": true, "chdir": true, "pushd": true, "popd": true, "eval": true, "source": true, ".": true, "builtin": true, "command": true,
	"noglob": true, "nocorrect": true, "-": true, "trap": true, "alias": true, "setopt": true, "enable": true, "autoload": true,
}
