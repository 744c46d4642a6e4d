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
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/state"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// redirector opens the redirections of a statement, in a state.
type redirector struct {
	w  *walker
	st *state.State
	// opened are the paths that were opened.
	opened []command.Access
}

// redirections returns the paths that a statement's redirections open.
func (w *walker) redirections(st *state.State, list []*syntax.Redirect) []command.Access {
	if len(list) > maxRedirections {
		w.messy(guard.MessyLimits)
		list = list[:maxRedirections]
	}
	o := redirector{w: w, st: st}
	for _, r := range list {
		from := len(o.opened)
		if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
			w.messy(guard.MessyRedirection) // {name}> opens a descriptor that outlives the command
		}
		w.line.Crossed = w.line.Crossed || tree.CrossesStreams(r)
		o.redirect(r)
		if tree.SetsStdout(r) {
			sends(o.opened, from)
		}
	}
	// The shell opens them, where it stands, whatever options the command has.
	dirs := st.Cwd.Known
	if st.Cwd.Others || len(dirs) == 0 {
		dirs = append(slices.Clip(dirs), "")
	}
	for i := range o.opened {
		o.opened[i].Dirs = dirs
	}
	return o.opened
}

// redirect does what one redirection does.
func (o *redirector) redirect(r *syntax.Redirect) {
	if o.w.Posix && (r.Op == syntax.WordHdoc || r.Op == syntax.RdrAll || r.Op == syntax.AppAll) {
		o.w.messy(guard.MessyDialect) // only some shells know the first, and in others "&" ends the command
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		o.hereDocument(r)
	case syntax.WordHdoc:
		if word := o.w.word(o.st, r.Word); word.Kind == expansion.Dynamic || word.Kind == expansion.Glob {
			o.w.messy(guard.MessyExpansion)
		}
	case syntax.DplIn, syntax.DplOut:
		o.duplicate(r)
	case syntax.RdrIn:
		o.open(r, v1.OpRead)
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrInOut, syntax.RdrAll, syntax.AppAll:
		o.open(r, v1.OpWrite)
	default:
		o.w.messy(guard.MessyRedirection)
		o.open(r, v1.OpWrite)
	}
}

// open opens the file that a redirection names.
func (o *redirector) open(r *syntax.Redirect, op string) {
	if r.Word == nil {
		o.w.messy(guard.MessyRedirection)
		return
	}
	word, brace := o.w.word(o.st, r.Word), tree.HasBrace(r.Word)
	if op == v1.OpRead && o.reads(word, brace) {
		return
	}
	if word.Kind != expansion.Literal || brace || word.Extended != "" {
		o.w.messy(guard.MessyDynamicTarget)
	}
	naming := command.NamingOf(word)
	if brace && naming == command.ByGlob {
		naming = command.Unnamed
	}
	o.opened = append(o.opened, command.Access{Text: word.Text, Op: op, Naming: naming})
}

// reads opens files that only the run knows, or none: what a process substitution prints, a match of a
// pattern, as a loop over it gives, or a name that a command found. It reports false for other words.
func (o *redirector) reads(word expansion.Word, brace bool) bool {
	switch {
	case word.Kind == expansion.Pipe:
		return true // what it reads, the commands within have read
	case brace:
		return false
	case word.Kind == expansion.Glob:
		o.w.handsOn(o.st, []expansion.Word{word})
		o.opened = append(o.opened, command.AccessToMatches(word, v1.OpRead))
		return true
	case word.Kind == expansion.Names && isNameIn(word, &o.st.Cwd) && (!word.Split || !word.Stream.IsComposed()):
		o.opened = append(command.AppendNames(o.opened, word, v1.OpRead, false), command.Composing(word.Stream)...)
		return true
	}
	return false
}

// isNameIn reports whether a word of names is one whole name of a file that counts from the only working
// directory.
func isNameIn(w expansion.Word, cwd *value.Directories) bool {
	return !w.Stream.Several && w.Stream.AreFiles() && w.Stream.Part == nil && cwd.Only(w.Stream.Dir)
}

// maxDescriptor is how many digits every shell takes for a descriptor.
const maxDescriptor = 3

// duplicate does what >& and <& do: a short number or an unquoted dash names a descriptor, anything
// else can name a file. A number with a dash behind it names one to zsh and busybox, and to bash if a
// variable holds it, as do a quoted dash, and a number that is too great, to busybox.
func (o *redirector) duplicate(r *syntax.Redirect) {
	word := o.w.word(o.st, r.Word)
	if word.Kind == expansion.Literal && len(word.Text) <= maxDescriptor && lexical.IsDigits(word.Text) || r.Word.Lit() == "-" {
		return
	}
	if r.Op == syntax.DplIn || o.w.Posix || r.N != nil || strings.HasPrefix(word.Text, "-") || !surviving(word.Text) {
		o.w.messy(guard.MessyRedirection)
	}
	o.open(r, v1.OpWrite)
}

// sends notes that standard output goes to what was opened last, from an index on, and no
// more to what was before: a duplicate opens nothing. Other names of descriptors
// (/dev/stderr) may be a terminal, as those themselves.
func sends(opened []command.Access, from int) {
	for i := range opened {
		text := path.Clean(opened[i].Text)
		opened[i].Printed = i >= from && (text == "/dev/null" || !strings.HasPrefix(text, "/dev/") && !strings.HasPrefix(text, "/proc/"))
	}
}

// writesOutput reports whether a redirection sends standard output to a file.
func writesOutput(a command.Access) bool { return a.Op == v1.OpWrite && a.Printed }

// mayFail reports whether a redirection can fail, so that the shell doesn't run what it belongs to.
func (d *diskView) mayFail(st *state.State, list []*syntax.Redirect) bool {
	fails := false
	for _, redirect := range list {
		fails = d.redirectFails(st, redirect) || fails
	}
	return fails
}

// redirectFails reports whether a file may not open, or a descriptor may not be open.
func (d *diskView) redirectFails(st *state.State, redirect *syntax.Redirect) bool {
	text := ""
	if redirect.Word != nil {
		text = redirect.Word.Lit()
	}
	switch redirect.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return false
	case syntax.DplIn, syntax.DplOut:
		d.closes = d.closes || strings.HasSuffix(text, "-")
		return d.closes || text != "0" && text != "1" && text != "2"
	case syntax.RdrIn:
		at := command.Command{Execution: command.Execution{Cwd: st.Cwd}}
		there := lexical.IsLiteral(text) && text != "" && d.lister().Surely(&at, &command.Access{Text: text, Op: v1.OpRead, Naming: command.ByName})
		return text != "/dev/null" && !there && !tree.ReadsSubstitution(redirect)
	default:
		return text != "/dev/null"
	}
}

// surviving reports whether the name of a file is the same when it is expanded again.
// bash does so behind >&: of a name in quotes it runs a substitution, and takes a
// backslash off it.
func surviving(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool {
		return (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z') && !strings.ContainsRune("./_-+:@%,", r)
	})
}

// hereDocument accepts a body that the shell passes on as it stands (a quoted delimiter, or
// nothing in the body that would be expanded), and one with expansions that end in the line
// in which they begin. In other bodies the parser and bash disagree about where they end.
func (o *redirector) hereDocument(r *syntax.Redirect) {
	if o.w.documents++; o.w.documents > maxHereDocs {
		o.w.messy(guard.MessyLimits)
	}
	delimiter, quoted, ok := tree.Delimiter(r.Word)
	if !ok || delimiter == "" {
		o.w.messy(guard.MessyHereDocument)
		return
	}
	if r.Hdoc == nil || quoted {
		return
	}
	for _, part := range r.Hdoc.Parts {
		if !o.documentPart(r, part) {
			o.w.messy(guard.MessyHereDocument)
			return
		}
	}
}

// documentPart walks a part of a body that the shell expands. It reports false for one
// that shells may read in different ways.
func (o *redirector) documentPart(r *syntax.Redirect, part syntax.WordPart) bool {
	switch part := part.(type) {
	case *syntax.Lit:
		return !strings.ContainsAny(part.Value, "\\$`")
	case *syntax.ParamExp:
		if part.Index != nil || !tree.IsValue(part) {
			return false
		}
	case *syntax.CmdSubst:
		if part.Backquotes || o.w.OldBash {
			return false
		}
	default: // an expression is evaluated with what bash has assigned by then
		return false
	}
	if r.Op == syntax.DashHdoc || part.Pos().Line() != part.End().Line() {
		return false
	}
	x := o.w.expander(o.st)
	x.expansion(part, true)
	return x.IsText()
}
