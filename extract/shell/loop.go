package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/state"
	"policyd/extract/shell/tree"
)

// loop is a for loop that is walked in a state.
type loop struct {
	w   *walker
	st  *state.State
	cmd *syntax.ForClause
	// name is the variable, first the index of the first command that the loop runs.
	name  string
	first int
}

// forClause unrolls a loop over known words, so that its body is judged for each of them.
func (c compound) forClause(cmd *syntax.ForClause) (ok, fail *state.State) {
	l := loop{w: c.w, st: c.st, cmd: cmd, first: len(c.w.line.Commands)}
	if cmd.Select {
		return l.unexplained()
	}
	switch over := cmd.Loop.(type) {
	case *syntax.CStyleLoop:
		return l.counting(over)
	case *syntax.WordIter:
		l.name = over.Name.Value
		if over.InPos.IsValid() {
			return l.over(l.words(over.Items))
		}
		if words := l.words(allParameters); len(words) > 0 {
			return l.over(words)
		}
	}
	return l.unexplained() // deny rules see what runs if there are parameters all the same
}

// unexplained reports the commands of a loop that isn't followed.
func (l *loop) unexplained() (ok, fail *state.State) {
	l.w.messy(guard.MessyControlFlow)
	if ok, fail := l.w.stmts(l.st, l.cmd.Do); state.Changed(l.st, state.Join(ok, fail)) {
		l.w.stmts(l.st.Nowhere(), l.cmd.Do)
	}
	return l.st.Nowhere(), l.st.Nowhere()
}

// counting walks for (( … )): its counters hold any number in each round.
func (l *loop) counting(clause *syntax.CStyleLoop) (ok, fail *state.State) {
	st := (&arithmetic{w: l.w, st: l.st}).command("((", clause.Init)
	end := compound{w: l.w, st: st}.rounds(func(at *state.State) *state.State {
		at = (&arithmetic{w: l.w, st: at}).command("((", clause.Cond)
		ok, fail := l.body(at)
		return state.Join(at, (&arithmetic{w: l.w, st: state.Join(ok, fail)}).command("((", clause.Post))
	})
	return end, end
}

func (l *loop) body(st *state.State) (ok, fail *state.State) {
	l.w.loops++
	defer func() { l.w.loops-- }()
	return l.w.caught(func() (ok, fail *state.State) { return l.w.stmts(st, l.cmd.Do) })
}

// allParameters is what a loop without words goes over: "$@".
var allParameters = []*syntax.Word{{Parts: []syntax.WordPart{&syntax.DblQuoted{Parts: []syntax.WordPart{
	&syntax.ParamExp{Short: true, Param: &syntax.Lit{Value: "@"}},
}}}}}

// seqText stands for a number that seq prints.
const seqText = "$(seq)"

// words are what the loop goes over.
func (l *loop) words(items []*syntax.Word) (values []expansion.Word) {
	for _, item := range items {
		words := expansion.AddDirectories(l.st.Cwd.Known, l.w.words(l.st, item))
		if l.counts(item) {
			words = []expansion.Word{{Kind: expansion.Number, Text: seqText, Class: expansion.Numeral(false, false)}}
		}
		l.w.handsOn(l.st, words)
		values = append(values, words...)
	}
	return values
}

// counts reports whether a word is $(seq …) with numbers: the loop then takes one number after the
// other.
func (l *loop) counts(item *syntax.Word) bool {
	if l.st.Assigned("IFS") || l.st.Functions.Len() > 0 {
		return false
	}
	call := tree.SubstitutedCall(item)
	return call != nil && len(call.Args) > 1 && len(call.Args) < 5 && call.Args[0].Lit() == "seq" &&
		!slices.ContainsFunc(call.Args[1:], func(arg *syntax.Word) bool { return !l.isCount(arg) })
}

// isCount reports whether a word is a number no larger than a count.
func (l *loop) isCount(word *syntax.Word) bool {
	if lit := word.Lit(); lit != "" {
		return lexical.IsCount(lit)
	}
	part, _ := tree.LoneParameter(word)
	if part == nil || part.Param == nil || part.Index != nil || !tree.IsValue(part) {
		return false
	}
	value, _ := l.st.Variable(part.Param.Value)
	return value.Kind == expansion.Number && expansion.IsNumber(value) && !value.MayBeginWithDash() || value.Kind == expansion.Literal && lexical.IsCount(value.Text)
}

// over walks the rounds of the loop.
func (l *loop) over(words []expansion.Word) (ok, fail *state.State) {
	if !l.w.local(l.name) {
		l.w.messy(guard.MessyAssignment)
	}
	ok, fail = l.st, l.st
	l.first = len(l.w.line.Commands)
	for _, word := range words {
		round := len(l.w.line.Commands)
		ok, fail = l.round(state.Join(ok, fail), word)
		l.w.mergeRounds(l.first, round)
		if len(l.w.line.Commands) >= maxCommands {
			l.w.messy(guard.MessyLimits)
			break
		}
	}
	return state.Join(l.st, ok), state.Join(l.st, fail)
}

// round walks what one word makes of the loop: a round, several, or none.
func (l *loop) round(before *state.State, word expansion.Word) (ok, fail *state.State) {
	if word.Extended != "" {
		word = expansion.Word{Split: true} // a pattern, perhaps
	}
	several, none := roundsOf(word)
	value := word.Item(&l.st.Cwd)
	start := before.With(l.name, value)
	ok, fail = l.body(start)
	if several {
		ok, fail = l.nextRounds(start, ok, fail, value)
	}
	if none {
		ok, fail = state.Join(before, ok), state.Join(before, fail)
	}
	return ok, fail
}

// roundsOf reports whether a loop can make several rounds of one word, and whether it can make none. A
// pattern without a match stands for itself.
func roundsOf(word expansion.Word) (several, none bool) {
	several = word.Kind == expansion.Glob || word.Kind == expansion.Names || word.Text == seqText || word.Split && word.Kind != expansion.Literal && word.Kind != expansion.Number
	return several, word.Vanishes || several && word.Kind != expansion.Glob
}

// nextRounds walks the body of a loop whose words are only known on the disk once more, from what the
// first round can have left. What changes again then changes with every round, and isn't followed.
func (l *loop) nextRounds(start, ok, fail *state.State, value expansion.Word) (nextOK, nextFail *state.State) {
	after := state.Join(start, state.Join(ok, fail))
	if !state.Changed(start, after) {
		return ok, fail
	}
	ok, fail = l.body(after.With(l.name, value))
	if end := state.Join(after, state.Join(ok, fail)); state.Changed(after, end) {
		l.w.messy(guard.MessyControlFlow)
		return end.Nowhere(), end.Nowhere()
	}
	return ok, fail
}

// mergeRounds drops from the last round of a loop the commands that a round since first has, too, if
// another round like it would exceed the limits. What is left is more than the one or two commands whose
// output is followed.
func (r *report) mergeRounds(first, round int) {
	if 2*len(r.line.Commands)-round < maxCommands && r.wordCount < maxWords/2 {
		return
	}
	all := r.line.Commands
	kept := all[:round:round]
	for i := round; i < len(all); i++ {
		known := slices.ContainsFunc(kept[first:], func(c command.Command) bool { return c.Equal(&all[i]) })
		if known && len(kept)-first > 2 {
			r.wordCount -= len(all[i].Argv)
			continue
		}
		kept = append(kept, all[i])
	}
	r.line.Commands = kept
}

// whileClause walks the rounds of a loop.
func (c compound) whileClause(cmd *syntax.WhileClause) (ok, fail *state.State) {
	end := c.rounds(func(at *state.State) *state.State {
		ok, fail := c.w.caught(func() (ok, fail *state.State) {
			yes, no := c.w.stmts(at, cmd.Cond)
			if cmd.Until {
				yes, no = no, yes
			}
			ok, fail = c.w.stmts(yes, cmd.Do)
			return state.Join(ok, no), fail
		})
		return state.Join(ok, fail)
	})
	return end, end
}

// rounds walks a loop once, in a state that no round of it can leave: a body
// that changes the directory, or a variable with every round, is not followed.
func (c compound) rounds(round func(*state.State) *state.State) *state.State {
	c.w.loops++
	defer func() { c.w.loops-- }()
	commands := len(c.w.line.Commands)
	end := round(c.st)
	c.w.changes = c.w.changes || !c.w.OnlyRead()
	if state.OnlyVariables(c.st, end) {
		// A second round, from what the first may have left, is as good as any.
		c.st = state.Join(c.st, end)
		first := slices.Clone(c.w.line.Commands[commands:])
		c.w.line.Commands = c.w.line.Commands[:commands]
		end = state.Join(c.st, round(c.st))
		c.w.keepRound(first, commands)
	}
	if state.Changed(c.st, end) {
		c.w.messy(guard.MessyControlFlow) // what the first round is known to do stays in it
		lost := end.Nowhere()
		round(lost)
		return lost
	}
	return end
}

// keepRound keeps of the first round what another one is not known to do.
func (r *report) keepRound(first []command.Command, from int) {
	for i := range first {
		again := slices.ContainsFunc(r.line.Commands[from:], func(c command.Command) bool { return isSame(&c, &first[i]) })
		if !again && len(r.line.Commands) < maxCommands {
			r.line.Commands = append(r.line.Commands, first[i])
		}
	}
}

// What stands behind break, continue, return and exit in a body may not run, so
// that a loop, or a function, also ends in the state in which one of them is
// reached.

// caught walks a body and returns what holds behind it, however it ends.
func (f *flow) caught(body func() (ok, fail *state.State)) (ok, fail *state.State) {
	f.jumps = append(f.jumps, nil)
	ok, fail = body()
	last := len(f.jumps) - 1
	left := f.jumps[last]
	f.jumps = f.jumps[:last]
	if left == nil {
		return ok, fail
	}
	return state.Join(ok, left), state.Join(fail, left)
}

// jump notes that the bodies being walked may end here. How many of them one
// jump leaves need not be known: for the others it only adds to what may be.
func (f *flow) jump(st *state.State) {
	for i, left := range f.jumps {
		if left == nil {
			f.jumps[i] = st
		} else {
			f.jumps[i] = state.Join(left, st)
		}
	}
}

// An expansion that fails (a division by zero, digits that are no number) makes
// bash give up the rest of the line and go on with the next one. What the rest
// would have changed is then as it was.

// aborts notes that the line may end here.
func (f *flow) aborts(st *state.State) {
	if f.aborted == nil {
		f.aborted = st
	} else {
		f.aborted = state.Join(f.aborted, st)
	}
}

// isSame reports whether two commands do the same, as far as deny rules look.
func isSame(c, other *command.Command) bool {
	sameAccess := func(a, b command.Access) bool { return a.Equal(&b) }
	return c.Verb == other.Verb && slices.Equal(c.Caveats, other.Caveats) && slices.Equal(c.Variables, other.Variables) &&
		slices.EqualFunc(c.Accesses, other.Accesses, sameAccess) && slices.EqualFunc(c.Implied.Held, other.Implied.Held, sameAccess)
}
