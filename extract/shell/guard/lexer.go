package guard

import (
	"slices"
	"strings"
	"sync"

	"policyd/extract/value"

	"mvdan.cc/sh/v3/syntax"
)

// The second lexer. It knows nothing of the parser and reads a line by the
// rules of POSIX token recognition, so that a line counts as explained only
// when two readers agree where its words begin and end, and where one command
// ends and the next begins.

// lexed is one word of the line, by byte offsets, with the number of command
// separators before it.
type lexed struct {
	start, end int
	segment    int
}

type lexer struct {
	cursor

	segment int // of the words being read
	last    int // highest segment given out
	words   []lexed
	pending []hereDoc
	depth   int
}

type hereDoc struct {
	delimiter    string
	tabs, quoted bool
}

// comparison is the memory of one comparison of the two readers.
type comparison struct {
	lexer  lexer
	parsed parsedWords
	// commandOf is the command that the words of a segment belong to, segmentOf the
	// segment of a command, one more than its number; 0 for none so far.
	commandOf, segmentOf []int
}

var comparisons = sync.Pool{New: func() any {
	c := &comparison{}
	c.parsed.visit = c.parsed.node
	return c
}}

// mostCompared bounds the words that memory is kept for.
const mostCompared = 1024

// CrossCheck returns why the lexer's reading differs from the parser's, or "".
func CrossCheck(text string, file *syntax.File) string {
	c, ok := comparisons.Get().(*comparison)
	if !ok {
		return MessyDisagreement
	}
	code := c.differs(text, file)
	if cap(c.lexer.words) <= mostCompared && cap(c.parsed.spans) <= mostCompared {
		c.lexer = lexer{words: c.lexer.words} // nothing of the line is kept
		comparisons.Put(c)
	}
	return code
}

func (c *comparison) differs(text string, file *syntax.File) string {
	l := &c.lexer
	*l = lexer{cursor: cursor{text: text}, words: l.words[:0]}
	l.list(0)
	if l.failed {
		return MessyDisagreement
	}
	// A word that holds a substitution ends after the words inside.
	slices.SortFunc(l.words, func(a, b lexed) int { return a.start - b.start })
	spans := c.parsed.of(file)
	if c.parsed.misnamed {
		return MessyDisagreement
	}
	seen := 0
	for i := range spans {
		span := &spans[i]
		for seen < len(l.words) && l.words[seen].start < span.start {
			if !l.reserved(seen) {
				return MessyDisagreement
			}
			seen++
		}
		if seen == len(l.words) || l.words[seen].start != span.start || l.words[seen].end != span.end {
			return MessyDisagreement
		}
		span.segment = l.words[seen].segment
		seen++
	}
	for ; seen < len(l.words); seen++ {
		if !l.reserved(seen) {
			return MessyDisagreement
		}
	}
	return c.sameCommands(spans)
}

// sameCommands checks that words of one command lie in one segment, and that
// words of two commands don't.
func (c *comparison) sameCommands(spans []span) string {
	c.commandOf, c.segmentOf = zeros(c.commandOf, c.lexer.last+1), zeros(c.segmentOf, c.parsed.commands+1)
	for _, s := range spans {
		if s.command == 0 {
			continue
		}
		if known := c.commandOf[s.segment]; known != 0 && known != s.command {
			return MessyDisagreement
		}
		if known := c.segmentOf[s.command]; known != 0 && known != s.segment+1 {
			return MessyDisagreement
		}
		c.commandOf[s.segment], c.segmentOf[s.command] = s.command, s.segment+1
	}
	return ""
}

func zeros(list []int, length int) []int {
	list = slices.Grow(list[:0], length)[:length]
	clear(list)
	return list
}

// reserved reports whether a word is one that the shell reserves, or the option of time.
func (l *lexer) reserved(at int) bool {
	text := l.text[l.words[at].start:l.words[at].end]
	if text == "-p" && at > 0 {
		before := l.words[at-1]
		return before.segment == l.words[at].segment && l.text[before.start:before.end] == "time"
	}
	return ReservedWord(text)
}

// ReservedWord reports whether a word begins or ends a construct of the shell's grammar.
func ReservedWord(text string) bool {
	switch text {
	case "if", "then", "elif", "else", "fi", "for", "in", "do", "done", "while", "until", "case", "esac", "{", "}",
		"!", "time", "[[", "]]", "select", "function", "&&", "||", "<", ">", "(", ")":
		return true
	}
	return false
}

// list reads words and operators up to closer, or to the end for 0.
func (l *lexer) list(closer byte) {
	if l.depth++; l.depth > MaxBrackets {
		l.failed = true
	}
	defer func() { l.depth-- }()
	for l.pos < len(l.text) && !l.failed {
		c := l.text[l.pos]
		if c == closer && closer != 0 {
			l.pos++
			l.next()
			return
		}
		l.token(c)
	}
	if closer != 0 {
		l.failed = true
	}
}

// token skips what begins with c: a blank, a comment, an operator, a redirection or a word.
func (l *lexer) token(c byte) {
	switch {
	case c == ' ' || c == '\t':
		l.pos++
	case c == '\\' && strings.HasPrefix(l.text[l.pos:], "\\\n"):
		l.joinedLine()
	case c == '\n':
		l.pos++
		l.next()
		l.hereDocuments()
	case c == '#':
		l.comment()
	case l.control(c):
		l.next()
	case (c == '<' || c == '>' || c == '&') && !l.substitutes():
		l.redirection()
	default:
		l.word()
	}
}

// control skips a control operator or an arithmetic command, and reports whether there was one.
func (l *lexer) control(c byte) bool {
	switch c {
	case '(':
		if l.arithmetic() {
			return true
		}
	case '&':
		if l.redirectsAll() {
			return false
		}
	case ';', '|', ')':
	default:
		return false
	}
	l.pos++
	return true
}

// next begins a new segment: what follows is another command.
func (l *lexer) next() {
	l.last++
	l.segment = l.last
}

// redirection reads the operator; the word behind it is read as any other.
func (l *lexer) redirection() {
	rest := l.text[l.pos:]
	for _, op := range []string{"<<<", "<<-", "<<", "&>>", "&>", ">>", ">&", ">|", "<&", "<>", "<", ">"} {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		l.pos += len(op)
		if op == "<<" || op == "<<-" {
			l.delimiter(op == "<<-")
		} else if l.pos < len(l.text) && l.text[l.pos] == '(' {
			l.failed = true // process substitution
		}
		return
	}
	l.failed = true
}

func (l *lexer) delimiter(tabs bool) {
	for l.pos < len(l.text) && (l.text[l.pos] == ' ' || l.text[l.pos] == '\t') {
		l.pos++
	}
	start, before := l.pos, len(l.words)
	l.word()
	if len(l.words) != before+1 || l.failed {
		l.failed = true // digits before a redirection are no delimiter
		return
	}
	raw := l.text[start:l.pos]
	l.words = l.words[:before]
	text := strings.Trim(raw, `'"`)
	if strings.ContainsAny(text, "'\"\\$`") || text == "" {
		l.failed = true
	}
	l.pending = append(l.pending, hereDoc{delimiter: text, tabs: tabs, quoted: text != raw})
}

// hereDocuments skips the bodies that begin behind this newline, but for what the shell
// expands in them.
func (l *lexer) hereDocuments() {
	pending := l.pending
	l.pending = nil
	for _, doc := range pending {
		for l.pos < len(l.text) { // bash takes the end of the line for the delimiter
			end := strings.IndexByte(l.text[l.pos:], '\n')
			start, line := l.pos, l.text[l.pos:]
			if end >= 0 {
				line = line[:end]
				l.pos += end + 1
			} else {
				l.pos = len(l.text)
			}
			if !doc.quoted && strings.HasSuffix(line, "\\") {
				l.failed = true // shells join the next line to it before they look for the delimiter
			}
			if doc.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			if line == doc.delimiter {
				break
			}
			if !doc.quoted && strings.IndexByte(line, '$') >= 0 {
				l.expanded(start, start+len(line))
			}
		}
	}
}

// expanded reads what the shell expands in a line of a body. What doesn't end in the line,
// and a here-document in it, are read in different ways.
func (l *lexer) expanded(start, end int) {
	text, behind := l.text, l.pos
	l.text, l.pos = text[:end], start
	for l.pos < end && !l.failed {
		if l.text[l.pos] != '$' {
			l.pos++
			continue
		}
		l.dollar(true)
	}
	l.failed = l.failed || len(l.pending) > 0
	l.text, l.pos = text, behind
}

// word reads one word.
func (l *lexer) word() {
	start := l.pos
	for l.pos < len(l.text) && !l.failed {
		if l.substitutes() {
			l.inside()
			continue
		}
		switch c := l.text[l.pos]; c {
		case '(':
			if l.array(start) || l.expression(start) {
				continue
			}
			l.add(start)
			return
		case ' ', '\t', '\n', ';', '|', '&', ')', '<', '>':
			l.add(start)
			return
		default:
			l.part(c)
		}
	}
	l.add(start)
}

// part moves behind one byte of a word, or behind what begins with it: quotes, an escape or an expansion.
func (l *lexer) part(first byte) {
	switch first {
	case '\\':
		l.escaped()
	case '\'':
		l.skipTo('\'', false)
	case '"':
		l.double()
	case '`':
		l.backquoted(false)
	case '$':
		l.dollar(false)
	default:
		l.pos++
	}
}

// array moves behind the members of name=( … ). It reports false where none
// begin.
func (l *lexer) array(start int) bool {
	name, assigns := strings.CutSuffix(l.text[start:l.pos], "=")
	if !assigns || !value.IsName(strings.TrimSuffix(name, "+")) {
		return false
	}
	for l.pos++; l.pos < len(l.text) && !l.failed; {
		if l.substitutes() {
			l.failed = true
			return true
		}
		switch c := l.text[l.pos]; c {
		case ')':
			l.pos++
			return true
		case ';', '|', '&', '(', '<', '>', '#':
			l.failed = true
		default:
			l.part(c)
		}
	}
	l.failed = true
	return true
}

// expression moves behind the rest of a regular expression, or of an extended pattern, from its first
// bracket on, where it stands behind =~, or == and !=, and holds nothing that the shell reads: there a
// bracket and a bar are no operators. It reports false, and moves nowhere, anywhere else.
func (l *lexer) expression(start int) bool {
	if !l.behindMatch(start) || strings.Trim(l.text[start:l.pos], expressionBytes) != "" {
		return false
	}
	depth := 0
	for at := l.pos; at < len(l.text); at++ {
		switch c := l.text[at]; {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == '|' && depth > 0, strings.IndexByte(expressionBytes, c) >= 0:
		case c == '$' && at+1 < len(l.text) && strings.IndexByte(" )", l.text[at+1]) >= 0:
		case c == ' ' && depth == 0:
			l.pos = at
			return true
		default:
			return false
		}
	}
	return false
}

// behindMatch reports whether the word before is the operator =~ of the same command, or one that
// compares with what begins an extended pattern here.
func (l *lexer) behindMatch(start int) bool {
	if len(l.words) == 0 || l.words[len(l.words)-1].segment != l.segment {
		return false
	}
	last := l.words[len(l.words)-1]
	switch l.text[last.start:last.end] {
	case "=~":
		return true
	case "==", "!=":
		return start < l.pos && strings.IndexByte("@+*?", l.text[l.pos-1]) >= 0
	}
	return false
}

// expressionBytes are those that stand for themselves in a regular expression, to every
// shell.
const expressionBytes = value.NameBytes + "^.*+?[]-:/,@%"

// add notes a word, unless it is the number of a redirection.
func (l *lexer) add(start int) {
	if l.pos < len(l.text) && (l.text[l.pos] == '<' || l.text[l.pos] == '>') &&
		strings.Trim(l.text[start:l.pos], "0123456789") == "" {
		return
	}
	l.words = append(l.words, lexed{start: start, end: l.pos, segment: l.segment})
}

func (l *lexer) double() {
	for l.pos++; l.pos < len(l.text) && !l.failed; {
		switch l.text[l.pos] {
		case '"':
			l.pos++
			return
		case '\\':
			l.escaped()
		case '`':
			l.backquoted(true)
		case '$':
			l.dollar(true)
		default:
			l.pos++
		}
	}
	l.failed = true
}

// inside reads $(…) or <(…): the words there belong to commands of their own.
func (l *lexer) inside() {
	l.pos += 2
	outer := l.segment
	l.next()
	l.list(')')
	l.segment = outer
}

// backquoted reads `…` as $(…), where both are read alike: up to the next
// backquote, with no backslash to be removed first. A comment or a newline
// inside, and quotes inside quotes, are read in different ways.
func (l *lexer) backquoted(quoted bool) {
	end := strings.IndexByte(l.text[l.pos+1:], '`')
	if end < 0 {
		l.failed = true
		return
	}
	text, closing := l.text, l.pos+1+end
	inside := text[l.pos+1 : closing]
	if strings.ContainsAny(inside, "\\#\n") || strings.Contains(inside, "<<") || quoted && strings.Contains(inside, `"`) {
		l.failed = true
		return
	}
	outer := l.segment
	l.text = text[:closing]
	l.pos++
	l.next()
	l.list(0)
	l.text, l.pos, l.segment = text, closing+1, outer
}

// dollar reads an expansion. Of ${…} only those without quotes inside are
// followed, and of expansions inside those of plain names.
func (l *lexer) dollar(quoted bool) {
	rest := l.text[l.pos:]
	switch {
	case strings.HasPrefix(rest, "$((") && l.computes():
	case strings.HasPrefix(rest, "$(("):
		end := strings.Index(rest, "))")
		l.skipBody(end+2, end >= 0 && !strings.ContainsAny(unbraced(rest[3:end]), "`'\"\\;|&<>\n{") && !strings.Contains(rest[3:end], "$("))
	case strings.HasPrefix(rest, "$("):
		l.inside()
	case strings.HasPrefix(rest, "${"):
		end := strings.IndexByte(rest, '}')
		l.skipBody(end+1, end >= 0 && literalParameter(rest[2:end]))
	case strings.HasPrefix(rest, "$'") && !quoted:
		l.pos++
		l.skipTo('\'', true)
	case strings.HasPrefix(rest, `$"`) && !quoted:
		l.failed = true
	default:
		l.pos++
	}
}

// literalParameter reports whether the text in the braces of an expansion holds no nested construct, quote or blank
// that shells read differently.
func literalParameter(text string) bool {
	return !strings.HasPrefix(text, " ") && plainDollars(text) && !strings.ContainsAny(plainEscapes(text), "`'\"\\{\n;&|<>()")
}

// computes moves behind $((…)) where substitutions stand between names, digits and
// operators. It reports false, and moves nowhere, for any other.
func (l *lexer) computes() bool {
	before := *l
	for l.pos += len("$(("); l.pos < len(l.text) && !l.failed; {
		rest := l.text[l.pos:]
		switch {
		case strings.HasPrefix(rest, "))") && l.last > before.last:
			l.pos += len("))")
			return true
		case strings.HasPrefix(rest, "$(") && !strings.HasPrefix(rest, "$(("):
			l.inside()
		case bracedName(rest) > 0:
			l.pos += bracedName(rest)
		case rest[0] == '$' && len(rest) > 1 && value.IsNameByte(rest[1]), strings.IndexByte(value.NameBytes+" +-*/%", rest[0]) >= 0:
			l.pos++
		default:
			*l = before
			return false
		}
	}
	*l = before
	return false
}

// bracedName is the length of ${name} where a text begins with the plain name of a variable
// in braces, 0 where it begins otherwise.
func bracedName(text string) int {
	name, braced := strings.CutPrefix(text, "${")
	end := strings.IndexByte(name, '}')
	if !braced || end < 0 || !value.IsName(name[:end]) {
		return 0
	}
	return len("${") + end + len("}")
}

// unbraced takes the braces of such names away: they change nothing of what an expression is.
func unbraced(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		length := bracedName(text[i:])
		if length == 0 || i > 0 && text[i-1] == '$' { // $$ is a parameter of its own
			out.WriteByte(text[i])
			continue
		}
		out.WriteString("$" + text[i+2:i+length-1])
		i += length - 1
	}
	return out.String()
}

// plainEscapes takes out of an expansion what a backslash quotes to every shell alike.
func plainEscapes(text string) string {
	return strings.NewReplacer(`\#`, "", `\ `, "", `\*`, "", `\.`, "", `\[`, "", `\]`, "", `\/`, "").Replace(text)
}

// plainDollars reports whether every dollar sign begins the plain name of a
// parameter.
func plainDollars(text string) bool {
	for _, behind := range strings.Split(text, "$")[1:] {
		if behind == "" || !value.IsNameByte(behind[0]) && behind[0] != '@' {
			return false
		}
	}
	return true
}
