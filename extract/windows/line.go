// Package windows splits command lines of PowerShell and cmd into words. It takes what both
// read literally and in one way, and refuses the rest: neither language has a parser here. What
// a command does, extract/shell knows.
package windows

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Word is one argument.
type Word struct {
	Text string
	// Quoted is true for an argument that is one quoted string: it is never an
	// option of a cmdlet.
	Quoted bool
	// Joined is true if a comma ties it to the argument before it.
	Joined bool
	// Splits is true for unquoted text with a character that cmd's own
	// commands split at, and programs don't.
	Splits bool
}

// Command is one command of a line, and the operator before it: "" for the first, ";",
// "&&", "||" or "|".
type Command struct {
	Operator string
	Words    []Word
}

// Parse splits a line of literal words: what the dialect reads in one way in every version
// and with every setting. It reports false for any other.
func Parse(text string, dialect Dialect) ([]Command, bool) {
	if strings.ContainsAny(text, "\n\r") || dialect == Cmd && strings.ContainsAny(text, "%!") {
		return nil, false
	}
	l := lexer{text: text, dialect: dialect}
	for l.at < len(l.text) {
		if !l.step() {
			return nil, false
		}
	}
	if len(l.command.Words) == 0 || l.comma {
		return nil, false
	}
	return append(l.commands, l.command), true
}

// Dialect is a command language of Windows.
type Dialect uint8

// The dialects.
const (
	PowerShell Dialect = iota
	Cmd
)

// DialectOf returns the dialect of a shell by its name.
func DialectOf(name string) (Dialect, bool) {
	name = strings.ToLower(name)
	name = strings.TrimSuffix(name[strings.LastIndexAny(name, `/\`)+1:], ".exe")
	switch name {
	case "powershell", "pwsh":
		return PowerShell, true
	case "cmd":
		return Cmd, true
	}
	return 0, false
}

// Is reports whether a shell is one of Windows' own: to others, NUL is a file like
// any other, and /dev/null the device.
func Is(name string) bool {
	_, ok := DialectOf(name)
	return ok
}

type lexer struct {
	text     string
	dialect  Dialect
	at       int
	commands []Command
	command  Command
	comma    bool // the last token was a comma
}

// step reads one token.
func (l *lexer) step() bool {
	switch c := l.text[l.at]; c {
	case ' ', '\t':
		l.at++
		return true
	case '|', '&', ';':
		return l.operator(c)
	case ',':
		if l.dialect != PowerShell || l.comma || len(l.command.Words) < 2 || strings.IndexByte(" \t", l.text[l.at-1]) >= 0 {
			return false
		}
		l.comma = true
		l.at++
		return true
	}
	if n := l.redirection(); n > 0 {
		l.at += n
		return len(l.command.Words) > 0 && !l.comma
	}
	word, ok := l.word()
	if !ok {
		return false
	}
	if len(l.command.Words) == 0 && !namesCommand(word, l.dialect) {
		return false
	}
	word.Joined, l.comma = l.comma, false
	l.command.Words = append(l.command.Words, word)
	return true
}

// operator ends the command.
func (l *lexer) operator(c byte) bool {
	operator := string(c)
	if double := l.text[l.at:min(l.at+2, len(l.text))]; double == "||" || double == "&&" {
		operator = double
	}
	l.at += len(operator)
	switch {
	case l.comma, len(l.command.Words) == 0, l.dialect == Cmd && c == ';', l.dialect == PowerShell && operator == "&":
		return false
	case operator == "&":
		operator = ";"
	case operator == ";" && strings.Trim(l.text[l.at:], " \t") == "":
		return true // nothing behind it
	}
	l.commands = append(l.commands, l.command)
	l.command = Command{Operator: operator}
	return true
}

// redirections are the ones that open no file, in full.
var redirections = [2][]string{
	PowerShell: {"2>&1", "2>$null", "2> $null", ">$null", "> $null", "*>$null", "*> $null", "1>$null"},
	Cmd:        {"2>&1", "2>nul", "2> nul", ">nul", "> nul", "1>nul", "1> nul"},
}

// redirection returns the length of a redirection to nowhere that stands as a
// word of its own, or 0.
func (l *lexer) redirection() int {
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
func (l *lexer) boundary(at int) bool {
	if at == len(l.text) {
		return true
	}
	switch l.text[at] {
	case ' ', '\t', '|':
		return true
	case ';', ',':
		return l.dialect == PowerShell
	case '&':
		return l.dialect == Cmd || strings.HasPrefix(l.text[at:], "&&")
	}
	return false
}

// word reads one word: a string, or literal characters, or an option with a
// string attached to it.
func (l *lexer) word() (Word, bool) {
	start := l.at
	for l.at < len(l.text) && !l.boundary(l.at) {
		c := l.text[l.at]
		if c == '"' || c == '\'' && l.dialect == PowerShell {
			before := l.text[start:l.at]
			if before != "" && !attaches(before) {
				return Word{}, false
			}
			text, ok := l.quoted(c)
			return Word{Text: before + text, Quoted: before == "", Splits: splits(before)}, ok && l.boundary(l.at)
		}
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			// PowerShell reads other dashes and quotes as those of ASCII.
			if r, size = utf8.DecodeRuneInString(l.text[l.at:]); !literalRune(r) {
				return Word{}, false
			}
		} else if !l.literalByte(c) {
			return Word{}, false
		}
		l.at += size
	}
	text := l.text[start:l.at]
	return Word{Text: text, Splits: splits(text)}, true
}

func splits(text string) bool { return strings.ContainsAny(text, ",;=") }

// literalRune reports whether a character beyond ASCII is a letter or a digit and
// no wide form, which programs without Unicode get as a character of ASCII.
func literalRune(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r)) && (r < 0xff00 || r > 0xffef)
}

// attaches reports whether text is an option that a quoted value may follow.
func attaches(text string) bool {
	last := text[len(text)-1]
	return (text[0] == '-' || text[0] == '/') && len(text) > 2 && (last == ':' || last == '=')
}

func (l *lexer) literalByte(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(`_-./\:=+*?~`, c) >= 0:
		return true
	case l.dialect == PowerShell:
		return c == '%' || c == '^' || c == '!'
	}
	return strings.IndexByte("#$[]{}@,;=", c) >= 0
}

// quoted reads a string whose text is what stands between the quotes.
func (l *lexer) quoted(quote byte) (string, bool) {
	var out strings.Builder
	for l.at++; l.at < len(l.text); l.at++ {
		c := l.text[l.at]
		doubled := l.at+1 < len(l.text) && l.text[l.at+1] == quote
		switch {
		case c == quote && doubled && quote == '\'':
			l.at++
		case c == quote && l.unclear(doubled):
			return "", false
		case c == quote:
			l.at++
			return out.String(), true
		case quote == '"' && l.expands(c):
			return "", false
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(l.text[l.at:])
			if !literalRune(r) {
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

// unclear reports whether cmd and the program that is started differ about a quote.
func (l *lexer) unclear(doubled bool) bool {
	return doubled || l.dialect == Cmd && l.text[l.at-1] == '\\'
}

// expands reports whether a character in double quotes begins an expansion or an escape.
func (l *lexer) expands(c byte) bool { return l.dialect == PowerShell && (c == '$' || c == '`') }

// reserved are the words that PowerShell and cmd read as syntax in the place of
// a command.
const reserved = " begin break call catch class clean configuration continue data define do dynamicparam else elseif end enum " +
	"exit filter finally for foreach from function goto if in inlinescript parallel param process rem return sequence start " +
	"switch throw trap try until using var while workflow "

// namesCommand reports whether a word names a command and is nothing else: no
// expression, no keyword, no dot that sources, no builtin with its first
// argument attached.
func namesCommand(word Word, dialect Dialect) bool {
	text := strings.ToLower(word.Text)
	if word.Quoted || word.Splits || text == "" || strings.Contains(reserved, " "+text+" ") {
		return false
	}
	if !nameText(strings.TrimPrefix(text, `.\`)) {
		return false
	}
	if dialect == Cmd {
		stem, _, cut := strings.Cut(text, ".")
		return !strings.HasSuffix(text, ":") &&
			(!cut || text[len(stem):] == ".exe" || text[len(stem):] == ".com" || text[len(stem):] == ".cmd" || strings.Contains(text, `\`))
	}
	return !strings.HasSuffix(text, ":") && !strings.HasSuffix(text, ".")
}

// nameText reports whether a text in lower case is made of what names of commands are.
func nameText(name string) bool {
	for i := range len(name) {
		c := name[i]
		if letter := c >= 'a' && c <= 'z' || c >= utf8.RuneSelf; !letter && (i == 0 || strings.IndexByte(`0123456789-_.\:`, c) < 0) {
			return false
		}
	}
	return true
}

// Fragments cuts a line that Parse refuses into words that deny rules can look
// at, one list per command that may be in it.
func Fragments(text string) [][]string {
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

// Stem is a program's name without the extension that is added when it is looked for.
func Stem(name string) string {
	for _, extension := range []string{".exe", ".com"} {
		if stem, ok := strings.CutSuffix(name, extension); ok {
			return stem
		}
	}
	return name
}

// IsParameter reports whether a word is an option of a cmdlet.
func (w Word) IsParameter() bool {
	text := w.Text
	return !w.Quoted && len(text) > 1 && text[0] == '-' && (text[1] < '0' || text[1] > '9') && text[1] != '.'
}
