package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/argv/script"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"
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

// digits is what a statement prints, where that is lines which begin with
// numbers: of what it counts, or of what it is piped.
func (w *walker) digits(stmt *syntax.Stmt, from int, in *feed) *feed {
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(w.line.Commands) <= from || len(call.Assigns) > 0 {
		return nil
	}
	c := &w.line.Commands[from]
	if in != nil && in.digits != nil && in.digits.one && in.digits.behind == 0 && c.Verb == "xargs" && len(call.Args) == 1 {
		return &feed{dir: in.dir, digits: &begun{one: true, signed: in.digits.signed}} // it prints what it is given
	}
	if len(w.line.Commands) != from+1 {
		return nil
	}
	if c.Unknown || len(c.Dirs) != 1 || len(c.Caveats) > 0 || len(call.Args) == 0 || call.Args[0].Lit() != c.Program {
		return nil
	}
	var lines *begun
	switch {
	case w.printsNumber(stmt):
		lines = &begun{one: true, padded: true}
	case in != nil && in.digits != nil && len(c.Accesses) == 0:
		lines = in.digits.through(c, tree.LiteralTexts(call.Args[1:]))
	case in == nil || in.digits == nil:
		lines = w.numbers(c, tree.LiteralTexts(call.Args[1:]))
	}
	if lines == nil {
		return nil
	}
	return &feed{dir: c.Dirs[0], digits: lines}
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
		return Word{Kind: Output, Text: "$(…)", lines: true, bare: true}, true
	}
	return Word{Kind: Number, Text: "$(…)", Signed: n.signed}, n.one && n.behind == 0
}

// through is what a filter leaves of such lines; nil where that is not known.
func (n *begun) through(c *Command, args []string) *begun {
	out := *n
	switch {
	case c.Verb == "head" || c.Verb == "tail":
		if slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return e.Name != "-n" && e.Name != "-NUM" }) {
			return nil // a line may be cut anywhere
		}
		out.one = out.one || slices.Contains([]string{"-1", "-n1", "-n 1"}, strings.Join(args, " "))
		return &out
	case c.Verb == "sort" || c.Verb == "uniq" || c.Verb == "grep":
		return n.kept(c)
	case c.Verb == "sed" && len(args) == 2 && args[0] == "-n" && script.SelectsLine(args[1]):
		out.one = true
		return &out
	case args == nil || !n.cut(c.Verb, args):
		return nil
	}
	return &begun{one: n.one, signed: n.signed}
}

// kept is what programs leave that drop lines, or order them, and change none.
func (n *begun) kept(c *Command) *begun {
	harmless := []string{"-n", "-r", "-u"}
	if c.Verb == "grep" {
		harmless = []string{"-v", "-i", "-E", "-F", "-w", "<pattern>"}
	}
	if slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return !slices.Contains(harmless, e.Name) }) {
		return nil
	}
	return n
}

// cut reports whether a filter leaves nothing of each line but its number.
func (n *begun) cut(verb string, args []string) bool {
	text := strings.Join(args, " ")
	switch verb {
	case "cut":
		if n.padded && n.behind != ' ' {
			return false // with a blank in front it leaves nothing
		}
		delimiter, field := "\t", ""
		for i, arg := range args {
			switch value := args[min(i+1, len(args)-1)]; {
			case arg == "-d":
				delimiter = value
			case arg == "-f":
				field = value
			case strings.HasPrefix(arg, "-d"):
				delimiter = arg[2:]
			case strings.HasPrefix(arg, "-f"):
				field = arg[2:]
			case i == 0 || args[i-1] != "-d" && args[i-1] != "-f":
				return false
			}
		}
		return field == "1" && delimiter == string(n.behind)
	case "awk":
		program := strings.ReplaceAll(args[len(args)-1], " ", "")
		if program != "{print$1}" && program != "{print$1;}" {
			return false
		}
		separator := strings.ReplaceAll(strings.Join(args[:len(args)-1], " "), "-F ", "-F")
		return separator == "" && n.behind != ':' || separator == "-F:" && n.behind == ':' && !n.padded
	case "sed":
		return n.behind == ':' && !n.padded && (text == "s/:.*//" || text == "s/:.*$//")
	case "tr":
		// Without the newlines the digits of all lines are one number, which may wrap.
		return n.behind == 0 && len(args) == 2 && args[0] == "-d" && (slices.Contains([]string{" ", "[:blank:]"}, args[1]) || args[1] == "[:space:]" && n.one)
	}
	return false
}

// numbers is how the lines of a command begin that reads none.
func (w *walker) numbers(c *Command, args []string) *begun {
	if c.files > 1 {
		return nil // one of them may be -, and each line begins with a name
	}
	switch c.Verb {
	case "grep":
		return w.lineNumbers(c, args)
	case "wc":
		if len(c.Form) == 2 && counts(c.Form) && len(c.Accesses) == 1 && oneFile(c.Accesses[0]) {
			return &begun{behind: ' ', padded: true, one: true}
		}
	case "seq":
		if len(args) > 0 && len(args) < 4 && len(c.Accesses) == 0 && !slices.ContainsFunc(args, func(arg string) bool { return !counted(arg) }) {
			return &begun{}
		}
	case "stat":
		if len(c.Form) == 2 && plainStatistic(args) {
			return &begun{one: len(c.Accesses) == 1 && oneFile(c.Accesses[0]), signed: true}
		}
	case "du":
		if len(args) == 2 && slices.Contains([]string{"-s", "-sk", "-sb", "-sm", "-ks", "-bs", "-ms"}, args[0]) && len(c.Accesses) == 1 && oneFile(c.Accesses[0]) {
			return &begun{behind: '\t', one: true}
		}
	case "awk":
		if len(args) == 1 || len(args) == 2 && oneFile(Access{Text: args[1]}) {
			if one, ok := script.PrintsRecordNumbers(args[0]); ok {
				return &begun{one: one}
			}
		}
	}
	return nil
}

// counts reports whether wc is asked for one of its counts, and for nothing else.
func counts(form v1.Form) bool {
	return !slices.ContainsFunc(form, func(e v1.Entry) bool {
		return !slices.Contains([]string{"-l", "-w", "-c", "-m", "-L", "<file>"}, e.Name)
	})
}

// oneFile reports whether an access is that to one file, known by its name.
func oneFile(a Access) bool {
	return !a.Glob && !a.Dynamic && !a.FromStream && !a.Maybe && strings.Trim(a.Text, guard.WordBytes+"./-") == ""
}

// plainStatistic reports whether stat is asked for one number of each file:
// size, times in seconds, owner, links. Of several formats the last one counts.
func plainStatistic(args []string) bool {
	if len(args) < 2 {
		return false
	}
	format, ok := strings.CutPrefix(args[0], "-c")
	if !ok {
		format, ok = strings.CutPrefix(args[0], "--format=")
	}
	files := args[1:]
	if ok && format == "" {
		format, files = args[1], args[2:]
	}
	return ok && slices.Contains([]string{"%s", "%Y", "%X", "%Z", "%u", "%g", "%h", "%i"}, format) &&
		!slices.ContainsFunc(files, func(file string) bool { return strings.HasPrefix(file, "-") })
}

// lineNumbers is how the lines of grep -n begin. Of a file that is no text it
// prints a sentence in the place of lines.
func (w *walker) lineNumbers(c *Command, args []string) *begun {
	harmless := []string{"-n", "-i", "-v", "-w", "-x", "-E", "-F", "-G", "-P", "-e", "-m", "-h", "-s", "-o", "<pattern>", "<file>"}
	_, numbers := c.Form.Get("-n")
	if !numbers || len(c.Accesses) != 1 || c.files > 1 || slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return !slices.Contains(harmless, e.Name) }) {
		return nil
	}
	a := c.Accesses[0]
	if !oneFile(a) || a.Tree || !w.onlyRead() || !c.everywhere(&a, w.isText) {
		return nil
	}
	if _, only := c.Form.Get("-o"); only && w.options.Platform != "linux" {
		return nil // BSD's puts the number in front of the first match alone
	}
	bounds, one := 0, false // of several the last one counts
	for i, arg := range args {
		if strings.HasPrefix(arg, "-") && strings.Contains(arg, "m") {
			bounds++
			one = arg == "-m1" || arg == "-nm1" || (arg == "-m" || arg == "-nm") && i+1 < len(args) && args[i+1] == "1"
		}
	}
	_, bounded := c.Form.Get("-m") // and is no pattern
	one = one && bounded && bounds == 1
	return &begun{behind: ':', one: one}
}

func (h *host) isText(path string) bool { return h.isTextual(lexical.CleanPath(path)) }

// alwaysPrints reports whether the command that was walked last prints a number
// whatever happens: a count of what it is piped, or of files that are there.
func (w *walker) alwaysPrints() bool {
	c := &w.line.Commands[len(w.line.Commands)-1]
	if w.producesNumber(c) {
		return true
	}
	if c.Verb != "wc" && c.Verb != "grep" {
		return false
	}
	if _, fixed := c.Form.Get("-F"); c.refusable && !fixed {
		return false
	}
	return (c.Verb == "wc" || len(c.Accesses) > 0) && !slices.ContainsFunc(c.Accesses, func(a Access) bool { return !w.surely(c, &a) })
}

// printsNumber reports whether the command that was walked last, and whose
// output is that of stmt, prints one number and nothing else.
func (w *walker) printsNumber(stmt *syntax.Stmt) bool {
	for tree.IsPipe(stmt) {
		pipe, ok := stmt.Cmd.(*syntax.BinaryCmd)
		if !ok {
			return false
		}
		stmt = pipe.Y
	}
	c := &w.line.Commands[len(w.line.Commands)-1]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	names := w.table.Words.Printing.NumberPrinters[c.Verb]
	if ok && len(call.Assigns)+len(c.Accesses) == 0 && w.producesNumber(c) {
		return true
	}
	if !ok || len(call.Args) == 0 || call.Args[0].Lit() != c.Program || len(names) == 0 || len(c.Caveats) > 0 {
		return false
	}
	if slices.ContainsFunc(stmt.Redirs, tree.MixesOutput) {
		return false
	}
	// Of several files each count stands behind a name.
	_, named := c.Form.Get("<file>")
	several := func(a Access) bool {
		return (named || c.Verb != "wc" && c.Verb != "grep") && (a.Glob && !a.One || a.Tree || a.Dynamic)
	}
	if opened := c.opened(); len(opened) > 1 || c.files > 1 || slices.ContainsFunc(opened, several) {
		return false
	}
	_, counts := c.Form.Get(names[0])
	return counts && !slices.ContainsFunc(c.Form, func(e v1.Entry) bool { return !slices.Contains(names, e.Name) })
}
