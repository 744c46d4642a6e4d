package bundles

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown/cache"
)

// maxCachedValues bounds what built-in functions keep between judgements (compiled
// patterns), since inputs can choose them.
const maxCachedValues = 1024

// Snapshot is one activated policy. It is immutable and safe for concurrent use; it
// stays whole for as long as somebody holds it.
type Snapshot struct {
	revision string
	prepared any
	deadline time.Duration
	// ruled are the agents that settings have rules for.
	ruled    map[string]bool
	compiler *ast.Compiler
	query    ast.Body
	store    storage.Store
	// txn is one read transaction for all judgements. Nobody ever writes to the store,
	// so it is never ended.
	txn    storage.Transaction
	data   dataCache
	values cache.InterQueryValueCache
	words  *vocabulary
	// repeats is nil until the snapshot is in force, and where nothing is to be remembered.
	repeats *repeats
	// metadata is empty: the evaluator would make one for each judgement.
	metadata map[string]any
	// evaluations holds *evaluation that nobody uses. It is no part of the snapshot: the
	// runtime keeps a pool for two collections after its last use, and what it is part of.
	evaluations *sync.Pool
}

// Revision names the policy: the manifest's revision or else a digest of modules and
// data, for each bundle, and a digest of the settings where there are any.
func (s *Snapshot) Revision() string { return s.revision }

// Prepared returns what Options.Prepare made of this snapshot's data.
func (s *Snapshot) Prepared() any { return s.prepared }

// build checks and compiles. Whatever it returns an error for is not activated: a
// *RefusalError of the part that changed.
func build(ctx context.Context, options Options, parts []part, changed string) (*Snapshot, error) {
	if err := checkParts(parts); err != nil {
		return nil, refuse(changed, CheckRoots, err)
	}
	if err := checkHeard(parts); err != nil {
		return nil, &RefusalError{Bundle: changed, Check: CheckEntrypoint, Hint: "rename the package, or the rule", Err: err}
	}
	// What bundles say is checked without settings: an operator's choice is no mistake in
	// a bundle, and none in it may hide behind one.
	plain, err := compile(ctx, parts, changed)
	if err != nil {
		return nil, err
	}
	// The embedded bundle was tested where it was built.
	if options.TestOnActivate && changed != embeddedName {
		if err := runTests(ctx, parts, changed); err != nil {
			return nil, refuse(changed, CheckTests, err)
		}
	}
	snapshot, policyd, err := plain.withSettings(ctx, parts, options.Settings, changed)
	if err != nil {
		return nil, err
	}
	// The store holds copies by now: what becomes of policyd can't change the snapshot.
	if snapshot.prepared, err = options.Prepare(policyd); err != nil {
		return nil, refuse(changed, CheckData, fmt.Errorf("prepare data: %w", err))
	}
	snapshot.deadline = options.Deadline
	if options.WithoutSmoke {
		return snapshot, nil
	}
	operators := hasOperators(parts)
	if err := plain.smoke(ctx, operators, false); err != nil {
		return nil, refuse(changed, CheckSmoke, err)
	}
	if err := snapshot.smoke(ctx, operators, true); err != nil {
		return nil, refuse(changed, CheckSmoke, fmt.Errorf("with the settings: %w", err))
	}
	return snapshot, nil
}

// compile makes a snapshot of what the parts alone say.
func compile(ctx context.Context, parts []part, changed string) (*Snapshot, error) {
	data := dataOf(parts)
	store, txn, err := newStore(ctx, data)
	if err != nil {
		return nil, refuse(changed, CheckData, err)
	}
	compiler := newCompiler(ctx, store, txn)
	if compiler.Compile(modulesOf(parts, isRule)); compiler.Failed() {
		return nil, refuse(changed, CheckCompile, fmt.Errorf("compile policy: %w", explain(compiler.Errors)))
	}
	if err := checkEntrypoint(compiler, parts); err != nil {
		return nil, refuse(changed, CheckEntrypoint, err)
	}
	query, err := compiler.QueryCompiler().Compile(ast.MustParseBody(string(resultVar) + " = " + entrypointPath))
	if err != nil {
		return nil, fmt.Errorf("compile query: %w", err)
	}
	policyd, err := object(data, policyRoot)
	if err != nil {
		return nil, refuse(changed, CheckData, fmt.Errorf("read data: %w", err))
	}
	return newSnapshot(ctx, compiler, query, store, txn, ruledAgents(policyd))
}

func newSnapshot(ctx context.Context, compiler *ast.Compiler, query ast.Body, store storage.Store, txn storage.Transaction,
	ruled map[string]bool,
) (*Snapshot, error) {
	base, err := store.Read(ctx, txn, storage.RootPath)
	if err != nil {
		return nil, fmt.Errorf("read data: %w", err)
	}
	limit := maxCachedValues
	values := cache.NewInterQueryValueCache(ctx, &cache.Config{
		InterQueryBuiltinValueCache: cache.InterQueryBuiltinValueCacheConfig{MaxNumEntries: &limit},
	})
	return &Snapshot{
		compiler: compiler, query: query, store: store, txn: txn, values: values, words: newVocabulary(), ruled: ruled,
		data:        dataCache{base.(ast.Object)}, // what newStore put there
		metadata:    map[string]any{},
		deadline:    defaultDeadline,
		evaluations: &sync.Pool{New: func() any { return newEvaluation() }},
	}, nil
}

// withSettings returns a snapshot of the same rules over data with settings laid over it,
// and data.policyd as it is then.
func (s *Snapshot) withSettings(ctx context.Context, parts []part, given map[string]any, changed string,
) (*Snapshot, map[string]any, error) {
	settings, err := plainSettings(given)
	if err != nil {
		return nil, nil, err
	}
	// The revision is taken first, since merging the settings changes the data.
	revision, err := revisionOf(parts, settings)
	if err != nil {
		return nil, nil, err
	}
	data := dataOf(parts)
	policyd, err := applySettings(data, settings)
	if err != nil {
		return nil, nil, refuse(changed, CheckData, fmt.Errorf("read data: %w", err))
	}
	store, txn, err := newStore(ctx, data)
	if err != nil {
		return nil, nil, refuse(changed, CheckData, err)
	}
	settled, err := newSnapshot(ctx, s.compiler, s.query, store, txn, ruledAgents(policyd))
	if err != nil {
		return nil, nil, err
	}
	settled.revision = revision
	return settled, policyd, nil
}

func newCompiler(ctx context.Context, store storage.Store, txn storage.Transaction) *ast.Compiler {
	return ast.NewCompiler().
		WithCapabilities(capabilities()).
		WithStrict(true).
		WithPathConflictsCheck(storage.NonEmpty(ctx, store, txn))
}

// newStore makes a store of AST values, so that no judgement converts data.
func newStore(ctx context.Context, data map[string]any) (storage.Store, storage.Transaction, error) {
	value, err := ast.InterfaceToValue(data)
	if err != nil {
		return nil, nil, fmt.Errorf("convert data: %w", err)
	}
	store := inmem.NewFromASTObject(value.(ast.Object)) // a map becomes an object
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("open data: %w", err)
	}
	return store, txn, nil
}

// modulesOf gathers the modules of which keep says so. Their keys name the part as well:
// a directory may be called like the embedded bundle, and no module may hide another.
func modulesOf(parts []part, keep func(p *part, path string) bool) map[string]*ast.Module {
	modules := map[string]*ast.Module{}
	for i := range parts {
		p := &parts[i]
		for _, module := range p.Modules {
			if keep(p, module.Path) {
				modules[fmt.Sprintf("%d:%s", i, module.Path)] = module.Parsed
			}
		}
	}
	return modules
}

func isTest(path string) bool          { return strings.HasSuffix(path, "_test.rego") }
func isRule(_ *part, path string) bool { return !isTest(path) }

// dataOf is the data of all parts, and whether operators have packages among them.
func dataOf(parts []part) map[string]any {
	data := mergeData(parts)
	if !hasOperators(parts) {
		data = merge(data, operators(false))
	}
	return data
}

// mergeData puts the data of all parts together. Their roots don't overlap, but two may
// share a parent ("site_data/a" and "site_data/b").
func mergeData(parts []part) map[string]any {
	data := map[string]any{}
	for _, p := range parts {
		data = merge(data, p.Data)
	}
	return data
}

// merge returns base with over laid on it: objects member by member, anything else
// replaces. Neither argument is changed.
func merge(base, over map[string]any) map[string]any {
	merged := maps.Clone(base)
	for name, value := range over {
		if inner, isObject := value.(map[string]any); isObject {
			below, _ := merged[name].(map[string]any)
			if below == nil {
				below = map[string]any{}
			}
			merged[name] = merge(below, inner)
			continue
		}
		merged[name] = value
	}
	return merged
}
