package shell

import (
	"slices"
	"strings"

	"policyd/extract/shell/guard"

	"mvdan.cc/sh/v3/syntax"
)

// A line stays messy where a builtin runs text, where a shell reads its script from
// standard input, and where the walk has no words for what an expansion stands in. What
// is known to run there is walked all the same, so that deny rules see the commands in it.

// dialect is the name of the shell whose text is being walked.
func (w *walker) dialect() string {
	switch {
	case w.zsh:
		return "zsh"
	case w.ksh:
		return "sh"
	case w.posix:
		return "dash"
	}
	return "bash"
}

// textOptions are options of builtins whose values are commands, or expanded as text.
var textOptions = map[string]string{"mapfile": "-C", "readarray": "-C", "compgen": "-C-W", "complete": "-C-W", "bind": "-x", "fc": "-e"}

// runsText walks a builtin that runs what its words say.
func (w *walker) runsText(st *state, argv []Word, redirs []Access) {
	w.messy(guard.MessyBuiltin)
	name, args := argv[0].Text, argv[1:]
	w.emitGuess(st, name, args, redirs)
	st = st.withoutFunctions()
	switch name {
	case "eval":
		w.ranText(st, args...)
	case "trap":
		if args = behindDashes(args); len(args) > 0 {
			w.ranText(st, args[0])
		}
	case "exec":
		for len(args) > 0 && args[0].isOption() {
			skipped := 1
			if strings.HasSuffix(args[0].Text, "a") {
				skipped = 2 // with the name that the program is given
			}
			args = args[min(skipped, len(args)):]
		}
		w.ranProgram(st, args)
	case "jobs":
		if len(args) > 1 && args[0].literal("-x") {
			w.ranProgram(st, args[1:])
		}
	case ".", "source":
		if len(args) > 0 && slices.Contains(standardInputs, args[0].Text) {
			w.ranInput(st, w.dialect())
		}
	default:
		for i := 1; i < len(args); i++ {
			if args[i-1].isOption() && strings.Contains(textOptions[name], args[i-1].Text) {
				w.ranText(st, args[i])
			}
		}
	}
}

func behindDashes(args []Word) []Word {
	if len(args) > 0 && args[0].literal("--") {
		return args[1:]
	}
	return args
}

// ranText walks words that a builtin joins to a text and runs, where they are known.
func (w *walker) ranText(st *state, words ...Word) {
	text := make([]string, 0, len(words))
	for _, word := range behindDashes(words) {
		if word.Kind != Literal {
			return
		}
		text = append(text, word.Text)
	}
	w.nested(func() { w.script(st, strings.Join(text, " "), w.dialect()) })
}

// ranProgram walks the command that a builtin becomes.
func (w *walker) ranProgram(st *state, argv []Word) {
	if len(argv) > 0 {
		w.nested(func() { w.argv(st, st, argv, nil) })
	}
}

// nested walks text in text, no deeper than programs in programs.
func (w *walker) nested(walk func()) {
	if w.depth++; w.depth <= maxDepth {
		walk()
	} else {
		w.messy(guard.MessyNesting)
	}
	w.depth--
}

// standardInputs are names of standard input that a shell reads a script from.
var standardInputs = []string{"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-"}

// ranInput walks what a shell reads from standard input as a script, where it is known.
func (w *walker) ranInput(st *state, dialect string) {
	text := w.text
	if text == "" {
		return
	}
	w.text = ""
	w.nested(func() { w.script(st, text, dialect) })
	w.text = text
}

// readsScript reports whether a shell reads its script from standard input.
func (v invocation) readsScript() bool {
	words := v.args.Words
	for len(words) > 0 && words[0].isOption() {
		if !strings.HasPrefix(words[0].Text, "--") && strings.Contains(words[0].Text, "s") {
			return true
		}
		words = words[1:]
	}
	return len(words) == 0 || words[0].Kind == Literal && slices.Contains(standardInputs, words[0].Text)
}

// hereText is the text that redirections give a command on standard input, "" where it is
// not known.
func hereText(list []*syntax.Redirect) (text string) {
	for _, r := range list {
		if !setsInput(r) {
			continue
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			text = documentText(r)
		case syntax.WordHdoc:
			text = plainText(r.Word)
		default:
			text = ""
		}
	}
	return text
}

// documentText is the body of a here-document in which nothing is expanded, "" for any other.
func documentText(r *syntax.Redirect) string {
	if text, ok := bodyOf(r); ok {
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

// plainText is the text of a word in which nothing is expanded, "" for any other.
func plainText(word *syntax.Word) string {
	var out strings.Builder
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			out.WriteString(unescape(part.Value))
		case *syntax.SglQuoted:
			text, known := part.Value, true
			if part.Dollar {
				text, known = decodeANSI(text)
			}
			if !known {
				return ""
			}
			out.WriteString(text)
		case *syntax.DblQuoted:
			if len(part.Parts) > 0 {
				lit, plain := part.Parts[0].(*syntax.Lit)
				if !plain || len(part.Parts) > 1 {
					return ""
				}
				out.WriteString(decodeDouble(lit.Value))
			}
		default:
			return ""
		}
	}
	return out.String()
}

// spoken is the text that a command prints which only prints its words, or what it reads.
func (w *walker) spoken(stmt *syntax.Stmt) string {
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(call.Args) == 0 {
		return ""
	}
	switch call.Args[0].Lit() {
	case "cat":
		if slices.ContainsFunc(stmt.Redirs, setsInput) {
			return hereText(stmt.Redirs)
		}
		return w.text
	case "echo":
		return w.printedWords(call.Args[1:], " ", w.posix || len(call.Args) > 1 && strings.HasPrefix(call.Args[1].Lit(), "-"))
	case "printf":
		if len(call.Args) > 1 { // what stands behind the format is most often one line each
			return w.printedWords(call.Args[1:2], "\n", true) + w.printedWords(call.Args[2:], "\n", false)
		}
	}
	return ""
}

// printedWords are words with a separator behind each, and with what their backslashes mean.
func (w *walker) printedWords(words []*syntax.Word, separator string, escaped bool) string {
	var text strings.Builder
	for _, word := range words {
		plain := plainText(word)
		if decoded, ok := decodeANSI(plain); escaped && ok {
			plain = decoded
		}
		text.WriteString(plain + separator)
	}
	return text.String()
}

// inside notes a substitution that is being walked.
func (w *walker) inside(list []*syntax.Stmt) {
	if len(list) > 0 {
		w.walked = append(w.walked, list[0])
	}
}

// unwalked walks the substitutions of a messy script that the walk came by without a look
// at their commands: in subscripts, in the bodies of here-documents, where a parameter is
// cut. st is the state in which the script began.
func (w *walker) unwalked(st *state, file *syntax.File) {
	syntax.Walk(file, func(node syntax.Node) bool {
		var inside []*syntax.Stmt
		switch node := node.(type) {
		case *syntax.CmdSubst:
			inside = node.Stmts
		case *syntax.ProcSubst:
			inside = node.Stmts
		case *syntax.ExtGlob:
			if node.Op == syntax.GlobExcept || strings.ContainsAny(node.Pattern.Value, "$`") {
				// Where bash knows no such patterns it runs what stands in the brackets.
				w.quotedFragments(st, node.Pattern.Value, nil)
			}
		}
		if len(inside) > 0 && !slices.Contains(w.walked, inside[0]) {
			w.stmts(st, inside)
		}
		return true
	})
}
