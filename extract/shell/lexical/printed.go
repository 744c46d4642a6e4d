package lexical

import (
	"strings"

	"policyd/extract/shell/guard"
)

// Echo is what echo prints of words. It reports false if shells disagree: about options and
// backslashes.
func Echo(words []string) (text string, ok bool) {
	text = strings.Join(words, " ") + "\n"
	return text, !strings.Contains(text, `\`) && text[0] != '-'
}

// conversions are what the sequences of a printf format print that all shells read alike, besides
// %s.
var conversions = map[string]string{"%%": "%", `\\`: `\`, `\n`: "\n", `\t`: "\t"}

// Printf is what printf prints of a format and words. It reports false for a format with other
// sequences than %s and conversions, and for a text longer than a line can be.
func Printf(args []string) (text string, ok bool) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return "", false
	}
	var out strings.Builder
	format, words := args[0], args[1:]
	for {
		taken, ok := printFormat(&out, format, words)
		if !ok {
			return "", false
		}
		if words = words[taken:]; taken == 0 || len(words) == 0 {
			return out.String(), true
		}
	}
}

// printFormat prints a format once, and returns how many words it took.
func printFormat(out *strings.Builder, format string, words []string) (taken int, ok bool) {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' && format[i] != '\\' {
			out.WriteByte(format[i])
			continue
		}
		i++
		sequence := format[i-1 : min(i+1, len(format))]
		literal, known := conversions[sequence]
		switch {
		case known:
			out.WriteString(literal)
		case sequence != "%s":
			return 0, false
		case taken < len(words):
			out.WriteString(words[taken])
			taken++
		default:
			// A missing word is empty.
		}
		if out.Len() > guard.MaxLine {
			return 0, false
		}
	}
	return taken, true
}
