package shell

import (
	"maps"
	"reflect"
	"slices"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
)

// state is what is known at one point of a line. States are shared: a change
// makes a copy, so that a subshell simply starts from the state outside.
type state struct {
	// dirs are the directories that may be in force, absolute and clean.
	dirs []string
	// unknown is true when others than dirs may be in force, too.
	unknown bool
	// vars are the variables that the line assigned; Dynamic when it is not
	// known what they hold.
	vars map[string]Word
	// caveats hold for every command from here on.
	caveats v1.Set
	// functions are those that the line defined; nil for a name that may be one.
	functions map[string]*syntax.FuncDecl
	// before are the directories that were in force before dirs, nil when that
	// is not known.
	before []string
	// stack are the directories that pushd left, the last one on top.
	stack [][]string
	// unstacked is true when others may lie on the stack.
	unstacked bool
}

func (s *state) clone() *state {
	return &state{
		dirs: s.dirs, unknown: s.unknown, vars: maps.Clone(s.vars), caveats: slices.Clone(s.caveats),
		functions: s.functions, before: s.before, stack: s.stack, unstacked: s.unstacked,
	}
}

func (s *state) withFunction(name string, decl *syntax.FuncDecl) *state {
	next := s.clone()
	next.functions = maps.Clone(s.functions)
	if next.functions == nil {
		next.functions = make(map[string]*syntax.FuncDecl, 1)
	}
	next.functions[name] = decl
	return next
}

// withoutFunctions is for commands that are started without asking functions.
func (s *state) withoutFunctions() *state {
	if s.functions == nil {
		return s
	}
	next := s.clone()
	next.functions = nil
	return next
}

func (s *state) assigned(name string) bool {
	_, ok := s.vars[name]
	return ok
}

func (s *state) with(name string, value Word) *state {
	next := s.clone()
	if next.vars == nil {
		next.vars = make(map[string]Word, 1)
	}
	if name == lastWord {
		value = Word{}
	}
	next.vars[name] = value
	return next
}

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
	next.dirs, next.unknown, next.before = dirs, false, s.dirs
	if s.unknown {
		next.before = nil
	}
	return next
}

func (s *state) nowhere() *state {
	next := s.clone()
	next.dirs, next.unknown, next.before, next.stack, next.unstacked = nil, true, nil, nil, true
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
	out.unknown = a.unknown || b.unknown
	for _, dir := range b.dirs {
		if !slices.Contains(out.dirs, dir) {
			out.dirs = append(slices.Clip(out.dirs), dir)
		}
	}
	if len(out.dirs) > maxDirectories {
		out.dirs, out.unknown = nil, true
	}
	for _, caveat := range b.caveats {
		out.caveats.Add(caveat)
	}
	out.joinDirectories(a, b)
	out.joinFunctions(a, b)
	for name, value := range b.vars {
		if mine, ok := a.vars[name]; !ok || !sameWord(mine, value) {
			if out.vars == nil {
				out.vars = make(map[string]Word, len(b.vars))
			}
			out.vars[name] = either(name, mine, value)
		}
	}
	for name := range a.vars {
		if _, ok := b.vars[name]; !ok {
			out.vars[name] = Word{}
		}
	}
	return out
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
	if len(a.functions)+len(b.functions) == 0 || maps.Equal(a.functions, b.functions) {
		return
	}
	s.functions = maps.Clone(a.functions)
	if s.functions == nil {
		s.functions = make(map[string]*syntax.FuncDecl, len(b.functions))
	}
	for name, decl := range b.functions {
		if a.functions[name] != decl {
			s.functions[name] = nil
		}
	}
	for name := range a.functions {
		if _, both := b.functions[name]; !both {
			s.functions[name] = nil
		}
	}
}

// either is what is known of a variable that holds one of two words.
func either(name string, a, b Word) Word {
	if isNumber(a) && isNumber(b) && !octal(a) && !octal(b) {
		return Word{Kind: Number, Text: "$" + name, Solid: solid(a) && solid(b), Signed: a.Signed || b.Signed}
	}
	if onlyText(a) && onlyText(b) {
		return Word{Kind: Output, Text: "$" + name, Letters: true, Solid: solid(a) && solid(b)}
	}
	return Word{}
}

// onlyText reports whether a variable holds text of the line's own, or that its
// commands print.
func onlyText(word Word) bool {
	return word.array == nil && (word.Kind == Literal || word.Kind == Number || word.Kind == Hash || word.Kind == Output)
}

// octal reports whether shells may read a number as an octal one, or fail to.
func octal(word Word) bool {
	return word.Kind == Literal && !decimal(word.Text) || word.Kind == Number && word.Joined
}

func solid(word Word) bool { return word.Solid || word.Kind == Literal && word.Text != "" }

func sameWord(a, b Word) bool {
	return a.Kind == b.Kind && a.Text == b.Text && a.Split == b.Split && a.Letters == b.Letters && a.Solid == b.Solid && a.Led == b.Led && a.Vanishes == b.Vanishes && a.Signed == b.Signed && a.Joined == b.Joined && a.Expands == b.Expands && a.Extended == b.Extended &&
		slices.Equal(a.dirs, b.dirs) && slices.Equal(a.Variables, b.Variables) &&
		reflect.DeepEqual(a.feed, b.feed) && reflect.DeepEqual(a.array, b.array)
}
