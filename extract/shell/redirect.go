package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"
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
		w.line.Crossed = w.line.Crossed || tree.CrossesStreams(r)
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			w.hereDocument(st, r)
		case syntax.WordHdoc:
			if w.Posix {
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
			if w.Posix {
				w.messy(guard.MessyDialect) // there "&" ends the command
			}
			out = w.target(st, out, r, v1.OpWrite)
		case syntax.RdrInOut:
			out = w.target(st, out, r, v1.OpWrite)
		default:
			w.messy(guard.MessyRedirection)
			out = w.target(st, out, r, v1.OpWrite)
		}
		if tree.SetsStdout(r) {
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
			fails = fails || text != "/dev/null" && !there && !tree.ReadsSubstitution(r)
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
	if word.Kind == Glob && op == v1.OpRead && !tree.HasBrace(r.Word) {
		// A loop over a glob gives such a word: one of its matches is read.
		w.handsOn(st, []Word{word})
		return append(out, Access{Text: word.Text, Op: op, Glob: true, One: !word.Expands, Inner: word.behindText(), Split: word.Split})
	}
	if word.Kind == Fed && op == v1.OpRead && !word.feed.many && !word.feed.refs && !word.feed.Parts && (!word.Split || !word.feed.composed()) && !tree.HasBrace(r.Word) && !st.unknown && len(st.dirs) == 1 && st.dirs[0] == word.feed.dir {
		for _, root := range word.feed.spread(word.Text) {
			out = append(out, word.feed.access(root, op, false, word.Split))
		}
		return append(out, word.feed.looked()...)
	}
	if word.Kind != Literal || tree.HasBrace(r.Word) || word.Extended != "" {
		w.messy(guard.MessyDynamicTarget)
	}
	glob := word.Kind == Glob && !tree.HasBrace(r.Word)
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
	if r.Op == syntax.DplIn || w.Posix || r.N != nil || strings.HasPrefix(word.Text, "-") || !surviving(word.Text) {
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
	if w.documents++; w.documents > maxHereDocs {
		w.messy(guard.MessyLimits)
	}
	delimiter, quoted, ok := tree.Delimiter(r.Word)
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
		if part.Index != nil || !tree.IsValue(part) {
			return false
		}
	case *syntax.CmdSubst:
		if part.Backquotes || w.OldBash {
			return false
		}
	default: // an expression is evaluated with what bash has assigned by then
		return false
	}
	if r.Op == syntax.DashHdoc || part.Pos().Line() != part.End().Line() {
		return false
	}
	x := w.expander(st)
	x.expansion(part, true)
	w.begun = nil
	return x.kind != Dynamic && x.kind != Pipe
}
