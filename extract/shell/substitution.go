package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/stream"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// substitution is a command substitution whose commands were walked.
type substitution struct {
	capture
	st   *state
	stmt *syntax.Stmt
	// piped is what the pipeline prints that the commands are.
	piped stream.Lines
}

// substitution walks $(…), and returns what it prints if that is known beforehand: text of the line,
// the working directory, the top of the repository, a part of a known path, names that another command
// finds, the hash of a commit.
func (w *walker) substitution(st *state, part *syntax.CmdSubst, quoted bool) (Word, bool) {
	if part.TempFile || part.ReplyVar {
		w.messy(guard.MessyExpansion)
	}
	s, messy := substitution{capture: newCapture(w, stream.Lines{}), st: st}, len(w.line.Messy)
	in, piped := w.in, w.piped
	w.in, w.piped, w.begun = stream.Lines{}, stream.Lines{}, nil
	w.inside(part.Stmts)
	w.stmts(st, part.Stmts)
	w.begun = nil
	s.piped, w.in, w.piped = w.piped, in, piped
	if len(part.Stmts) != 1 || w.calls != s.calls || len(w.line.Messy) > messy || len(w.line.Commands) == s.from {
		return Word{}, false
	}
	s.stmt = part.Stmts[0]
	if first := tree.LeftOfTrue(s.stmt); first != nil {
		all := w.line.Commands
		w.line.Commands = all[:len(all)-1]
		defer func() { w.line.Commands = all }()
		s.stmt = first
	}
	if len(w.line.Commands) == s.from+1 && !part.Backquotes {
		// Outside of quotes words are followed as those of a stream.
		if own, ok := ownText(s.stmt, &w.line.Commands[s.from]); ok && (quoted || own.Text != "" && !w.Rereads(own.Text)) {
			return own, true
		}
	}
	return s.word()
}

// word is the word that the output becomes.
func (s *substitution) word() (Word, bool) {
	if s.w.printsNumber(s.stmt) {
		return Word{Kind: Number, Text: "$(…)", class: numeral(false, !s.w.alwaysPrints())}, true
	}
	pipe, lines := tree.IsPipe(s.stmt), s.piped
	if !pipe {
		lines = s.printed(s.stmt)
	}
	if numbers, ok := lines.Numbers(); ok {
		begun := numbers // numbers itself stays off the heap
		s.w.begun = &begun
		return wordOfNumbers(numbers)
	}
	if pipe || lines.Dashless() {
		return wordOfLines(lines)
	}
	return s.single()
}

// single is what one command prints.
func (s *substitution) single() (Word, bool) {
	c := &s.w.line.Commands[s.from]
	call, simple := s.stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(s.w.line.Commands) != s.from+1 || !c.Cwd.Single() || s.stmt.Negated ||
		slices.ContainsFunc(s.stmt.Redirs, tree.DoesMoreThanDiscardErrors) {
		return Word{}, false
	}
	if len(call.Assigns) == 0 {
		if known, ok := s.w.known(c); ok {
			return known, true
		}
		if len(c.Caveats) == 0 {
			if known, ok := s.partOfPath(call); ok {
				return known, true
			}
		}
	}
	if printsHash(c) {
		return Word{Kind: Hash, Text: stream.HashText, class: objectName}, true
	}
	return wordOfLines(s.w.out(s.from, stream.Lines{}))
}

// partOfPath is what dirname and basename print.
func (s *substitution) partOfPath(call *syntax.CallExpr) (Word, bool) {
	known, ok := s.literal(call)
	if !ok {
		known, ok = s.basename(call)
	}
	if !ok {
		known, ok = s.dirname(call)
	}
	return known, ok
}

// literal is what dirname and basename print of literal text.
func (s *substitution) literal(call *syntax.CallExpr) (Word, bool) {
	words := make([]string, len(call.Args))
	for i, arg := range call.Args {
		// Behind a link ".." is not what the text says.
		if words[i] = arg.Lit(); words[i] == "" || !lexical.IsLiteral(words[i]) || strings.Contains(words[i], "..") || tree.HasBrace(arg) {
			return Word{}, false
		}
	}
	switch {
	case len(words) != 2 || words[1][0] == '-':
	case words[0] == "dirname":
		return Word{Kind: Literal, Text: lexical.Dirname(words[1])}, true
	case words[0] == "basename":
		return Word{Kind: Literal, Text: path.Base(words[1])}, true
	}
	return Word{}, false
}

// dirname is what dirname prints of a name that was found.
func (s *substitution) dirname(call *syntax.CallExpr) (Word, bool) {
	if len(call.Args) != 2 || call.Args[0].Lit() != "dirname" || !tree.IsTextAndVariables(call.Args[1]) {
		return Word{}, false
	}
	word := s.w.word(s.st, call.Args[1])
	if word.Kind == Glob {
		return directoryOfMatch(s.st, word)
	}
	names := word.name()
	dirs, ok := names.Directory(word.Split, word.Vanishes)
	if !ok {
		return Word{}, false
	}
	return wordOfName(dirs), true
}

// basename is what basename prints of a name, and without an ending that is known.
func (s *substitution) basename(call *syntax.CallExpr) (Word, bool) {
	if len(call.Args) < 2 || call.Args[0].Lit() != "basename" {
		return Word{}, false
	}
	args := call.Args[1:]
	if len(args) > 2 && args[0].Lit() == "--" {
		args = args[1:]
	}
	if len(args) > 2 || slices.ContainsFunc(args, func(arg *syntax.Word) bool { return !tree.IsTextAndVariables(arg) }) {
		return Word{}, false
	}
	name, ending := s.w.word(s.st, args[0]), Word{Kind: Literal}
	if len(args) == 2 {
		ending = s.w.word(s.st, args[1])
	}
	if ending.Kind != Literal || ending.Text != "" && (!lexical.IsOneWord(ending.Text, "") || strings.Contains(ending.Text, "/")) {
		return Word{}, false
	}
	if name.Kind == Literal {
		return baseOf(name.Text, ending.Text)
	}
	whole := name.name()
	return partOf(s.st, name, stream.Part{Text: "$(…)", Extent: stream.ExtentOf(whole, whole.IsEntry(), ending.Text != "")})
}

// baseOf is what basename prints of a known name.
func baseOf(name, ending string) (Word, bool) {
	if !lexical.IsOneWord(name, "") || strings.HasSuffix(name, "/") || strings.Contains(name, "..") {
		return Word{}, false
	}
	base := path.Base(name)
	if base != ending {
		base = strings.TrimSuffix(base, ending)
	}
	return Word{Kind: Literal, Text: base}, true
}

// wordOfLines is a word of names: as many words as there are names. Lines without a dash are text.
func wordOfLines(lines stream.Lines) (Word, bool) {
	if lines.Dashless() {
		return Word{Kind: Output, Text: "$(…)", class: bareLines}, true
	}
	names := lines.Names()
	if names == nil || lines.EndByNUL() {
		return Word{}, false
	}
	all := *names
	all.Several = true
	return wordOfNames(&all, all.Roots[0]), true
}

// printsHash reports whether a command prints the hash of a commit, or fails.
func printsHash(c *Command) bool {
	if c.Git.Objects.Words > 0 || len(c.Caveats) > 0 || len(c.Git.Settings) > 0 {
		return false
	}
	only := func(options ...string) bool {
		for _, entry := range c.Form {
			if strings.HasPrefix(entry.Name, "-") && !slices.Contains(options, entry.Name) {
				return false
			}
		}
		return true
	}
	switch c.Verb {
	case "git merge-base":
		return only("--fork-point", "--octopus")
	case "git rev-parse":
		return len(c.Git.Revisions) == 1 && len(c.opened()) <= 1 && len(c.Git.Pathspecs) == 0 &&
			!c.Git.Dashes && oneRevision(c.Git.Revisions[0]) && only("--short", "--verify", "--quiet")
	}
	return false
}

// oneRevision reports whether a word is one word and no option, since git prints
// what it can't resolve as it stands.
func oneRevision(text string) bool {
	text = strings.ReplaceAll(text, stream.HashText, "h")
	return text != "" && text[0] != '-' && strings.Trim(text, value.NameBytes+"./@^~{}-") == ""
}
