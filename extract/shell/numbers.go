package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/argv/filter"
	"policyd/extract/argv/script"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// Shells evaluate what they take for a number, so that it matters whether what
// a command prints can be anything else. begun says how each line of such a
// stream begins: with the digits of a number.
type begun struct {
	// behind is what follows the number: a colon, a blank, a tab, or 0 for the end
	// of the line.
	behind byte
	// padded is true when blanks may stand in front.
	padded bool
	// one is true when there is no more than one line.
	one bool
	// signed is true when a number may be below zero: a time before 1970.
	signed bool
}

// numberLines is what the command prints, if that is lines which begin with numbers: of what it
// counts, or of what it is piped.
func (o *stdout) numberLines() *NameStream {
	var lines *begun
	piped := o.in != nil && o.in.digits != nil
	switch {
	case o.printsNumber(o.stmt):
		lines = &begun{one: true, padded: true}
	case piped && len(o.c.Accesses) == 0:
		lines = o.filtered(o.in.digits)
	case !piped:
		lines = o.counted()
	}
	if lines == nil {
		return nil
	}
	return &NameStream{dir: o.c.Dirs[0], digits: lines}
}

// echoedNumber is what xargs prints that is given one number, and no command to run.
func (d *diskView) echoedNumber(stmt *syntax.Stmt, from int, in *NameStream) *NameStream {
	if in == nil || in.digits == nil || !in.digits.one || in.digits.behind != 0 || len(d.line.Commands) <= from {
		return nil
	}
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(call.Assigns) > 0 || len(call.Args) != 1 || d.line.Commands[from].Verb != "xargs" {
		return nil
	}
	return &NameStream{dir: in.dir, digits: &begun{one: true, signed: in.digits.signed}}
}

// begins reports whether the first of some names that read is given holds the number
// that a line begins with, and nothing else.
func (n *begun) begins(names int, ifs Word, set bool) bool {
	blank := !set || ifs.Kind == Literal && ifs.Text == " "
	switch {
	case n.behind == 0:
		return names == 1 && (blank || ifs.literal("") && !n.padded)
	case names == 1:
		return false
	case n.behind == ' ' || n.behind == '\t':
		return !set
	default:
		return set && !n.padded && ifs.literal(string(n.behind))
	}
}

// numbersOnly reports whether an item of a loop is a substitution, just walked, that the
// shell cuts into numbers.
func (s *streams) numbersOnly(st *state, item *syntax.Word) bool {
	if len(item.Parts) != 1 || s.begun == nil || s.begun.behind != 0 || st.assigned("IFS") {
		return false
	}
	_, ok := item.Parts[0].(*syntax.CmdSubst)
	return ok
}

// number is the word that a substitution becomes which prints such lines.
func (n *begun) number() (Word, bool) {
	if !n.one && n.behind == 0 && !n.signed {
		return Word{Kind: Output, Text: "$(…)", class: counts}, true
	}
	return Word{Kind: Number, Text: "$(…)", class: numeral(n.signed, true)}, n.one && n.behind == 0
}

// filtered is what a filter leaves of such lines, nil if that isn't known.
func (o *stdout) filtered(n *begun) *begun {
	one := *n
	one.one = true
	switch o.c.Verb {
	case "head", "tail":
		if !o.c.onlyForm("-n", "-NUM") {
			return nil // a line may be cut anywhere
		}
		if n.one || slices.Contains([]string{"-1", "-n1", "-n 1"}, strings.Join(o.args, " ")) {
			return &one
		}
		return n
	case "sort", "uniq":
		return n.ifOnly(o.c, "-n", "-r", "-u")
	case "grep":
		return n.ifOnly(o.c, "-v", "-i", "-E", "-F", "-w", "<pattern>")
	case "sed":
		if len(o.args) == 2 && o.args[0] == "-n" && script.SelectsLine(o.args[1]) {
			return &one
		}
	}
	if o.args == nil || !filter.LeavesNumber(o.c.Verb, o.args, filter.Line{Behind: n.behind, Padded: n.padded, One: n.one}) {
		return nil
	}
	return &begun{one: n.one, signed: n.signed}
}

// ifOnly is the lines as they are if a command has no other options.
func (n *begun) ifOnly(c *Command, options ...string) *begun {
	if !c.onlyForm(options...) {
		return nil
	}
	return n
}

// counters are how the lines of commands begin that count, and read no lines.
var counters = map[string]func(stdout) *begun{
	"grep": stdout.lineNumbers,
	"wc": func(o stdout) *begun {
		if len(o.c.Form) == 2 && o.c.onlyForm("-l", "-w", "-c", "-m", "-L", "<file>") && o.oneFile() {
			return &begun{behind: ' ', padded: true, one: true}
		}
		return nil
	},
	"seq": func(o stdout) *begun {
		if len(o.args) > 0 && len(o.args) < 4 && len(o.c.Accesses) == 0 && !slices.ContainsFunc(o.args, func(arg string) bool { return !counted(arg) }) {
			return &begun{}
		}
		return nil
	},
	"stat": func(o stdout) *begun {
		if len(o.c.Form) == 2 && filter.PrintsStatistic(o.args) {
			return &begun{one: o.oneFile(), signed: true}
		}
		return nil
	},
	"du": func(o stdout) *begun {
		if len(o.args) == 2 && slices.Contains([]string{"-s", "-sk", "-sb", "-sm", "-ks", "-bs", "-ms"}, o.args[0]) && o.oneFile() {
			return &begun{behind: '\t', one: true}
		}
		return nil
	},
	"awk": func(o stdout) *begun {
		if len(o.args) == 1 || len(o.args) == 2 && oneFile(Access{Text: o.args[1]}) {
			if one, ok := script.PrintsRecordNumbers(o.args[0]); ok {
				return &begun{one: one}
			}
		}
		return nil
	},
}

// counted is how the lines of a command begin that counts.
func (o *stdout) counted() *begun {
	count := counters[o.c.Verb]
	if count == nil || o.c.files > 1 {
		return nil // one of several files may be -, and each line begins with a name
	}
	return count(*o)
}

// oneFile reports whether the command accesses one file, known by its name.
func (o *stdout) oneFile() bool { return len(o.c.Accesses) == 1 && oneFile(o.c.Accesses[0]) }

func oneFile(a Access) bool {
	return !a.Glob && !a.Dynamic && !a.FromStream && !a.Maybe && strings.Trim(a.Text, value.NameBytes+"./-") == ""
}

// lineNumbers is how the lines of grep -n begin. For a binary file grep prints a sentence
// instead of lines.
func (o stdout) lineNumbers() *begun {
	c := o.c
	if !c.has("-n") || !o.oneFile() || c.Accesses[0].Tree ||
		!c.onlyForm("-n", "-i", "-v", "-w", "-x", "-E", "-F", "-G", "-P", "-e", "-m", "-h", "-s", "-o", "<pattern>", "<file>") {
		return nil
	}
	if !o.onlyRead() || !c.everywhere(&c.Accesses[0], o.isText) {
		return nil
	}
	if c.has("-o") && o.options.Platform != "linux" {
		return nil // BSD's puts the number in front of the first match alone
	}
	return &begun{behind: ':', one: c.has("-m") && matchesOnce(o.args)} // -m may be a pattern
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

func (h *host) isText(path string) bool { return h.isTextual(lexical.CleanPath(path)) }

// alwaysPrints reports whether the last command of the line prints a number whatever happens: a count
// of what it is piped, or of files that are there.
func (d *diskView) alwaysPrints() bool {
	c := d.last()
	switch {
	case d.producesNumber(c):
		return true
	case c.Verb != "wc" && (c.Verb != "grep" || len(c.Accesses) == 0), c.refusable && !c.has("-F"):
		return false
	}
	return !slices.ContainsFunc(c.Accesses, func(a Access) bool { return !d.surely(c, &a) })
}

// last is the last command of the line.
func (r *report) last() *Command { return &r.line.Commands[len(r.line.Commands)-1] }

// printsNumber reports whether the last command of the line, whose output is that of stmt, prints one
// number and nothing else.
func (d *diskView) printsNumber(stmt *syntax.Stmt) bool {
	stmt = tree.LastOfPipe(stmt)
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	c := d.last()
	switch {
	case !ok:
		return false
	case len(call.Assigns)+len(c.Accesses) == 0 && d.producesNumber(c):
		return true
	case len(call.Args) == 0 || call.Args[0].Lit() != c.Program || len(c.Caveats) > 0 || slices.ContainsFunc(stmt.Redirs, tree.MixesOutput):
		return false
	}
	options := d.table.Prints(c.Verb).Number
	return len(options) > 0 && c.has(options[0]) && c.onlyForm(options...) && c.countsOnce()
}

// countsOnce reports whether a program that counts prints one line: of several files it prints each
// count behind a name.
func (c *Command) countsOnce() bool {
	named := c.has("<file>") || c.Verb != "wc" && c.Verb != "grep"
	opened := c.opened()
	return len(opened) < 2 && c.files < 2 && !slices.ContainsFunc(opened, func(a Access) bool {
		return named && (a.Glob && !a.One || a.Tree || a.Dynamic)
	})
}

// has reports whether the form of a command has an option or a role.
func (c *Command) has(name string) bool {
	_, found := c.Form.Get(name)
	return found
}

// onlyForm reports whether the form of a command has no others than these options and roles.
func (c *Command) onlyForm(names ...string) bool {
	return !slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return !slices.Contains(names, e.Name) })
}
