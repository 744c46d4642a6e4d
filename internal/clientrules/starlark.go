package clientrules

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// call is a call in a rules file, by its name and named arguments. A value is a string or
// a list of values.
type call struct {
	name      string
	line      int
	arguments map[string]any
}

// parseCalls reads the part of Starlark that rules are written in: calls of the known
// functions with literal arguments. Anything else is an error: what it would come to is
// not known.
func parseCalls(source string) ([]call, *FileError) {
	p := &starlark{rest: source, line: 1}
	var calls []call
	for {
		p.skip()
		if p.rest == "" {
			return calls, nil
		}
		one, err := p.call()
		if err != nil {
			return nil, err
		}
		calls = append(calls, one)
	}
}

// functions are those of rules files, with their arguments.
var functions = map[string][]string{
	"prefix_rule":     {"pattern", "decision", "justification", "match", "not_match"},
	"network_rule":    {"host", "protocol", "decision", "justification"},
	"host_executable": {"name", "paths"},
}

type starlark struct {
	rest string
	line int
}

func (p *starlark) wrong(format string, args ...any) *FileError {
	return &FileError{Line: p.line, Message: fmt.Sprintf(format, args...)}
}

// skip passes over blanks and comments.
func (p *starlark) skip() {
	for p.rest != "" {
		switch {
		case p.rest[0] == '#':
			end := strings.IndexByte(p.rest, '\n')
			if end < 0 {
				end = len(p.rest)
			}
			p.rest = p.rest[end:]
		case p.rest[0] == '\n':
			p.line++
			p.rest = p.rest[1:]
		case strings.ContainsRune(" \t\r", rune(p.rest[0])):
			p.rest = p.rest[1:]
		default:
			return
		}
	}
}

// next reports whether a sign comes next, and passes over it.
func (p *starlark) next(sign string) bool {
	p.skip()
	rest, found := strings.CutPrefix(p.rest, sign)
	p.rest = rest
	return found
}

func (p *starlark) name() string {
	p.skip()
	end := strings.IndexFunc(p.rest, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	if end < 0 {
		end = len(p.rest)
	}
	name := p.rest[:end]
	p.rest = p.rest[end:]
	return name
}

func (p *starlark) call() (call, *FileError) {
	c := call{name: p.name(), line: p.line, arguments: map[string]any{}}
	known, isFunction := functions[c.name]
	if !isFunction || !p.next("(") {
		return c, p.wrong("only calls of prefix_rule, network_rule and host_executable are read")
	}
	for !p.next(")") {
		name := p.name()
		if !slices.Contains(known, name) || !p.next("=") {
			return c, p.wrong("%s takes %s, each by its name", c.name, strings.Join(known, ", "))
		}
		if _, twice := c.arguments[name]; twice {
			return c, p.wrong("%s is given twice", name)
		}
		value, err := p.value(0)
		if err != nil {
			return c, err
		}
		c.arguments[name] = value
		if !p.next(",") {
			if !p.next(")") {
				return c, p.wrong("want , or ) behind %s", name)
			}
			break
		}
	}
	return c, nil
}

// deepest bounds lists in lists.
const deepest = 8

func (p *starlark) value(depth int) (any, *FileError) {
	if !p.next("[") {
		return p.string()
	}
	if depth == deepest {
		return nil, p.wrong("lists are nested too deep")
	}
	list := []any{}
	for !p.next("]") {
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
		if !p.next(",") {
			if !p.next("]") {
				return nil, p.wrong("want , or ] in a list")
			}
			break
		}
	}
	return list, nil
}

// string reads a string in simple or triple quotes.
func (p *starlark) string() (any, *FileError) {
	p.skip()
	raw := strings.HasPrefix(p.rest, "r")
	if raw {
		p.rest = p.rest[1:]
	}
	if p.rest == "" || p.rest[0] != '"' && p.rest[0] != '\'' {
		return nil, p.wrong("want a string or a list of strings; nothing is computed")
	}
	quote := p.rest[:1]
	if strings.HasPrefix(p.rest, strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	p.rest = p.rest[len(quote):]
	var out strings.Builder
	for !strings.HasPrefix(p.rest, quote) {
		r, size := utf8.DecodeRuneInString(p.rest)
		switch {
		case p.rest == "", r == '\n' && len(quote) == 1:
			return nil, p.wrong("a string has no end")
		case r == '\n':
			p.line++
		case r == '\\' && !raw:
			escape, known := map[byte]string{'n': "\n", 't': "\t", 'r': "\r", '\\': `\`, '"': `"`, '\'': "'"}[p.at(1)]
			if !known {
				return nil, p.wrong("a string has an escape that is not known")
			}
			out.WriteString(escape)
			p.rest = p.rest[2:]
			continue
		}
		out.WriteString(p.rest[:size])
		p.rest = p.rest[size:]
	}
	p.rest = p.rest[len(quote):]
	p.skip()
	if p.rest != "" && !strings.ContainsRune(",])", rune(p.rest[0])) {
		return nil, p.wrong("want , ] or ) behind a string; nothing is computed")
	}
	return out.String(), nil
}

// at is a byte of the rest, 0 behind its end.
func (p *starlark) at(i int) byte {
	if i < len(p.rest) {
		return p.rest[i]
	}
	return 0
}
