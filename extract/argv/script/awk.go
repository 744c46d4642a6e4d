package script

import (
	"slices"
	"strings"

	"policyd/extract/value"
)

// awkFunctions are the functions that compute and print, of POSIX awk and gawk.
var awkFunctions = []string{
	"atan2", "cos", "exp", "int", "log", "rand", "sin", "sqrt", "srand", "gsub", "index", "length", "match", "split",
	"sprintf", "sub", "substr", "tolower", "toupper", "gensub", "strftime", "mktime", "systime", "and", "or", "xor",
	"compl", "lshift", "rshift", "asort", "asorti", "patsplit", "strtonum", "typeof", "isarray", "if", "while", "for",
	"in", "print", "printf", "return", "else", "do", "delete", "switch", "exit",
}

// awkOutside are names that reach beyond the files on the command line.
var awkOutside = []string{
	"system", "getline", "close", "fflush", "ARGV", "ARGC", "PROCINFO", "SYMTAB", "FUNCTAB", "func", "extension",
}

// awkReader follows an awk program token by token.
type awkReader struct {
	text    string
	pos     int
	verdict Verdict
	// printing is true from print or printf to the end of the statement, where
	// ">" and "|" are redirections.
	printing bool
	// operand is true when a slash would divide and not begin a regex.
	operand   bool
	divisions bool
	closed    bool   // behind the last token, awks differ about a slash
	word      string // the last token, where it was a name
	// defined are the functions of the program's own, called the names that it calls
	// besides those of awk.
	defined, called []string
}

// awkVerdict reads an awk program. Plain are expressions, patterns and print
// without redirection, pipes, getline, system and changes to ARGV.
func awkVerdict(text string) Verdict {
	r := awkReader{text: text, verdict: Verdict{OnlyPrints: true}}
	for _, word := range []string{"system", "ENVIRON"} {
		if strings.Contains(text, word) { // in a string, too: a name may be called by its text
			r.verdict.Environment = r.verdict.Environment || word == "ENVIRON"
			r.refuse()
		}
	}
	for r.pos < len(r.text) && r.verdict.OnlyPrints {
		r.token()
	}
	if slices.ContainsFunc(r.called, func(name string) bool { return !slices.Contains(r.defined, name) }) {
		r.refuse()
	}
	if r.divisions && (strings.ContainsAny(text, `|>"#@`) || slices.ContainsFunc(awkOutside, func(name string) bool { return strings.Contains(text, name) })) {
		// Where a slash might be read two ways, what lies behind it might be, too:
		// to some a comment begins in `if (x) /#/; ARGV[1] = f`.
		r.verdict.OnlyPrints = false
	}
	return r.verdict
}

func (r *awkReader) refuse() { r.verdict.OnlyPrints = false }

func (r *awkReader) token() {
	c := r.text[r.pos]
	if strings.IndexByte(" \t/", c) < 0 {
		r.closed, r.word = c == ')', ""
	}
	switch c {
	case ' ', '\t':
		r.pos++
	case '\n':
		// Behind a comma the statement continues, so a newline doesn't end it.
		r.pos++
		r.operand = false
	case ';', '}', '{':
		r.pos++
		r.printing, r.operand = false, false
	case '#':
		for r.pos < len(r.text) && r.text[r.pos] != '\n' {
			r.pos++
		}
	case '"':
		r.skipTo(stringEnd(r.text, r.pos))
	case '/':
		r.slash()
	case '.':
		r.pos++ // of a number: 1./2 divides
		r.operand = true
	default:
		if value.IsNameByte(c) {
			r.name()
			return
		}
		r.operator(c)
	}
}

// slash reads a regex or a division.
func (r *awkReader) slash() {
	switch {
	case !dividedAlike(r.word):
		r.refuse()
	case !r.operand:
		r.skipTo(regexEnd(r.text, r.pos))
	default:
		// Behind a bracket it can begin a regex all the same, if (x) /re/ {…}, and
		// so it can if an "=" follows: x /=/.
		r.divisions = r.divisions || r.closed || strings.HasPrefix(r.text[r.pos+1:], "=")
		r.operand = false
		r.pos++
	}
}

// skipTo goes to the end of a string or a regex; -1 refuses the program.
func (r *awkReader) skipTo(end int) {
	r.operand, r.closed = true, true
	if end < 0 {
		r.refuse()
		return
	}
	r.pos = end
}

// regexEnd returns the index behind the regex that begins at text[start], or
// -1. A slash in brackets is refused, since awks differ about it.
func regexEnd(text string, start int) int {
	for i := start + 1; i < len(text); {
		switch text[i] {
		case '\\':
			i += 2
		case '\n':
			return -1
		case '[':
			if i = awkBracket(text, i); i < 0 {
				return -1
			}
		case '/':
			return i + 1
		default:
			i++
		}
	}
	return -1
}

// awkBracket returns the index behind a bracket expression of a regex, or -1. Some awks
// take a backslash in it for a character and others for the beginning of an escape: all
// find the same end where what follows is neither a bracket nor a slash, and no digit
// of a character's code.
func awkBracket(text string, start int) int {
	end := bracketEnd(text, start)
	if end < 0 || strings.ContainsAny(text[start:end], "/\n") {
		return -1
	}
	for i := start + 1; i < end-1; i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; i == end-1 || strings.IndexByte(awkEscapes, text[i]) < 0 {
			return -1
		}
	}
	return end
}

// awkEscapes are characters behind a backslash that stand for one character, alone or with it.
const awkEscapes = `abdfnrstvwBDSWy.*+?(){}$|&,;:!=<>%#~_"\-`

func (r *awkReader) name() {
	start := r.pos
	for r.pos < len(r.text) && value.IsNameByte(r.text[r.pos]) {
		r.pos++
	}
	name := r.text[start:r.pos]
	called := r.pos < len(r.text) && r.text[r.pos] == '('
	switch {
	case name == "ENVIRON":
		r.verdict.Environment = true
	case name == "getline":
		r.getline()
		return
	case slices.Contains(awkOutside, name):
		r.refuse()
	case name == "function":
		r.define()
		return
	case called && !slices.Contains(awkFunctions, name):
		r.called = append(r.called, name)
	case name == "print" || name == "printf":
		r.printing = true
	}
	r.operand, r.word = !slices.Contains(awkBeforeRegex, name), name
}

// getline reads what may follow the word where it takes the next record of the input and
// nothing else: a variable, and the end of the statement. What stands in front of it as a
// command, with a pipe, is refused.
func (r *awkReader) getline() {
	rest := strings.TrimLeft(r.text[r.pos:], " \t")
	variable := rest[:nameEnd(rest, 0)]
	rest = strings.TrimLeft(rest[len(variable):], " \t")
	if variable != "" && (!value.IsName(variable) || slices.Contains(awkFunctions, variable) || slices.Contains(awkOutside, variable) || variable == "ENVIRON") ||
		rest != "" && strings.IndexByte(";}\n", rest[0]) < 0 {
		r.refuse()
		return
	}
	r.pos = len(r.text) - len(rest)
	r.operand, r.word, r.closed = true, "", false
}

// define reads the head of a function: its name and the names of its parameters. Its body
// is read as any other. A name that some awk knows as its own is refused.
func (r *awkReader) define() {
	name, rest, found := strings.Cut(r.text[r.pos:], "(")
	parameters, body, closed := strings.Cut(rest, ")")
	name = strings.Trim(name, " \t")
	if !found || !closed || !value.IsName(name) || slices.Contains(awkFunctions, name) || slices.Contains(awkOutside, name) ||
		strings.ToUpper(name) == name || !strings.HasPrefix(strings.TrimLeft(body, " \t\n"), "{") {
		r.refuse()
		return
	}
	for parameter := range strings.SplitSeq(parameters, ",") {
		if parameter = strings.Trim(parameter, " \t"); parameter != "" && (!value.IsName(parameter) || slices.Contains(awkOutside, parameter)) {
			r.refuse()
			return
		}
	}
	r.defined = append(r.defined, name)
	r.pos = len(r.text) - len(body)
	r.operand, r.word, r.closed = false, "", false
}

// awkBeforeRegex are words behind which a slash begins a regex, in every awk.
var awkBeforeRegex = []string{"print", "printf", "return", "in", "else", "do", "exit"}

// dividedAlike reports whether all awks read a slash behind a word the same way.
// Only some know the words of switch, and a function without brackets takes an
// operand here and none there.
func dividedAlike(word string) bool {
	if slices.Contains(awkBeforeRegex, word) {
		return true
	}
	return word != "case" && word != "default" && !slices.Contains(awkFunctions, word)
}

// stream reads a redirection to a standard stream, the only one that is no
// file, up to the end of its statement.
func (r *awkReader) stream() {
	for _, name := range []string{`"/dev/stderr"`, `"/dev/stdout"`} {
		rest, ok := strings.CutPrefix(strings.TrimLeft(r.text[r.pos+1:], " \t"), name)
		if !ok {
			continue
		}
		if rest = strings.TrimLeft(rest, " \t"); rest == "" || strings.IndexByte(";}\n", rest[0]) >= 0 {
			r.pos = len(r.text) - len(rest)
			r.verdict.Streams = append(r.verdict.Streams, strings.Trim(name, `"`))
			return
		}
	}
	r.refuse()
}

func (r *awkReader) operator(c byte) {
	switch two := r.text[r.pos:min(r.pos+2, len(r.text))]; two {
	case "||", "&&", "++", "--":
		r.operand = two == "++" || two == "--"
		r.closed = r.operand
		r.pos += 2
		return
	}
	r.operand = c == ')' || c == ']'
	if c == '>' && r.printing {
		r.stream()
		return
	}
	if strings.IndexByte("|@`\\'", c) >= 0 || c >= 0x80 {
		r.refuse()
	}
	r.pos++
}

// PrintsRecordNumbers reports whether a program prints numbers of records and nothing else: {print NR} behind END,
// or behind a regular expression. one is true if it prints one number.
func PrintsRecordNumbers(program string) (one, ok bool) {
	text := strings.TrimSpace(program)
	rest, end := strings.CutPrefix(text, "END")
	if text = strings.TrimSpace(rest); strings.HasPrefix(text, "/") {
		at := regexEnd(text, 0)
		if at < 0 || end {
			return false, false
		}
		text = strings.TrimSpace(text[at:])
	}
	inner, closed := strings.CutSuffix(strings.TrimPrefix(text, "{"), "}")
	if !closed || !strings.HasPrefix(text, "{") {
		return false, false
	}
	switch strings.Join(strings.Fields(strings.ReplaceAll(inner, ";", " ; ")), " ") {
	case "print NR ; exit", "print FNR ; exit":
		return true, true
	case "print NR", "print NR ;", "print FNR":
		return end, true
	}
	return false, false
}
