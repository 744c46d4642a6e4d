package bundles

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

var _ topdown.BaseCache = dataCache{}

// dataCache answers the evaluator's look-ups of data from the snapshot's own object. The evaluator would ask
// the store for each path once per judgement, and remember the answer in a tree that costs more than the
// walk. Data of a snapshot never changes, so nothing has to be remembered. It is safe for concurrent use.
type dataCache struct{ data ast.Object }

// Get implements topdown.BaseCache. Nil means that the store has to answer: it does so for missing paths, and
// for data as a whole, of which it hides a part.
func (d dataCache) Get(ref ast.Ref) ast.Value {
	if len(ref) < 2 {
		return nil
	}
	var value ast.Value = d.data
	for _, step := range ref[1:] {
		var member *ast.Term
		switch container := value.(type) {
		case ast.Object:
			member = container.Get(step)
		case *ast.Array:
			member = container.Get(step)
		}
		if member == nil {
			return nil
		}
		value = member.Value
	}
	return value
}

// Put implements topdown.BaseCache.
func (dataCache) Put(ast.Ref, ast.Value) {}
