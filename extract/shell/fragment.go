package shell

import (
	"errors"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/shell/command"
	"policyd/extract/shell/expansion"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/shell/tree"
	"policyd/extract/value"
)

// maxOpened bounds how many bytes are parsed again, brackets and reserved words taken off
// one by one.
const maxOpened = 128 << 10

// opened walks what stands behind the brackets and the reserved words that a line begins
// with, where the parser gave it up for something further on: of a line without them the
// statements in front are known, and they are no way to hide them.
func (s *scriptText) opened(parser *tree.Parser, text string, file *syntax.File, err error) {
	for left := maxOpened - len(text); left > 0; left -= len(text) {
		rest := text
		if file != nil && len(file.Stmts) > 0 {
			var fault syntax.ParseError
			if !errors.As(err, &fault) || fault.Pos.Offset() >= uint(len(text)) {
				return
			}
			rest = text[fault.Pos.Offset():]
		}
		behind, opens := lexical.BehindOpening(rest)
		if !opens {
			return
		}
		text = behind
		// What is wrong with the rest is wrong with the line, and that is said.
		if file, err = parser.Parse(text); file != nil {
			s.lines(file.Stmts)
		}
	}
}

// fragments reports what a line that the parser gave up on may run, piece by
// piece, so that deny rules see what it names. It returns what it reported.
func (s *scriptText) fragments(text string) (told v1.Set) {
	for segment := range strings.FieldsFuncSeq(text, lexical.SeparatesCommands) {
		fields := lexical.Fields(segment)
		for len(fields) > 1 && (strings.Contains(fields[0], "=") || guard.ReservedWord(fields[0])) {
			fields = fields[1:]
		}
		if len(fields) == 0 {
			continue
		}
		told.Add(strings.Join(fields, " "))
		if !s.emitFragment(fields, len(fields)-lexical.RedirectionFields(segment)) {
			break
		}
	}
	return told
}

// quotedFragments reports what fragments does not: the commands behind redirections and
// assignments, and those of which quotes are a part.
func (s *scriptText) quotedFragments(text string, told v1.Set) {
	for _, cut := range []func(string, int) int{lexical.FragmentEnd, lexical.QuotedFragmentEnd} {
		for at := 0; at < len(text); {
			end := cut(text, at)
			words, targets := lexical.FragmentWords(text[at:end])
			fields := slices.Concat(words, targets)
			at = end + 1
			key := strings.Join(lexical.Fields(strings.Join(fields, " ")), " ")
			if len(words) == 0 || told.Has(key) {
				continue
			}
			told.Add(key)
			if !s.emitFragment(fields, len(words)) {
				return
			}
		}
	}
}

// emitFragment reports one piece, whose first own words are not those of redirections,
// and says whether there may be more.
func (s *scriptText) emitFragment(fields []string, own int) bool {
	if !s.w.count(len(fields)) || len(s.w.line.Commands) >= maxCommands {
		return false
	}
	own = max(own, 1)
	s.w.emit(s.fragment(fields, own))
	if at := slices.IndexFunc(fields[1:], tells); at >= 0 && s.w.starts(fields[0]) {
		s.w.emit(s.fragment(fields[1+at:], max(own-1-at, 1)))
	}
	return true
}

// starts reports whether a program is there to start the one that its words name.
func (s *surroundings) starts(name string) bool {
	program := s.table.Program(name)
	return program != nil && (program.Wrapper != "" || program.RunsAnything)
}

// tells reports whether deny rules look for a program by its name.
func tells(name string) bool {
	name = path.Base(name)
	return printsVariables(name) || argv.IsOwn(name)
}

func printsVariables(name string) bool {
	return declares(name) || slices.Contains([]string{"env", "printenv", "set"}, name)
}

// fragment is what a piece may run. own is how many of its words stand before a redirection.
func (s *scriptText) fragment(fields []string, own int) command.Command {
	c := s.w.newCommand(s.st, clip(fields[0]), nil)
	c.Caveats.Add("unknown_program")
	name := path.Base(fields[0])
	switch {
	case printsVariables(name) && printsAll(name, fields[1:own]):
		c.Caveats.Add("reads_environment")
	case argv.IsOwn(name):
		c.Caveats.Add("own_program")
	}
	e := effects{w: s.w, c: &c, st: s.st}
	for _, field := range fields {
		e.AnyPath(expansion.Word{Kind: expansion.Literal, Text: field})
		if _, name, ok := strings.Cut(field, "$"); ok {
			name = strings.TrimLeft(name, "{")
			end := strings.IndexFunc(name, func(r rune) bool { return !strings.ContainsRune(value.NameBytes, r) })
			if end < 0 {
				end = len(name)
			}
			c.Variables = append(c.Variables, name[:end])
		}
	}
	return c
}

// printsAll reports whether nothing keeps a program that prints variables from printing
// them all, or whether it is told to. What stands behind a comment's sign may be a comment.
func printsAll(program string, words []string) bool {
	if comment := slices.IndexFunc(words, func(word string) bool { return word[0] == '#' }); comment >= 0 {
		words = words[:comment]
	}
	return slices.Contains(words, "-p") ||
		!slices.ContainsFunc(words, func(word string) bool { return settles(program, word) })
}

// settles reports whether a word behind a program that prints variables keeps it from
// printing them all, and is certain to be there when it runs.
func settles(program, word string) bool {
	switch {
	case strings.ContainsAny(word, "$*?[]@!+\\"):
		return false
	case word[0] == '-':
		return program == "set"
	case strings.Contains(word, "="):
		return program != "env"
	}
	return true
}
