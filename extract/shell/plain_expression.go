package shell

import (
	"slices"
	"strings"
)

// Of PowerShell's expressions those are read that do no more than a cmdlet does that
// the table explains, and they are read as that one:
//
//	(Get-Content a.json | ConvertFrom-Json).version   … | Select-Object -ExpandProperty version
//	(Get-Content a.txt)[9..20]                        … | Select-Object -Index 9..20
//	Where-Object { $_.Length -gt 1KB -and !$_.Name }  Where-Object -Property Length -gt -Value 1KB -Not -Property Name
//	ForEach-Object { $_.Name }                        Select-Object -ExpandProperty Name
//	"--- README ---"                                  Write-Output "--- README ---"
//	$PSVersionTable.PSVersion                         Write-Output $PSVersionTable | Select-Object -ExpandProperty PSVersion
//
// None of them calls anything: no parenthesis stands behind the name of a member, and
// a member is a property of what a command that is explained itself hands on.

// shownVariables are those of PowerShell itself whose values show nothing of an environment.
var shownVariables = []string{"psversiontable", "pwd", "lastexitcode"}

// blockOperators are the operators of a block that Where-Object has as parameters, too.
var blockOperators = []string{
	"-eq", "-ne", "-gt", "-lt", "-ge", "-le", "-like", "-notlike", "-match", "-notmatch", "-contains", "-notcontains", "-in", "-notin",
	"-ceq", "-cne", "-clike", "-cnotlike", "-cmatch", "-cnotmatch",
}

// expression reads an expression in the place of a command, or a block behind a cmdlet
// that takes one. handled is false where neither stands here.
func (l *plainLexer) expression() (handled, ok bool) {
	if l.dialect != powershell {
		return false, false
	}
	head := len(l.command.words) == 0
	switch c := l.text[l.at]; {
	case c == '(' && head:
		return true, l.group() && l.members(true)
	case c == '$' && head:
		return true, l.variable() && l.members(false)
	case (c == '%' || c == '?') && head && strings.HasPrefix(strings.TrimLeft(l.text[l.at+1:], " \t"), "{"):
		name := map[byte]string{'%': "ForEach-Object", '?': "Where-Object"}[c]
		l.command.words = append(l.command.words, plainWord{text: name})
		l.at++
		return true, true
	case (c == '"' || c == '\'') && head:
		return true, l.shownText(c)
	case c|0x20 == 'f' && head && l.loops():
		return true, l.loop()
	case c == '{' && len(l.command.words) == 1 && !l.comma && !l.closed:
		return true, l.block(strings.ToLower(l.command.words[0].text))
	}
	return false, false
}

// group reads a pipeline in parentheses, whose commands come to be those of the line.
func (l *plainLexer) group() bool {
	if l.inner || l.command.operator == "|" {
		return false
	}
	inside := plainLexer{text: l.text, dialect: l.dialect, at: l.at + 1, inner: true, command: plainCommand{operator: l.command.operator}}
	for inside.at < len(inside.text) && inside.text[inside.at] != ')' {
		if !inside.step() {
			return false
		}
	}
	if inside.at == len(inside.text) || len(inside.command.words) == 0 || inside.comma {
		return false
	}
	l.commands = append(l.commands, inside.commands...)
	l.command, l.at = inside.command, inside.at+1
	return l.at < len(l.text) && (l.text[l.at] == '.' || l.text[l.at] == '[')
}

// variable reads the name of a variable that may be shown.
func (l *plainLexer) variable() bool {
	l.at++
	name := l.name()
	if l.command.operator == "|" || !slices.Contains(shownVariables, strings.ToLower(name)) {
		return false
	}
	l.command.words = []plainWord{{text: "Write-Output"}, {text: "$" + name, quoted: true}}
	return true
}

// shownText reads a string that is a command of its own, which prints it.
func (l *plainLexer) shownText(quote byte) bool {
	text, ok := l.quoted(quote)
	if !ok || !l.boundary(l.at) || l.command.operator == "|" {
		return false
	}
	l.command.words = []plainWord{{text: "Write-Output"}, {text: text, quoted: true}}
	l.closed = true
	return true
}

// members reads the properties that stand behind an expression, and an index or a range
// where those may stand, to its end.
func (l *plainLexer) members(indexed bool) bool {
	for l.at < len(l.text) && !l.boundary(l.at) {
		l.at++
		switch l.text[l.at-1] {
		case '.':
			name := l.name()
			if name == "" {
				return false
			}
			l.pipe("-ExpandProperty", name)
		case '[':
			end := strings.IndexByte(l.text[l.at:], ']')
			if !indexed || end < 1 || strings.Trim(l.text[l.at:l.at+end], "0123456789.-") != "" {
				return false
			}
			l.pipe("-Index", l.text[l.at:l.at+end])
			l.at += end + 1
		default:
			return false
		}
	}
	l.closed = true
	return true
}

// pipe hands what the command prints to Select-Object.
func (l *plainLexer) pipe(option, value string) {
	l.commands = append(l.commands, l.command)
	l.command = plainCommand{operator: "|", words: []plainWord{{text: "Select-Object"}, {text: option}, {text: value, quoted: true}}}
}

// name reads letters, digits and underscores.
func (l *plainLexer) name() string {
	start := l.at
	for l.at < len(l.text) {
		c := l.text[l.at]
		if letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'; !letter && (l.at == start || c < '0' || c > '9') {
			break
		}
		l.at++
	}
	return l.text[start:l.at]
}

// block reads the block of a cmdlet: blockOperators for Where-Object, a property for
// ForEach-Object.
func (l *plainLexer) block(cmdlet string) bool {
	l.at++
	l.blanks()
	switch cmdlet {
	case "foreach-object":
		names, ok := l.item()
		if l.blanks(); !ok || len(names) == 0 || !l.take("}") {
			return false
		}
		l.command.words = []plainWord{{text: "Select-Object"}, {text: "-ExpandProperty"}, {text: names[0], quoted: true}}
		for _, name := range names[1:] {
			l.pipe("-ExpandProperty", name)
		}
	case "where-object", "where":
		for {
			if !l.clause() {
				return false
			}
			if l.take("}") {
				break
			}
			if joined := l.operatorWord(); joined != "-and" && joined != "-or" {
				return false
			}
		}
	default:
		return false
	}
	l.closed = true
	return l.boundary(l.at)
}

// clause reads one condition of a block, and the blanks behind it: a property, or the
// item itself, that may be compared with plain values.
func (l *plainLexer) clause() bool {
	l.blanks()
	if l.take("!") || strings.HasPrefix(strings.ToLower(l.text[l.at:]), "-not ") && l.operatorWord() == "-not" {
		l.command.words = append(l.command.words, plainWord{text: "-Not"})
		l.blanks()
	}
	names, ok := l.item()
	if !ok {
		return false
	}
	if len(names) > 0 {
		l.command.words = append(l.command.words, plainWord{text: "-Property"}, plainWord{text: strings.Join(names, "."), quoted: true})
	}
	before := l.at
	l.blanks()
	rest := strings.ToLower(l.text[l.at:])
	if strings.HasPrefix(rest, "}") || strings.HasPrefix(rest, "-and ") || strings.HasPrefix(rest, "-or ") {
		return len(names) > 0
	}
	operator := l.operatorWord()
	if plain, is := strings.CutPrefix(operator, "-i"); is && operator != "-in" {
		operator = "-" + plain
	}
	if before == l.at || !slices.Contains(blockOperators, operator) {
		return false
	}
	l.command.words = append(l.command.words, plainWord{text: operator})
	for {
		l.blanks()
		value, ok := l.literal()
		if !ok {
			return false
		}
		l.command.words = append(l.command.words, plainWord{text: "-Value"}, plainWord{text: value, quoted: true})
		if l.blanks(); !l.take(",") {
			return true
		}
	}
}

// item reads $_ and the names of properties behind it.
func (l *plainLexer) item() (names []string, ok bool) {
	if !l.take("$_") {
		return nil, false
	}
	for l.take(".") {
		name := l.name()
		if name == "" {
			return nil, false
		}
		names = append(names, name)
	}
	return names, l.at < len(l.text) && strings.IndexByte(" \t}", l.text[l.at]) >= 0
}

// literal reads a string without expansion, a number, or a constant.
func (l *plainLexer) literal() (string, bool) {
	if l.at == len(l.text) {
		return "", false
	}
	if c := l.text[l.at]; c == '"' || c == '\'' {
		text, ok := l.quoted(c)
		return text, ok && l.ends()
	}
	start := l.at
	for _, constant := range []string{"$true", "$false", "$null"} {
		if len(l.text)-l.at >= len(constant) && strings.EqualFold(l.text[l.at:l.at+len(constant)], constant) {
			l.at += len(constant)
			return l.text[start:l.at], l.ends()
		}
	}
	for l.at < len(l.text) && l.text[l.at] >= '0' && l.text[l.at] <= '9' {
		l.at++
	}
	digits := l.at - start
	unit := strings.ToLower(l.name())
	return l.text[start:l.at], digits > 0 && l.ends() && slices.Contains([]string{"", "kb", "mb", "gb"}, unit)
}

// ends reports whether a value of a block surely ends here.
func (l *plainLexer) ends() bool {
	return l.at < len(l.text) && strings.IndexByte(" \t},", l.text[l.at]) >= 0
}

func (l *plainLexer) blanks() {
	for l.at < len(l.text) && (l.text[l.at] == ' ' || l.text[l.at] == '\t') {
		l.at++
	}
}

// take skips text that stands here.
func (l *plainLexer) take(text string) bool {
	if !strings.HasPrefix(l.text[l.at:], text) {
		return false
	}
	l.at += len(text)
	return true
}

// operatorWord reads a dash and letters, in lower case, with a blank behind them.
func (l *plainLexer) operatorWord() string {
	if !l.take("-") {
		return ""
	}
	name := l.name()
	if name == "" || l.at == len(l.text) || l.text[l.at] != ' ' {
		return ""
	}
	return "-" + strings.ToLower(name)
}
