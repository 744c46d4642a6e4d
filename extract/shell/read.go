package shell

import (
	"strings"

	"policyd/extract/value"
)

// A line of standard input becomes the value of variables: text that only the run knows, or a name
// if the input is a name stream.

// lineReader is an invocation of read.
type lineReader struct {
	simpleCommand
	names []Word
	// raw is true if backslashes stay, zero if lines end by NUL.
	raw, zero bool
}

// read walks `read -r name…`. Other options, and operands that are no names, aren't followed. At the
// end of the input the variables can be empty.
func (i simpleCommand) read() (next, end *state, explained bool) {
	r := lineReader{simpleCommand: i, names: i.args()}
	r.options()
	if i.st.caveats.Has("assigns") || len(r.names) == 0 {
		return nil, nil, false
	}
	next, end = i.after, i.after
	for at, name := range r.names {
		if name.Kind != Literal || strings.Trim(name.Text, value.NameBytes) != "" || !i.w.local(name.Text) {
			return nil, nil, false
		}
		value := r.value(at)
		i.w.takes(value, r.zero)
		next = next.with(name.Text, value)
		if value.stream != nil {
			value.stream = value.stream.orNone()
		}
		value.class = value.orEmpty()
		end = end.with(name.Text, value)
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
		case r.names[0].literal("-r"):
			r.raw, r.names = true, r.names[1:]
		case r.names[0].literal("-d") && len(r.names) > 1 && r.names[1].literal(""):
			r.zero, r.names = true, r.names[2:]
		default:
			return
		}
	}
}

// value is what the variable with a number gets: a name from the stream that the input is, if that is
// known, or text.
func (r *lineReader) value(at int) Word {
	in, shown := r.w.in, "$"+r.names[at].Text
	text := Word{Kind: Output, Text: shown}
	if in != nil && in.bare {
		text.class = bareLines
	}
	ifs, set := r.st.variable("IFS")
	switch {
	case in == nil:
		return text
	case in.digits != nil && at == 0 && !r.zero && in.digits.begins(len(r.names), ifs, set):
		return Word{Kind: Number, Text: shown, class: numeral(in.digits.signed, false)}
	case in.zero != r.zero || !in.linesIn(r.st):
		return text
	case in.hashes && at == 0 && in.beginsWithHash(len(r.names), ifs):
		return Word{Kind: Hash, Text: hashText, class: objectName}
	case in.hashes, len(r.names) != 1, set && !ifs.literal(""):
		return text // other separators are cut off the ends of a name
	}
	return r.name(in)
}

// name is one name of a stream.
func (r *lineReader) name(in *NameStream) Word {
	one := *in
	one.many, one.every = false, len(in.roots) > 1
	if r.raw || in.Untracked { // of a name with a backslash git prints none
		one.Handing = value.AsLines
	}
	return one.word(one.roots[0])
}

// linesIn reports whether each line is one name that counts from the only working directory of a state.
func (f *NameStream) linesIn(st *state) bool {
	return len(f.roots) > 0 && !f.spaced && len(st.dirs) == 1 && !st.unknown && st.dirs[0] == f.dir
}

// beginsWithHash reports whether the first of some variables gets the hash that a line begins with,
// and nothing else.
func (f *NameStream) beginsWithHash(names int, ifs Word) bool {
	if names == 1 {
		return f.rest == ""
	}
	separator := " "
	if ifs.Kind == Literal && ifs.Text != "" {
		separator = ifs.Text
	}
	return strings.HasPrefix(f.rest, separator)
}

// mapfile walks `mapfile -t name`: the lines of the input become the members of an array, names among
// them if they are known.
func (i simpleCommand) mapfile() (ok, fail *state, explained bool) {
	if i.w.Zsh || i.w.Posix || i.st.caveats.Has("assigns") || len(i.argv) != 3 || !i.argv[1].literal("-t") {
		return nil, nil, false
	}
	name := i.argv[2]
	if name.Kind != Literal || !value.IsName(name.Text) || !i.w.local(name.Text) {
		return nil, nil, false
	}
	member := Word{Kind: Output, Text: "$(…)", Split: true}
	if in := i.w.in; in != nil && !in.zero && !in.hashes && in.linesIn(i.st) {
		lines := *in
		lines.Handing, lines.many, lines.every = max(in.Handing, value.AsLines), true, len(in.roots) > 1
		member = lines.word(lines.roots[0])
	}
	member.Vanishes = true // there may be none
	i.w.both(&i.w.mapped, &i.w.doubtful, name.Text)
	i.w.takes(member, false)
	i.shell()
	held := Word{array: &array{words: []Word{member}}}
	if i.st.assigned(name.Text) {
		held = Word{} // without mapfile, as in bash 3.2, and without lines it keeps its old value
	}
	next := i.after.with(name.Text, held)
	return next, next, true
}
