package bundles

import "github.com/open-policy-agent/opa/v1/ast"

// noOperators is data.policyd.config.operators.present, by which the entrypoint knows
// whether to look for packages of operators at all.
var noOperators = ast.MustParseTerm(`{"policyd": {"config": {"operators": {"present": false}}}}`).Value.(ast.Object)

// hasOperators reports whether any package stands below the operators' root.
func hasOperators(parts []part) bool {
	root := ast.MustParseRef("data." + siteRoot)
	for _, p := range parts {
		for _, module := range p.Modules {
			if module.Parsed.Package.Path.HasPrefix(root) {
				return true
			}
		}
	}
	return false
}
