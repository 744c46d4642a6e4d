package find

import (
	"slices"
	"strings"

	"policyd/extract/argv"
)

// pruned lists the names that directories which find does not enter have,
// wherever they lie.
func (x *Expression) pruned() []string {
	if x.root == nil || x.bottomUp {
		return nil
	}
	var out []string
	for _, leaf := range x.leaves {
		name := leaf.operand.Text
		switch leaf.name {
		case "-name":
		case "-path", "-wholename":
			name = strings.TrimPrefix(name, "*/")
		default:
			continue
		}
		// Walks fold case, and find doesn't.
		plain := leaf.operand.Class == argv.Literal && name != "" && strings.ToLower(name) == name && !strings.ContainsAny(name, "/*?[\\")
		if plain && !slices.Contains(out, name) && prunes(x.root, name, new(bool)) {
			out = append(out, name)
		}
	}
	return out
}

// prunes reports whether find certainly comes to -prune with any directory of
// the given name.
func prunes(root *Node, name string, met *bool) bool {
	outcome(root, name, true, met)
	return *met
}

// verdicts of a test on a directory of which only the name is known.
const (
	maybe = iota
	always
	never
)

// outcome says what a node is for such a directory. Where it is certain that
// find comes to it, met is set by -prune.
func outcome(node *Node, name string, certain bool, met *bool) int {
	switch node.op {
	case "and", "or":
		left := outcome(node.left, name, certain, met)
		goesOn, stops := always, never
		if node.op == "or" {
			goesOn, stops = never, always
		}
		if left == stops {
			return stops
		}
		right := outcome(node.right, name, certain && left == goesOn, met)
		if right == stops || left == goesOn {
			return right
		}
		return maybe
	case "not":
		return [...]int{maybe: maybe, always: never, never: always}[outcome(node.left, name, certain, met)]
	case ",":
		outcome(node.left, name, certain, met)
		return outcome(node.right, name, certain, met)
	}
	return node.tests(name, certain, met)
}

func (n *Node) tests(name string, certain bool, met *bool) int {
	is := func(holds bool) int {
		if holds {
			return always
		}
		return never
	}
	switch n.name {
	case "-prune":
		*met = *met || certain
		return always
	case "-print", "-print0", "-true":
		return always
	case "-false":
		return never
	case "-name":
		if n.operand.Class == argv.Literal && !strings.ContainsAny(n.operand.Text, "*?[\\") {
			return is(n.operand.Text == name)
		}
	case "-path", "-wholename":
		if n.operand.Is("*/" + name) {
			return always
		}
	case "-type":
		if n.operand.Is("d") || n.operand.Is("f") {
			return is(n.operand.Text == "d")
		}
	}
	return maybe
}
