package shell

import (
	"slices"
	"strings"
)

// loopVariables are names that scripts give to what they go through. PowerShell itself
// reads none of them; to others, what a line puts into them could matter.
var loopVariables = []string{
	"d", "dir", "f", "file", "folder", "i", "item", "m", "n", "name", "p", "path", "pattern", "proj", "project", "s", "x",
}

// loops reports whether a loop begins here: foreach ($f in 'a', 'b') { … }.
func (l *plainLexer) loops() bool {
	const word = "foreach"
	end := l.at + len(word)
	return end < len(l.text) && strings.EqualFold(l.text[l.at:end], word) && strings.HasPrefix(strings.TrimLeft(l.text[end:], " \t"), "(")
}

// loop reads a loop over plain strings as its body once for each of them.
func (l *plainLexer) loop() bool {
	if l.inner || l.command.operator != "" && l.command.operator != ";" {
		return false
	}
	l.at += len("foreach")
	name, values, ok := l.loopHead()
	if !ok {
		return false
	}
	end := strings.IndexByte(l.text[l.at:], '}')
	if end < 0 {
		return false
	}
	body := l.text[l.at : l.at+end]
	l.at += end + 1
	if strings.ContainsAny(body, "(){") || len(values)*len(body) > maxLoop {
		return false
	}
	for i, value := range values {
		if i > 0 {
			l.commands = append(l.commands, l.command)
			l.command = plainCommand{operator: ";"}
		}
		text, ok := loopBody(body, name, value)
		if !ok {
			return false
		}
		once := plainLexer{text: text, dialect: l.dialect, command: l.command}
		for once.at < len(once.text) {
			if !once.step() {
				return false
			}
		}
		if len(once.command.words) == 0 || once.comma {
			return false
		}
		l.commands, l.command = append(l.commands, once.commands...), once.command
	}
	l.closed, l.statement = true, true
	return l.boundary(l.at)
}

// maxLoop bounds the text that a loop stands for.
const maxLoop = 8 << 10

// loopHead reads ($name in 'a', "b") and the brace behind it.
func (l *plainLexer) loopHead() (name string, values []string, ok bool) {
	if l.blanks(); !l.take("(") {
		return "", nil, false
	}
	if l.blanks(); !l.take("$") {
		return "", nil, false
	}
	name = strings.ToLower(l.name())
	before := l.at
	l.blanks()
	in := strings.ToLower(l.name())
	after := l.at
	l.blanks()
	if before == after || in != "in" || after == l.at || !slices.Contains(loopVariables, name) {
		return "", nil, false
	}
	for {
		l.blanks()
		if l.at == len(l.text) || l.text[l.at] != '"' && l.text[l.at] != '\'' {
			return "", nil, false
		}
		value, ok := l.quoted(l.text[l.at])
		if !ok || !plainValue(value) {
			return "", nil, false
		}
		values = append(values, value)
		if l.blanks(); !l.take(",") {
			break
		}
	}
	if !l.take(")") {
		return "", nil, false
	}
	l.blanks()
	return name, values, l.take("{")
}

// plainValue reports whether a value is the same word in quotes and without.
func plainValue(value string) bool {
	for i := range len(value) {
		if c := value[i]; !letterOrDigit(c) && strings.IndexByte(`_-./\*`, c) < 0 {
			return false
		}
	}
	return value != "" && value[0] != '-' && value[len(value)-1] != '\\'
}

// loopBody puts a value in the place of a variable: a word of its own, or a part of a
// string that expands. Any other dollar stays, and is none of the plain form.
func loopBody(body, name, value string) (string, bool) {
	body = strings.TrimRight(strings.Trim(body, " \t"), "; \t")
	var out strings.Builder
	quote := byte(0)
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case c == quote:
			quote = 0
		case c >= 0x80 || c == '`':
			return "", false // other quotes, and escapes
		case c == '$' && quote != '\'' && len(body)-i > len(name) && strings.EqualFold(body[i+1:i+1+len(name)], name):
			end := i + 1 + len(name)
			ends := end == len(body) || strings.IndexByte(" \t;|", body[end]) >= 0
			if quote == '"' {
				ends = end < len(body) && !strings.ContainsRune(":_?", rune(body[end])) && !letterOrDigit(body[end])
			}
			starts := quote == '"' || i > 0 && strings.IndexByte(" \t", body[i-1]) >= 0
			if !ends || !starts {
				return "", false
			}
			if quote == 0 {
				out.WriteString("'" + value + "'")
			} else {
				out.WriteString(value)
			}
			i = end - 1
			continue
		}
		out.WriteByte(c)
	}
	return out.String(), quote == 0 && out.Len() > 0
}

func letterOrDigit(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
