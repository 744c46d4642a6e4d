package output

import (
	"slices"
	"strings"

	"policyd/extract/shell/lexical"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/argv/filter"
	"policyd/extract/argv/script"
	"policyd/extract/shell/command"
	"policyd/extract/shell/stream"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// stdout is a simple command of which standard output is read.
type stdout struct {
	*Lister
	c *command.Command
	// args are the texts of its words behind the name, nil if something in them is expanded.
	args []string
}

// Numbers is what the one command that a statement consists of prints, if that is lines which begin with numbers: of
// what it counts, or of what it is piped. The command must do nothing else than its words say.
func (l *Lister) Numbers(stmt *syntax.Stmt, c *command.Command, in stream.Lines) stream.Lines {
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(call.Assigns) > 0 || len(call.Args) == 0 || !c.Cwd.Single() || len(c.Caveats) > 0 || call.Args[0].Lit() != c.Program {
		return stream.Lines{}
	}
	o := stdout{Lister: l, c: c, args: tree.LiteralTexts(call.Args[1:])}
	numbers, piped := in.Numbers()
	switch {
	case l.PrintsNumber(stmt, c):
		return stream.NumberLines(stream.Numbers{Line: filter.Line{One: true, Padded: true}})
	case piped && len(o.c.Accesses) == 0:
		return o.filtered(numbers)
	case !piped:
		if lines := o.counted(); lines != nil {
			return stream.NumberLines(*lines)
		}
	}
	return stream.Lines{}
}

// filtered is what a filter leaves of such lines, if that is known.
func (o *stdout) filtered(n stream.Numbers) stream.Lines {
	known, one := false, false
	switch o.c.Verb {
	case "head", "tail": // a line may be cut anywhere
		known, one = o.c.OnlyForm("-n", "-NUM"), slices.Contains([]string{"-1", "-n1", "-n 1"}, strings.Join(o.args, " "))
	case "sort", "uniq":
		known = o.c.OnlyForm("-n", "-r", "-u")
	case "grep":
		known = o.c.OnlyForm("-v", "-i", "-E", "-F", "-w", "<pattern>")
	case "sed":
		one = len(o.args) == 2 && o.args[0] == "-n" && script.SelectsLine(o.args[1])
		known = one
	}
	switch {
	case known:
		n.One = n.One || one
	case o.args == nil, !filter.LeavesNumber(o.c.Verb, o.args, n.Line):
		return stream.Lines{}
	default:
		n.Line = filter.Line{One: n.One}
	}
	return stream.NumberLines(n)
}

// counters are how the lines of commands begin that count, and read no lines.
var counters = map[string]func(stdout) *stream.Numbers{
	"grep": stdout.lineNumbers,
	"wc": func(o stdout) *stream.Numbers {
		if len(o.c.Form) == 2 && o.c.OnlyForm("-l", "-w", "-c", "-m", "-L", "<file>") && o.oneFile() {
			return &stream.Numbers{Line: filter.Line{Behind: ' ', Padded: true, One: true}}
		}
		return nil
	},
	"seq": func(o stdout) *stream.Numbers {
		if len(o.args) > 0 && len(o.args) < 4 && len(o.c.Accesses) == 0 && !slices.ContainsFunc(o.args, func(arg string) bool { return !lexical.IsCount(arg) }) {
			return &stream.Numbers{}
		}
		return nil
	},
	"stat": func(o stdout) *stream.Numbers {
		if len(o.c.Form) == 2 && filter.PrintsStatistic(o.args) {
			return &stream.Numbers{Line: filter.Line{One: o.oneFile()}, Signed: true}
		}
		return nil
	},
	"du": func(o stdout) *stream.Numbers {
		if len(o.args) == 2 && slices.Contains([]string{"-s", "-sk", "-sb", "-sm", "-ks", "-bs", "-ms"}, o.args[0]) && o.oneFile() {
			return &stream.Numbers{Line: filter.Line{Behind: '\t', One: true}}
		}
		return nil
	},
	"awk": func(o stdout) *stream.Numbers {
		if len(o.args) == 1 || len(o.args) == 2 && oneFile(command.AccessTo(v1.OpRead, o.args[1])) {
			if one, ok := script.PrintsRecordNumbers(o.args[0]); ok {
				return &stream.Numbers{Line: filter.Line{One: one}}
			}
		}
		return nil
	},
}

// counted is how the lines of a command begin that counts.
func (o *stdout) counted() *stream.Numbers {
	count := counters[o.c.Verb]
	if count == nil || o.c.Reading.Files > 1 {
		return nil // one of several files may be -, and each line begins with a name
	}
	return count(*o)
}

// oneFile reports whether the command accesses one file, known by its name.
func (o *stdout) oneFile() bool { return len(o.c.Accesses) == 1 && oneFile(o.c.Accesses[0]) }

func oneFile(a command.Access) bool {
	return a.Naming == command.ByName && !a.FromStream && a.Presence != command.IfPathLike && strings.Trim(a.Text, value.NameBytes+"./-") == ""
}

// lineNumbers is how the lines of grep -n begin. For a binary file grep prints a sentence
// instead of lines.
func (o stdout) lineNumbers() *stream.Numbers {
	c := o.c
	if !c.Has("-n") || !o.oneFile() || c.Accesses[0].Below == command.Tree ||
		!c.OnlyForm("-n", "-i", "-v", "-w", "-x", "-E", "-F", "-G", "-P", "-e", "-m", "-h", "-s", "-o", "<pattern>", "<file>") {
		return nil
	}
	if !o.Disk.OnlyRead() || !c.Everywhere(&c.Accesses[0], o.Producers.Host.IsText) {
		return nil
	}
	if c.Has("-o") && o.Producers.Host.Options.Platform != "linux" {
		return nil // BSD's puts the number in front of the first match alone
	}
	return &stream.Numbers{Line: filter.Line{Behind: ':', One: c.Has("-m") && matchesOnce(o.args)}} // -m may be a pattern
}

// matchesOnce reports whether options of grep say -m 1, and no other limit.
func matchesOnce(args []string) bool {
	limits, one := 0, false
	for i, arg := range args {
		if strings.HasPrefix(arg, "-") && strings.Contains(arg, "m") {
			limits++
			one = arg == "-m1" || arg == "-nm1" || (arg == "-m" || arg == "-nm") && i+1 < len(args) && args[i+1] == "1"
		}
	}
	return one && limits == 1
}

// AlwaysPrints reports whether a command prints a number whatever happens: a count of what it is piped, or of files
// that are there.
func (l *Lister) AlwaysPrints(c *command.Command) bool {
	switch {
	case l.Producers.number(c):
		return true
	case c.Verb != "wc" && (c.Verb != "grep" || len(c.Accesses) == 0), c.Reading.Refusable && !c.Has("-F"):
		return false
	}
	return !slices.ContainsFunc(c.Accesses, func(a command.Access) bool { return !l.Surely(c, &a) })
}

// PrintsNumber reports whether a command, whose output is that of stmt, prints one number and nothing else.
func (l *Lister) PrintsNumber(stmt *syntax.Stmt, c *command.Command) bool {
	stmt = tree.LastOfPipe(stmt)
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	switch {
	case !ok:
		return false
	case len(call.Assigns)+len(c.Accesses) == 0 && l.Producers.number(c):
		return true
	case len(call.Args) == 0 || call.Args[0].Lit() != c.Program || len(c.Caveats) > 0 || slices.ContainsFunc(stmt.Redirs, tree.MixesOutput):
		return false
	}
	options := l.Table.Prints(c.Verb).Number
	return len(options) > 0 && c.Has(options[0]) && c.OnlyForm(options...) && countsOnce(c)
}

// countsOnce reports whether a program that counts prints one line: of several files it prints each
// count behind a name.
func countsOnce(c *command.Command) bool {
	named := c.Has("<file>") || c.Verb != "wc" && c.Verb != "grep"
	opened := c.Opened()
	return len(opened) < 2 && c.Reading.Files < 2 && !slices.ContainsFunc(opened, func(a command.Access) bool {
		return named && (a.Naming == command.ByGlob && a.Matches != command.OneMatch || a.Below == command.Tree || a.Naming == command.Unnamed)
	})
}

// Surely reports whether an access is one to a file that is there for everyone,
// and that nothing of the line can have taken away.
func (l *Lister) Surely(c *command.Command, a *command.Access) bool {
	if a.Op != v1.OpRead || a.Naming == command.Unnamed || a.Naming == command.ByGlob || a.Below == command.Tree || c.Cwd.Others || !l.Disk.OnlyRead() {
		return false
	}
	return c.Everywhere(a, l.Producers.Host.IsReadable)
}
