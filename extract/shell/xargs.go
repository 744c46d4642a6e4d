package shell

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

// xargs, find -exec and fd -x run a command on names. If the names are known, and the command gets
// them as they are, it is a command of its own.

// runOn walks the command that names are given to as a command of its own. It reports false, and
// walks nothing, if it can't be one.
func (p *parsed) runOn(names *stream.NameStream, words []expansion.Word, place func(word, name expansion.Word) (expansion.Word, bool)) bool {
	if len(words) == 0 || len(names.Roots) == 0 || words[0].Kind != expansion.Literal || !p.w.plainProgram(words[0].Text) && !scripted(words) {
		return false
	}
	run := make([]expansion.Word, 0, len(words)+1)
	for _, word := range words {
		placed, ok := place(word, expansion.OfNames(names, names.Roots[0]))
		if !ok {
			return false
		}
		run = append(run, placed)
	}
	p.after = append(p.after, run)
	return true
}

// plainProgram reports whether a program is one that the table explains and
// that runs nothing else.
func (l *listings) plainProgram(name string) bool {
	program := l.table.Program(name)
	return program != nil && !program.RunsAnything && program.Wrapper == "" && !argv.IsShell(name) &&
		!slices.Contains(l.table.Words.Shell.RunsText, name) && name != "cd" && name != "find"
}

// scripted reports whether a command is a shell with a script in its words.
func scripted(words []expansion.Word) bool {
	return argv.IsShell(words[0].Text) && len(words) > 2 && words[1].Is("-c") && words[2].Kind == expansion.Literal
}

// standsAlone puts the names in the place of a mark that is a word of its own.
func standsAlone(mark string) func(word, name expansion.Word) (expansion.Word, bool) {
	return func(word, name expansion.Word) (expansion.Word, bool) {
		if word.Is(mark) {
			return name, true
		}
		return word, !strings.Contains(word.Text, mark)
	}
}

// unwrapXargs makes the command of xargs an item of its own, if what it reads
// is known.
func (r nameRunner) unwrapXargs() bool {
	if len(r.args.Inner) == 0 {
		r.args.Inner = []expansion.Word{{Kind: expansion.Literal, Text: "echo"}} // what it runs where nothing is named
		r.args.Words = append(slices.Clip(r.args.Words), r.args.Inner...)
	}
	if !r.plainXargs() {
		return false
	}
	if first := r.args.Inner[0]; first.Kind == expansion.Literal && slices.Contains(r.w.table.Words.Printing.TextPrograms, first.Text) {
		r.after = append(r.after, append(slices.Clone(r.args.Inner), expansion.Word{Kind: expansion.Output, Text: "…"}))
		return true
	}
	names := r.namesOfXargs()
	if names == nil {
		return false
	}
	if r.has("-I") {
		return r.atMark(names)
	}
	words := append(slices.Clone(r.args.Inner), expansion.Word{Kind: expansion.Names})
	return r.runOn(names, words, func(word, name expansion.Word) (expansion.Word, bool) {
		if word.Kind == expansion.Names && word.Stream == nil { // a name from elsewhere stands for itself
			name.Vanishes = !r.has("-r") // given nothing, GNU's runs the command without a name
			return name, true
		}
		return word, true
	})
}

// namesOfXargs are a copy of the names that xargs reads, nil if they aren't known or count from
// elsewhere than where it runs.
func (r nameRunner) namesOfXargs() *stream.NameStream {
	in, zero, lines := r.w.in, r.has("-0"), r.has("-d")
	names := in.Names()
	if names == nil || r.elsewhere(names) || !r.w.input.whole(r.w.loops, zero) {
		return nil
	}
	if in.EndByNUL() != zero || in.SeveralPerLine() && (r.has("-L") || r.has("-I")) {
		return nil
	}
	if lines && (zero || !r.cutAt.Is(`\n`) && !r.cutAt.Is("\n")) {
		return nil
	}
	given := *names
	given.Several = true
	if zero {
		given.Handing = value.Whole
	}
	if lines {
		given.Handing = max(given.Handing, value.AsLines)
	}
	return &given
}

// atMark makes the command of xargs -I an item of its own, which gets one name at each mark.
func (r nameRunner) atMark(names *stream.NameStream) bool {
	mark := r.mark.Text
	if r.has("-L") || r.has("-n") || r.mark.Kind != expansion.Literal || mark == "" { // of these options the last one counts
		return false
	}
	names.Handing, names.Several = max(names.Handing, value.AsItems), false
	if r.w.options.Platform != "linux" {
		names.Extra = append(slices.Clone(names.Extra), mark) // BSD's leaves it where names are long, or words many
		if mark[0] == '-' {
			return false
		}
	}
	return r.runOn(names, r.args.Inner, standsAlone(mark))
}

// plainXargs reports whether xargs has no option but those that leave names
// whole and read no other input.
func (r nameRunner) plainXargs() bool {
	if slices.ContainsFunc(r.args.Words[:len(r.args.Words)-len(r.args.Inner)], func(word expansion.Word) bool { return word.Kind != expansion.Literal }) {
		return false // a mark that only the run can tell
	}
	return !slices.ContainsFunc(r.c.Form, func(entry v1.Entry) bool {
		return !slices.Contains(r.w.table.Words.Printing.XargsOptions, entry.Name)
	})
}

// unwrapFd makes the command of fd -x an item of its own, if it takes the names as
// they are.
func (r nameRunner) unwrapFd() bool {
	if len(r.args.Inner) == 0 || !r.c.Cwd.Single() || r.moved || !r.w.printsNames(r.c) {
		return false
	}
	names := producedNames(r.c, nil)
	if last := len(r.args.Inner) - 1; last > 0 && r.args.Inner[last].Is(";") {
		r.args.Inner = r.args.Inner[:last] // the end of the command, as find has it
	}
	if names == nil || slices.ContainsFunc(r.args.Inner, func(word expansion.Word) bool { return word.Kind != expansion.Literal || word.Text == ";" }) {
		return false
	}
	names.Handing, names.Several = value.Whole, r.has("-X")
	words := slices.Clone(r.args.Inner)
	if !slices.ContainsFunc(words, func(word expansion.Word) bool { return strings.Contains(word.Text, "{") }) {
		words = append(words, expansion.Word{Kind: expansion.Literal, Text: "{}"})
	}
	return r.runOn(names, words, func(word, name expansion.Word) (expansion.Word, bool) {
		if word.Is("{}") {
			return name, true
		}
		return word, !strings.Contains(word.Text, "{") // {.} and the like are parts of names
	})
}
