package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"
)

// A line stays messy where a builtin runs text, where a shell reads its script from
// standard input, and where the walk has no words for what an expansion stands in. What
// is known to run there is walked all the same, so that deny rules see the commands in it.

// textOptions are options of builtins whose values are commands, or expanded as text.
var textOptions = map[string]string{"mapfile": "-C", "readarray": "-C", "compgen": "-C-W", "complete": "-C-W", "bind": "-x", "fc": "-e"}

// runText walks a builtin that runs what its words say.
func (i simpleCommand) runText() {
	i.w.messy(guard.MessyBuiltin)
	name, args := i.argv[0].Text, i.args()
	i.guess(name, args)
	inner := innerText{w: i.w, st: i.st.withoutFunctions()}
	switch name {
	case "eval":
		inner.ranText(args...)
	case "trap":
		if args = behindDashes(args); len(args) > 0 {
			inner.ranText(args[0])
		}
	case "exec":
		inner.ranProgram(behindExecOptions(args))
	case "jobs":
		if len(args) > 1 && args[0].Is("-x") {
			inner.ranProgram(args[1:])
		}
	case ".", "source":
		if len(args) > 0 && slices.Contains(standardInputs, args[0].Text) {
			inner.ranInput(i.w.Program())
		}
	default:
		for at := 1; at < len(args); at++ {
			if args[at-1].IsOption() && strings.Contains(textOptions[name], args[at-1].Text) {
				inner.ranText(args[at])
			}
		}
	}
}

// behindExecOptions are the words of the command that exec runs.
func behindExecOptions(args []expansion.Word) []expansion.Word {
	for len(args) > 0 && args[0].IsOption() {
		skipped := 1
		if strings.HasSuffix(args[0].Text, "a") {
			skipped = 2 // with the name that the program is given
		}
		args = args[min(skipped, len(args)):]
	}
	return args
}

func behindDashes(args []expansion.Word) []expansion.Word {
	if len(args) > 0 && args[0].Is("--") {
		return args[1:]
	}
	return args
}

// innerText is text in a line that a command runs, in the state in which it begins.
type innerText struct {
	w  *walker
	st *state
}

// ranText walks words that a builtin joins to a text and runs, where they are known.
func (t innerText) ranText(words ...expansion.Word) {
	text := make([]string, 0, len(words))
	for _, word := range behindDashes(words) {
		if word.Kind != expansion.Literal {
			return
		}
		text = append(text, word.Text)
	}
	t.w.nested(func() { t.w.script(t.st, strings.Join(text, " "), t.w.Program()) })
}

// ranProgram walks the command that a builtin becomes.
func (t innerText) ranProgram(argv []expansion.Word) {
	if len(argv) > 0 {
		t.w.nested(func() { t.w.argv(t.st, t.st, argv, nil) })
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
func (t innerText) ranInput(dialect string) {
	text := t.w.text
	if text == "" {
		return
	}
	t.w.text = ""
	t.w.nested(func() { t.w.script(t.st, text, dialect) })
	t.w.text = text
}

// readsScript reports whether a shell reads its script from standard input.
func (v invocation) readsScript() bool {
	words := v.args.Words
	for len(words) > 0 && words[0].IsOption() {
		if !strings.HasPrefix(words[0].Text, "--") && strings.Contains(words[0].Text, "s") {
			return true
		}
		words = words[1:]
	}
	return len(words) == 0 || words[0].Kind == expansion.Literal && slices.Contains(standardInputs, words[0].Text)
}

// spoken is the text that a command prints which only prints its words, or what it reads.
func (s *streams) spoken(dialect lexical.Dialect, stmt *syntax.Stmt) string {
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(call.Args) == 0 {
		return ""
	}
	switch call.Args[0].Lit() {
	case "cat":
		if slices.ContainsFunc(stmt.Redirs, tree.SetsStdin) {
			return tree.StdinText(stmt.Redirs)
		}
		return s.text
	case "echo":
		return printedWords(call.Args[1:], " ", dialect.Posix || len(call.Args) > 1 && strings.HasPrefix(call.Args[1].Lit(), "-"))
	case "printf":
		if len(call.Args) > 1 { // what stands behind the format is most often one line each
			return printedWords(call.Args[1:2], "\n", true) + printedWords(call.Args[2:], "\n", false)
		}
	}
	return ""
}

// printedWords are words with a separator behind each, and with what their backslashes mean.
func printedWords(words []*syntax.Word, separator string, escaped bool) string {
	var text strings.Builder
	for _, word := range words {
		plain := tree.Text(word)
		if decoded, ok := lexical.DecodeANSI(plain); escaped && ok {
			plain = decoded
		}
		text.WriteString(plain + separator)
	}
	return text.String()
}

// inside notes a substitution that is being walked.
func (n *nesting) inside(list []*syntax.Stmt) {
	if len(list) > 0 {
		n.walked = append(n.walked, list[0])
	}
}
