package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/argv/filter"
	"policyd/extract/argv/script"
	"policyd/extract/shell/guard"
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
		lines = in.digits.through(c, plainTexts(call.Args[1:]))
	case in == nil || in.digits == nil:
		lines = w.numbers(c, plainTexts(call.Args[1:]))
	}
	if lines == nil {
		return nil
	}
	return &feed{dir: c.Dirs[0], digits: lines}
}

// plainTexts are the texts of words that nothing expands, nil where one is another.
func plainTexts(words []*syntax.Word) []string {
	texts := make([]string, 0, len(words))
	for _, word := range words {
		text := ""
		for _, part := range word.Parts {
			switch part := part.(type) {
			case *syntax.Lit:
				if !plainLiteral(part.Value) || hasBrace(word) {
					return nil
				}
				text += part.Value
			case *syntax.SglQuoted:
				if part.Dollar {
					return nil
				}
				text += part.Value
			case *syntax.DblQuoted:
				if len(part.Parts) == 0 {
					continue
				}
				lit, ok := part.Parts[0].(*syntax.Lit)
				if !ok || len(part.Parts) > 1 || part.Dollar || strings.Contains(lit.Value, `\`) {
					return nil
				}
				text += lit.Value
			default:
				return nil
			}
		}
		texts = append(texts, text)
	}
	return texts
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
func (w *walker) numbersOnly(st *state, item *syntax.Word) bool {
	if len(item.Parts) != 1 || w.begun == nil || w.begun.behind != 0 || st.assigned("IFS") {
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
	case args == nil || !filter.LeavesNumber(c.Verb, args, filter.Line{Behind: n.behind, Padded: n.padded, One: n.one}):
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
		if len(c.Form) == 2 && filter.PrintsStatistic(args) {
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

func (w *walker) isText(path string) bool { return w.isTextual(cleanPath(path)) }
