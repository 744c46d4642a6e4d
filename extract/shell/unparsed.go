package shell

import (
	"path"
	"slices"
	"strings"

	"policyd/extract/argv"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"
	"policyd/extract/value"

	"mvdan.cc/sh/v3/syntax"
)

// Text that isn't parsed makes a line messy: what the parser gave up, and what builtins and shells run
// as text. It is cut into fragments, so that deny rules see the paths and the variables in it.

// fragments reports the fragments of a text. In a comment a backslash continues no line.
func (w *walker) fragments(st *state, text string) {
	if continued := strings.ReplaceAll(text, "\\\n", ""); continued != text {
		defer w.fragments(st, continued)
	}
	for f := range lexical.Fragments(text) {
		if !w.count(len(f.Words)) || len(w.line.Commands) >= maxCommands {
			return
		}
		w.emit(w.fragment(st, &f))
	}
}

func (w *walker) fragment(st *state, f *lexical.Fragment) Command {
	c := w.newCommand(st, clip(f.Words[0]), nil)
	c.Caveats.Add("unknown_program")
	program := w.table.Program(f.Words[0])
	anywhere := f.Led || program != nil && (program.Wrapper != "" || program.RunsAnything)
	e := effects{w: w, c: &c, st: st}
	for i, word := range f.Words {
		if i == 0 || anywhere {
			name := path.Base(word)
			if argv.IsOwn(name) {
				c.Caveats.Add("own_program")
			}
			if printsAll(name, f.Words[i+1:]) {
				c.Caveats.Add("reads_environment")
			}
		}
		if word != ">" {
			e.AnyPath(Word{Kind: Literal, Text: word})
		}
		if _, name, ok := strings.Cut(word, "$"); ok {
			end := strings.IndexFunc(name+" ", func(r rune) bool { return !strings.ContainsRune(value.NameBytes, r) })
			c.Variables = append(c.Variables, name[:end])
		}
	}
	return c
}

// printsAll reports whether a program prints all variables, unless the words behind it keep it from
// that: a name, or a command to run.
func printsAll(program string, words []string) bool {
	if !declares(program) && !slices.Contains([]string{"env", "printenv", "set"}, program) {
		return false
	}
	end := slices.IndexFunc(words, func(word string) bool { return word == ">" || word[0] == '#' })
	if end >= 0 {
		words = words[:end]
	}
	return slices.Contains(words, "-p") || !slices.ContainsFunc(words, func(word string) bool {
		if strings.ContainsAny(word, "$*?[]@!+") {
			return false
		}
		if word[0] == '-' || strings.Contains(word, "=") {
			return program == "set" || program != "env" && word[0] != '-'
		}
		return !lexical.IsDigits(word)
	})
}

// runText reports a builtin that runs what its words say, or what it reads.
func (i simpleCommand) runText() {
	i.w.messy(guard.MessyBuiltin)
	name, args := i.argv[0].Text, i.args()
	i.guess(name, args)
	separator := "\n"
	if name == "eval" || name == "exec" {
		separator = " "
	}
	var text []string
	for _, word := range args {
		if word.Kind == Literal {
			text = append(text, word.Text)
		}
	}
	i.w.fragments(i.st, strings.Join(text, separator))
	if name == "." || name == "source" {
		i.w.fragments(i.st, i.w.text)
	}
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
	return len(words) == 0 || isStream(words[0])
}

// printedText is the text that a command prints which only prints its words, or what it reads.
func (s *streams) printedText(stmt *syntax.Stmt) string {
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
	case "echo", "printf":
		var text strings.Builder
		for _, word := range call.Args[1:] {
			plain := tree.Text(word)
			if decoded, ok := lexical.DecodeANSI(plain); ok {
				plain = decoded
			}
			text.WriteString(plain + "\n")
		}
		return text.String()
	}
	return ""
}

// inside notes a substitution that is being walked.
func (n *nesting) inside(list []*syntax.Stmt) {
	if len(list) > 0 {
		n.walked = append(n.walked, list[0])
	}
}
