package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/state"
	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

// A line of standard input becomes the value of variables: text that only the run knows, or a name
// if the input is a name stream.

// lineReader is an invocation of read.
type lineReader struct {
	simpleCommand
	names []expansion.Word
	// raw is true if backslashes stay, zero if lines end by NUL.
	raw, zero bool
}

// read walks `read -r name…`. Other options, and operands that are no names, aren't followed. At the
// end of the input the variables can be empty.
func (i simpleCommand) read() (next, end *state.State, explained bool) {
	r := lineReader{simpleCommand: i, names: i.args()}
	r.options()
	if i.st.Has("assigns") || len(r.names) == 0 {
		return nil, nil, false
	}
	next, end = i.after, i.after
	for at, name := range r.names {
		if name.Kind != expansion.Literal || strings.Trim(name.Text, value.NameBytes) != "" || !i.w.local(name.Text) {
			return nil, nil, false
		}
		value := r.value(at)
		i.w.takes(value, r.zero)
		next = next.With(name.Text, value)
		end = end.With(name.Text, value.OrNone())
	}
	if r.zero && i.w.Posix {
		return nil, nil, false // dash knows no -d: the variables keep their values
	}
	i.shell()
	return next, end, true
}

func (r *lineReader) options() {
	for len(r.names) > 0 {
		switch {
		case r.names[0].Is("-r"):
			r.raw, r.names = true, r.names[1:]
		case r.names[0].Is("-d") && len(r.names) > 1 && r.names[1].Is(""):
			r.zero, r.names = true, r.names[2:]
		default:
			return
		}
	}
}

// value is what the variable with a number gets: a name from the stream that the input is, if that is
// known, or text.
func (r *lineReader) value(at int) expansion.Word {
	in, variables, shown := r.w.in, len(r.names), "$"+r.names[at].Text
	text := expansion.Word{Kind: expansion.Output, Text: shown}
	ifs, set := r.st.Variable("IFS")
	if set && ifs.Kind != expansion.Literal {
		return text
	}
	if at == 0 && !r.zero {
		if word, ok := r.beginning(ifs.Text, !set); ok {
			return word
		}
	}
	if variables > 1 || set && ifs.Text != "" {
		return text // other separators are cut off the ends of a name
	}
	if names := in.FilesBy(r.zero); names != nil && r.st.Cwd.Only(names.Dir) {
		return r.nameOf(names)
	}
	return text
}

// beginning is what the first variable gets, if that is the number or the hash that lines begin with.
// ifs is the value of IFS unless it isn't set.
func (r *lineReader) beginning(ifs string, unset bool) (expansion.Word, bool) {
	in, variables := r.w.in, len(r.names)
	if numbers, ok := in.Numbers(); ok && numbers.AloneIn(variables, ifs, unset) {
		return expansion.Word{Kind: expansion.Number, Text: "$" + r.names[0].Text, Class: expansion.Numeral(numbers.Signed, false)}, true
	}
	if unset {
		ifs = " "
	}
	return expansion.Word{Kind: expansion.Hash, Text: stream.HashText, Class: expansion.ObjectName}, r.st.Cwd.Only(in.Dir()) && in.BeginWithHash(variables, ifs)
}

// nameOf is one name of a stream.
func (r *lineReader) nameOf(names *stream.NameStream) expansion.Word {
	one := names.One()
	if r.raw || one.Untracked { // of a name with a backslash git prints none
		one.Handing = value.AsLines
	}
	return expansion.OfNames(one, one.Roots[0])
}

// mapfile walks `mapfile -t name`: the lines of the input become the members of an array, names among
// them if they are known.
func (i simpleCommand) mapfile() (ok, fail *state.State, explained bool) {
	if i.w.Zsh || i.w.Posix || i.st.Has("assigns") || len(i.argv) != 3 || !i.argv[1].Is("-t") {
		return nil, nil, false
	}
	name := i.argv[2]
	if name.Kind != expansion.Literal || !value.IsName(name.Text) || !i.w.local(name.Text) {
		return nil, nil, false
	}
	member := expansion.Word{Kind: expansion.Output, Text: "$(…)", Split: true}
	if names := i.w.in.FilesBy(false); names != nil && i.st.Cwd.Only(names.Dir) {
		lines := *names
		lines.Handing, lines.Several = max(names.Handing, value.AsLines), true
		member = expansion.OfNames(&lines, lines.Roots[0])
	}
	member.Vanishes = true // there may be none
	i.w.both(&i.w.mapped, &i.w.doubtful, name.Text)
	i.w.takes(member, false)
	i.shell()
	held := expansion.Word{Array: &expansion.Array{Words: []expansion.Word{member}}}
	if i.st.Assigned(name.Text) {
		held = expansion.Word{} // without mapfile, as in bash 3.2, and without lines it keeps its old value
	}
	next := i.after.With(name.Text, held)
	return next, next, true
}

// input is one stream that the commands of a compound one share. What read takes
// from it is known only as long as each of its readers leaves whole lines: a program
// that reads a few bytes of it, or a block, leaves the rest of a line, in which
// any name and any text may stand.
type input struct {
	// lines and records are true when read took one up to a newline, up to NUL.
	lines, records bool
	// known is true when what it took counts as known.
	known bool
	// cut is true when another command may have read of it.
	cut bool
	// loops is in how many loops it began: what is in more of them reads it again.
	loops int
}

// sharing walks what reads a stream of its own, and holds against the line what it
// took to be known of a stream that is cut anywhere.
func (w *walker) sharing(walk func()) {
	before, own := w.input, &input{loops: w.loops}
	w.input = own
	walk()
	w.input = before
	if own.known && (own.cut || own.lines && own.records) {
		w.messy(guard.MessyRedirection)
	}
}

// takes notes what read gets of the stream.
func (s *streams) takes(word expansion.Word, zero bool) {
	if s.input == nil {
		return
	}
	s.input.known = s.input.known || word.Kind != expansion.Output
	s.input.lines = s.input.lines || !zero
	s.input.records = s.input.records || zero
}

// whole reports whether xargs gets all names of a stream as they are: nothing has
// read of it, itself in another round among that, but what left whole ones. It may
// leave a stream anywhere once one of the commands that it runs ends it.
func (i *input) whole(loops int, zero bool) bool {
	return i == nil || !i.cut && i.loops == loops && (!i.lines || !zero) && (!i.records || zero)
}

// reads notes a command that can read what stands in standard input. ignorers are the commands that
// never do.
func (s *streams) reads(c *command.Command, ignorers []string) {
	if s.input == nil || c.Verb == ":" {
		return
	}
	named, files := c.Reading.Stdin, 0
	for _, a := range c.Accesses {
		switch {
		case a.Op != v1.OpRead || a.Text == "/dev/null":
		case strings.HasPrefix(a.Text, "/dev/"), strings.HasPrefix(a.Text, "/proc/"):
			named = true
		default:
			files++
		}
	}
	named = named || slices.ContainsFunc(c.Form, func(entry v1.Entry) bool {
		return strings.Contains(entry.Name, "stdin") || c.Program == "git" && strings.HasPrefix(entry.Name, "--batch")
	})
	given := c.Reading.Files > 0 && files >= c.Reading.Files // and none of them is called -
	s.input.cut = s.input.cut || named || !given && !slices.Contains(ignorers, c.Verb)
}
