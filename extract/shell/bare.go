package shell

import (
	"strings"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
)

// What grep -o prints is made of what its expression matches. Where that holds no dash, no
// line of it, and nothing that is cut out of one, can be an option, whatever was searched.

// dashlessLines is what the command prints, if that is such lines: of a grep, or of a filter that such
// lines are piped to.
func (o *stdout) dashlessLines() *feed {
	if o.args == nil {
		return nil
	}
	piped := o.in != nil && o.in.bare && len(o.c.Accesses) == 0
	if o.c.Verb == "grep" && matchesBare(o.args) || piped && o.cutsLines() {
		return &feed{dir: o.c.Dirs[0], bare: true}
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

// lineFilters are the options of filters with which they select lines, or order them.
var lineFilters = map[string][]string{
	"head": {"-n", "-NUM"}, "tail": {"-n", "-NUM"}, "sort": {"-u", "-r", "-n", "-V", "-f"}, "uniq": {"-u", "-d", "-i"},
}

// cutsLines reports whether a filter prints nothing of lines but parts of them.
func (o *stdout) cutsLines() bool {
	text := strings.Join(o.args, " ")
	switch o.c.Verb {
	case "tr":
		return len(o.args) == 2 && o.args[0] == "-d"
	case "cut":
		delimiter, fields, ok := strings.Cut(text, "-f")
		sign := strings.TrimPrefix(strings.TrimSuffix(delimiter, " "), "-d")
		return ok && (delimiter == "" || strings.HasPrefix(delimiter, "-d") && len(strings.TrimPrefix(sign, " ")) == 1) && lexical.IsDecimal(strings.TrimPrefix(fields, " "))
	case "awk":
		number, ok := strings.CutPrefix(strings.ReplaceAll(text, " ", ""), "{print$")
		number, closed := strings.CutSuffix(number, "}")
		return ok && closed && (lexical.IsDecimal(number) || number == "NF")
	}
	options, ok := lineFilters[o.c.Verb]
	return ok && o.c.onlyForm(options...)
}
