package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/symbols"
	"policyd/extract/value"
)

// state is what is known at one point of a line. States are shared: a change
// makes a copy, so that a subshell simply starts from the state outside.
type state struct {
	// cwd are the directories that may be in force, absolute and clean.
	cwd value.Directories
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
	// functions are those that the line defined; nil for a name that may be one.
	functions symbols.Table[*syntax.FuncDecl]
	// before are the directories that were in force before dirs, nil when that
	// is not known.
	before []string
	// stack are the directories that pushd left, the last one on top.
	stack [][]string
	// unstacked is true when others may lie on the stack.
	unstacked bool
}

func (s *state) clone() *state {
	next := *s
	next.caveats = slices.Clip(s.caveats)
	return &next
}

func (s *state) withFunction(name string, decl *syntax.FuncDecl) *state {
	next := s.clone()
	next.functions = s.functions.With(name, decl)
	return next
}

// withoutFunctions is for commands that are started without asking functions.
func (s *state) withoutFunctions() *state {
	if s.functions.Len() == 0 {
		return s
	}
	next := s.clone()
	next.functions = symbols.Table[*syntax.FuncDecl]{}
	return next
}

// child is the state that a shell begins in which is started from this one: it sees
// what is exported only.
func (s *state) child() *state {
	return &state{cwd: s.cwd, caveats: slices.Clip(s.caveats), given: s.given, environments: s.environments, unstacked: true}
}

func (s *state) assigned(name string) bool {
	_, ok := s.vars.Get(name)
	return ok
}

// variable returns what a variable of the line holds.
func (s *state) variable(name string) (value expansion.Word, assigned bool) {
	if held, ok := s.vars.Get(name); ok {
		return *held, true
	}
	return expansion.Word{}, false
}

// array is the array that a variable of the line holds, nil where it holds none.
func (s *state) array(name string) *expansion.Array {
	held, _ := s.variable(name)
	return held.Array
}

func (s *state) with(name string, value expansion.Word) *state {
	next := s.clone()
	if name == lastWord {
		value = expansion.Word{}
	}
	next.set(name, &value)
	return next
}

// set changes a state that nobody else has yet.
func (s *state) set(name string, value *expansion.Word) { s.vars = s.vars.With(name, value) }

// unknownWord is what a variable holds of which nothing is known.
var unknownWord = &expansion.Word{}

// lastWord is the variable that shells set to the last word of each command.
const lastWord = "_"

func (s *state) withCaveat(caveat string) *state {
	if s.caveats.Has(caveat) {
		return s
	}
	next := s.clone()
	next.caveats.Add(caveat)
	return next
}

// in is the state behind a change to one of the directories.
func (s *state) in(dirs []string) *state {
	next := s.clone()
	next.cwd, next.before = value.Directories{Known: dirs}, s.cwd.Known
	if s.cwd.Others {
		next.before = nil
	}
	return next
}

func (s *state) nowhere() *state {
	next := s.clone()
	next.cwd, next.before, next.stack, next.unstacked = value.Directories{Others: true}, nil, nil, true
	return next
}

// maxDirectories bounds the directories that may be in force. Each cd that may
// fail can double them.
const maxDirectories = 16

// join is what holds when either a or b does.
func join(a, b *state) *state {
	if a == b {
		return a
	}
	out := a.clone()
	out.cwd.Others = a.cwd.Others || b.cwd.Others
	for _, dir := range b.cwd.Known {
		if !slices.Contains(out.cwd.Known, dir) {
			out.cwd.Known = append(slices.Clip(out.cwd.Known), dir)
		}
	}
	if len(out.cwd.Known) > maxDirectories {
		out.cwd = value.Directories{Others: true}
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
	out.joinDirectories(a, b)
	out.joinFunctions(a, b)
	out.joinVariables(a, b)
	return out
}

func (s *state) joinVariables(a, b *state) {
	b.vars.Differing(a.vars, func(name string, value *expansion.Word) bool {
		if mine, ok := a.vars.Get(name); !ok {
			s.set(name, unknownWord)
		} else if mine != value && !mine.Equal(value) {
			s.set(name, expansion.Join(name, mine, value))
		}
		return true
	})
	a.vars.Differing(b.vars, func(name string, _ *expansion.Word) bool {
		if !b.assigned(name) {
			s.set(name, unknownWord)
		}
		return true
	})
}

// joinDirectories joins what cd - and popd go to.
func (s *state) joinDirectories(a, b *state) {
	if a.before == nil || b.before == nil {
		s.before = nil
	} else {
		for _, dir := range b.before {
			if !slices.Contains(s.before, dir) {
				s.before = append(slices.Clip(s.before), dir)
			}
		}
		if len(s.before) > maxDirectories {
			s.before = nil
		}
	}
	if a.unstacked || b.unstacked || !slices.EqualFunc(a.stack, b.stack, slices.Equal) {
		s.stack, s.unstacked = nil, true
	}
}

func (s *state) joinFunctions(a, b *state) {
	if a.functions.Equal(b.functions) {
		return
	}
	b.functions.Differing(a.functions, func(name string, decl *syntax.FuncDecl) bool {
		if mine, _ := a.functions.Get(name); mine != decl {
			s.functions = s.functions.With(name, nil)
		}
		return true
	})
	a.functions.Differing(b.functions, func(name string, _ *syntax.FuncDecl) bool {
		if _, both := b.functions.Get(name); !both {
			s.functions = s.functions.With(name, nil)
		}
		return true
	})
}
