package tree

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Divides reports whether an operator fails for some right operands.
func Divides(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Quo, syntax.Rem, syntax.QuoAssgn, syntax.RemAssgn, syntax.Pow, syntax.PowAssgn:
		return true
	default:
		return false
	}
}

// SkipsOperand reports whether an operator evaluates one of its operands only sometimes.
func SkipsOperand(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.AndArit, syntax.OrArit, syntax.TernQuest, syntax.TernColon, syntax.AndBoolAssgn, syntax.OrBoolAssgn:
		return true
	default:
		return false
	}
}

// Assigns reports whether an operator assigns to its left operand.
func Assigns(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Eql, syntax.Neq, syntax.Leq, syntax.Geq:
		return false
	default:
		return strings.HasSuffix(op.String(), "=")
	}
}
