// Package state is what an interpreter knows at one point of a line: the directories that may be in force, what
// variables hold, which functions are defined, and what holds for every command from there on.
//
// A State is an abstract value. Each change gives another one, so that a subshell or a branch starts from the state
// outside of it, and Join is what holds when either of two does. What isn't known is the zero value of a part, which
// explains nothing. The walk over the syntax stays with the interpreter, which sees the working directory and the
// functions; everything else is asked for by name, or reaches commands by State.Command.
package state

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/symbols"
	"policyd/extract/value"
)

// State is what is known at one point of a line. States are shared: a change makes a copy.
type State struct {
	// Cwd are the directories that may be in force, absolute and clean.
	Cwd value.Directories
	// Functions are those that the line defined; nil for a name that may be one.
	Functions symbols.Table[*syntax.FuncDecl]
	// vars are the variables that the line assigned; Dynamic when it is not
	// known what they hold.
	vars symbols.Table[*expansion.Word]
	// caveats hold for every command from here on.
	caveats v1.Set
	// given are values of variables that programs see, each of which may be a path.
	given []command.Access
	// environments are the directories of virtual environments' programs that the line put in
	// front of PATH, as it names them.
	environments []string
	// before are the directories that were in force before dirs, nil when that
	// is not known.
	before []string
	// stack are the directories that pushd left, the last one on top.
	stack [][]string
	// unstacked is true when others may lie on the stack.
	unstacked bool
}

func (s *State) clone() *State {
	next := *s
	next.caveats = slices.Clip(s.caveats)
	return &next
}

// Command is a command in this state. An indifferent one does the same whatever variables programs are given.
func (s *State) Command(verb string, redirs []command.Access, indifferent bool) command.Command {
	c := command.Command{Verb: verb, Program: verb, Execution: command.Execution{Cwd: s.Cwd}, Accesses: redirs}
	for _, caveat := range s.caveats {
		if caveat != SetsVariable || !indifferent {
			c.Caveats.Add(caveat)
		}
	}
	if c.Caveats.Has(SetsVariable) || c.Caveats.Has(LoadsPath) {
		c.Implied.Held = append(c.Implied.Held, s.given...)
	}
	for _, dir := range s.environments {
		c.Selection.ChosenBy = append(c.Selection.ChosenBy, dir+"/"+verb)
	}
	return c
}

// WithFunction is the state behind the definition of a function.
func (s *State) WithFunction(name string, decl *syntax.FuncDecl) *State {
	next := s.clone()
	next.Functions = s.Functions.With(name, decl)
	return next
}

// WithoutFunctions is for commands that are started without asking functions.
func (s *State) WithoutFunctions() *State {
	if s.Functions.Len() == 0 {
		return s
	}
	next := s.clone()
	next.Functions = symbols.Table[*syntax.FuncDecl]{}
	return next
}

// Child is the state that a shell begins in which is started from this one: it sees what is exported only.
func (s *State) Child() *State {
	return &State{Cwd: s.Cwd, caveats: slices.Clip(s.caveats), given: s.given, environments: s.environments, unstacked: true}
}

// Assigned reports whether the line assigned a variable.
func (s *State) Assigned(name string) bool {
	_, ok := s.vars.Get(name)
	return ok
}

// Variable returns what a variable of the line holds.
func (s *State) Variable(name string) (value expansion.Word, assigned bool) {
	if held, ok := s.vars.Get(name); ok {
		return *held, true
	}
	return expansion.Word{}, false
}

// Array is the array that a variable of the line holds, nil if it holds none.
func (s *State) Array(name string) *expansion.Array {
	held, _ := s.Variable(name)
	return held.Array
}

// With is the state in which a variable holds a value.
func (s *State) With(name string, value expansion.Word) *State {
	next := s.clone()
	if name == lastWord {
		value = expansion.Word{}
	}
	next.vars = s.vars.With(name, &value)
	return next
}

// unknown is what a variable holds of which nothing is known.
var unknown = &expansion.Word{}

// lastWord is the variable that shells set to the last word of each command.
const lastWord = "_"

// Caveats of commands that see values which the line gave to variables.
const (
	SetsVariable = "sets_variable"
	// LoadsPath is that of a command that loads code from directories that a variable names.
	LoadsPath = "loads_path"
)

// Has reports whether a caveat holds for every command.
func (s *State) Has(caveat string) bool { return s.caveats.Has(caveat) }

// WithCaveat is the state in which a caveat holds for every command.
func (s *State) WithCaveat(caveat string) *State {
	if s.caveats.Has(caveat) {
		return s
	}
	next := s.clone()
	next.caveats.Add(caveat)
	return next
}

// WithGiven is the state in which programs see paths in their variables.
func (s *State) WithGiven(paths ...command.Access) *State {
	next := s.clone()
	next.given = append(slices.Clip(s.given), paths...)
	return next
}

// WithEnvironment is the state in which the programs of a virtual environment stand in front of PATH.
func (s *State) WithEnvironment(dir string) *State {
	next := s.clone()
	next.environments = append(slices.Clip(s.environments), dir)
	return next
}

// Before are the directories that cd - goes to, nil if they aren't known.
func (s *State) Before() []string { return s.before }

// In is the state behind a change to one of the directories.
func (s *State) In(dirs []string) *State {
	next := s.clone()
	next.Cwd, next.before = value.Directories{Known: dirs}, s.Cwd.Known
	if s.Cwd.Others {
		next.before = nil
	}
	return next
}

// Nowhere is the state in which any directory may be in force.
func (s *State) Nowhere() *State {
	next := s.Unstacked()
	next.Cwd, next.before = value.Directories{Others: true}, nil
	return next
}

// Unstacked is the state in which any directories may lie on the stack.
func (s *State) Unstacked() *State {
	next := s.clone()
	next.stack, next.unstacked = nil, true
	return next
}

// Pushed is the state in which directories lie on the stack.
func (s *State) Pushed(dirs []string) *State {
	next := s.clone()
	next.stack = append(slices.Clip(s.stack), dirs)
	return next
}

// Popped is the state in the directories on top of the stack, and without them there, nil if they aren't known.
func (s *State) Popped() *State {
	top := len(s.stack) - 1
	if top < 0 || len(s.stack[top]) == 0 {
		return nil
	}
	next := s.In(s.stack[top])
	next.stack = s.stack[:top:top]
	return next
}

// MaxDirectories bounds the directories that may be in force. Each cd that may
// fail can double them.
const MaxDirectories = 16

// Join is what holds when either a or b does.
func Join(a, b *State) *State {
	if a == b {
		return a
	}
	out := a.clone()
	out.Cwd.Others = a.Cwd.Others || b.Cwd.Others
	for _, dir := range b.Cwd.Known {
		if !slices.Contains(out.Cwd.Known, dir) {
			out.Cwd.Known = append(slices.Clip(out.Cwd.Known), dir)
		}
	}
	if len(out.Cwd.Known) > MaxDirectories {
		out.Cwd = value.Directories{Others: true}
	}
	for _, caveat := range b.caveats {
		out.caveats.Add(caveat)
	}
	for _, dir := range b.environments {
		if !slices.Contains(out.environments, dir) {
			out.environments = append(slices.Clip(out.environments), dir)
		}
	}
	for i := range b.given {
		if !slices.ContainsFunc(out.given, func(g command.Access) bool { return g.Text == b.given[i].Text }) {
			out.given = append(slices.Clip(out.given), b.given[i])
		}
	}
	joinDirectories(out, a, b)
	joinFunctions(out, a, b)
	joinVariables(out, a, b)
	return out
}

func joinVariables(s, a, b *State) {
	b.vars.Differing(a.vars, func(name string, value *expansion.Word) bool {
		if mine, ok := a.vars.Get(name); !ok {
			s.vars = s.vars.With(name, unknown)
		} else if mine != value && !mine.Equal(value) {
			s.vars = s.vars.With(name, expansion.Join(name, mine, value))
		}
		return true
	})
	a.vars.Differing(b.vars, func(name string, _ *expansion.Word) bool {
		if !b.Assigned(name) {
			s.vars = s.vars.With(name, unknown)
		}
		return true
	})
}

// joinDirectories joins what cd - and popd go to.
func joinDirectories(s, a, b *State) {
	if a.before == nil || b.before == nil {
		s.before = nil
	} else {
		for _, dir := range b.before {
			if !slices.Contains(s.before, dir) {
				s.before = append(slices.Clip(s.before), dir)
			}
		}
		if len(s.before) > MaxDirectories {
			s.before = nil
		}
	}
	if a.unstacked || b.unstacked || !slices.EqualFunc(a.stack, b.stack, slices.Equal) {
		s.stack, s.unstacked = nil, true
	}
}

func joinFunctions(s, a, b *State) {
	if a.Functions.Equal(b.Functions) {
		return
	}
	b.Functions.Differing(a.Functions, func(name string, decl *syntax.FuncDecl) bool {
		if mine, _ := a.Functions.Get(name); mine != decl {
			s.Functions = s.Functions.With(name, nil)
		}
		return true
	})
	a.Functions.Differing(b.Functions, func(name string, _ *syntax.FuncDecl) bool {
		if _, both := b.Functions.Get(name); !both {
			s.Functions = s.Functions.With(name, nil)
		}
		return true
	})
}

// OnlyVariables reports whether a round of a loop changed variables and
// nothing else.
func OnlyVariables(before, after *State) bool {
	same := *after
	same.vars, same.before = before.vars, before.before
	return !Changed(before, &same) && Changed(before, after)
}

// Changed reports whether two states differ.
func Changed(before, after *State) bool {
	if len(before.Cwd.Known) != len(after.Cwd.Known) || before.Cwd.Others != after.Cwd.Others ||
		len(before.caveats) != len(after.caveats) || len(before.given) != len(after.given) || len(before.environments) != len(after.environments) || before.vars.Len() != after.vars.Len() {
		return true
	}
	if !before.Functions.Equal(after.Functions) || !slices.Equal(before.before, after.before) ||
		before.unstacked != after.unstacked || !slices.EqualFunc(before.stack, after.stack, slices.Equal) {
		return true
	}
	return !after.vars.Differing(before.vars, func(name string, value *expansion.Word) bool {
		was, assigned := before.vars.Get(name)
		if !assigned {
			was = unknown
		}
		return was == value || was.Equal(value)
	})
}
