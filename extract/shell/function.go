package shell

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/state"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// A function that the line defines is walked where the line calls it, with the
// words of the call for its parameters. One that would stand before a program
// or a builtin of the same name is not followed, since not every way to start a
// program asks functions first.

// define notes a function. A nil entry of a state's functions is one that may
// be another, or none.
func (c compound) define(cmd *syntax.FuncDecl) *state.State {
	if cmd.Name == nil || !tree.IsFunctionBody(cmd.Body) || c.st.Functions.Len() >= maxCommands || !c.w.definable(cmd.Name.Value) || cmd.RsrvWord && c.w.Posix {
		c.w.messy(guard.MessyFunction)
		if cmd.Body != nil {
			c.w.stmt(c.st, cmd.Body)
		}
		return c.st
	}
	if c.w.called == nil {
		c.w.called = make(map[*syntax.FuncDecl]bool)
	}
	if _, known := c.w.called[cmd]; !known {
		c.w.called[cmd] = false
	}
	return c.st.WithFunction(cmd.Name.Value, cmd)
}

// definable reports whether a name means nothing to shells, nor to the program
// table.
func (s *surroundings) definable(name string) bool {
	return value.IsName(strings.ReplaceAll(name, "-", "_")) && !argv.IsOwn(name) &&
		s.table.Program(name) == nil && !argv.IsShell(name) && !guard.ReservedWord(name) &&
		!slices.Contains(s.table.Words.Shell.Hooks, name) && (!s.Zsh || !strings.HasPrefix(name, "TRAP")) &&
		!slices.Contains(s.table.Words.Shell.RunsText, name) && !slices.Contains(s.table.Words.Shell.Builtins, name)
}

// invoke walks a call of a function.
func (w *walker) invoke(st *state.State, decl *syntax.FuncDecl, args []expansion.Word, redirs []command.Access) (ok, fail *state.State) {
	if len(w.calling) >= maxDepth || slices.Contains(w.calling, decl) || slices.ContainsFunc(args, func(arg expansion.Word) bool { return arg.Kind == expansion.Pipe }) {
		w.messy(guard.MessyFunction)
		return st.Nowhere(), st.Nowhere()
	}
	if len(redirs) > 0 {
		w.emit(w.newCommand(st, ":", redirs))
	}
	w.called[decl] = true
	w.calls++
	w.calling = append(w.calling, decl)
	inside := state.WithParameters(st, args)
	if _, held := st.Variable("0"); held && w.Zsh {
		inside = inside.With("0", expansion.Word{}) // the name of the function
	}
	ok, fail = w.caught(func() (ok, fail *state.State) { return w.stmt(inside, decl.Body) })
	locals := tree.DeclaredNames(decl.Body)
	w.calling = w.calling[:len(w.calling)-1]
	return state.Returned(st, ok, locals), state.Returned(st, fail, locals)
}

// shifted drops the first parameters, as far as they are known.
func shifted(st *state.State, args []expansion.Word) *state.State {
	if len(args) == 0 {
		return state.Shifted(st, 1)
	}
	if n, err := strconv.Atoi(args[0].Text); err == nil && len(args) == 1 && args[0].Kind == expansion.Literal && value.IsDecimal(args[0].Text) {
		return state.Shifted(st, n)
	}
	return state.WithoutParameters(st)
}

// function walks a call of a function of the line, nil for a name that may stand for another one, or
// for something else.
func (i simpleCommand) function(decl *syntax.FuncDecl) (ok, fail *state.State) {
	if decl != nil && i.st == i.after {
		return i.w.invoke(i.st, decl, i.args(), i.redirs)
	}
	i.w.messy(guard.MessyFunction) // or assignments stand before it
	i.guess(i.argv[0].Text, i.args())
	return i.after.Nowhere(), i.after.Nowhere()
}
