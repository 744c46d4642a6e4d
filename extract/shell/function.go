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
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// A function that the line defines is walked where the line calls it, with the
// words of the call for its parameters. One that would stand before a program
// or a builtin of the same name is not followed, since not every way to start a
// program asks functions first.

// define notes a function. A nil entry of a state's functions is one that may
// be another, or none.
func (c compound) define(cmd *syntax.FuncDecl) *state {
	if cmd.Name == nil || !tree.IsFunctionBody(cmd.Body) || c.st.functions.Len() >= maxCommands || !c.w.definable(cmd.Name.Value) || cmd.RsrvWord && c.w.Posix {
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
	return c.st.withFunction(cmd.Name.Value, cmd)
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
func (w *walker) invoke(st *state, decl *syntax.FuncDecl, args []expansion.Word, redirs []command.Access) (ok, fail *state) {
	if len(w.calling) >= maxDepth || slices.Contains(w.calling, decl) || slices.ContainsFunc(args, func(arg expansion.Word) bool { return arg.Kind == expansion.Pipe }) {
		w.messy(guard.MessyFunction)
		return st.nowhere(), st.nowhere()
	}
	if len(redirs) > 0 {
		w.emit(w.newCommand(st, ":", redirs))
	}
	w.called[decl] = true
	w.calls++
	w.calling = append(w.calling, decl)
	inside := parameters(st, args)
	if _, held := st.variable("0"); held && w.Zsh {
		inside.set("0", unknownWord) // the name of the function
	}
	ok, fail = w.caught(func() (ok, fail *state) { return w.stmt(inside, decl.Body) })
	locals := tree.DeclaredNames(decl.Body)
	w.calling = w.calling[:len(w.calling)-1]
	return returned(st, ok, locals), returned(st, fail, locals)
}

// maxParameters is how many parameters can be named by one digit.
const maxParameters = 9

// parameters is the state in which the body of a function begins.
func parameters(st *state, args []expansion.Word) *state {
	list := &expansion.Array{Words: expansion.AddDirectories(st.cwd.Known, slices.Clone(args))}
	next := st.with("@", expansion.Word{Array: list})
	for i := range maxParameters {
		value := unknownWord
		if word, known := list.At(i); known {
			value = &word
		}
		next.set(strconv.Itoa(i+1), value)
	}
	return next
}

// returned is the state behind a call: the parameters are those of the caller
// again, and what the function declared as its own is not followed.
func returned(before, after *state, locals []string) *state {
	next := after.clone()
	restore := func(name string) {
		if value, had := before.vars.Get(name); had {
			next.set(name, value)
		} else {
			next.vars = next.vars.Without(name)
		}
	}
	restore("@")
	restore("0")
	for i := range maxParameters {
		restore(strconv.Itoa(i + 1))
	}
	for _, name := range locals {
		next.set(name, unknownWord)
	}
	return next
}

// shifted drops the first parameters, as far as they are known.
func shifted(st *state, args []expansion.Word) *state {
	count := 1
	if len(args) > 0 {
		count = maxWords
		if n, err := strconv.Atoi(args[0].Text); err == nil && len(args) == 1 && args[0].Kind == expansion.Literal && value.IsDecimal(args[0].Text) {
			count = n
		}
	}
	list := st.array("@")
	if list != nil && count <= len(list.Words) && !slices.ContainsFunc(list.Words[:count], func(word expansion.Word) bool { return !expansion.IsSingle(word) }) {
		return parameters(st, list.Words[count:])
	}
	next := parameters(st, nil)
	next.set("@", unknownWord)
	for i := range maxParameters {
		next.set(strconv.Itoa(i+1), unknownWord)
	}
	return next
}

// function walks a call of a function of the line, nil for a name that may stand for another one, or
// for something else.
func (i simpleCommand) function(decl *syntax.FuncDecl) (ok, fail *state) {
	if decl != nil && i.st == i.after {
		return i.w.invoke(i.st, decl, i.args(), i.redirs)
	}
	i.w.messy(guard.MessyFunction) // or assignments stand before it
	c := i.w.newCommand(i.st, i.argv[0].Text, i.redirs)
	c.Caveats.Add("unknown_program")
	e := effectsOf(i.w, i.st, &c)
	for _, word := range i.args() {
		e.AnyPath(word)
	}
	i.w.emit(c)
	return i.after.nowhere(), i.after.nowhere()
}
