package bundles

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	v1 "policyd/api/v1"
)

// operators are the sets of operators' packages that are read, by the heads of their rules.
type operators struct {
	// deny, prompt and cover are the packages that have the set of this name.
	deny, prompt, cover v1.Set
	// unnamed is true if the heads aren't enough: a set that is made otherwise than by "contains", or a
	// package whose name only the evaluation knows. Then every judgement has to look for the sets.
	unnamed bool
}

// hasOperators reports whether any package is below the operators' root.
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
	for _, names := range []v1.Set{found.deny, found.prompt, found.cover} {
		slices.Sort(names)
	}
	return found
}

// read reads one head. It must have exactly four steps: data, site, a name, and that of the set.
func (o *operators) read(rule *ast.Rule) {
	const steps = 4
	path := rule.Ref()
	ground := path.GroundPrefix()
	if len(ground) < steps {
		o.unnamed = true
		return
	}
	set, _ := ground[3].Value.(ast.String)
	packages := map[ast.String]*v1.Set{"deny": &o.deny, "prompt": &o.prompt, "cover": &o.cover}[set]
	if packages == nil {
		return
	}
	name, named := ground[2].Value.(ast.String)
	if !named || len(path) != steps || rule.Head.RuleKind() != ast.MultiValue {
		o.unnamed = true
		return
	}
	packages.Add(string(name))
}

// operatorsData is data.policyd.config.operators, from which the entrypoint knows which sets to evaluate.
// Null means that it has to look for them.
func operatorsData(parts []part) ast.Object {
	found := operatorsOf(parts)
	packages := func(names v1.Set) *ast.Term {
		if found.unnamed {
			return ast.InternedNullTerm
		}
		return ast.ArrayTerm(terms(names...)...)
	}
	return nested(ast.ObjectTerm(
		[2]*ast.Term{ast.StringTerm("present"), ast.InternedTerm(hasOperators(parts))},
		[2]*ast.Term{ast.StringTerm("deny"), packages(found.deny)},
		[2]*ast.Term{ast.StringTerm("prompt"), packages(found.prompt)},
		[2]*ast.Term{ast.StringTerm("cover"), packages(found.cover)},
	), policyRoot, "config", "operators")
}

// nested is the object that has a value below these names, one in the other.
func nested(value *ast.Term, names ...string) ast.Object {
	for _, name := range slices.Backward(names[1:]) {
		value = ast.ObjectTerm([2]*ast.Term{ast.StringTerm(name), value})
	}
	return ast.NewObject([2]*ast.Term{ast.StringTerm(names[0]), value})
}
