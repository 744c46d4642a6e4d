package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/host"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/output"
	"policyd/extract/shell/state"
	"policyd/extract/shell/stream"
	"policyd/extract/shell/tree"
)

// substitution is a command substitution whose commands were walked.
type substitution struct {
	capture
	st   *state.State
	stmt *syntax.Stmt
	// piped is what the pipeline prints that the commands are.
	piped stream.Lines
}

// substitution walks $(…), and returns what it prints if that is known beforehand: text of the line,
// the working directory, the top of the repository, a part of a known path, names that another command
// finds, the hash of a commit.
func (w *walker) substitution(st *state.State, part *syntax.CmdSubst, quoted bool) (expansion.Word, bool) {
	if part.TempFile || part.ReplyVar {
		w.messy(guard.MessyExpansion)
	}
	s, messy := substitution{capture: newCapture(w, stream.Lines{}), st: st}, len(w.line.Messy)
	in, piped := w.in, w.piped
	w.in, w.piped = stream.Lines{}, stream.Lines{}
	w.inside(part.Stmts)
	w.stmts(st, part.Stmts)
	s.piped, w.in, w.piped = w.piped, in, piped
	if len(part.Stmts) != 1 || w.calls != s.calls || len(w.line.Messy) > messy || len(w.line.Commands) == s.from {
		return expansion.Word{}, false
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
		if own, ok := output.OwnText(s.stmt, &w.line.Commands[s.from]); ok && (quoted || own.Text != "" && !w.Rereads(own.Text)) {
			return own, true
		}
	}
	return s.word()
}

// word is the word that the output becomes.
func (s *substitution) word() (expansion.Word, bool) {
	last := s.w.lister()
	if last.PrintsNumber(s.stmt, s.w.last()) {
		return expansion.Word{Kind: expansion.Number, Text: "$(…)", Class: expansion.Numeral(false, !last.AlwaysPrints(s.w.last()))}, true
	}
	pipe, lines := tree.IsPipe(s.stmt), s.piped
	if !pipe {
		lines = s.printed(s.stmt)
	}
	if numbers, ok := lines.Numbers(); ok {
		return expansion.OfNumbers(numbers)
	}
	if pipe {
		return expansion.OfLines(lines)
	}
	return s.single()
}

// single is what one command prints.
func (s *substitution) single() (expansion.Word, bool) {
	c := &s.w.line.Commands[s.from]
	call, simple := s.stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(s.w.line.Commands) != s.from+1 || !c.Cwd.Single() || s.stmt.Negated ||
		slices.ContainsFunc(s.stmt.Redirs, tree.DoesMoreThanDiscardErrors) {
		return expansion.Word{}, false
	}
	if len(call.Assigns) == 0 {
		if known, ok := s.w.producers.Known(c); ok {
			return known, true
		}
		if len(c.Caveats) == 0 {
			if known, ok := s.partOfPath(call); ok {
				return known, true
			}
		}
	}
	if output.PrintsHash(c) {
		return expansion.Word{Kind: expansion.Hash, Text: stream.HashText, Class: expansion.ObjectName}, true
	}
	return expansion.OfLines(s.w.lister().Names(s.w.line.Commands[s.from:], stream.Lines{}))
}

// partOfPath is what dirname and basename print.
func (s *substitution) partOfPath(call *syntax.CallExpr) (expansion.Word, bool) {
	known, ok := s.literal(call)
	if !ok {
		known, ok = s.basename(call)
	}
	return known, ok
}

// literal is what dirname and basename print of literal text.
func (s *substitution) literal(call *syntax.CallExpr) (expansion.Word, bool) {
	words := make([]string, len(call.Args))
	for i, arg := range call.Args {
		// Behind a link ".." is not what the text says.
		if words[i] = arg.Lit(); words[i] == "" || !lexical.IsLiteral(words[i]) || strings.Contains(words[i], "..") || tree.HasBrace(arg) {
			return expansion.Word{}, false
		}
	}
	switch {
	case len(words) != 2 || words[1][0] == '-':
	case words[0] == "dirname":
		return expansion.Word{Kind: expansion.Literal, Text: lexical.Dirname(words[1])}, true
	case words[0] == "basename":
		return expansion.Word{Kind: expansion.Literal, Text: path.Base(words[1])}, true
	}
	return expansion.Word{}, false
}

// basename is what basename prints of a name, and without an ending that is known.
func (s *substitution) basename(call *syntax.CallExpr) (expansion.Word, bool) {
	if len(call.Args) < 2 || call.Args[0].Lit() != "basename" {
		return expansion.Word{}, false
	}
	args := call.Args[1:]
	if len(args) > 2 && args[0].Lit() == "--" {
		args = args[1:]
	}
	if len(args) > 2 || slices.ContainsFunc(args, func(arg *syntax.Word) bool { return !tree.IsTextAndVariables(arg) }) {
		return expansion.Word{}, false
	}
	name, ending := s.w.word(s.st, args[0]), expansion.Word{Kind: expansion.Literal}
	if len(args) == 2 {
		ending = s.w.word(s.st, args[1])
	}
	if ending.Kind != expansion.Literal || ending.Text != "" && (!lexical.IsOneWord(ending.Text, "") || strings.Contains(ending.Text, "/")) {
		return expansion.Word{}, false
	}
	if name.Kind == expansion.Literal {
		return baseOf(name.Text, ending.Text)
	}
	whole := name.Name()
	return expansion.PartOf(&s.st.Cwd, name, stream.Part{Text: "$(…)", Extent: stream.ExtentOf(whole, whole.IsEntry(), ending.Text != "")})
}

// baseOf is what basename prints of a known name.
func baseOf(name, ending string) (expansion.Word, bool) {
	if !lexical.IsOneWord(name, "") || strings.HasSuffix(name, "/") || strings.Contains(name, "..") {
		return expansion.Word{}, false
	}
	base := path.Base(name)
	if base != ending {
		base = strings.TrimSuffix(base, ending)
	}
	return expansion.Word{Kind: expansion.Literal, Text: base}, true
}

// ownTextQuoted puts the value of an assignment into quotes that is one substitution of own
// text: shells don't cut such a value.
func ownTextQuoted(word *syntax.Word) *syntax.Word {
	if len(word.Parts) != 1 {
		return word
	}
	part, ok := word.Parts[0].(*syntax.CmdSubst)
	if !ok || len(part.Stmts) != 1 {
		return word
	}
	call, ok := part.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || !slices.Contains([]string{"cat", "echo", "printf"}, call.Args[0].Lit()) ||
		slices.ContainsFunc(call.Args, func(arg *syntax.Word) bool { return tree.CountExpansions(arg) > 0 }) {
		return word
	}
	return &syntax.Word{Parts: []syntax.WordPart{&syntax.DblQuoted{Left: part.Pos(), Right: part.End(), Parts: word.Parts}}}
}

// leavesFiles reports whether a command changes no file but such as its accesses name: one of the
// producers, or a reader without a caveat.
func (s *surroundings) leavesFiles(c *command.Command) bool {
	return len(c.Caveats) == 0 && slices.Contains(s.table.Words.Printing.ReadingPrograms, c.Verb) || s.producers.Lists(c)
}

// explain walks a line. If producers that may print nothing stand in it, the line does what it does
// with their values or what it does without them: both belong to the facts. If the line itself
// may change what the values follow from, nothing is known of them.
func (t *Table) explain(line string, options *host.Options) *walker {
	w := t.walk(line, options, output.Values)
	if len(w.producers.Used) == 0 {
		return w
	}
	next := output.Nothing
	if w.altersValues() {
		next = output.Anything
	}
	other := t.walk(line, options, next)
	if next == output.Anything {
		w, other = other, w
	} else {
		w.orElse(&other.line)
	}
	w.Join(&other.Host)
	other.release()
	return w
}

// orElse adds what the line does otherwise.
func (r *report) orElse(other *command.Line) {
	for _, code := range other.Messy {
		r.messy(code)
	}
	r.line.Crossed = r.line.Crossed || other.Crossed
	own := len(r.line.Commands)
	for i := range other.Commands {
		c := &other.Commands[i]
		if slices.ContainsFunc(r.line.Commands[:own], func(mine command.Command) bool { return mine.Equal(c) }) {
			continue
		}
		if len(r.line.Commands) >= maxCommands {
			r.messy(guard.MessyLimits)
			return
		}
		c.Accesses, c.Effective.Operand = slices.Clone(c.Accesses), "" // an approval is for where it works with the values
		for j := range c.Accesses {
			// What isn't there isn't read; it may be made where it is written.
			if a := &c.Accesses[j]; a.Op == v1.OpRead || a.Op == v1.OpList {
				a.Presence = command.IfExists
			}
		}
		r.line.Commands = append(r.line.Commands, *c)
	}
}

// altersValues reports whether a command of the line may change what the values follow from that were
// taken.
func (d *diskView) altersValues() bool {
	for _, p := range d.producers.Used {
		if p.RestsOn == "project" && !d.onlyReadBeside(d.leavesFiles) {
			return true
		}
		for i := range d.line.Commands {
			c := &d.line.Commands[i]
			if len(p.AlteredBy) > 0 && c.Program == p.Command[0] && slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return slices.Contains(p.AlteredBy, e.Name) }) {
				return true
			}
		}
	}
	return false
}

// lister lists what commands print that stand at this point of the line.
func (d *diskView) lister() *output.Lister {
	return &output.Lister{Table: d.table.Table, Producers: &d.producers, Disk: d}
}

// last is the last command of the line.
func (r *report) last() *command.Command { return &r.line.Commands[len(r.line.Commands)-1] }
