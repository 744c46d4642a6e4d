package bundles

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"

	"policyd/policies"
)

// factsSchema is the schema of facts as the compiler reads it. It is read once for an
// engine, and safe for concurrent use.
type factsSchema func() (*ast.SchemaSet, *ast.Module, error)

// newFactsSchema reads a JSON schema when it is first needed; nil has none.
func newFactsSchema(schema []byte) factsSchema {
	if schema == nil {
		return nil
	}
	type read struct {
		set    *ast.SchemaSet
		module *ast.Module
	}
	once := sync.OnceValues(func() (read, error) {
		var facts any
		if err := json.Unmarshal(schema, &facts); err != nil {
			return read{}, fmt.Errorf("read schema of facts: %w", err)
		}
		module, err := ast.ParseModuleWithOpts("schema.rego", policies.SiteSchema, ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
		if err != nil {
			return read{}, fmt.Errorf("bind schema of facts: %w", err)
		}
		set := ast.NewSchemaSet()
		set.Put(ast.MustParseRef("schema.facts"), facts)
		return read{set, module}, nil
	})
	return func() (*ast.SchemaSet, *ast.Module, error) {
		known, err := once()
		return known.set, known.module, err
	}
}

// bind makes the compiler check rules against the schema, so that a misspelt fact is an error and not a rule
// that never applies. The embedded rules were checked at build time, so they don't use it.
func (f factsSchema) bind(compiler *ast.Compiler, parts []part, modules map[string]*ast.Module) (*ast.Compiler, error) {
	if f == nil || !hasOperators(parts) {
		return compiler, nil
	}
	set, module, err := f()
	if err != nil {
		return nil, err
	}
	for key, known := range modules {
		if len(known.Rules) == 0 && known.Package.Path.Equal(rootRef(policyRoot)) {
			delete(modules, key)
		}
	}
	modules["schema"] = module.Copy()
	return compiler.WithSchemas(set).WithUseTypeCheckAnnotations(true), nil
}
