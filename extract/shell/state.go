package shell

import (
	"maps"
	"reflect"
	"slices"

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
}

func (s *state) clone() *state {
	return &state{
		dirs: s.dirs, unknown: s.unknown, vars: maps.Clone(s.vars), caveats: slices.Clone(s.caveats),
	}
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
	next.vars[name] = value
	return next
}

func (s *state) withCaveat(caveat string) *state {
	if s.caveats.Has(caveat) {
		return s
	}
	next := s.clone()
	next.caveats.Add(caveat)
	return next
}

func (s *state) in(dir string) *state {
	next := s.clone()
	next.dirs, next.unknown = []string{dir}, false
	return next
}

func (s *state) nowhere() *state {
	next := s.clone()
	next.dirs, next.unknown = nil, true
	return next
}

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
	for _, caveat := range b.caveats {
		out.caveats.Add(caveat)
	}
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

// either is what is known of a variable that holds one of two words.
func either(name string, a, b Word) Word {
	if isNumber(a) && isNumber(b) {
		return Word{Kind: Number, Text: "$" + name, Solid: solid(a) && solid(b)}
	}
	return Word{}
}

func solid(word Word) bool { return word.Solid || word.Kind == Literal && word.Text != "" }

func sameWord(a, b Word) bool {
	return a.Kind == b.Kind && a.Text == b.Text && a.Split == b.Split && a.Letters == b.Letters && a.Solid == b.Solid && slices.Equal(a.Variables, b.Variables) &&
		reflect.DeepEqual(a.feed, b.feed)
}
