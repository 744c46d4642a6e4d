package clientrules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/syntax"
)

// call is a call in a rules file, by its name and named arguments. A value is a string or
// a list of values.
type call struct {
	name      string
	line      int
	arguments map[string]any
}

// functions are those of rules files, with their arguments.
var functions = map[string][]string{
	"prefix_rule":     {"pattern", "decision", "justification", "match", "not_match"},
	"network_rule":    {"host", "protocol", "decision", "justification"},
	"host_executable": {"name", "paths"},
}

// parseCalls parses the subset of Starlark that rules use: calls of the known functions with literal
// arguments. Anything else is an error, since its value is unknown.
func parseCalls(source []byte) ([]call, *FileError) {
	file, err := (&syntax.FileOptions{}).Parse("", source, 0)
	var malformed syntax.Error
	switch {
	case errors.As(err, &malformed):
		return nil, wrong(malformed.Pos, "%s", malformed.Msg)
	case err != nil:
		return nil, &FileError{Line: 1, Message: err.Error()}
	}
	calls := make([]call, len(file.Stmts))
	for i, statement := range file.Stmts {
		var err *FileError
		if calls[i], err = readCall(statement); err != nil {
			return nil, err
		}
	}
	return calls, nil
}

func wrong(at syntax.Position, format string, args ...any) *FileError {
	return &FileError{Line: int(at.Line), Message: fmt.Sprintf(format, args...)}
}

func readCall(statement syntax.Stmt) (call, *FileError) {
	start, _ := statement.Span()
	expression, _ := statement.(*syntax.ExprStmt)
	if expression == nil {
		return call{}, notACall(start)
	}
	made, isCall := expression.X.(*syntax.CallExpr)
	if !isCall {
		return call{}, notACall(start)
	}
	function, _ := made.Fn.(*syntax.Ident)
	if function == nil || functions[function.Name] == nil {
		return call{}, notACall(start)
	}
	c := call{name: function.Name, line: int(start.Line), arguments: map[string]any{}}
	for _, argument := range made.Args {
		if err := c.add(argument); err != nil {
			return c, err
		}
	}
	return c, nil
}

func notACall(at syntax.Position) *FileError {
	return wrong(at, "only calls of prefix_rule, network_rule and host_executable are read")
}

// add reads a named argument.
func (c *call) add(argument syntax.Expr) *FileError {
	start, _ := argument.Span()
	known := functions[c.name]
	named, isBinary := argument.(*syntax.BinaryExpr)
	if !isBinary || named.Op != syntax.EQ {
		return wrong(start, "%s takes %s, each by its name", c.name, strings.Join(known, ", "))
	}
	name, isName := named.X.(*syntax.Ident)
	if !isName || !slices.Contains(known, name.Name) {
		return wrong(start, "%s takes %s, each by its name", c.name, strings.Join(known, ", "))
	}
	if _, twice := c.arguments[name.Name]; twice {
		return wrong(start, "%s is given twice", name.Name)
	}
	value, err := literal(named.Y, 0)
	c.arguments[name.Name] = value
	return err
}

// deepest bounds lists in lists.
const deepest = 8

// literal is the value of a string or of a list of literals.
func literal(expression syntax.Expr, depth int) (any, *FileError) {
	start, _ := expression.Span()
	switch value := expression.(type) {
	case *syntax.Literal:
		if text, isText := value.Value.(string); isText && value.Token == syntax.STRING {
			return text, nil
		}
	case *syntax.ListExpr:
		if depth == deepest {
			return nil, wrong(start, "lists are nested too deep")
		}
		list := make([]any, len(value.List))
		for i := range value.List {
			var err *FileError
			if list[i], err = literal(value.List[i], depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	return nil, wrong(start, "want a string or a list of strings; nothing is computed")
}
