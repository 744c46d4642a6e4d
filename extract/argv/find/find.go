// Package find reads expressions of find(1): which of the files below the paths can come to each action? The answer
// never contains too few.
package find

import (
	"slices"
	"strings"

	"policyd/extract/argv"
	"policyd/extract/value"
)

// Node is one node of an expression: a test or an action as a leaf, or an operator over others.
type Node struct {
	op          string // "and", "or", "not", ",", or "" for a leaf
	left, right *Node
	name        string
	operand     argv.Argument
	// files are those that can come to a leaf.
	files selection
}

// OnlyFiles reports whether neither directories nor links come to a leaf.
func (n *Node) OnlyFiles() bool { return n.files.typeF }

// selection says which of the files below the roots may come to one point of
// the expression. It never says too few.
type selection struct {
	none  bool
	named bool // names says what base names there are
	names []string
	typeF bool // neither directories nor links
}

func (s selection) union(other selection) selection {
	switch {
	case s.none:
		return other
	case other.none:
		return s
	}
	out := selection{named: s.named && other.named, typeF: s.typeF && other.typeF}
	if out.named {
		out.names = append(slices.Clone(s.names), other.names...)
		slices.Sort(out.names)
		out.names = slices.Compact(out.names)
	}
	return out
}

// Expression is an expression, word by word and then as a tree. The zero value is empty.
type Expression struct {
	leaves []*Node
	pos    int
	// root is nil if the expression can't be followed.
	root *Node
	// follows is true if links count as what they lead to, bottomUp if
	// directories come after what they hold, so that nothing is pruned.
	follows, bottomUp bool
	printed           selection
	prints, zeros     bool
}

// Add adds one word of the expression with the word behind it, and returns its leaf.
func (x *Expression) Add(name string, operand argv.Argument) *Node {
	switch name {
	case "-L", "-follow":
		x.follows = true
	case "-depth", "-d", "-delete", "-mindepth":
		x.bottomUp = true // above its depth, -mindepth prunes nothing either
	case "-print":
		x.prints = true
	case "-print0":
		x.zeros = true
	}
	leaf := &Node{name: name, operand: operand}
	x.leaves = append(x.leaves, leaf)
	return leaf
}

// Begun reports whether a word was added that can't be in front of the paths.
func (x *Expression) Begun() bool {
	return slices.ContainsFunc(x.leaves, func(leaf *Node) bool {
		return !slices.Contains([]string{"-H", "-L", "-P", "-E", "-X", "-d", "-s", "-x", "-O0", "-O1", "-O2", "-O3"}, leaf.name)
	})
}

// Resolve parses the whole expression, and determines the files that come to each leaf. If operands are behind the
// expression, all files come to all leaves.
func (x *Expression) Resolve(operandsBehind bool) {
	if len(x.leaves) > 0 && !operandsBehind {
		if root := x.list(); root != nil && x.pos == len(x.leaves) {
			x.root = root
		}
	}
	x.printed = selection{none: true}
	if x.root == nil {
		x.printed = selection{}
		return
	}
	yes, _ := x.follow(x.root, selection{})
	if !x.prints && !x.zeros {
		x.printed = x.printed.union(yes) // what no action prints, find prints by itself
	}
}

// Prints reports whether an action prints names.
func (x *Expression) Prints() bool { return x.prints || x.zeros }

// Mixed reports whether some names end by NUL and others by a newline.
func (x *Expression) Mixed() bool { return x.prints && x.zeros }

// Printed selects the files below the roots whose names are printed.
func (x *Expression) Printed() value.Walk { return x.walk(x.printed) }

// Reaching selects the files below the roots that can come to a leaf.
func (x *Expression) Reaching(leaf *Node) value.Walk { return x.walk(leaf.files) }

func (x *Expression) peek(names ...string) bool {
	return x.pos < len(x.leaves) && slices.Contains(names, x.leaves[x.pos].name)
}

func (x *Expression) list() *Node {
	return x.joined(",", x.either, ",")
}

func (x *Expression) either() *Node {
	return x.joined("or", x.all, "-o", "-or")
}

// joined reads operands with one of the words between them.
func (x *Expression) joined(op string, operand func() *Node, words ...string) *Node {
	left := operand()
	for left != nil && x.peek(words...) {
		x.pos++
		right := operand()
		if right == nil {
			return nil
		}
		left = &Node{op: op, left: left, right: right}
	}
	return left
}

func (x *Expression) all() *Node {
	left := x.one()
	for left != nil && x.pos < len(x.leaves) && !x.peek("-o", "-or", ",", ")") {
		if x.peek("-a", "-and") {
			x.pos++
		}
		right := x.one()
		if right == nil {
			return nil
		}
		left = &Node{op: "and", left: left, right: right}
	}
	return left
}

func (x *Expression) one() *Node {
	switch {
	case x.pos == len(x.leaves), x.peek("-o", "-or", "-a", "-and", ",", ")"):
		return nil
	case x.peek("!", "-not"):
		x.pos++
		if inner := x.one(); inner != nil {
			return &Node{op: "not", left: inner}
		}
		return nil
	case x.peek("("):
		x.pos++
		inner := x.list()
		if inner == nil || !x.peek(")") {
			return nil
		}
		x.pos++
		return inner
	}
	x.pos++
	return x.leaves[x.pos-1]
}

// follow says for which of the files that come to a node it may be true, and
// for which false. On the way it notes what the actions get.
func (x *Expression) follow(node *Node, in selection) (yes, no selection) {
	switch node.op {
	case "and":
		first, missed := x.follow(node.left, in)
		yes, no = x.follow(node.right, first)
		return yes, missed.union(no)
	case "or":
		first, missed := x.follow(node.left, in)
		yes, no = x.follow(node.right, missed)
		return first.union(yes), no
	case "not":
		no, yes = x.follow(node.left, in)
		return yes, no
	case ",":
		x.follow(node.left, in)
		return x.follow(node.right, in)
	}
	return x.leaf(node, in)
}

func (x *Expression) leaf(node *Node, in selection) (yes, no selection) {
	node.files, yes = in, in
	switch node.name {
	case "-name", "-iname":
		pattern := node.operand.Class == argv.Literal || node.operand.Class == argv.Pattern && !strings.Contains(node.operand.Text, `\\`)
		if !in.named && pattern && !strings.Contains(node.operand.Text, "/") && isASCII(node.operand.Text) {
			yes.named, yes.names = true, []string{node.operand.Text}
		}
	case "-type":
		yes.typeF = in.typeF || node.operand.Is("f") && !x.follows
	case "-print", "-print0":
		x.printed = x.printed.union(in)
		return in, selection{none: true}
	case "-prune", "-true":
		return in, selection{none: true}
	}
	return yes, in
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
}

// walk selects the files below the roots that a selection can hold.
func (x *Expression) walk(s selection) value.Walk {
	walk := value.Walk{Follow: !s.typeF || s.none, ExcludeDir: x.pruned()}
	if s.named && !s.none {
		walk.Include, walk.NamedLinks = s.names, !x.follows
	}
	return walk
}
