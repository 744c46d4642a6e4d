package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainWord is one argument of a plain line.
type plainWord struct {
	text string
	// quoted is true for an argument that is one quoted string: it is never an
	// option of a cmdlet.
	quoted bool
	// more is true when a comma ties it to the argument before it.
	more bool
	// parted is true for unquoted text with a character that cmd's own
	// commands split at, and programs don't.
	parted bool
}

// plainCommand is one command of a plain line, and the operator before it:
// "" for the first, ";", "&&", "||" or "|".
type plainCommand struct {
	operator string
	words    []plainWord
}

// plainLine splits a line of plain words: what PowerShell and cmd read alike in
// every version and with every setting. It reports false for any other.
func plainLine(text string, dialect dialect) ([]plainCommand, bool) {
	if strings.ContainsAny(text, "\n\r") || dialect == cmd && strings.ContainsAny(text, "%!") {
		return nil, false
	}
	l := plainLexer{text: text, dialect: dialect}
	for l.at < len(l.text) {
		if !l.step() {
			return nil, false
		}
	}
	if len(l.command.words) == 0 || l.comma {
		return nil, false
	}
	return append(l.commands, l.command), true
}

// dialect is a command language of Windows.
type dialect uint8

const (
	powershell dialect = iota
	cmd
)

// windowsDialect returns the dialect of a shell by its name.
func windowsDialect(name string) (dialect, bool) {
	name = strings.ToLower(name)
	name = strings.TrimSuffix(name[strings.LastIndexAny(name, `/\`)+1:], ".exe")
	switch name {
	case "powershell", "pwsh":
		return powershell, true
	case "cmd":
		return cmd, true
	}
	return 0, false
}

// OfWindows reports whether a shell is one of Windows' own: to others, NUL is a file like
// any other, and /dev/null the device.
func OfWindows(name string) bool {
	_, ok := windowsDialect(name)
	return ok
}

type plainLexer struct {
	text     string
	dialect  dialect
	at       int
	commands []plainCommand
	command  plainCommand
	comma    bool // the last token was a comma
}

// step reads one token.
func (l *plainLexer) step() bool {
	switch c := l.text[l.at]; c {
	case ' ', '\t':
		l.at++
		return true
	case '|', '&', ';':
		return l.operator(c)
	case ',':
		if l.dialect != powershell || l.comma || len(l.command.words) < 2 || strings.IndexByte(" \t", l.text[l.at-1]) >= 0 {
			return false
		}
		l.comma = true
		l.at++
		return true
	}
	if n := l.redirection(); n > 0 {
		l.at += n
		return len(l.command.words) > 0 && !l.comma
	}
	word, ok := l.word()
	if !ok {
		return false
	}
	if len(l.command.words) == 0 && !plainName(word, l.dialect) {
		return false
	}
	word.more, l.comma = l.comma, false
	l.command.words = append(l.command.words, word)
	return true
}

// operator ends the command.
func (l *plainLexer) operator(c byte) bool {
	operator := string(c)
	if double := l.text[l.at:min(l.at+2, len(l.text))]; double == "||" || double == "&&" {
		operator = double
	}
	l.at += len(operator)
	switch {
	case l.comma, len(l.command.words) == 0, l.dialect == cmd && c == ';', l.dialect == powershell && operator == "&":
		return false
	case operator == "&":
		operator = ";"
	case operator == ";" && strings.Trim(l.text[l.at:], " \t") == "":
		return true // nothing behind it
	}
	l.commands = append(l.commands, l.command)
	l.command = plainCommand{operator: operator}
	return true
}

// redirections are the ones that open no file, in full.
var redirections = [2][]string{
	powershell: {"2>&1", "2>$null", "2> $null", ">$null", "> $null", "*>$null", "*> $null", "1>$null"},
	cmd:        {"2>&1", "2>nul", "2> nul", ">nul", "> nul", "1>nul", "1> nul"},
}

// redirection returns the length of a redirection to nowhere that stands as a
// word of its own, or 0.
func (l *plainLexer) redirection() int {
	if l.at > 0 && !strings.ContainsRune(" \t", rune(l.text[l.at-1])) {
		return 0
	}
	for _, known := range redirections[l.dialect] {
		end := l.at + len(known)
		if end <= len(l.text) && strings.EqualFold(l.text[l.at:end], known) && l.boundary(end) {
			return len(known)
		}
	}
	return 0
}

// boundary reports whether a word that ends before at ends there surely.
func (l *plainLexer) boundary(at int) bool {
	if at == len(l.text) {
		return true
	}
	switch l.text[at] {
	case ' ', '\t', '|':
		return true
	case ';', ',':
		return l.dialect == powershell
	case '&':
		return l.dialect == cmd || strings.HasPrefix(l.text[at:], "&&")
	}
	return false
}

// word reads one word: a string, or plain characters, or an option with a
// string attached to it.
func (l *plainLexer) word() (plainWord, bool) {
	start := l.at
	for l.at < len(l.text) && !l.boundary(l.at) {
		c := l.text[l.at]
		if c == '"' || c == '\'' && l.dialect == powershell {
			before := l.text[start:l.at]
			if before != "" && !attaches(before) {
				return plainWord{}, false
			}
			text, ok := l.quoted(c)
			return plainWord{text: before + text, quoted: before == "", parted: parted(before)}, ok && l.boundary(l.at)
		}
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			// PowerShell reads other dashes and quotes as the plain ones.
			if r, size = utf8.DecodeRuneInString(l.text[l.at:]); !plainRune(r) {
				return plainWord{}, false
			}
		} else if !l.plainByte(c) {
			return plainWord{}, false
		}
		l.at += size
	}
	text := l.text[start:l.at]
	return plainWord{text: text, parted: parted(text)}, true
}

func parted(text string) bool { return strings.ContainsAny(text, ",;=") }

// plainRune reports whether a character beyond ASCII is a letter or a digit and
// no wide form, which programs without Unicode get as the plain character.
func plainRune(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && (r < 0xff00 || r > 0xffef)
}

// attaches reports whether text is an option that a quoted value may follow.
func attaches(text string) bool {
	last := text[len(text)-1]
	return (text[0] == '-' || text[0] == '/') && len(text) > 2 && (last == ':' || last == '=')
}

func (l *plainLexer) plainByte(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(`_-./\:=+*?~`, c) >= 0:
		return true
	case l.dialect == powershell:
		return c == '%' || c == '^' || c == '!'
	}
	return strings.IndexByte("#$[]{}@,;=", c) >= 0
}

// quoted reads a string whose text is what stands between the quotes.
func (l *plainLexer) quoted(quote byte) (string, bool) {
	var out strings.Builder
	for l.at++; l.at < len(l.text); l.at++ {
		c := l.text[l.at]
		doubled := l.at+1 < len(l.text) && l.text[l.at+1] == quote
		switch {
		case c == quote && doubled && quote == '\'':
			l.at++
		case c == quote && (doubled || l.dialect == cmd && l.text[l.at-1] == '\\'):
			return "", false // cmd and the program that is started differ about these
		case c == quote:
			l.at++
			return out.String(), true
		case quote == '"' && l.dialect == powershell && (c == '$' || c == '`'):
			return "", false
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(l.text[l.at:])
			if !plainRune(r) {
				return "", false // one of the other quotes may end the string
			}
			out.WriteRune(r)
			l.at += size - 1
			continue
		}
		out.WriteByte(l.text[l.at])
	}
	return "", false
}

// reserved are the words that PowerShell and cmd read as syntax in the place of
// a command.
const reserved = " begin break call catch class clean configuration continue data define do dynamicparam else elseif end enum " +
	"exit filter finally for foreach from function goto if in inlinescript parallel param process rem return sequence start " +
	"switch throw trap try until using var while workflow "

// plainName reports whether a word names a command and is nothing else: no
// expression, no keyword, no dot that sources, no builtin with its first
// argument attached.
func plainName(word plainWord, dialect dialect) bool {
	text := strings.ToLower(word.text)
	if word.quoted || word.parted || text == "" || strings.Contains(reserved, " "+text+" ") {
		return false
	}
	name := strings.TrimPrefix(text, `.\`)
	for i := range len(name) {
		c := name[i]
		if letter := c >= 'a' && c <= 'z' || c >= utf8.RuneSelf; !letter && (i == 0 || strings.IndexByte(`0123456789-_.\:`, c) < 0) {
			return false
		}
	}
	if dialect == cmd {
		stem, _, cut := strings.Cut(text, ".")
		return !strings.HasSuffix(text, ":") &&
			(!cut || text[len(stem):] == ".exe" || text[len(stem):] == ".com" || text[len(stem):] == ".cmd" || strings.Contains(text, `\`))
	}
	return !strings.HasSuffix(text, ":") && !strings.HasSuffix(text, ".")
}

// plainPieces cuts a line that is not plain into words that deny rules can look
// at, one list per command that may be in it.
func plainPieces(text string) [][]string {
	var out [][]string
	for _, command := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("|;&(){}<>\n\r", r) }) {
		words := strings.FieldsFunc(command, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune("\"'`,=@^‘’‚‛“”„", r)
		})
		if len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}
