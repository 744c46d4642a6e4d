// Package sql tells statements that only read a database from all others, without a grammar of
// any dialect: it knows tokens, the words that a reading statement can't hold, and the functions
// that it may call. What it doesn't know isn't reading.
package sql

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Dialects whose texts can be read.
const (
	// SQLite is the language of the sqlite3 program: statements, and commands of its own on
	// lines that begin with a dot.
	SQLite = "sqlite"
	// Postgres is the language of psql -c: statements, or one command of its own that begins
	// with a backslash.
	Postgres = "postgres"
)

//go:embed dialects.json
var dialectData []byte

// dialect is an entry of dialects.json. All words are in lower case.
type dialect struct {
	// First are the words that a reading statement begins with.
	First []string `json:"first"`
	// Refused are words that no reading statement holds, whether they are quoted as names or not.
	// One that is also a function may stand before a parenthesis.
	Refused []string `json:"refused"`
	// Functions are those that neither change anything nor reach a file or a host.
	Functions []string `json:"functions"`
	// Before are other words that may stand before a parenthesis.
	Before []string `json:"before"`
	// Commands are commands of the program itself that only read and print.
	Commands []string `json:"commands"`
	// Prefix is what such commands begin with, "" if there are none.
	Prefix string `json:"prefix"`
	// Names are the quotes of names besides the double ones.
	Names string `json:"names"`
	// Marks are the bytes that stand outside of words, numbers and quotes.
	Marks string `json:"marks"`

	first, refused, functions, before, commands map[string]bool
}

// dialects are read once. Dialect "" holds what the others share.
var dialects = sync.OnceValues(func() (map[string]*dialect, error) {
	var all map[string]*dialect
	if err := json.Unmarshal(dialectData, &all); err != nil {
		return nil, fmt.Errorf("read dialects.json: %w", err)
	}
	shared := all[""]
	for _, d := range all {
		d.first = set(d.First)
		d.refused = set(shared.Refused, d.Refused)
		d.functions = set(shared.Functions, d.Functions)
		d.before = set(shared.Before, d.Before)
		d.commands = set(d.Commands)
	}
	return all, nil
})

func set(lists ...[]string) map[string]bool {
	all := map[string]bool{}
	for _, list := range lists {
		for _, word := range list {
			all[word] = true
		}
	}
	return all
}

// Reads reports whether a text in a dialect does nothing but read the database that the program
// has opened and print. False is no verdict: the text may still be harmless. It holds for the
// database's own tables and functions; a view or an operator may call a function that the database's
// owner defined.
func Reads(name, text string) bool {
	all, err := dialects()
	if err != nil || name == "" || all[name] == nil {
		return false
	}
	d := all[name]
	switch {
	case d.Prefix == `\` && strings.HasPrefix(text, d.Prefix):
		return d.command(text)
	case d.Prefix == ".":
		var ok bool
		if text, ok = d.withoutCommands(text); !ok {
			return false
		}
	}
	r := reader{dialect: d, text: text}
	return r.statements()
}

// commandBytes are those that a command may consist of behind its prefix: no quotes, so that what
// is taken for a command within a string changes nothing of how the rest is read.
const commandBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_%*.+ \t"

// command reports whether a line is a command of the program that only reads.
func (d *dialect) command(line string) bool {
	line = strings.TrimPrefix(line, d.Prefix)
	name, _, _ := strings.Cut(line, " ")
	return d.commands[name] && strings.Trim(line, commandBytes) == ""
}

// withoutCommands takes the lines out that are commands. It reports false if one of them isn't known
// to read.
func (d *dialect) withoutCommands(text string) (string, bool) {
	if !strings.Contains(text, d.Prefix) {
		return text, true
	}
	var rest strings.Builder
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(strings.TrimLeft(bare, " \t"), d.Prefix) {
			if !d.command(bare) {
				return "", false
			}
			line = "\n"
		}
		rest.WriteString(line)
	}
	return rest.String(), true
}

// reader reads a text token by token.
type reader struct {
	dialect *dialect
	text    string
	pos     int
}

// token is one word, quoted name, or mark. Strings and numbers have no text.
type token struct {
	kind byte // 'w' a word, 'n' a quoted name, 's' a string or number, 0 the end, '!' what isn't known; else the mark itself
	text string
}

// statements reports whether every statement of the text only reads.
func (r *reader) statements() bool {
	begun := false
	last, before := token{kind: ';'}, token{}
	for {
		t := r.next()
		switch {
		case t.kind == '!':
			return false
		case t.kind == 0:
			return true
		case t.kind == ';':
			begun = false
		case begun:
			if t.kind == '(' && !r.called(last, before) {
				return false
			}
		case t.kind != '(':
			begun = t.kind == 'w' && r.dialect.first[t.text]
			if !begun {
				return false
			}
		}
		if r.refused(t) {
			return false
		}
		before, last = last, t
	}
}

// refused reports whether a token is a word or name that no reading statement holds. One that is a
// function, too, may be called.
func (r *reader) refused(t token) bool {
	if t.kind != 'w' && t.kind != 'n' || !r.dialect.refused[t.text] {
		return false
	}
	return t.kind == 'n' || r.peek() != '(' || !r.dialect.functions[t.text]
}

// called reports whether a parenthesis may stand behind a token: behind a function of the list, which
// no schema qualifies, or behind anything that is no name.
func (r *reader) called(last, before token) bool {
	switch last.kind {
	case 'w':
		return before.kind != '.' && (r.dialect.functions[last.text] || r.dialect.before[last.text])
	case 'n':
		return false
	}
	return true
}

// peek is the next byte behind blanks, 0 at the end.
func (r *reader) peek() byte {
	rest := strings.TrimLeft(r.text[r.pos:], " \t\r\n")
	if rest == "" {
		return 0
	}
	return rest[0]
}

// unread begin what the dialects read differently: comments that some servers run, and strings with
// escapes of their own.
var unread = []string{"/*", "&'", `&"`}

// next reads a token. A comment is none.
func (r *reader) next() token {
	r.pos = len(r.text) - len(strings.TrimLeft(r.text[r.pos:], " \t\r\n"))
	if r.pos == len(r.text) {
		return token{}
	}
	c := r.text[r.pos]
	switch {
	case slices.ContainsFunc(unread, func(prefix string) bool { return strings.HasPrefix(r.text[r.pos:], prefix) }):
		return token{kind: '!'}
	case c == '-' && strings.HasPrefix(r.text[r.pos:], "--"):
		return r.comment()
	case c == '\'':
		return r.quoted('\'', 's')
	case c == '"' || strings.IndexByte(r.dialect.Names, c) >= 0:
		return r.quoted(c, 'n')
	case wordByte(c):
		return r.word()
	case strings.IndexByte(r.dialect.Marks, c) >= 0:
		r.pos++
		return token{kind: c}
	}
	return token{kind: '!'}
}

// comment skips a comment up to the end of its line. All dialects know those that have a blank
// behind the dashes.
func (r *reader) comment() token {
	rest := r.text[r.pos+2:]
	line, _, _ := strings.Cut(rest, "\n")
	if line != "" && line[0] != ' ' && line[0] != '\t' || strings.ContainsAny(line, "\r") {
		return token{kind: '!'}
	}
	r.pos += 2 + len(line)
	return r.next()
}

// quoted reads a string or a quoted name, in which the quote is doubled. None holds a backslash, which
// only some dialects and settings read as an escape.
func (r *reader) quoted(quote, kind byte) token {
	for at := r.pos + 1; at < len(r.text); at++ {
		switch r.text[at] {
		case '\\', 0:
			return token{kind: '!'}
		case quote:
			if at+1 < len(r.text) && r.text[at+1] == quote {
				at++
				continue
			}
			text := strings.ToLower(r.text[r.pos+1 : at])
			if at+1 < len(r.text) && (wordByte(r.text[at+1]) || r.text[at+1] == '\'') {
				return token{kind: '!'}
			}
			r.pos = at + 1
			return token{kind: kind, text: text}
		}
	}
	return token{kind: '!'}
}

// word reads a word or a number. A quote behind it would make it the prefix of a string with rules
// of its own.
func (r *reader) word() token {
	end := r.pos
	for end < len(r.text) && wordByte(r.text[end]) {
		end++
	}
	text := strings.ToLower(r.text[r.pos:end])
	r.pos = end
	if end < len(r.text) && strings.IndexByte(`'"`+"`", r.text[end]) >= 0 {
		return token{kind: '!'}
	}
	if text[0] > '9' {
		return token{kind: 'w', text: text}
	}
	if strings.Trim(text, "0123456789") != "" {
		return token{kind: '!'} // some servers read a word that follows a number at once as one of its own
	}
	return token{kind: 's'}
}

// wordByte reports whether a byte is part of a word or number in all dialects. Letters beyond ASCII
// are left out: the dialects differ in them.
func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
