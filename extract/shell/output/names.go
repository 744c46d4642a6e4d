package output

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	gitsyntax "policyd/extract/git/syntax"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/stream"
	"policyd/extract/value"
)

// Lister lists the names that commands print.
type Lister struct {
	Table     *argv.Table
	Producers *Producers
	Disk      interface {
		// OnlyRead reports whether the line changes nothing on the disk up to where the command stands.
		OnlyRead() bool
	}
}

// Names is what the last command of a pipe prints, if it is a stream of names that is known. commands are
// that command, and one that it runs.
func (l *Lister) Names(commands []command.Command, in stream.Lines) stream.Lines {
	if len(commands) == 2 {
		return l.listed(&commands[0], &commands[1], in)
	}
	if len(commands) != 1 {
		return stream.Lines{}
	}
	c := &commands[0]
	if _, numbers := in.Numbers(); !c.Cwd.Single() || c.Printing.Mixed || numbers {
		return stream.Lines{}
	}
	if lines, filters := l.filteredNames(c, in); filters {
		return lines
	}
	for _, printed := range []func(*command.Command) stream.Lines{l.hashLines, l.refLines} {
		if lines := printed(c); lines.Known() {
			c.Git.Handed = true
			return lines
		}
	}
	if c.Printing.Lines != nil {
		return echoedWords(c)
	}
	if !PrintsNames(l.Table, c) || c.Reading.Stdin { // of which it prints a name that is none
		return stream.Lines{}
	}
	return l.foundNames(c)
}

// filteredNames is what a filter leaves of a stream of names. It reports false for another command.
func (l *Lister) filteredNames(c *command.Command, in stream.Lines) (stream.Lines, bool) {
	piped := len(c.Accesses) == 0
	switch allowed := l.Table.Prints(c.Verb).FiltersNames; {
	case allowed != nil && (piped || c.Verb == "rg" && in.Known() && onlyImplied(c)) && c.OnlyForm(allowed...) &&
		(!in.Known() || in.EndByNUL() == c.Has("-z")):
		return withSentence(c, in), true
	case !piped:
		return stream.Lines{}, false
	case c.Printing.Picks && in.Known() && !in.EndByNUL():
		return in, true
	case c.Printing.First:
		return in.FirstFields()
	}
	return stream.Lines{}, false
}

// foundNames are the names that a command finds.
func (l *Lister) foundNames(c *command.Command) stream.Lines {
	prints := l.Table.Prints(c.Verb).Names
	if prints.OnlyWith != nil && !slices.ContainsFunc(prints.OnlyWith, c.Has) {
		return stream.Lines{}
	}
	if prints.Commits != nil {
		return l.commitNames(c)
	}
	if lines := l.untrackedNames(c); lines.Known() {
		return lines
	}
	names := Found(c, prints.Tracked)
	if names == nil {
		return stream.Lines{}
	}
	if names.Kind == stream.Written {
		return stream.NameLines(names)
	}
	if c.Verb == "rg" && onlyImplied(c) && !c.Has("--files") {
		names.Extra = append(names.Extra, "<stdin>") // as it calls what it is piped from outside
	}
	names.Rooted = c.Verb == "find"
	names.OnlyFiles = names.OnlyFiles || c.Printing.Found == nil && slices.ContainsFunc(prints.FilesWith, c.Has) && !c.Has("-L") // given -L some greps name directories
	return nameLines(names, slices.ContainsFunc(prints.NULWith, c.Has))
}

func nameLines(names *stream.NameStream, nul bool) stream.Lines {
	if nul {
		return stream.NameRecords(names)
	}
	return stream.NameLines(names)
}

// onlyImplied reports whether a command is given no path: behind a pipe rg then
// reads the pipe.
func onlyImplied(c *command.Command) bool {
	return len(c.Accesses) == 1 && c.Accesses[0].Text == "." && c.Accesses[0].Below == command.Tree && c.Accesses[0].Naming != command.ByGlob
}

// listed is what a command prints that xargs or find runs on names, where it
// prints some of them as they are (grep -l).
func (l *Lister) listed(runner, run *command.Command, in stream.Lines) stream.Lines {
	if !l.picksNames(run) || len(run.Caveats) > 0 || !runner.Cwd.Single() || !run.Cwd.Only(runner.Cwd.Known[0]) {
		return stream.Lines{}
	}
	var names stream.NameStream
	switch given := in.Files(); {
	case runner.Program == "xargs" && given != nil && run.Cwd.Only(given.Dir) && !runner.Has("-P"):
		names = *given
		// Given no name, xargs has it read standard input, which it calls so.
		names.Extra = append(slices.Clone(names.Extra), "(standard", "input)", "(standard input)")
	case runner.Verb == "find" && runner.Printing.Ran != nil && PrintsNames(l.Table, runner, "-exec"):
		names = *runner.Printing.Ran
	default:
		return stream.Lines{}
	}
	names.Handing, names.Several = value.AsWords, false
	return nameLines(&names, slices.ContainsFunc(l.Table.Prints(run.Verb).Names.NULWith, run.Has))
}

// picksNames reports whether a command prints nothing but some of the names that it is given.
func (l *Lister) picksNames(c *command.Command) bool {
	prints := l.Table.Prints(c.Verb)
	return prints.PicksNames != nil && slices.ContainsFunc(prints.Names.OnlyWith, c.Has) && c.OnlyForm(prints.PicksNames...) &&
		len(c.Accesses) > 0 && !slices.ContainsFunc(c.Accesses, func(a command.Access) bool { return !a.FromStream && a.Presence != command.IfExists })
}

// namesOfLs is what ls prints: its operands as they stand, and of those that
// are directories the names without it. All of them lie below the working
// directory as long as no operand leads up or out.
func namesOfLs(c *command.Command) *stream.NameStream {
	itself := c.Has("-d")
	operands := c.Opened()
	elsewhere := func(a command.Access) bool {
		return a.Naming == command.Unnamed || strings.HasPrefix(a.Text, "/") || strings.HasPrefix(a.Text, "~") || strings.Contains(a.Text, "..")
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
	if len(operands) == 1 && operands[0].Naming != command.ByGlob && lexical.IsOneWord(operands[0].Text, "") {
		names.Entries = operands[0].Text
	}
	return names
}

// patternsOf are the patterns among what ls lists.
func patternsOf(operands []command.Access) (patterns []string) {
	for _, a := range operands {
		if a.Naming == command.ByGlob && a.Op == v1.OpList && lexical.IsOneWord(a.Text, "*?[]") {
			patterns = append(patterns, a.Text)
		}
	}
	return patterns
}

// Found are the names that a command finds below its operands, nil if they can lie elsewhere.
func Found(c *command.Command, tracked []string) *stream.NameStream {
	switch {
	case c.Verb == "ls":
		return namesOfLs(c)
	case len(tracked) > 0 && len(c.Git.Revisions) == 0 && c.Git.Objects.Words == 0 && c.OnlyForm(tracked...):
		return trackedNames(c)
	case slices.ContainsFunc(c.Git.Pathspecs, func(spec string) bool { return strings.HasPrefix(spec, ":") }):
		return nil // it may select files that lie elsewhere
	}
	names := stream.NewFound(c.Cwd.Known[0], value.Walk{Follow: true})
	found := c.Printing.Found
	if found != nil {
		names.Walk, names.OnlyFiles = *found, !found.Follow
	}
	for i := range c.Accesses {
		if !addsTo(&c.Accesses[i], names, found != nil) {
			return nil
		}
	}
	// What git is given by options (-X) is read, and no place to look in.
	if len(names.Roots) == 0 || strings.HasPrefix(c.Verb, "git ") && !c.Has("<path>") {
		names.Roots = append(names.Roots, ".")
	}
	return names
}

// echoedWords is what printf and echo print, where each word is a name or a
// pattern. Text about a match makes a line that no file needs to be called: where it is cut
// into words, they may name anything.
func echoedWords(c *command.Command) stream.Lines {
	several := c.Verb == "echo" && len(c.Printing.Lines) > 1
	texts := make([]string, 0, len(c.Printing.Lines))
	for _, word := range c.Printing.Lines {
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

// trackedNames are those that git prints of its index alone.
func trackedNames(c *command.Command) *stream.NameStream {
	return stream.NewTracked(c.Cwd.Known[0], slices.Concat(c.Git.Pathspecs, c.Git.Below()))
}

// untrackedNames is what git ls-files names of its index and of what lies beside it, ignored files
// left out, if it can't name more, or what lies elsewhere.
func (l *Lister) untrackedNames(c *command.Command) stream.Lines {
	if !l.Table.Prints(c.Verb).Names.Untracked.Holds(c.Form) || len(c.Git.Settings) > 0 || c.Git.Objects.Words > 0 || len(c.Git.Revisions) > 0 ||
		slices.ContainsFunc(c.Git.Pathspecs, func(spec string) bool { return !stream.IsPathspecBelow(spec) }) || selectsElsewhere(c) {
		return stream.Lines{}
	}
	names := trackedNames(c)
	names.Untracked, names.Ignoring = true, true
	return nameLines(names, c.Has("-z"))
}

// commitNames are the names that git prints of commits, beside those of its index: a
// commit may name what is on no disk, and cut at its blanks that is another file. They
// count from the top of the work tree.
func (l *Lister) commitNames(c *command.Command) stream.Lines {
	reads := l.Table.Prints(c.Verb).Names.Commits
	if l.Producers.Host.Toplevel(c.Cwd.Known[0]) != c.Cwd.Known[0] || c.Git.Objects.Words > 0 || len(c.Git.Patterns) > 0 || len(c.Git.Settings) > 0 ||
		slices.ContainsFunc(reads.Needs, func(option string) bool { return !c.Has(option) }) || selectsElsewhere(c) {
		return stream.Lines{}
	}
	names := trackedNames(c)
	names.Commits, names.Parents = c.Git.Revisions, reads.Parents
	names.Dashes = c.Git.Dashes || c.Verb == "git ls-tree"
	names.AtHead = reads.Head || c.Has("--cached")
	if reads.Plain && (c.Git.Log.Format != "" || !c.Has("--format") && !c.Has("--pretty")) {
		return stream.Lines{} // the message stands among the names
	}
	return nameLines(names, c.Has("-z"))
}

// hashLines is what git prints of commits, where each line begins with a hash.
func (l *Lister) hashLines(c *command.Command) stream.Lines {
	allowed := l.Table.Prints(c.Verb).Hashes
	if allowed == nil || len(c.Caveats) > 0 || c.Git.Objects.Words > 0 || len(c.Git.Settings) > 0 || !gitsyntax.PrintsOneLine(c.Git.Log.Date) || !c.OnlyForm(allowed...) {
		return stream.Lines{}
	}
	behind, ok := behindHash(c)
	if !ok {
		return stream.Lines{}
	}
	return stream.HashLines(c.Cwd.Known[0], behind)
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
func (l *Lister) refLines(c *command.Command) stream.Lines {
	printing := l.Table.Prints(c.Verb).Refs
	if printing == nil || len(c.Caveats) > 0 || c.Printing.Color == command.ColorGiven || len(c.Git.Settings) > 0 || c.Git.Objects.Words > 0 || !c.OnlyForm(printing.Options...) {
		return stream.Lines{}
	}
	switch {
	case c.Git.Log.Format == "%(refname)", c.Git.Log.Format == "%(refname:short)":
	case c.Git.Log.Format != "", !printing.Bare && !slices.ContainsFunc(printing.BareWith, c.Has):
		return stream.Lines{}
	}
	if c.Has("<rev>") && !describable(c) {
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
func describable(c *command.Command) bool {
	if c.Verb == "git rev-parse" {
		return slices.Equal(c.Git.Revisions, []string{"HEAD"})
	}
	return !slices.ContainsFunc(c.Git.Revisions, func(rev string) bool {
		back, head := strings.CutPrefix(rev, "HEAD")
		return rev != stream.HashText && (!head || strings.Trim(back, "~^0123456789") != "")
	})
}

// IsColorOption reports whether an option chooses when a command prints in colors.
func IsColorOption(c *command.Command, option string) bool {
	return option == "--color" || option == "--colour" || option == "-c" && (c.Program == "fd" || c.Program == "fdfind")
}

// ColorOf reads the value of such an option. Without one it means always.
func ColorOf(value expansion.Word) command.Color {
	if value.Kind == expansion.Literal && slices.Contains([]string{"never", "no", "none", "auto", "tty", "if-tty"}, value.Text) {
		return command.ColorNone
	}
	return command.ColorGiven
}

// withSentence is what a filter leaves of lines. If one of them is not text in the locale, grep may
// print a sentence instead, which GNU's did on standard output.
func withSentence(c *command.Command, lines stream.Lines) stream.Lines {
	if c.Verb != "grep" || c.Has("-a") {
		return lines
	}
	return lines.With("Binary", "file", "(standard", "input)", "matches", "Binary file (standard input) matches")
}

// behindHash is what a git command prints behind the hash that each of its lines begins with. It
// reports false if lines begin otherwise.
func behindHash(c *command.Command) (string, bool) {
	format := c.Git.Log.Format
	if c.Verb == "git rev-list" {
		return "", true
	}
	if c.Has("--oneline") {
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

// selectsElsewhere reports whether a git command can print other names than those that its pathspecs select.
func selectsElsewhere(c *command.Command) bool {
	return slices.ContainsFunc(c.Accesses, func(a command.Access) bool {
		return a.Naming == command.Unnamed || a.FromStream || a.Naming == command.ByGlob
	})
}

// addsTo adds what a command accesses to where the names that it finds lie; selected is true if an
// expression of find selects them. It reports false if they can lie elsewhere.
func addsTo(a *command.Access, names *stream.NameStream, selected bool) bool {
	switch {
	case a.Naming == command.ByPathspec || a.Presence == command.IfExists:
		return true // a pattern of git's, below a root that counts already, or what counts by itself
	case a.Naming == command.ByGlob && selected:
		return names.AddMatches(a.Text)
	case a.Naming != command.ByName || a.Presence != command.Always || a.Text == "":
		return false
	}
	if names.Roots = append(names.Roots, a.Text); !selected {
		names.Include, names.SkipHidden, names.Types = a.Include, a.SkipHidden, append(slices.Clip(names.Types), a.Types...)
	}
	return true
}

// PrintsNames reports whether a producer is given nothing with which it prints more
// than the names of files, or these otherwise than they are: in colors, say.
func PrintsNames(table *argv.Table, c *command.Command, besides ...string) bool {
	allowed := table.Prints(c.Verb).Names.Options
	plain := func(option string) bool {
		return slices.Contains(allowed, option) || slices.Contains(besides, option) || c.Printing.Color == command.ColorNone && IsColorOption(c, option)
	}
	return allowed != nil && c.Printing.Color != command.ColorGiven && !slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return !plain(e.Name) })
}
