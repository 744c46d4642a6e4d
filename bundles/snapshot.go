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
	// metadata is empty: the evaluator would make one for each judgement.
	metadata map[string]any
	// evaluations holds *evaluation that nobody uses.
	evaluations sync.Pool
}

// Revision names the policy: the manifest's revision or else a digest of modules and
// data, for each bundle, and a digest of the settings where there are any.
func (s *Snapshot) Revision() string { return s.revision }

// Prepared returns what Options.Prepare made of this snapshot's data.
func (s *Snapshot) Prepared() any { return s.prepared }

// build reads, checks and compiles. Whatever it returns an error for is not activated.
func build(ctx context.Context, options Options) (*Snapshot, error) {
	parts, err := load(options)
	if err != nil {
		return nil, err
	}
	if err := checkParts(parts); err != nil {
		return nil, err
	}
	if options.TestOnActivate {
		if err := runTests(ctx, parts); err != nil {
			return nil, err
		}
	}
	settings, err := plainSettings(options.Settings)
	if err != nil {
		return nil, err
	}
	// The revision is taken first, since merging the settings changes the data.
	revision, err := revisionOf(parts, settings)
	if err != nil {
		return nil, err
	}
	data := mergeData(parts)
	source := parts[len(parts)-1].name
	policyd, err := applySettings(data, settings)
	if err != nil {
		return nil, fmt.Errorf("read data of %s: %w", source, err)
	}
	snapshot, err := compile(ctx, parts, data)
	if err != nil {
		return nil, err
	}
	snapshot.revision = revision
	snapshot.deadline = options.Deadline
	snapshot.ruled = ruledAgents(policyd)
	// The store holds copies by now: what becomes of policyd can't change the snapshot.
	snapshot.prepared, err = options.Prepare(policyd)
	if err != nil {
		return nil, fmt.Errorf("prepare data of %s: %w", source, err)
	}
	return snapshot, nil
}

func compile(ctx context.Context, parts []part, data map[string]any) (*Snapshot, error) {
	if !hasOperators(parts) {
		data = merge(data, operators(false))
	}
	store, txn, err := newStore(ctx, data)
	if err != nil {
		return nil, err
	}
	compiler := newCompiler(ctx, store, txn)
	if compiler.Compile(modulesOf(parts, isRule)); compiler.Failed() {
		return nil, fmt.Errorf("compile policy: %w", explain(compiler.Errors))
	}
	if err := checkEntrypoint(compiler, parts); err != nil {
		return nil, err
	}
	query, err := compiler.QueryCompiler().Compile(ast.MustParseBody(string(resultVar) + " = " + entrypointPath))
	if err != nil {
		return nil, fmt.Errorf("compile query: %w", err)
	}
	base, err := store.Read(ctx, txn, storage.RootPath)
	if err != nil {
		return nil, fmt.Errorf("read data: %w", err)
	}
	limit := maxCachedValues
	values := cache.NewInterQueryValueCache(ctx, &cache.Config{
		InterQueryBuiltinValueCache: cache.InterQueryBuiltinValueCacheConfig{MaxNumEntries: &limit},
	})
	return &Snapshot{
		compiler: compiler, query: query, store: store, txn: txn, values: values, words: newVocabulary(),
		data:        dataCache{base.(ast.Object)}, // what newStore put there
		metadata:    map[string]any{},
		evaluations: sync.Pool{New: func() any { return newEvaluation() }},
	}, nil
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
func modulesOf(parts []part, keep func(path string) bool) map[string]*ast.Module {
	modules := map[string]*ast.Module{}
	for i, p := range parts {
		for _, module := range p.Modules {
			if keep(module.Path) {
				modules[fmt.Sprintf("%d:%s", i, module.Path)] = module.Parsed
			}
		}
	}
	return modules
}

func isTest(path string) bool { return strings.HasSuffix(path, "_test.rego") }
func isRule(path string) bool { return !isTest(path) }

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
