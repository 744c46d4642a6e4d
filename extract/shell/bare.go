package shell

import (
	"slices"
	"strings"

	"policyd/extract/shell/guard"

	"mvdan.cc/sh/v3/syntax"
)

// What grep -o prints is made of what its expression matches. Where that holds no dash, no
// line of it, and nothing that is cut out of one, can be an option, whatever was searched.

// bareBytes are those that lines may be made of which count as bare: none begins an option,
// and none is read in a pattern where nothing quotes the line.
const bareBytes = guard.WordBytes + "./,=\"'<>#;&$ "

// bareLines is what a statement prints, where that is such lines: of a grep, or of a filter
// that such lines are piped to.
func (w *walker) bareLines(stmt *syntax.Stmt, from int, in *feed) *feed {
	call, simple := stmt.Cmd.(*syntax.CallExpr)
	if !simple || len(w.line.Commands) != from+1 || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return nil
	}
	c := &w.line.Commands[from]
	args := plainTexts(call.Args[1:])
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
		if letters += flags; bounded && !decimal(bound) || !bounded && flags == "" {
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
		return operands[0] != "" && strings.Trim(operands[0], bareBytes) == ""
	}
	return bareExpression(operands[0], strings.ContainsAny(letters, "EP"))
}

// bareExpression reports whether all that a regular expression matches is made of bare bytes.
func bareExpression(text string, extended bool) bool {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '[':
			end := bareBracket(text[i:])
			if end == 0 {
				return false
			}
			i += end
		case c == '\\':
			if i+1 == len(text) || strings.IndexByte(`.wsb<>"'/$`, text[i+1]) < 0 && (extended || strings.IndexByte("(|)+?", text[i+1]) < 0) {
				return false
			}
			i += 2
		case c == '*' && i > 0 && strings.IndexByte("^(|", text[i-1]) < 0, c == '^':
			i++
		case extended && strings.IndexByte("+?()|", c) >= 0 && !strings.HasPrefix(text[i:], "(?") && !strings.HasPrefix(text[i:], "(*"):
			if i == 0 && c != '(' || i > 0 && strings.IndexByte("^(|", text[i-1]) >= 0 && strings.IndexByte("+?", c) >= 0 {
				return false // where nothing stands in front, some take it for text
			}
			i++
		case extended && c == '{' && i > 0 && repeats(text[i:]) > 0:
			i += repeats(text[i:])
		case c == '.' || strings.IndexByte(bareBytes, c) < 0:
			return false
		default:
			i++
		}
	}
	return text != ""
}

// repeats is the length of the bounds that a text begins with ({7,40}), 0 where it begins
// otherwise.
func repeats(text string) int {
	end := strings.IndexByte(text, '}')
	if end < 2 || strings.Trim(text[1:end], "0123456789,") != "" {
		return 0
	}
	return end + 1
}

// bareBracket is the length of the set that a text begins with, where it holds bare bytes
// alone: letters, digits, ranges of those, and plain signs. It is 0 for any other.
func bareBracket(text string) int {
	end := strings.IndexByte(text, ']')
	if end < 2 {
		return 0
	}
	for set := text[1:end]; set != ""; {
		if len(set) > 2 && set[1] == '-' {
			if !slices.ContainsFunc([]string{"az", "AZ", "09"}, func(all string) bool {
				return all[0] <= set[0] && set[0] <= set[2] && set[2] <= all[1]
			}) {
				return 0
			}
			set = set[3:]
			continue
		}
		if strings.IndexByte(bareBytes, set[0]) < 0 {
			return 0
		}
		set = set[1:]
	}
	return end + 1
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
		return ok && (delimiter == "" || strings.HasPrefix(delimiter, "-d") && len(strings.TrimPrefix(sign, " ")) == 1) && decimal(strings.TrimPrefix(fields, " "))
	case "awk":
		number, ok := strings.CutPrefix(strings.ReplaceAll(text, " ", ""), "{print$")
		number, closed := strings.CutSuffix(number, "}")
		return ok && closed && (decimal(number) || number == "NF")
	}
	return false
}
