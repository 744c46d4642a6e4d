package lines

import (
	"regexp"
	"strings"
)

var tokenPattern = regexp.MustCompile(`[A-Za-z0-9_./-]+|[ \t]+|\n|&&|\|\||>>|<<|\$\(|\$\{|(?s:.)`)

// Tokens splits a line at the borders that a shell sees, roughly, and loses nothing.
func Tokens(line string) []string { return tokenPattern.FindAllString(line, -1) }

// fragments are what is thrown into a line.
var fragments = []string{
	" ", "\t", "\n", "\r", "\\\n", "\\\r\n", ";", "&", "|", "&&", "||", "(", ")", "{", "}", "$(", "`", "'", `"`, "\\", "#", " #", "# ",
	"$", "${", "<<", "<", ">", ">&", "<(", "!", "*", "?", "[", "]", "~", "=", ",", "-", "--", "\\ ", "rm", " rm x ", "; rm x", "\nrm x\n",
	"$'", "''", `""`, "EOF", "in", "do", "done", "then", "fi", "esac", ";;", "time", "!(", "@(", "{a,b}", "$x", "\u00a0", "\u200b", "\v",
	"\f", "\x01", "\x7f", "&>", "|&", "[[", "]]", "((", "))", "coproc ", "function ", "exec ", "eval ", ". ", "<<-", "<<<", "\xff", "%", "^",
	"\\\n#", "\n#", "#\\\n", "$((", "$[", "case ", "select ", "x=", "x+=(", "{", " }", "; }", "{fd}>", "2>", "1", "\x00",
}

// mutated changes a line in one place.
func (g *generator) mutated(line string) string {
	list := Tokens(line)
	if len(list) == 0 {
		return g.pick(fragments)
	}
	at := g.IntN(len(list))
	switch g.IntN(9) {
	case 0:
		list[at] = ""
	case 1, 2:
		list[at] += g.pick(fragments)
	case 3:
		list[at] = g.pick(fragments)
	case 4:
		other := g.IntN(len(list))
		list[at], list[other] = list[other], list[at]
	case 5:
		list[at] = g.requoted(list[at])
	case 6:
		list[at] += list[at]
	case 7:
		other := Tokens(g.knownLine())
		from := g.IntN(len(other))
		list[at] += strings.Join(other[from:min(len(other), from+1+g.IntN(5))], "")
	case 8:
		return strings.Join(list[:at], "")
	}
	return strings.Join(list, "")
}

// requoted writes the same word in another way.
func (g *generator) requoted(word string) string {
	switch g.IntN(7) {
	case 0:
		return "'" + word + "'"
	case 1:
		return `"` + word + `"`
	case 2:
		return "\\" + word
	case 3:
		return "$'" + word + "'"
	case 4:
		return word[:len(word)/2] + `""` + word[len(word)/2:]
	case 5:
		return word[:len(word)/2] + "\\\n" + word[len(word)/2:]
	}
	return `$"` + word + `"`
}
