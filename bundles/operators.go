package bundles

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// operators are the sets of operators' packages that are read, by the heads of their rules.
type operators struct {
	// findings are the sets deny and prompt, as package and name of the set; covers are
	// the packages that have such a set.
	findings [][2]string
	covers   []string
	// unnamed is true where the heads don't tell: a set that is made otherwise than by
	// "contains", or a package whose name only the evaluation knows. Every judgement has
	// to look for the sets then.
	unnamed bool
}

// hasOperators reports whether any package stands below the operators' root.
func hasOperators(parts []part) bool {
	root := rootRef(siteRoot)
	for _, p := range parts {
		for _, module := range p.Modules {
			if module.Parsed.Package.Path.HasPrefix(root) {
				return true
			}
		}
	}
	return false
}

// operatorsOf reads the heads of all rules below the operators' root.
func operatorsOf(parts []part) operators {
	var found operators
	root := rootRef(siteRoot)
	for i := range parts {
		p := &parts[i]
		for _, module := range p.Modules {
			if !isRule(p, module.Path) || !module.Parsed.Package.Path.HasPrefix(root) {
				continue
			}
			for _, rule := range module.Parsed.Rules {
				found.read(rule)
			}
		}
	}
	slices.SortFunc(found.findings, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	found.findings = slices.Compact(found.findings)
	slices.Sort(found.covers)
	found.covers = slices.Compact(found.covers)
	return found
}

// read reads one head. What is read has exactly four steps: data, site, a name, and that
// of the set.
func (o *operators) read(rule *ast.Rule) {
	const steps = 4
	path := rule.Ref()
	ground := path.GroundPrefix()
	if len(ground) < steps {
		o.unnamed = true
		return
	}
	set, _ := ground[3].Value.(ast.String)
	if set != "deny" && set != "prompt" && set != "cover" {
		return
	}
	name, named := ground[2].Value.(ast.String)
	switch {
	case !named || len(path) != steps || rule.Head.RuleKind() != ast.MultiValue:
		o.unnamed = true
	case set == "cover":
		o.covers = append(o.covers, string(name))
	default:
		o.findings = append(o.findings, [2]string{string(name), string(set)})
	}
}

// operatorsData is data.policyd.config.operators, by which the entrypoint knows which sets
// to ask. Null says that it has to look for them.
func operatorsData(parts []part) ast.Object {
	found := operatorsOf(parts)
	findings, covers := ast.InternedNullTerm, ast.InternedNullTerm
	if !found.unnamed {
		findings, covers = pairsTerm(found.findings), wordsTerm(found.covers)
	}
	return nested(ast.ObjectTerm(
		[2]*ast.Term{ast.StringTerm("present"), ast.InternedTerm(hasOperators(parts))},
		[2]*ast.Term{ast.StringTerm("findings"), findings},
		[2]*ast.Term{ast.StringTerm("covers"), covers},
	), policyRoot, "config", "operators")
}

func pairsTerm(pairs [][2]string) *ast.Term {
	made := make([]*ast.Term, len(pairs))
	for i, pair := range pairs {
		made[i] = wordsTerm(pair[:])
	}
	return ast.ArrayTerm(made...)
}

func wordsTerm(words []string) *ast.Term { return ast.ArrayTerm(terms(words...)...) }

// nested is the object that has a value below these names, one in the other.
func nested(value *ast.Term, names ...string) ast.Object {
	for _, name := range slices.Backward(names[1:]) {
		value = ast.ObjectTerm([2]*ast.Term{ast.StringTerm(name), value})
	}
	return ast.NewObject([2]*ast.Term{ast.StringTerm(names[0]), value})
}
