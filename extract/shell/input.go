package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/shell/guard"
)

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
func (s *streams) takes(word Word, zero bool) {
	if s.input == nil {
		return
	}
	s.input.known = s.input.known || word.Kind != Output
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
func (s *streams) reads(c *Command, ignorers []string) {
	if s.input == nil || c.Verb == ":" {
		return
	}
	named, files := c.reading.stdin, 0
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
	given := c.reading.files > 0 && files >= c.reading.files // and none of them is called -
	s.input.cut = s.input.cut || named || !given && !slices.Contains(ignorers, c.Verb)
}
