package tree

import (
	"policyd/extract/value"

	"mvdan.cc/sh/v3/syntax"
)

// IsAllMembers reports whether a subscript is @ or *.
func IsAllMembers(expr syntax.ArithmExpr) bool {
	word, ok := expr.(*syntax.Word)
	return ok && (word.Lit() == "@" || word.Lit() == "*")
}

// IsAtMembers reports whether a subscript is @.
func IsAtMembers(expr syntax.ArithmExpr) bool {
	word, ok := expr.(*syntax.Word)
	return ok && word.Lit() == "@"
}

// IsValue reports whether an expansion gives a value, or a member of an array, unchanged.
func IsValue(part *syntax.ParamExp) bool {
	return !part.Length && part.Slice == nil && part.Repl == nil && part.Exp == nil && !HasRareOperator(part)
}

// HasRareOperator reports whether an expansion has an operator that is never interpreted.
func HasRareOperator(part *syntax.ParamExp) bool {
	return part.Excl || part.Width || part.IsSet || part.Flags != nil || part.NestedParam != nil || part.Names != 0 ||
		len(part.Modifiers) > 0
}

// IsAlternate reports whether an expansion gives other text if a variable is set, and never its
// value.
func IsAlternate(part *syntax.ParamExp) bool {
	return part.Exp != nil && (part.Exp.Op == syntax.AlternateUnset || part.Exp.Op == syntax.AlternateUnsetOrNull)
}

// IsDecimalSlice reports whether ${name:offset:length} has decimal bounds.
func IsDecimalSlice(slice *syntax.Slice) bool {
	return slice.Offset != nil && IsDecimal(slice.Offset) && (slice.Length == nil || IsDecimal(slice.Length))
}

// IsDecimal reports whether an expression is one decimal number.
func IsDecimal(expr syntax.ArithmExpr) bool {
	word, ok := expr.(*syntax.Word)
	return ok && value.IsDecimal(word.Lit())
}

// Operator is the one operator of a parameter expansion.
type Operator uint8

// Operators of parameter expansions.
const (
	// NoOperator is that of a plain value, and of what isn't interpreted: several or rare operators.
	NoOperator Operator = iota
	// LengthOperator is ${#name}.
	LengthOperator
	// SliceOperator is ${name:offset:length}.
	SliceOperator
	// ReplaceOperator is ${name/pattern/text}.
	ReplaceOperator
	// WordOperator is followed by a word: ${name#pattern}, ${name:-text}.
	WordOperator
)

// OperatorOf returns the operator of an expansion.
func OperatorOf(part *syntax.ParamExp) Operator {
	found := NoOperator
	for operator, set := range [...]bool{
		LengthOperator: part.Length, SliceOperator: part.Slice != nil, ReplaceOperator: part.Repl != nil, WordOperator: part.Exp != nil,
	} {
		switch {
		case !set:
		case found != NoOperator:
			return NoOperator
		default:
			found = Operator(operator)
		}
	}
	if HasRareOperator(part) {
		return NoOperator
	}
	return found
}

// AllMembers returns the array all of whose members an expansion names, or whose subscripts if it
// has a "!": "@" for the positional parameters. star is true for "*", which joins them in quotes.
func AllMembers(part *syntax.ParamExp) (name string, star, ok bool) {
	if part.Param == nil || part.Length || part.Slice != nil && part.Index == nil || part.Repl != nil || part.Exp != nil ||
		len(part.Modifiers) > 0 || part.Names != 0 || part.Flags != nil || part.Width || part.IsSet {
		return "", false, false
	}
	name = part.Param.Value
	switch {
	case part.Index != nil:
		return name, !IsAtMembers(part.Index), IsAllMembers(part.Index)
	case name == "@" || name == "*":
		return "@", name == "*", !part.Excl
	}
	return "", false, false
}
