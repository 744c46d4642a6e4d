package bundles

import (
	"context"
	"fmt"
	"runtime"
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

// Snapshot is one activated policy. It is immutable and safe for concurrent use, and stays valid after it is
// replaced.
type Snapshot struct {
	revision string
	// parts are its bundles.
	parts []part
	// settings are laid over their data, as JSON reads them.
	settings map[string]any
	prepared any
	deadline time.Duration
	// ruled are the agents that settings have rules for.
	ruled    map[string]bool
	compiler *ast.Compiler
	query    ast.Body
	store    storage.Store
	// txn is one read transaction for all judgements. The store is never written, so it is never ended.
	txn    storage.Transaction
	data   dataCache
	values cache.InterQueryValueCache
	words  *vocabulary
	// repeats is nil until the snapshot is active, and if nothing is to be remembered.
	repeats *repeats
	// metadata is empty: the evaluator would make one for each judgement.
	metadata map[string]any
	// evaluations pools unused *evaluation. It isn't a field of the snapshot: the runtime keeps a pool, and
	// whatever contains it, for two collections after its last use.
	evaluations *sync.Pool
}

// Revision identifies the policy: the manifest's revision or else a digest of modules and data, for each
// bundle, and a digest of the settings if there are any.
func (s *Snapshot) Revision() string { return s.revision }

// Prepared returns the result of Options.Prepare for this snapshot's data.
func (s *Snapshot) Prepared() any { return s.prepared }

// build checks and compiles. On an error nothing is activated; the error is a *RefusalError of the changed
// part.
func build(ctx context.Context, options Options, parts []part, changed string) (*Snapshot, error) {
	if err := checkParts(parts); err != nil {
		return nil, refuse(changed, CheckRoots, err)
	}
	if err := checkHeard(parts); err != nil {
		return nil, &RefusalError{Bundle: changed, Check: CheckEntrypoint, Hint: "rename the package, or the rule", Err: err}
	}
	yield()
	// Bundles are checked without settings: an operator's choice isn't a mistake in a bundle, and must not
	// hide one.
	plain, err := compile(ctx, options.facts, parts, changed)
	if err != nil {
		return nil, err
	}
	// The tests of the embedded bundle ran at build time.
	if options.TestOnActivate && changed != embeddedName {
		if err := runTests(ctx, parts, changed); err != nil {
			return nil, refuse(changed, CheckTests, err)
		}
	}
	snapshot, err := plain.withSettings(ctx, parts, options, changed)
	if err != nil {
		return nil, err
	}
	if options.WithoutSmoke {
		return snapshot, nil
	}
	plain.deadline = options.Deadline
	operators, workers := hasOperators(parts), 1
	if options.idle {
		workers = runtime.GOMAXPROCS(0)
	}
	if !provenAlone(parts) {
		if err := plain.smoke(ctx, workers, operators, false); err != nil {
			return nil, refuse(changed, CheckSmoke, err)
		}
	}
	if len(options.Settings) == 0 {
		return snapshot, nil // it judges by the same data
	}
	if err := snapshot.smoke(ctx, workers, operators, true); err != nil {
		return nil, refuse(changed, CheckSmoke, fmt.Errorf("with the settings: %w", err))
	}
	return snapshot, nil
}

// compile makes a snapshot of the parts alone.
func compile(ctx context.Context, schema factsSchema, parts []part, changed string) (*Snapshot, error) {
	compiler, err := newCompiler(ctx, parts)
	if err != nil {
		return nil, refuse(changed, CheckData, err)
	}
	modules := modulesOf(parts, isRule)
	if compiler, err = schema.bind(compiler, parts, modules); err != nil {
		return nil, err
	}
	if compiler.Compile(modules); compiler.Failed() {
		return nil, refuse(changed, CheckCompile, fmt.Errorf("compile policy: %w", explain(compiler.Errors)))
	}
	if err := checkEntrypoint(compiler, parts); err != nil {
		return nil, refuse(changed, CheckEntrypoint, err)
	}
	query, err := compiler.QueryCompiler().Compile(ast.MustParseBody(string(resultVar) + " = " + entrypointPath))
	if err != nil {
		return nil, fmt.Errorf("compile query: %w", err)
	}
	data, err := dataOf(parts)
	if err != nil {
		return nil, refuse(changed, CheckData, err)
	}
	store, txn, err := newStore(ctx, data)
	if err != nil {
		return nil, refuse(changed, CheckData, err)
	}
	policyd, err := settle(parts, nil)
	if err != nil {
		return nil, refuse(changed, CheckData, err)
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
		data:        dataCache{base.(ast.Object)}, // newStore wrote it
		metadata:    map[string]any{},
		deadline:    defaultDeadline,
		evaluations: &sync.Pool{New: func() any { return newEvaluation() }},
	}, nil
}

// withSettings returns a snapshot of the same rules over data with settings laid over it.
func (s *Snapshot) withSettings(ctx context.Context, parts []part, options Options, changed string) (*Snapshot, error) {
	settings, err := plainSettings(options.Settings)
	if err != nil {
		return nil, err
	}
	over, err := ast.InterfaceToValue(map[string]any{policyRoot: map[string]any{"settings": settings}})
	if err != nil {
		return nil, fmt.Errorf("convert settings: %w", err)
	}
	store, txn, err := newStore(ctx, mergeValues(s.data.data, over.(ast.Object))) // a map becomes an object
	if err != nil {
		return nil, refuse(changed, CheckData, err)
	}
	settled, err := newSnapshot(ctx, s.compiler, s.query, store, txn, nil)
	if err != nil {
		return nil, err
	}
	settled.revision, settled.parts, settled.settings, settled.deadline = revisionOf(parts, settings), parts, settings, options.Deadline
	return settled, settled.prepare(options, settings, changed)
}

// prepare has the parts outside of the engine read the data with settings laid over it.
func (s *Snapshot) prepare(options Options, settings map[string]any, changed string) error {
	policyd, err := settle(s.parts, settings)
	if err != nil {
		return refuse(changed, CheckData, err)
	}
	s.ruled = ruledAgents(policyd)
	if s.prepared, err = options.Prepare(policyd); err != nil {
		return refuse(changed, CheckData, fmt.Errorf("prepare data: %w", err))
	}
	return nil
}

// rebuild returns a snapshot of the same parts, which have passed all checks. What is
// prepared is made anew: it may follow from the disk.
func (s *Snapshot) rebuild(options Options, changed string) (*Snapshot, error) {
	settings, err := plainSettings(options.Settings)
	if err != nil {
		return nil, err
	}
	renewed := *s
	return &renewed, renewed.prepare(options, settings, changed)
}

// yield lets waiting judgements run first: a build is never urgent.
func yield() { runtime.Gosched() }

// newCompiler checks the decoded data for paths that hide rules; the terms are built meanwhile.
func newCompiler(ctx context.Context, parts []part) (*ast.Compiler, error) {
	data, err := mergeData(parts)
	if err != nil {
		return nil, err
	}
	store := inmem.NewFromObjectWithOpts(data, inmem.OptRoundTripOnWrite(false))
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return nil, fmt.Errorf("open data: %w", err)
	}
	if provenAlone(parts) {
		return ast.NewCompiler().WithCapabilities(capabilities()).WithStrict(true).WithSkipStages(stagesProven...), nil
	}
	compiler := ast.NewCompiler().
		WithCapabilities(capabilities()).
		WithStrict(true).
		WithPathConflictsCheck(storage.NonEmpty(ctx, store, txn))
	for _, stage := range ast.AllStages() {
		compiler.WithStageAfterID(stage, ast.CompilerStageDefinition{
			Name: "yield", MetricName: "yield", Stage: func(*ast.Compiler) *ast.Error { yield(); return nil },
		})
	}
	return compiler, nil
}

// newStore makes a store of AST values, so that no judgement converts data.
func newStore(ctx context.Context, data ast.Object) (storage.Store, storage.Transaction, error) {
	store := inmem.NewFromASTObject(data)
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("open data: %w", err)
	}
	return store, txn, nil
}

// modulesOf collects the modules for which keep is true. Their keys include the part: a directory may have
// the name of the embedded bundle, and no module may hide another.
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

// mergeData merges the data of all parts. Their roots don't overlap, but two may share a parent
// ("site_data/a" and "site_data/b").
func mergeData(parts []part) (map[string]any, error) {
	all := map[string]any{}
	for i := range parts {
		data, err := parts[i].data()
		if err != nil {
			return nil, err
		}
		all = merge(all, data)
	}
	return all, nil
}

// mergeParts does the same for the evaluator.
func mergeParts(parts []part) (ast.Object, error) {
	data := ast.NewObject()
	for i := range parts {
		values, err := parts[i].values()
		if err != nil {
			return nil, err
		}
		data = mergeValues(data, values)
	}
	return data, nil
}

// dataOf is the data of all parts, and what follows from them alone: rules would look for
// it anew in every judgement.
func dataOf(parts []part) (ast.Object, error) {
	data, err := mergeParts(parts)
	if err != nil {
		return nil, err
	}
	if data, err = withClasses(data, parts); err != nil {
		return nil, err
	}
	data = mergeValues(data, operatorsData(parts))
	return mergeValues(data, plainVerbs(data)), nil
}
