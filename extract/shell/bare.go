package shell

import (
	"slices"
	"strings"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"

	"mvdan.cc/sh/v3/syntax"
)

// What grep -o prints is made of what its expression matches. Where that holds no dash, no
// line of it, and nothing that is cut out of one, can be an option, whatever was searched.

// bareLines is what a statement prints, where that is such lines: of a grep, or of a filter
// that such lines are piped to.
func (w *walker) bareLines(stmt *syntax.Stmt, from int, in *feed) *feed {
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(w.line.Commands) != from+1 || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return nil
	}
	c := &w.line.Commands[from]
	args := tree.LiteralTexts(call.Args[1:])
	if args == nil || c.Unknown || len(c.Dirs) != 1 || len(c.Caveats) > 0 || call.Args[0].Lit() != c.Program {
		return nil
	}
	if c.Verb == "grep" && matchesBare(args) || in != nil && in.bare && len(c.Accesses) == 0 && keepsBare(c, args) {
		return &feed{dir: c.Dirs[0], bare: true}
	}
	return nil
}

// matchesBare reports whether grep prints nothing but what such an expression matches. Of a
// file that is no text it prints a sentence with the name in it; asked for lines about the
// matches (-3) it prints none of them, but "--" between.
func matchesBare(args []string) bool {
	var operands []string
	letters := ""
	for _, arg := range args {
		option, ok := strings.CutPrefix(arg, "-")
		if !ok {
			operands = append(operands, arg)
			continue
		}
		flags, bound, bounded := strings.Cut(option, "m")
		if letters += flags; bounded && !lexical.IsDecimal(bound) || !bounded && flags == "" {
			return false
		}
	}
	if !strings.Contains(letters, "o") || strings.Trim(letters, "oEhiwxsaFGP") != "" || len(operands) == 0 || len(operands) > 2 {
		return false
	}
	if len(operands) == 2 && strings.Trim(operands[1], guard.WordBytes+"./") != "" {
		return false
	}
	if strings.Contains(letters, "F") {
		return operands[0] != "" && strings.Trim(operands[0], lexical.DashlessBytes) == ""
	}
	return lexical.MatchesDashless(operands[0], strings.ContainsAny(letters, "EP"))
}

// keepsBare reports whether a filter prints nothing of lines but parts of them.
func keepsBare(c *Command, args []string) bool {
	text := strings.Join(args, " ")
	only := func(options ...string) bool {
		for _, entry := range c.Form {
			if !slices.Contains(options, entry.Name) {
				return false
			}
		}
		return true
	}
	switch c.Verb {
	case "head", "tail":
		return only("-n", "-NUM")
	case "sort":
		return only("-u", "-r", "-n", "-V", "-f")
	case "uniq":
		return only("-u", "-d", "-i")
	case "tr":
		return len(args) == 2 && args[0] == "-d"
	case "cut":
		delimiter, fields, ok := strings.Cut(text, "-f")
		sign := strings.TrimPrefix(strings.TrimSuffix(delimiter, " "), "-d")
		return ok && (delimiter == "" || strings.HasPrefix(delimiter, "-d") && len(strings.TrimPrefix(sign, " ")) == 1) && lexical.IsDecimal(strings.TrimPrefix(fields, " "))
	case "awk":
		number, ok := strings.CutPrefix(strings.ReplaceAll(text, " ", ""), "{print$")
		number, closed := strings.CutSuffix(number, "}")
		return ok && closed && (lexical.IsDecimal(number) || number == "NF")
	}
	return false
}
