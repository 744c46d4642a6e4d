package bundles

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/loader/filter"
	"github.com/open-policy-agent/opa/v1/storage"
)

// propose checks a bundle that OPA fetched, together with all the others. It runs in the transaction in which
// OPA activates it, so proposals are sequential.
func (e *Engine) propose(ctx context.Context, txn storage.Transaction, name string, content *bundle.Bundle) (*proposal, error) {
	p, err := readFetched(name, content, e.fetched[name])
	if err != nil {
		return nil, e.refusedFetched(name, refuse(name, CheckContents, err))
	}
	if err := checkFetchedRoots(p); err != nil {
		return nil, e.refusedFetched(name, refuse(name, CheckRoots, err))
	}
	e.expect(name)
	fetched, err := e.storedBundles(ctx, txn)
	if err != nil {
		return nil, err
	}
	fetched[name] = p
	proposed, err := e.check(ctx, e.local, fetched, name)
	if err != nil {
		return nil, e.refusedFetched(name, err)
	}
	return proposed, nil
}

// refusedFetched remembers a refusal. The text is all that OPA gets: it would replace an
// error of the compiler with its own words.
func (e *Engine) refusedFetched(name string, err error) error {
	e.failed(name, err, false)
	e.options.OnReject(err)
	return fmt.Errorf("%s", err.Error())
}

// check builds the snapshot of the local and fetched bundles. It builds none while a bundle is awaited that
// the policy needs.
func (e *Engine) check(ctx context.Context, local []part, fetched map[string]part, changed string) (*proposal, error) {
	proposed := &proposal{local: local, fetched: fetched, changed: changed}
	parts := slices.Clone(local)
	if e.replacesBuiltIn() {
		// The first part is the embedded bundle unless the source replaces it.
		parts = slices.DeleteFunc(parts, func(p part) bool { return p.name == embeddedName })
	}
	for _, name := range slices.Sorted(maps.Keys(fetched)) {
		parts = append(parts, fetched[name])
	}
	if !slices.ContainsFunc(parts, func(p part) bool { return p.ownsPolicy() }) && e.replacesBuiltIn() {
		return proposed, nil
	}
	options := e.options.settled()
	settings, err := plainSettings(options.Settings)
	if err != nil {
		return nil, err
	}
	if snapshot := e.current.Load(); snapshot != nil && sameParts(snapshot.parts, parts) && reflect.DeepEqual(snapshot.settings, settings) {
		proposed.snapshot, err = snapshot.rebuild(options, changed)
		return proposed, err
	}
	options.idle = e.current.Load() == nil
	snapshot, err := build(ctx, options, parts, changed)
	if err != nil {
		return nil, err
	}
	if e.complete(fetched) {
		proposed.snapshot = snapshot
	}
	return proposed, nil
}

// complete reports whether all bundles are there that were configured. If a policy was active, a bundle that
// is new to the configuration is not waited for.
func (e *Engine) complete(fetched map[string]part) bool {
	if e.current.Load() != nil {
		return true
	}
	if e.services != nil && !e.services.configured() {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for name := range e.remotes {
		if _, there := fetched[name]; !there {
			return false
		}
	}
	return true
}

// replacesBuiltIn reports whether a bundle is configured that replaces the built-in one.
func (e *Engine) replacesBuiltIn() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, configured := e.remotes[policyRoot]
	return configured
}

// checkFetchedRoots checks ownership. Only the bundle with the reserved name may replace the built-in policy,
// so that a publisher of rules can't publish another policy. In the same way a publisher of rules can't erase
// its traces from the log.
func checkFetchedRoots(p part) error {
	if p.name == policyRoot && !p.ownsPolicy() {
		return fmt.Errorf("it is called %s and doesn't own the root %s", policyRoot, policyRoot)
	}
	if err := checkOwned(p, p.name == policyRoot); err != nil {
		return err
	}
	if p.name != policyRoot && p.name != recordBundle && p.owns(recordRoot) {
		return fmt.Errorf("it owns the root %q, and isn't called %s", recordRoot, recordBundle)
	}
	return nil
}

// checkLocalRoots checks the same for a local bundle, which the person who starts the program chose: it
// replaces the built-in policy if its manifest has the root.
func checkLocalRoots(p part) error {
	if len(*p.Manifest.Roots) == 1 && (*p.Manifest.Roots)[0] == "" {
		return errors.New("it has no .manifest that says which roots it owns, and so owns everything")
	}
	return checkOwned(p, p.ownsPolicy())
}

func checkOwned(p part, replaces bool) error {
	allowed := []string{siteRoot, siteDataRoot, recordRoot}
	if replaces {
		allowed = append(allowed, policyRoot)
	}
	for _, root := range *p.Manifest.Roots {
		if root == "" || !bundle.RootPathsContain(allowed, root) {
			return fmt.Errorf("it owns the root %q", root)
		}
	}
	return nil
}

// readFetched reads a bundle of OPA's as those of files are read: with the same
// capabilities, and with the same checks of each file and of their sum.
func readFetched(name string, content *bundle.Bundle, known ...part) (part, error) {
	if content.Type() == bundle.DeltaBundleType {
		return part{}, fmt.Errorf("read bundle %s: delta bundles can't be loaded", name)
	}
	if len(content.WasmModules) > 0 || len(content.PlanModules) > 0 {
		return part{}, fmt.Errorf("read bundle %s: only Rego modules and data can be loaded", name)
	}
	files, err := filesOf(content)
	if err != nil {
		return part{}, fmt.Errorf("read bundle %s: %w", name, err)
	}
	return read(&fileList{files: files}, name, known)
}

type file struct {
	name    string
	content []byte
}

// filesOf lists the files of a bundle. If OPA reads data lazily, it keeps the original; otherwise the data is
// encoded again.
func filesOf(content *bundle.Bundle) ([]file, error) {
	manifest, err := json.Marshal(content.Manifest)
	if err != nil {
		return nil, fmt.Errorf("write manifest: %w", err)
	}
	files := []file{{"/" + manifestName, manifest}}
	for _, module := range content.Modules {
		files = append(files, file{module.RelativePath, module.Raw})
	}
	for _, raw := range content.Raw {
		if base := path.Base(raw.Path); base == "data.json" || bundle.IsYAMLDataFile(base) {
			files = append(files, file{raw.Path, raw.Value})
		}
	}
	if len(content.Raw) == 0 && len(content.Data) > 0 {
		data, err := json.Marshal(content.Data)
		if err != nil {
			return nil, fmt.Errorf("write data: %w", err)
		}
		files = append(files, file{"/data.json", data})
	}
	return files, nil
}

var _ bundle.DirectoryLoader = (*fileList)(nil)

// fileList hands out files that are in memory.
type fileList struct{ files []file }

// NextFile implements bundle.DirectoryLoader.
func (l *fileList) NextFile() (*bundle.Descriptor, error) {
	if len(l.files) == 0 {
		return nil, io.EOF
	}
	next := l.files[0]
	l.files = l.files[1:]
	name := "/" + strings.TrimPrefix(next.name, "/")
	return bundle.NewDescriptor(name, name, bytes.NewReader(next.content)), nil
}

// WithFilter implements bundle.DirectoryLoader.
func (l *fileList) WithFilter(filter.LoaderFilter) bundle.DirectoryLoader { return l }

// WithPathFormat implements bundle.DirectoryLoader.
func (l *fileList) WithPathFormat(bundle.PathFormat) bundle.DirectoryLoader { return l }

// WithSizeLimitBytes implements bundle.DirectoryLoader; the reader above it limits.
func (l *fileList) WithSizeLimitBytes(int64) bundle.DirectoryLoader { return l }

// WithFollowSymlinks implements bundle.DirectoryLoader.
func (l *fileList) WithFollowSymlinks(bool) bundle.DirectoryLoader { return l }

// forget removes bundles that a discovered configuration no longer has and OPA therefore removed from its
// store. While replacements are awaited they stay active, until the first of these arrives. The rest has to
// pass all checks, or nothing changes.
func (e *Engine) forget(ctx context.Context, txn storage.Transaction) {
	left, err := e.storedBundles(ctx, txn)
	if err != nil {
		e.misconfigured(err)
		return
	}
	if len(left) == len(e.fetched) || e.awaitsMoreThan(left) {
		return
	}
	proposed, err := e.check(ctx, e.local, left, "")
	if err != nil {
		e.misconfigured(fmt.Errorf("take bundles out of force: %w", err))
		return
	}
	e.accept(proposed)
}

// storedBundles are the active bundles that OPA has in its store.
func (e *Engine) storedBundles(ctx context.Context, txn storage.Transaction) (map[string]part, error) {
	names, err := bundle.ReadBundleNamesFromStore(ctx, e.store, txn)
	if err != nil && !storage.IsNotFound(err) {
		return nil, fmt.Errorf("read names of bundles: %w", err)
	}
	left := maps.Clone(e.fetched)
	maps.DeleteFunc(left, func(name string, _ part) bool { return !slices.Contains(names, name) })
	return left, nil
}

// awaitsMoreThan reports whether bundles are configured that never were active.
func (e *Engine) awaitsMoreThan(left map[string]part) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for name := range e.remotes {
		_, there := left[name]
		if _, before := e.fetched[name]; !there && !before {
			return true
		}
	}
	return false
}
