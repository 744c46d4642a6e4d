package bundles

import (
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// heard are the operators' rules that are read, and their place: the names apply in a package of exactly this
// many steps below data, and nowhere else.
var heard = []struct {
	root  ast.Ref
	steps int
	names []*ast.Term
	place string
}{
	{rootRef(siteRoot), 2, terms("deny", "prompt", "cover"), siteRoot + ".<name>"},
	{rootRef(recordRoot), 2, terms("mask", "drop"), "system.log"},
}

func rootRef(root string) ast.Ref {
	return ast.MustParseRef("data." + strings.ReplaceAll(root, "/", "."))
}

func terms(names ...string) []*ast.Term {
	made := make([]*ast.Term, len(names))
	for i, name := range names {
		made[i] = ast.StringTerm(name)
	}
	return made
}

// checkHeard refuses operators' rules that have the name of a rule that is read, in a package that nobody
// reads: such a denial would silently have no effect.
func checkHeard(parts []part) error {
	for i := range parts {
		for _, module := range parts[i].Modules {
			if !isRule(&parts[i], module.Path) {
				continue
			}
			for _, rule := range module.Parsed.Rules {
				if err := checkRuleHeard(rule); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func checkRuleHeard(rule *ast.Rule) error {
	path := rule.Ref().GroundPrefix()
	for _, one := range heard {
		if !path.HasPrefix(one.root) {
			continue
		}
		for _, name := range one.names {
			if unheard(path[1:], name, one.steps) {
				return fmt.Errorf("%s: %s would never be asked; %s belongs into a package %s",
					rule.Location, path, name.Value.(ast.String), one.place)
			}
		}
	}
	return nil
}

// unheard reports whether a path below data has the name in a package that nobody reads.
func unheard(path ast.Ref, name *ast.Term, steps int) bool {
	if len(path) > steps && path[steps].Equal(name) {
		return false
	}
	return len(path) > 0 && path[len(path)-1].Equal(name)
}
