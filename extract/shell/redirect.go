package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
)

// redirections returns the paths that a statement's redirections open.
func (w *walker) redirections(st *state, list []*syntax.Redirect) []Access {
	var out []Access
	if len(list) > maxRedirections {
		w.messy(guard.MessyLimits)
		list = list[:maxRedirections]
	}
	for _, r := range list {
		from := len(out)
		if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
			w.messy(guard.MessyRedirection) // {name}> opens a descriptor that outlives the command
		}
		w.line.Crossed = w.line.Crossed || crosses(r)
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			w.hereDocument(st, r)
		case syntax.WordHdoc:
			if w.posix {
				w.messy(guard.MessyDialect)
			}
			if word := w.word(st, r.Word); word.Kind == Dynamic || word.Kind == Glob {
				w.messy(guard.MessyExpansion)
			}
		case syntax.DplIn, syntax.DplOut:
			out = w.duplicate(st, out, r)
		case syntax.RdrIn:
			out = w.target(st, out, r, v1.OpRead)
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob:
			out = w.target(st, out, r, v1.OpWrite)
		case syntax.RdrAll, syntax.AppAll:
			if w.posix {
				w.messy(guard.MessyDialect) // there "&" ends the command
			}
			out = w.target(st, out, r, v1.OpWrite)
		case syntax.RdrInOut:
			out = w.target(st, out, r, v1.OpWrite)
		default:
			w.messy(guard.MessyRedirection)
			out = w.target(st, out, r, v1.OpWrite)
		}
		if printsTo(r) {
			sends(out, from)
		}
	}
	// The shell opens them, where it stands, whatever options the command has.
	dirs := st.dirs
	if st.unknown || len(dirs) == 0 {
		dirs = append(slices.Clip(dirs), "")
	}
	for i := range out {
		out[i].Dirs = dirs
	}
	return out
}

// printsTo reports whether a redirection is one of standard output.
func printsTo(r *syntax.Redirect) bool {
	return r.N == nil && !reads(r.Op) || r.N != nil && strings.TrimLeft(r.N.Value, "0") == "1"
}

// sends notes that standard output goes to what was opened last, from an index on, and no
// more to what was before: a duplicate opens nothing. Other names of descriptors
// (/dev/stderr) may be a terminal, as those themselves.
func sends(opened []Access, from int) {
	for i := range opened {
		text := path.Clean(opened[i].Text)
		opened[i].printed = i >= from && (text == "/dev/null" || !strings.HasPrefix(text, "/dev/") && !strings.HasPrefix(text, "/proc/"))
	}
}

// writesOutput reports whether a redirection sends standard output to a file.
func writesOutput(a Access) bool { return a.Op == v1.OpWrite && a.printed }

// assignsFirst reports whether assignments that stand alone, or whose command may be no
// word at all, may change where their own redirections lead: bash and ksh assign before
// they expand those, other shells after. So they do what a here-document holds.
func assignsFirst(stmt *syntax.Stmt) bool {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if ok && len(call.Assigns) > 0 && slices.ContainsFunc(stmt.Redirs, expands) {
		return true
	}
	alone := ok && (len(call.Args) == 0 || call.Args[0].Lit() == "")
	return alone && len(call.Assigns) > 0 && slices.ContainsFunc(stmt.Redirs, func(r *syntax.Redirect) bool {
		return r.Word != nil && !isPlain(r.Word)
	})
}

// isPlain reports whether no variable has a say in what a word becomes.
func isPlain(word *syntax.Word) bool {
	plain := !strings.HasPrefix(word.Lit(), "~")
	syntax.Walk(word, func(node syntax.Node) bool {
		switch node.(type) {
		case nil, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
		default:
			plain = false
		}
		return plain
	})
	return plain
}

// crosses reports whether a redirection may put what is read where programs print.
func crosses(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		from := ""
		if r.Word != nil {
			from = r.Word.Lit()
		}
		input := r.N == nil && r.Op == syntax.DplIn || r.N != nil && r.N.Value == "0"
		return !input && from != "1" && from != "2" && from != "-"
	default:
		return reads(r.Op) && !setsInput(r)
	}
}

// mayFail reports whether a redirection may fail, so that the shell does not run
// what it belongs to: a file that can't be opened, a descriptor that is not open.
func (w *walker) mayFail(st *state, list []*syntax.Redirect) bool {
	fails := false
	for _, r := range list {
		text := ""
		if r.Word != nil {
			text = r.Word.Lit()
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		case syntax.DplIn, syntax.DplOut:
			w.closes = w.closes || strings.HasSuffix(text, "-")
			standard := text == "-" || text == "0" || text == "1" || text == "2"
			fails = fails || !standard || w.closes
		case syntax.RdrIn:
			at := Command{Dirs: st.dirs, Unknown: st.unknown}
			there := lexical.IsLiteral(text) && text != "" && w.surely(&at, &Access{Text: text, Op: v1.OpRead})
			fails = fails || text != "/dev/null" && !there && !substitutes(r)
		default:
			fails = fails || text != "/dev/null"
		}
	}
	return fails
}

func (w *walker) target(st *state, out []Access, r *syntax.Redirect, op string) []Access {
	if r.Word == nil {
		w.messy(guard.MessyRedirection)
		return out
	}
	word := w.word(st, r.Word)
	if word.Kind == Pipe && op == v1.OpRead {
		return out // what it reads, the commands within have read
	}
	if word.Kind == Glob && op == v1.OpRead && !hasBrace(r.Word) {
		// A loop over a glob gives such a word: one of its matches is read.
		w.handsOn(st, []Word{word})
		return append(out, Access{Text: word.Text, Op: op, Glob: true, One: !word.Expands, Inner: word.behindText(), Split: word.Split})
	}
	if word.Kind == Fed && op == v1.OpRead && !word.feed.many && !word.feed.refs && !word.feed.Parts && (!word.Split || !word.feed.composed()) && !hasBrace(r.Word) && !st.unknown && len(st.dirs) == 1 && st.dirs[0] == word.feed.dir {
		for _, root := range word.feed.spread(word.Text) {
			out = append(out, word.feed.access(root, op, false, word.Split))
		}
		return append(out, word.feed.looked()...)
	}
	if word.Kind != Literal || hasBrace(r.Word) || word.Extended != "" {
		w.messy(guard.MessyDynamicTarget)
	}
	glob := word.Kind == Glob && !hasBrace(r.Word)
	return append(out, Access{Text: word.Text, Op: op, Glob: glob, Dynamic: word.Kind != Literal && !glob})
}

// maxDescriptor is how many digits every shell takes for a descriptor.
const maxDescriptor = 3

// duplicate handles >& and <&: a short number or a plain dash names a descriptor,
// anything else may name a file. A number with a dash behind it does to zsh and busybox,
// and to bash where it comes out of a variable, as do a dash in quotes and a number that
// is too great to busybox.
func (w *walker) duplicate(st *state, out []Access, r *syntax.Redirect) []Access {
	word := w.word(st, r.Word)
	number := word.Kind == Literal && len(word.Text) > 0 && len(word.Text) <= maxDescriptor && strings.Trim(word.Text, "0123456789") == ""
	if number || r.Word.Lit() == "-" {
		return out
	}
	if r.Op == syntax.DplIn || w.posix || r.N != nil || strings.HasPrefix(word.Text, "-") || !surviving(word.Text) {
		w.messy(guard.MessyRedirection)
	}
	return w.target(st, out, r, v1.OpWrite)
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
func (w *walker) hereDocument(st *state, r *syntax.Redirect) {
	if w.hdocs++; w.hdocs > maxHereDocs {
		w.messy(guard.MessyLimits)
	}
	delimiter, quoted, ok := plainDelimiter(r.Word)
	if !ok || delimiter == "" {
		w.messy(guard.MessyHereDocument)
		return
	}
	if r.Hdoc == nil || quoted {
		return
	}
	for _, part := range r.Hdoc.Parts {
		if !w.documentPart(st, r, part) {
			w.messy(guard.MessyHereDocument)
			return
		}
	}
}

// documentPart walks a part of a body that the shell expands. It reports false for one
// that shells may read in different ways.
func (w *walker) documentPart(st *state, r *syntax.Redirect, part syntax.WordPart) bool {
	switch part := part.(type) {
	case *syntax.Lit:
		return !strings.ContainsAny(part.Value, "\\$`")
	case *syntax.ParamExp:
		if part.Index != nil || !unchanged(part) {
			return false
		}
	case *syntax.CmdSubst:
		if part.Backquotes || w.oldBash {
			return false
		}
	default: // an expression is evaluated with what bash has assigned by then
		return false
	}
	if r.Op == syntax.DashHdoc || part.Pos().Line() != part.End().Line() {
		return false
	}
	b := wordBuilder{kind: Literal}
	w.expansion(st, &b, part, true)
	w.begun = nil
	return b.kind != Dynamic && b.kind != Pipe
}

// expands reports whether a here-document is one that the shell expands something in.
func expands(r *syntax.Redirect) bool {
	return r.Hdoc != nil && slices.ContainsFunc(r.Hdoc.Parts, func(part syntax.WordPart) bool { return !isLit(part) })
}

func plainDelimiter(word *syntax.Word) (text string, quoted, ok bool) {
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
