package tree

import (
	"strings"

	"policyd/extract/shell/lexical"
	"policyd/extract/value"

	"mvdan.cc/sh/v3/syntax"
)

// LoneParameter returns the parameter expansion that is the whole word, nil for other words.
func LoneParameter(word *syntax.Word) (part *syntax.ParamExp, quoted bool) {
	if len(word.Parts) != 1 {
		return nil, false
	}
	inner := word.Parts[0]
	if double, ok := inner.(*syntax.DblQuoted); ok {
		if len(double.Parts) != 1 || double.Dollar {
			return nil, false
		}
		inner, quoted = double.Parts[0], true
	}
	part, _ = inner.(*syntax.ParamExp)
	return part, quoted
}

// HasBrace reports whether an unquoted text of a word holds a brace.
func HasBrace(word *syntax.Word) bool {
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.Contains(lit.Value, "{") {
			return true
		}
	}
	return false
}

// ExpandsOnly reports whether a part of a word is the value of a variable, unchanged.
func ExpandsOnly(part syntax.WordPart, name string) bool {
	expansion, ok := part.(*syntax.ParamExp)
	return ok && expansion.Param != nil && expansion.Param.Value == name && !expansion.Length && !expansion.Excl && !expansion.Width &&
		expansion.Index == nil && expansion.Slice == nil && expansion.Repl == nil && expansion.Exp == nil && expansion.Names == 0
}

// SubstitutesCommands reports whether a command substitution stands below a node.
func SubstitutesCommands(node syntax.Node) bool {
	found := false
	syntax.Walk(node, func(node syntax.Node) bool {
		switch node.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = true
		}
		return !found
	})
	return found
}

// IsTextAndVariables reports whether a word is text and values of variables, so that evaluating it
// twice runs nothing twice.
func IsTextAndVariables(word *syntax.Word) bool {
	simple := !HasBrace(word)
	syntax.Walk(word, func(node syntax.Node) bool {
		switch node := node.(type) {
		case nil, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
		case *syntax.ParamExp:
			simple = simple && IsValue(node) && node.Index == nil && node.Param != nil && value.IsName(node.Param.Value)
			return false
		default:
			simple = false
		}
		return simple
	})
	return simple
}

// LiteralTexts returns the texts of words in which nothing is expanded, nil if one is another.
func LiteralTexts(words []*syntax.Word) []string {
	texts := make([]string, 0, len(words))
	for _, word := range words {
		text := ""
		for _, part := range word.Parts {
			switch part := part.(type) {
			case *syntax.Lit:
				if !lexical.IsLiteral(part.Value) || HasBrace(word) {
					return nil
				}
				text += part.Value
			case *syntax.SglQuoted:
				if part.Dollar {
					return nil
				}
				text += part.Value
			case *syntax.DblQuoted:
				if len(part.Parts) == 0 {
					continue
				}
				lit, ok := part.Parts[0].(*syntax.Lit)
				if !ok || len(part.Parts) > 1 || part.Dollar || strings.Contains(lit.Value, `\`) {
					return nil
				}
				text += lit.Value
			default:
				return nil
			}
		}
		texts = append(texts, text)
	}
	return texts
}

// IsConstant reports whether a word becomes the same whatever variables hold.
func IsConstant(word *syntax.Word) bool {
	plain := !strings.HasPrefix(word.Lit(), "~")
	syntax.Walk(word, func(node syntax.Node) bool {
		switch node.(type) {
		case nil, *syntax.Word, *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
		default:
			plain = false
		}
		return plain
	})
	return plain
}

// Text returns the text of a word in which nothing is expanded, "" for other words.
func Text(word *syntax.Word) string {
	var out strings.Builder
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			out.WriteString(value.Unescape(part.Value))
		case *syntax.SglQuoted:
			text, known := part.Value, true
			if part.Dollar {
				text, known = lexical.DecodeANSI(text)
			}
			if !known {
				return ""
			}
			out.WriteString(text)
		case *syntax.DblQuoted:
			if len(part.Parts) > 0 {
				lit, plain := part.Parts[0].(*syntax.Lit)
				if !plain || len(part.Parts) > 1 {
					return ""
				}
				out.WriteString(lexical.DoubleQuoted(lit.Value))
			}
		default:
			return ""
		}
	}
	return out.String()
}

// IsLiteral reports whether a part of a word is unquoted text.
func IsLiteral(part syntax.WordPart) bool {
	_, ok := part.(*syntax.Lit)
	return ok
}

// LedByText reports whether a word begins with literal text, and not with a dash.
func LedByText(word *syntax.Word) bool {
	if len(word.Parts) == 0 {
		return false
	}
	text, read := LeadingText(word), ""
	if IsLiteral(word.Parts[0]) {
		read = "\\~=*?[{"
	}
	return text != "" && text[0] != '-' && strings.IndexByte(read, text[0]) < 0
}

// CountExpansions returns how many expansions a word holds. A nil word is the value of "x=".
func CountExpansions(word *syntax.Word) int {
	if word == nil {
		return 0
	}
	count := 0
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			count += CountExpansions(&syntax.Word{Parts: part.Parts})
		default:
			count++
		}
	}
	return count
}

// LeadingText returns the text of the first part of a word, "" if it is an expansion.
func LeadingText(word *syntax.Word) string {
	if len(word.Parts) == 0 {
		return ""
	}
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		return part.Value
	case *syntax.SglQuoted:
		if !part.Dollar {
			return part.Value
		}
	case *syntax.DblQuoted:
		if !part.Dollar && len(part.Parts) > 0 {
			if lit, ok := part.Parts[0].(*syntax.Lit); ok {
				return lexical.DoubleQuoted(lit.Value)
			}
		}
	}
	return ""
}

// LeadingOption returns the option that a word names before its first expansion: --name of
// --name=$value, -n of -n$value.
func LeadingOption(word *syntax.Word) string {
	if len(word.Parts) == 0 {
		return ""
	}
	text := ""
	switch part := word.Parts[0].(type) {
	case *syntax.Lit:
		text = part.Value
	case *syntax.DblQuoted:
		if !part.Dollar && len(part.Parts) > 0 {
			if lit, ok := part.Parts[0].(*syntax.Lit); ok {
				text = lit.Value
			}
		}
	}
	if len(word.Parts) == 2 && len(text) == 2 && text[0] == '-' && value.IsNameByte(text[1]) {
		return text
	}
	name, _, found := strings.Cut(text, "=")
	if !found || !strings.HasPrefix(name, "--") || strings.Trim(name, value.NameBytes+"-") != "" {
		return ""
	}
	return name
}

// IsOneExpansion reports whether a word has one part, quoted or not.
func IsOneExpansion(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	part, quoted := word.Parts[0].(*syntax.DblQuoted)
	return !quoted || len(part.Parts) == 1
}

// AroundExpansion returns the unquoted and quoted text before and behind the one parameter expansion or
// command substitution of a word. It reports false for other words, and for one with a quoted text that
// isn't literal.
func AroundExpansion(word *syntax.Word, literal func(string) bool) (before, behind string, ok bool) {
	var text [2]string
	at := 0
	add := func(part syntax.WordPart, quoted bool) bool {
		switch part := part.(type) {
		case *syntax.Lit:
			text[at] += part.Value
			return !quoted || literal(part.Value)
		case *syntax.ParamExp, *syntax.CmdSubst:
			at++
			return at < 2
		}
		return false
	}
	for _, part := range word.Parts {
		double, quoted := part.(*syntax.DblQuoted)
		if !quoted {
			if !add(part, false) {
				return "", "", false
			}
			continue
		}
		for _, inner := range double.Parts {
			if !add(inner, true) {
				return "", "", false
			}
		}
	}
	return text[0], text[1], at == 1
}
