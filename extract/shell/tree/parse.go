package tree

import (
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Parser parses texts, one at a time. Get one from NewParser, and release it.
type Parser struct {
	parser *syntax.Parser
	text   strings.Reader
}

var parsers = sync.Pool{New: func() any {
	return &Parser{parser: syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))}
}}

// NewParser returns a parser of bash's syntax, with comments.
func NewParser() *Parser {
	p, ok := parsers.Get().(*Parser)
	if !ok {
		panic("tree: the pool holds parsers alone")
	}
	return p
}

// Release gives the parser back. Nothing may use it afterwards.
func (p *Parser) Release() { parsers.Put(p) }

// Parse parses a text. On an error it can return what it parsed before.
func (p *Parser) Parse(text string) (*syntax.File, error) {
	p.text.Reset(text)
	defer p.text.Reset("")
	return p.parser.Parse(&p.text, "") //nolint:wrapcheck // callers look at its type
}
