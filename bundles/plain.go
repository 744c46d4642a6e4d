package bundles

import "github.com/open-policy-agent/opa/v1/ast"

// plainVerbs is data.policyd.config.plain_verbs: for each platform and verb of config.safe_verbs the first
// safe form without needs. With it a rule can test all commands of a line at once. It is empty if the table
// has another shape than the rules expect.
func plainVerbs(data ast.Object) ast.Object {
	found, err := data.Find(ast.Ref(terms(policyRoot, "config", "safe_verbs")))
	platforms, isObject := found.(ast.Object)
	if err != nil || !isObject {
		return ast.NewObject()
	}
	plain := make([][2]*ast.Term, 0, platforms.Len())
	platforms.Foreach(func(platform, verbs *ast.Term) {
		plain = append(plain, [2]*ast.Term{platform, plainForms(verbs)})
	})
	return nested(ast.ObjectTerm(plain...), policyRoot, "config", "plain_verbs")
}

func plainForms(verbs *ast.Term) *ast.Term {
	table, isObject := verbs.Value.(ast.Object)
	if !isObject {
		return ast.InternedEmptyObject
	}
	plain := make([][2]*ast.Term, 0, table.Len())
	table.Foreach(func(verb, forms *ast.Term) {
		if form := plainForm(forms); form != nil {
			plain = append(plain, [2]*ast.Term{verb, form})
		}
	})
	return ast.ObjectTerm(plain...)
}

var plainKeys = terms("form", "needs")

func plainForm(forms *ast.Term) *ast.Term {
	list, isArray := forms.Value.(*ast.Array)
	if !isArray {
		return nil
	}
	for i := range list.Len() {
		safe := list.Elem(i)
		form, needs := safe.Get(plainKeys[0]), safe.Get(plainKeys[1])
		if form != nil && needs != nil && needs.Equal(ast.InternedEmptyObject) {
			return form
		}
	}
	return nil
}
