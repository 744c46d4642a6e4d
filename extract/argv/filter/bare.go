// Package filter tells what programs that filter lines leave of them, by their arguments: lines that can be no option,
// and numbers at the beginning of lines. It knows neither shells nor the disk.
package filter

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/value"
)

// BareBytes are those of bare lines: none begins an option, and none is read in a pattern if nothing quotes the line.
const BareBytes = value.NameBytes + "./,=\"'<>#;&$ "

// MatchesBare reports whether grep, given these arguments, prints nothing but matches of an expression that are bare.
// What grep -o prints is made of what its expression matches. If that contains no dash, no line of it, and nothing
// that is cut out of one, can be an option, whatever was searched. For a binary file grep prints a sentence
// with its name; asked for lines about the matches (-3) it prints none of them, but "--" between.
func MatchesBare(args []string) bool {
	var operands []string
	letters := ""
	for _, arg := range args {
		option, ok := strings.CutPrefix(arg, "-")
		if !ok {
			operands = append(operands, arg)
			continue
		}
		flags, bound, bounded := strings.Cut(option, "m")
		if letters += flags; bounded && !value.IsDecimal(bound) || !bounded && flags == "" {
			return false
		}
	}
	if !strings.Contains(letters, "o") || strings.Trim(letters, "oEhiwxsaFGP") != "" || len(operands) == 0 || len(operands) > 2 {
		return false
	}
	if len(operands) == 2 && strings.Trim(operands[1], value.NameBytes+"./") != "" {
		return false
	}
	if strings.Contains(letters, "F") {
		return operands[0] != "" && strings.Trim(operands[0], BareBytes) == ""
	}
	return bareExpression(operands[0], strings.ContainsAny(letters, "EP"))
}

// bareExpression reports whether all that a regular expression matches is made of bare bytes.
func bareExpression(text string, extended bool) bool {
	for i := 0; i < len(text); {
		size := bareAtom(text, i, extended)
		if size == 0 {
			return false
		}
		i += size
	}
	return text != ""
}

// bareAtom returns the length of the part of an expression at text[i], or 0 if it matches other bytes, too.
func bareAtom(text string, i int, extended bool) int {
	c := text[i]
	begins := i == 0 || strings.IndexByte("^(|", text[i-1]) >= 0 // nothing is in front to repeat
	switch {
	case c == '[':
		return bareBracket(text[i:])
	case c == '\\':
		return bareEscape(text[i+1:], extended)
	case c == '^', c == '*' && !begins:
		return 1
	case extended && strings.IndexByte("+?()|{", c) >= 0:
		return extendedMark(text, i, begins)
	case c == '.' || strings.IndexByte(BareBytes, c) < 0:
		return 0
	}
	return 1
}

// bareEscape returns the length of an escape with rest behind its backslash.
func bareEscape(rest string, extended bool) int {
	if rest == "" || strings.IndexByte(`.wsb<>"'/$`, rest[0]) < 0 && (extended || strings.IndexByte("(|)+?", rest[0]) < 0) {
		return 0
	}
	return 2
}

// extendedMark returns the length of a mark of an extended expression. If nothing is in front of a repetition, some
// take it for text.
func extendedMark(text string, i int, begins bool) int {
	switch rest := text[i:]; {
	case rest[0] == '{' && i > 0:
		return repeats(rest)
	case strings.HasPrefix(rest, "{"), strings.HasPrefix(rest, "(?"), strings.HasPrefix(rest, "(*"):
		return 0
	case i == 0 && rest[0] != '(', begins && (rest[0] == '+' || rest[0] == '?'):
		return 0
	}
	return 1
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
		if strings.IndexByte(BareBytes, set[0]) < 0 {
			return 0
		}
		set = set[1:]
	}
	return end + 1
}

// keeping are options with which verbs drop lines, or order them, and change none.
var keeping = map[string][]string{
	"head": {"-n", "-NUM"}, "tail": {"-n", "-NUM"}, "sort": {"-u", "-r", "-n", "-V", "-f"}, "uniq": {"-u", "-d", "-i"},
}

// KeepsBare reports whether a filter prints nothing of lines but parts of them.
func KeepsBare(verb string, form v1.Form, args []string) bool {
	if options, known := keeping[verb]; known {
		return onlyOptions(form, options)
	}
	text := strings.Join(args, " ")
	switch verb {
	case "tr":
		return len(args) == 2 && args[0] == "-d"
	case "cut":
		delimiter, fields, ok := strings.Cut(text, "-f")
		sign := strings.TrimPrefix(strings.TrimSuffix(delimiter, " "), "-d")
		return ok && (delimiter == "" || strings.HasPrefix(delimiter, "-d") && len(strings.TrimPrefix(sign, " ")) == 1) && value.IsDecimal(strings.TrimPrefix(fields, " "))
	case "awk":
		number, ok := strings.CutPrefix(strings.ReplaceAll(text, " ", ""), "{print$")
		number, closed := strings.CutSuffix(number, "}")
		return ok && closed && (value.IsDecimal(number) || number == "NF")
	}
	return false
}

func onlyOptions(form v1.Form, options []string) bool {
	return !slices.ContainsFunc(form, func(e v1.Entry) bool { return !slices.Contains(options, e.Name) })
}
