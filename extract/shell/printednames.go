package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	gitsyntax "policyd/extract/git/syntax"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

// out is what the last command of a pipe prints, if it is a stream of names that is known.
func (d *diskView) out(from int, in stream.Lines) stream.Lines {
	if len(d.line.Commands) == from+2 {
		return d.listed(&d.line.Commands[from], &d.line.Commands[from+1], in)
	}
	if len(d.line.Commands) != from+1 {
		return stream.Lines{}
	}
	c := &d.line.Commands[from]
	if _, numbers := in.Numbers(); !c.Cwd.Single() || c.printing.mixed || numbers {
		return stream.Lines{}
	}
	if lines, filters := d.filteredNames(c, in); filters {
		return lines
	}
	for _, printed := range []func(*Command) stream.Lines{d.hashLines, d.refLines} {
		if lines := printed(c); lines.Known() {
			c.Git.Handed = true
			return lines
		}
	}
	if c.printing.lines != nil {
		return echoedWords(c)
	}
	if !d.printsNames(c) || c.reading.stdin { // of which it prints a name that is none
		return stream.Lines{}
	}
	return d.foundNames(c)
}

// filteredNames is what a filter leaves of a stream of names. It reports false for another command.
func (d *diskView) filteredNames(c *Command, in stream.Lines) (stream.Lines, bool) {
	piped := len(c.Accesses) == 0
	switch allowed := d.table.Prints(c.Verb).FiltersNames; {
	case allowed != nil && (piped || c.Verb == "rg" && in.Known() && onlyImplied(c)) && c.onlyForm(allowed...) &&
		(!in.Known() || in.EndByNUL() == c.has("-z")):
		return c.withSentence(in), true
	case !piped:
		return stream.Lines{}, false
	case c.printing.picks && in.Known() && !in.EndByNUL():
		return in, true
	case c.printing.first:
		return in.FirstFields()
	}
	return stream.Lines{}, false
}

// withSentence is what a filter leaves of lines. If one of them is not text in the locale, grep may
// print a sentence instead, which GNU's did on standard output.
func (c *Command) withSentence(lines stream.Lines) stream.Lines {
	if c.Verb != "grep" || c.has("-a") {
		return lines
	}
	return lines.With("Binary", "file", "(standard", "input)", "matches", "Binary file (standard input) matches")
}

// foundNames are the names that a command finds.
func (d *diskView) foundNames(c *Command) stream.Lines {
	prints := d.table.Prints(c.Verb).Names
	if prints.OnlyWith != nil && !slices.ContainsFunc(prints.OnlyWith, c.has) {
		return stream.Lines{}
	}
	if prints.Commits != nil {
		return d.commitNames(c)
	}
	if lines := d.untrackedNames(c); lines.Known() {
		return lines
	}
	names := producedNames(c, prints.Tracked)
	if names == nil {
		return stream.Lines{}
	}
	if names.Kind == stream.Written {
		return stream.NameLines(names)
	}
	if c.Verb == "rg" && onlyImplied(c) && !c.has("--files") {
		names.Extra = append(names.Extra, "<stdin>") // as it calls what it is piped from outside
	}
	names.Rooted = c.Verb == "find"
	names.OnlyFiles = names.OnlyFiles || c.printing.found == nil && slices.ContainsFunc(prints.FilesWith, c.has) && !c.has("-L") // given -L some greps name directories
	return nameLines(names, slices.ContainsFunc(prints.NULWith, c.has))
}

func nameLines(names *stream.NameStream, nul bool) stream.Lines {
	if nul {
		return stream.NameRecords(names)
	}
	return stream.NameLines(names)
}

// printsNames reports whether a producer is given nothing with which it prints more
// than the names of files, or these otherwise than they are: in colors, say.
func (l *listings) printsNames(c *Command, besides ...string) bool {
	allowed := l.table.Prints(c.Verb).Names.Options
	plain := func(option string) bool {
		return slices.Contains(allowed, option) || slices.Contains(besides, option) || c.printing.color == colorNone && colors(c, option)
	}
	return allowed != nil && c.printing.color != colorGiven && !slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return !plain(e.Name) })
}

// onlyImplied reports whether a command is given no path: behind a pipe rg then
// reads the pipe.
func onlyImplied(c *Command) bool {
	return len(c.Accesses) == 1 && c.Accesses[0].Text == "." && c.Accesses[0].Below == Tree && c.Accesses[0].Naming != ByGlob
}

// listed is what a command prints that xargs or find runs on names, where it
// prints some of them as they are (grep -l).
func (d *diskView) listed(runner, run *Command, in stream.Lines) stream.Lines {
	if !d.picksNames(run) || len(run.Caveats) > 0 || !runner.Cwd.Single() || !run.Cwd.Only(runner.Cwd.Known[0]) {
		return stream.Lines{}
	}
	var names stream.NameStream
	switch given := in.Files(); {
	case runner.Program == "xargs" && given != nil && run.Cwd.Only(given.Dir) && !runner.has("-P"):
		names = *given
		// Given no name, xargs has it read standard input, which it calls so.
		names.Extra = append(slices.Clone(names.Extra), "(standard", "input)", "(standard input)")
	case runner.Verb == "find" && runner.printing.ran != nil && d.printsNames(runner, "-exec"):
		names = *runner.printing.ran
	default:
		return stream.Lines{}
	}
	names.Handing, names.Several = value.AsWords, false
	return nameLines(&names, slices.ContainsFunc(d.table.Prints(run.Verb).Names.NULWith, run.has))
}

// picksNames reports whether a command prints nothing but some of the names that it is given.
func (l *listings) picksNames(c *Command) bool {
	prints := l.table.Prints(c.Verb)
	return prints.PicksNames != nil && slices.ContainsFunc(prints.Names.OnlyWith, c.has) && c.onlyForm(prints.PicksNames...) &&
		len(c.Accesses) > 0 && !slices.ContainsFunc(c.Accesses, func(a Access) bool { return !a.FromStream && a.Presence != IfExists })
}

// opened is what a command accesses besides what takes away what it complains of.
func (c *Command) opened() []Access {
	return slices.DeleteFunc(slices.Clone(c.Accesses), func(a Access) bool { return a.Op == v1.OpWrite && a.Text == "/dev/null" })
}

// namesOfLs is what ls prints: its operands as they stand, and of those that
// are directories the names without it. All of them lie below the working
// directory as long as no operand leads up or out.
func namesOfLs(c *Command) *stream.NameStream {
	itself := c.has("-d")
	operands := c.opened()
	elsewhere := func(a Access) bool {
		return a.Naming == Unnamed || strings.HasPrefix(a.Text, "/") || strings.HasPrefix(a.Text, "~") || strings.Contains(a.Text, "..")
	}
	if patterns := patternsOf(operands); len(patterns) > 0 && len(patterns) == len(operands) {
		names := stream.NewWritten(c.Cwd.Known[0], patterns...)
		names.FilesOnly = !itself
		return names
	}
	if itself || slices.ContainsFunc(operands, elsewhere) {
		return nil
	}
	names := stream.NewFound(c.Cwd.Known[0], value.Walk{Follow: true}, ".")
	if len(operands) == 1 && operands[0].Naming != ByGlob && lexical.IsOneWord(operands[0].Text, "") {
		names.Entries = operands[0].Text
	}
	return names
}

// patternsOf are the patterns among what ls lists.
func patternsOf(operands []Access) (patterns []string) {
	for _, a := range operands {
		if a.Naming == ByGlob && a.Op == v1.OpList && lexical.IsOneWord(a.Text, "*?[]") {
			patterns = append(patterns, a.Text)
		}
	}
	return patterns
}

// producedNames are the names that a command finds below its operands, nil if they can lie elsewhere.
func producedNames(c *Command, tracked []string) *stream.NameStream {
	switch {
	case c.Verb == "ls":
		return namesOfLs(c)
	case len(tracked) > 0 && len(c.Git.Revisions) == 0 && c.Git.Objects.Words == 0 && c.onlyForm(tracked...):
		return trackedNames(c)
	case slices.ContainsFunc(c.Git.Pathspecs, func(spec string) bool { return strings.HasPrefix(spec, ":") }):
		return nil // it may select files that lie elsewhere
	}
	names := stream.NewFound(c.Cwd.Known[0], value.Walk{Follow: true})
	found := c.printing.found
	if found != nil {
		names.Walk, names.OnlyFiles = *found, !found.Follow
	}
	for i := range c.Accesses {
		if !c.Accesses[i].addsTo(names, found != nil) {
			return nil
		}
	}
	// What git is given by options (-X) is read, and no place to look in.
	if len(names.Roots) == 0 || strings.HasPrefix(c.Verb, "git ") && !c.has("<path>") {
		names.Roots = append(names.Roots, ".")
	}
	return names
}

// addsTo adds what a command accesses to where the names that it finds lie; selected is true if an
// expression of find selects them. It reports false if they can lie elsewhere.
func (a *Access) addsTo(names *stream.NameStream, selected bool) bool {
	switch {
	case a.Naming == ByPathspec || a.Presence == IfExists:
		return true // a pattern of git's, below a root that counts already, or what counts by itself
	case a.Naming == ByGlob && selected:
		return names.AddMatches(a.Text)
	case a.Naming != ByName || a.Presence != Always || a.Text == "":
		return false
	}
	if names.Roots = append(names.Roots, a.Text); !selected {
		names.Include, names.SkipHidden, names.Types = a.Include, a.SkipHidden, append(slices.Clip(names.Types), a.Types...)
	}
	return true
}

// echoedWords is what printf and echo print, where each word is a name or a
// pattern. Text about a match makes a line that no file needs to be called: where it is cut
// into words, they may name anything.
func echoedWords(c *Command) stream.Lines {
	several := c.Verb == "echo" && len(c.printing.lines) > 1
	texts := make([]string, 0, len(c.printing.lines))
	for _, word := range c.printing.lines {
		glob := word.Kind == expansion.Glob && lexical.IsOneWord(word.Text, "*?[]")
		if word.Recut || word.IsEdited() || !glob && (word.Kind != expansion.Literal || !lexical.IsOneWord(word.Text, "")) {
			return stream.Lines{}
		}
		texts = append(texts, word.Text)
		several = several || c.Verb == "echo" && glob
	}
	names := stream.NewWritten(c.Cwd.Known[0], texts...)
	if several {
		return stream.WordLines(names)
	}
	return stream.NameLines(names)
}

// writtenLines are the names that a here-document lists, one a line.
func writtenLines(st *state, r *syntax.Redirect) stream.Lines {
	if r.Op != syntax.Hdoc || r.N != nil || r.Hdoc == nil || !st.cwd.Single() {
		return stream.Lines{}
	}
	lines := strings.Split(strings.TrimSuffix(r.Hdoc.Lit(), "\n"), "\n")
	if slices.ContainsFunc(lines, func(line string) bool { return !lexical.IsOneWord(line, "") }) {
		return stream.Lines{}
	}
	return stream.NameLines(stream.NewWritten(st.cwd.Known[0], lines...))
}

// trackedNames are those that git prints of its index alone.
func trackedNames(c *Command) *stream.NameStream {
	return stream.NewTracked(c.Cwd.Known[0], slices.Concat(c.Git.Pathspecs, c.Git.Below()))
}

// untrackedNames is what git ls-files names of its index and of what lies beside it, ignored files
// left out, if it can't name more, or what lies elsewhere.
func (l *listings) untrackedNames(c *Command) stream.Lines {
	if !l.table.Prints(c.Verb).Names.Untracked.Holds(c.Form) || len(c.Git.Settings) > 0 || c.Git.Objects.Words > 0 || len(c.Git.Revisions) > 0 ||
		slices.ContainsFunc(c.Git.Pathspecs, func(spec string) bool { return !stream.IsPathspecBelow(spec) }) || c.selectsElsewhere() {
		return stream.Lines{}
	}
	names := trackedNames(c)
	names.Untracked, names.Ignoring = true, true
	return nameLines(names, c.has("-z"))
}

// selectsElsewhere reports whether a git command can print other names than those that its pathspecs select.
func (c *Command) selectsElsewhere() bool {
	return slices.ContainsFunc(c.Accesses, func(a Access) bool { return a.Naming == Unnamed || a.FromStream || a.Naming == ByGlob })
}

// commitNames are the names that git prints of commits, beside those of its index: a
// commit may name what is on no disk, and cut at its blanks that is another file. They
// count from the top of the work tree.
func (l *listings) commitNames(c *Command) stream.Lines {
	reads := l.table.Prints(c.Verb).Names.Commits
	if l.toplevel(c.Cwd.Known[0]) != c.Cwd.Known[0] || c.Git.Objects.Words > 0 || len(c.Git.Patterns) > 0 || len(c.Git.Settings) > 0 ||
		slices.ContainsFunc(reads.Needs, func(option string) bool { return !c.has(option) }) || c.selectsElsewhere() {
		return stream.Lines{}
	}
	names := trackedNames(c)
	names.Commits, names.Parents = c.Git.Revisions, reads.Parents
	names.Dashes = c.Git.Dashes || c.Verb == "git ls-tree"
	names.AtHead = reads.Head || c.has("--cached")
	if reads.Plain && (c.Git.Log.Format != "" || !c.has("--format") && !c.has("--pretty")) {
		return stream.Lines{} // the message stands among the names
	}
	return nameLines(names, c.has("-z"))
}

// hashLines is what git prints of commits, where each line begins with a hash.
func (l *listings) hashLines(c *Command) stream.Lines {
	allowed := l.table.Prints(c.Verb).Hashes
	if allowed == nil || len(c.Caveats) > 0 || c.Git.Objects.Words > 0 || len(c.Git.Settings) > 0 || !gitsyntax.PrintsOneLine(c.Git.Log.date) || !c.onlyForm(allowed...) {
		return stream.Lines{}
	}
	behind, ok := c.behindHash()
	if !ok {
		return stream.Lines{}
	}
	return stream.HashLines(c.Cwd.Known[0], behind)
}

// behindHash is what a git command prints behind the hash that each of its lines begins with. It
// reports false if lines begin otherwise.
func (c *Command) behindHash() (string, bool) {
	format := c.Git.Log.Format
	if c.Verb == "git rev-list" {
		return "", true
	}
	if c.has("--oneline") {
		return " ", format == "" // the one that comes last counts
	}
	for _, prefix := range []string{"format:", "tformat:"} {
		format = strings.TrimPrefix(format, prefix)
	}
	if len(format) < 2 || format[:2] != "%h" && format[:2] != "%H" || !oneLine(format) {
		return "", false
	}
	return format[2:], true
}

// oneLine reports whether a format of git prints one line for each commit.
func oneLine(format string) bool {
	for _, code := range strings.Split(format, "%")[1:] {
		if code == "" || strings.IndexByte("hHtTpPsfdDacC", code[0]) < 0 {
			return false
		}
	}
	return !strings.ContainsAny(format, "\n\\")
}

// refLines is what git prints of refs, where each line is the name of one and nothing else.
func (l *listings) refLines(c *Command) stream.Lines {
	printing := l.table.Prints(c.Verb).Refs
	if printing == nil || len(c.Caveats) > 0 || c.printing.color == colorGiven || len(c.Git.Settings) > 0 || c.Git.Objects.Words > 0 || !c.onlyForm(printing.Options...) {
		return stream.Lines{}
	}
	switch {
	case c.Git.Log.Format == "%(refname)", c.Git.Log.Format == "%(refname:short)":
	case c.Git.Log.Format != "", !printing.Bare && !slices.ContainsFunc(printing.BareWith, c.has):
		return stream.Lines{}
	}
	if c.has("<rev>") && !describable(c) {
		return stream.Lines{}
	}
	kind := stream.Refs
	if printing.Said {
		kind = stream.TagRefs
	}
	return stream.NameLines(&stream.NameStream{Kind: kind, Dir: c.Cwd.Known[0], Roots: []string{stream.RefText}})
}

// describable reports whether what git is asked to name is a commit: of the contents of
// a file it prints the path. The branch that is checked out is HEAD alone.
func describable(c *Command) bool {
	if c.Verb == "git rev-parse" {
		return slices.Equal(c.Git.Revisions, []string{"HEAD"})
	}
	return !slices.ContainsFunc(c.Git.Revisions, func(rev string) bool {
		back, head := strings.CutPrefix(rev, "HEAD")
		return rev != stream.HashText && (!head || strings.Trim(back, "~^0123456789") != "")
	})
}

// color says whether a command prints marks for a terminal among its text.
type color uint8

const (
	colorUnsaid color = iota
	colorNone         // none into a pipe
	colorGiven
)

// colors reports whether an option chooses when a command prints in colors.
func colors(c *Command, option string) bool {
	return option == "--color" || option == "--colour" || option == "-c" && (c.Program == "fd" || c.Program == "fdfind")
}

// colorOf reads the value of such an option. Without one it means always.
func colorOf(value expansion.Word) color {
	if value.Kind == expansion.Literal && slices.Contains([]string{"never", "no", "none", "auto", "tty", "if-tty"}, value.Text) {
		return colorNone
	}
	return colorGiven
}
