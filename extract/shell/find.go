package shell

import (
	"slices"
	"strings"

	"policyd/extract/argv"
	"policyd/extract/value"
)

// findNode is one node of find's expression: a test or an action as a leaf, or
// an operator over others. Leaves with run set are actions that run a command.
type findNode struct {
	op          string // "and", "or", "not", ",", or "" for a leaf
	left, right *findNode
	name        string
	value       Word
	run         *findRun
}

// findRun is the command of one -exec.
type findRun struct {
	option string
	argv   []Word
	many   bool // all names at once
	closed bool
	// files says which of the files that find visits it gets.
	files selection
}

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

// findExpression is a find line's expression, word by word and then as a tree.
type findExpression struct {
	leaves []*findNode
	pos    int
	// root is nil when the expression could not be followed.
	root *findNode
	// follows is true when links count as what they lead to, bottomUp when
	// directories come after what they hold, so that nothing is pruned.
	follows, bottomUp bool
	printed           selection
	prints, zeros     bool
}

// add takes one word of the expression, with the word behind it.
func (x *findExpression) add(name string, value Word, run *findRun) {
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
	x.leaves = append(x.leaves, &findNode{name: name, value: value, run: run})
}

// resolve reads the whole expression and says of each action what it gets.
func (x *findExpression) resolve(operandsBehind bool) {
	if len(x.leaves) > 0 && !operandsBehind {
		if root := x.list(); root != nil && x.pos == len(x.leaves) {
			x.root = root
		}
	}
	x.printed = selection{none: true}
	if x.root == nil {
		x.printed = selection{}
		return // what stands in the runs is then everything
	}
	yes, _ := x.follow(x.root, selection{})
	if !x.prints && !x.zeros {
		x.printed = x.printed.union(yes) // what no action prints, find prints by itself
	}
}

func (x *findExpression) peek(names ...string) bool {
	return x.pos < len(x.leaves) && slices.Contains(names, x.leaves[x.pos].name)
}

func (x *findExpression) list() *findNode {
	return x.joined(",", x.either, ",")
}

func (x *findExpression) either() *findNode {
	return x.joined("or", x.all, "-o", "-or")
}

// joined reads operands with one of the words between them.
func (x *findExpression) joined(op string, operand func() *findNode, words ...string) *findNode {
	left := operand()
	for left != nil && x.peek(words...) {
		x.pos++
		right := operand()
		if right == nil {
			return nil
		}
		left = &findNode{op: op, left: left, right: right}
	}
	return left
}

func (x *findExpression) all() *findNode {
	left := x.one()
	for left != nil && x.pos < len(x.leaves) && !x.peek("-o", "-or", ",", ")") {
		if x.peek("-a", "-and") {
			x.pos++
		}
		right := x.one()
		if right == nil {
			return nil
		}
		left = &findNode{op: "and", left: left, right: right}
	}
	return left
}

func (x *findExpression) one() *findNode {
	switch {
	case x.pos == len(x.leaves), x.peek("-o", "-or", "-a", "-and", ",", ")"):
		return nil
	case x.peek("!", "-not"):
		x.pos++
		if inner := x.one(); inner != nil {
			return &findNode{op: "not", left: inner}
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
func (x *findExpression) follow(node *findNode, in selection) (yes, no selection) {
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

func (x *findExpression) leaf(node *findNode, in selection) (yes, no selection) {
	yes = in
	switch node.name {
	case "-name", "-iname":
		pattern := node.value.Kind == Literal || node.value.Kind == Glob && !strings.Contains(node.value.Text, `\\`)
		if !in.named && pattern && !strings.Contains(node.value.Text, "/") && isASCII(node.value.Text) {
			yes.named, yes.names = true, []string{node.value.Text}
		}
	case "-type":
		yes.typeF = in.typeF || node.value.literal("f") && !x.follows
	case "-print", "-print0":
		x.printed = x.printed.union(in)
		return in, selection{none: true}
	case "-prune", "-true":
		return in, selection{none: true}
	}
	if node.run != nil {
		node.run.files = in
	}
	return yes, in
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
}

// walk selects the files below the roots that a selection can hold.
func (x *findExpression) walk(s selection) value.Walk {
	walk := value.Walk{Follow: !s.typeF || s.none, ExcludeDir: x.pruned()}
	if s.named && !s.none {
		walk.Include, walk.NamedLinks = s.names, !x.follows
	}
	return walk
}

// pruned lists the names that directories which find does not enter have,
// wherever they lie.
func (x *findExpression) pruned() []string {
	if x.root == nil || x.bottomUp {
		return nil
	}
	var out []string
	for _, leaf := range x.leaves {
		name := leaf.value.Text
		switch leaf.name {
		case "-name":
		case "-path", "-wholename":
			name = strings.TrimPrefix(name, "*/")
		default:
			continue
		}
		// Walks fold case, and find doesn't.
		plain := leaf.value.Kind == Literal && name != "" && strings.ToLower(name) == name && !strings.ContainsAny(name, "/*?[\\")
		if plain && !slices.Contains(out, name) && prunes(x.root, name, new(bool)) {
			out = append(out, name)
		}
	}
	return out
}

// prunes reports whether find certainly comes to -prune with any directory of
// the given name.
func prunes(root *findNode, name string, met *bool) bool {
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
func outcome(node *findNode, name string, certain bool, met *bool) int {
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

func (n *findNode) tests(name string, certain bool, met *bool) int {
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
		if n.value.Kind == Literal && !strings.ContainsAny(n.value.Text, "*?[\\") {
			return is(n.value.Text == name)
		}
	case "-path", "-wholename":
		if n.value.literal("*/" + name) {
			return always
		}
	case "-type":
		if n.value.literal("d") || n.value.literal("f") {
			return is(n.value.Text == "d")
		}
	}
	return maybe
}

// find reads paths, and an expression of words each with its own arguments.
func (p *parsed) find(program *argv.Program) {
	behind := false
	rest := p.args.Words
	for len(rest) > 0 {
		word := rest[0]
		if word.Kind == Literal && (word.Text == "(" || word.Text == ")" || word.Text == "!" || word.Text == ",") {
			p.tests.add(word.Text, Word{}, nil)
			rest = rest[1:]
			continue
		}
		if !word.isOption() {
			p.Operand(program, word)
			p.args.Operands = append(p.args.Operands, word)
			behind = behind || len(p.tests.leaves) > 0 && !onlyFirst(p.tests.leaves)
			rest = rest[1:]
			continue
		}
		known, ok := program.Options[word.Text]
		if ok && known.Kinds[0] == "command" {
			rest = p.execution(known.Canonical, rest[1:])
			continue
		}
		if len(rest) > 1 {
			p.tests.add(word.Text, rest[1], nil)
		} else {
			p.tests.add(word.Text, Word{}, nil)
		}
		rest = rest[p.args.Option(program, rest):]
	}
	p.tests.resolve(behind)
	for _, leaf := range p.tests.leaves {
		if leaf.run != nil {
			p.runs(leaf.run)
		}
	}
	walk := p.tests.walk(p.tests.printed)
	p.c.found = &walk
	p.c.mixed = p.tests.prints && p.tests.zeros
}

// onlyFirst reports whether nothing but the options that stand before find's
// paths was there.
func onlyFirst(leaves []*findNode) bool {
	return !slices.ContainsFunc(leaves, func(leaf *findNode) bool {
		return !slices.Contains([]string{"-H", "-L", "-P", "-E", "-X", "-d", "-s", "-x", "-O0", "-O1", "-O2", "-O3"}, leaf.name)
	})
}

// execution reads the command of -exec up to its ";" or "+".
func (p *parsed) execution(option string, rest []Word) []Word {
	end := slices.IndexFunc(rest, func(w Word) bool { return w.literal(";") || w.literal("+") })
	closed := end >= 0
	if !closed {
		p.c.Caveats.Add("unknown_option")
		end = len(rest)
	}
	run := &findRun{option: option, argv: rest[:end], closed: closed, many: closed && rest[end].literal("+")}
	p.tests.add(option, Word{}, run)
	return rest[min(end+1, len(rest)):]
}

// runs makes the command of -exec an item of its own, or notes that it isn't one.
func (p *parsed) runs(run *findRun) {
	if run.closed && p.fedExec(run) {
		p.c.Form.Put(run.option, "item")
		return
	}
	p.c.Form.Put(run.option, "command")
	p.c.Caveats.Add("executes") // be it a file that is found
	p.args.Inner = append(p.args.Inner, slices.DeleteFunc(slices.Clone(run.argv), func(w Word) bool { return w.literal("{}") })...)
}

// findFeed is what `find -exec` feeds: of everything below its paths what comes
// to the action.
func (p *parsed) findFeed(run *findRun) *feed {
	if p.c.Unknown || len(p.c.Dirs) != 1 {
		return nil
	}
	f := &feed{
		dir: p.c.Dirs[0], many: run.many, files: run.files.typeF,
		Walk: p.tests.walk(run.files), Names: value.Names{Rooted: true, Handing: value.Whole},
	}
	for _, word := range p.args.Operands {
		if word.Kind == Glob && word.Text != "" {
			if !f.within(word.Text) {
				return nil
			}
			continue
		}
		if word.Kind != Literal || strings.HasPrefix(word.Text, "-") {
			return nil
		}
		f.roots = append(f.roots, word.Text)
	}
	if len(f.roots) == 0 {
		f.roots = []string{"."}
	}
	f.widen()
	return f
}

// fedExec makes the command of -exec an item of its own, if it can be one.
func (p *parsed) fedExec(run *findRun) bool {
	if run.option != "-exec" || !slices.ContainsFunc(run.argv, func(w Word) bool { return w.literal("{}") }) {
		return false
	}
	f := p.findFeed(run)
	if f == nil || !f.run(p, run.argv, standsAlone("{}")) {
		return false
	}
	if p.c.ran = f; len(p.after) != 1 || p.tests.prints || p.tests.zeros {
		p.c.ran = nil // it prints names besides
	}
	return true
}
