package bundles

import (
	"maps"

	"github.com/open-policy-agent/opa/v1/ast"
)

// merge returns base with over merged into it: objects member by member, anything else replaces. Neither
// argument is changed, and the result shares unmerged parts.
func merge(base, over map[string]any) map[string]any {
	merged := maps.Clone(base)
	for name, value := range over {
		above, isObject := value.(map[string]any)
		below, wasObject := merged[name].(map[string]any)
		if isObject && wasObject {
			merged[name] = merge(below, above)
			continue
		}
		merged[name] = value
	}
	return merged
}

// mergeValues does the same with what the evaluator reads.
func mergeValues(base, over ast.Object) ast.Object {
	merged, _ := base.MergeWith(over, func(below, above *ast.Term) (*ast.Term, bool) {
		inner, wasObject := below.Value.(ast.Object)
		outer, isObject := above.Value.(ast.Object)
		if isObject && wasObject {
			return ast.NewTerm(mergeValues(inner, outer)), false
		}
		return above, false
	})
	return merged
}
