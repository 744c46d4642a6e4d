// Package filter tells what programs that filter lines leave of numbers at the beginning of lines, by their arguments.
// It knows neither shells nor the disk.
package filter

import (
	"slices"
	"strings"
)

// Line is how each line of a stream begins: with the digits of a number.
type Line struct {
	// Behind is what follows the number: a colon, a blank, a tab, or 0 for the end of the line.
	Behind byte
	// Padded is true if blanks can be in front of it.
	Padded bool
	// One is true if there is no more than one line.
	One bool
}

// LeavesNumber reports whether a filter leaves nothing of each line but its number.
func LeavesNumber(verb string, args []string, line Line) bool {
	switch verb {
	case "cut":
		// With a blank in front the first field is empty.
		delimiter, field, ok := cutOptions(args)
		return ok && field == "1" && delimiter == string(line.Behind) && (!line.Padded || line.Behind == ' ')
	case "awk":
		return awkFirst(args, line)
	case "sed":
		text := strings.Join(args, " ")
		return line.Behind == ':' && !line.Padded && (text == "s/:.*//" || text == "s/:.*$//")
	case "tr":
		return line.Behind == 0 && len(args) == 2 && args[0] == "-d" && blanks(args[1], line.One)
	}
	return false
}

// blanks reports whether a set of tr is one of blanks. Without the newlines the digits of several lines are one number,
// which may wrap.
func blanks(set string, one bool) bool {
	return set == " " || set == "[:blank:]" || set == "[:space:]" && one
}

// cutOptions returns the delimiter and the fields of cut. ok is false if it has other arguments.
func cutOptions(args []string) (delimiter, field string, ok bool) {
	delimiter = "\t"
	values := map[byte]*string{'d': &delimiter, 'f': &field}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if len(arg) < 2 || arg[0] != '-' || values[arg[1]] == nil {
			return "", "", false
		}
		value := values[arg[1]]
		if *value = arg[2:]; len(arg) == 2 {
			i = min(i+1, len(args)-1)
			*value = args[i]
		}
	}
	return delimiter, field, true
}

// awkFirst reports whether awk prints the first field alone.
func awkFirst(args []string, line Line) bool {
	last := len(args) - 1
	program := strings.ReplaceAll(args[last], " ", "")
	if program != "{print$1}" && program != "{print$1;}" {
		return false
	}
	separator := strings.ReplaceAll(strings.Join(args[:last], " "), "-F ", "-F")
	return separator == "" && line.Behind != ':' || separator == "-F:" && line.Behind == ':' && !line.Padded
}

// PrintsStatistic reports whether stat prints one number of each file: size, times in seconds, owner, links. Of
// several formats the last one counts.
func PrintsStatistic(args []string) bool {
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
