package bundles

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
)

const (
	// maxBundleBytes bounds a bundle, unpacked, all files together.
	maxBundleBytes = 8 << 20
	// configMapLink is the link by which a ConfigMap volume is swapped as a whole.
	configMapLink = "..data"
	// embeddedName replaces a directory in messages about a file of Options.FS.
	embeddedName = "embedded"
)

// part is one bundle of a snapshot. Many snapshots may share it, so nobody changes its content; the compiler
// works on copies of modules.
type part struct {
	name string
	bundle.Bundle
	// embedded is the data of the embedded bundle, which isn't in the field Data.
	embedded *heldData
	// values is the bundle's data for the evaluator, and version the result of revision. Both start when the
	// bundle is read; the first user waits for them.
	values  func() (ast.Object, error)
	version func() string
	// digest covers all files, tests included.
	digest digest
	// proven is true for the embedded bundle if the program's proof covers it.
	proven bool
}

// load reads the local bundles that the options name, the source last. The embedded
// bundle never changes, so it is read once; what has the content that it had is not
// parsed again.
func (e *Engine) load() ([]part, error) {
	options := e.options
	if options.Source == "" {
		embedded, err := e.embedded()
		return []part{embedded}, err
	}
	source, err := readSource(options.Source, e.local)
	if err != nil {
		return nil, err
	}
	if err := checkLocalRoots(source); err != nil {
		return nil, &rootsError{err}
	}
	if source.ownsPolicy() {
		return []part{source}, nil
	}
	embedded, err := e.embedded()
	if err != nil {
		return nil, err
	}
	return []part{embedded, source}, nil
}

// ownsPolicy reports whether all of the policy's root is the bundle's to fill.
func (p part) ownsPolicy() bool {
	return bundle.RootPathsContain(*p.Manifest.Roots, policyRoot)
}

// owns reports whether anything at or below a root is the bundle's.
func (p part) owns(root string) bool {
	return slices.ContainsFunc(*p.Manifest.Roots, func(own string) bool { return bundle.RootPathsOverlap(own, root) })
}

// readSource reads a directory or an archive.
func readSource(source string, known []part) (part, error) {
	info, err := os.Stat(source)
	switch {
	case err != nil:
		return part{}, fmt.Errorf("read bundle: %w", err)
	case info.IsDir():
		root := source
		// Read a ConfigMap through its link once, so that a swap in between can't mix two versions.
		if linked, err := filepath.EvalSymlinks(filepath.Join(source, configMapLink)); err == nil {
			root = linked
		}
		return readFS(os.DirFS(root), source, known...)
	case info.Mode().IsRegular() && (strings.HasSuffix(source, ".tar.gz") || strings.HasSuffix(source, ".tgz")):
		return readArchive(source, known)
	}
	return part{}, fmt.Errorf("read bundle: %s is neither a directory nor a .tar.gz file", source)
}

// rootsError distinguishes a bundle with another owner's roots from an unreadable one.
type rootsError struct{ error }

// Unwrap returns what is wrong with the roots.
func (e *rootsError) Unwrap() error { return e.error }

func readFS(files fs.FS, name string, known ...part) (part, error) {
	loader := bundle.NewFSLoaderWithRoot(files, ".").WithFilter(hidden).WithFollowSymlinks(true)
	return read(loader, name, known)
}

func readEmbedded(files fs.FS) (part, error) {
	if files == nil {
		return part{}, errors.New("read bundle: no embedded bundle is given")
	}
	gathered, err := gather(embeddedLoader(files), embeddedName)
	if err != nil {
		return part{}, fmt.Errorf("read bundle %s: %w", embeddedName, err)
	}
	content, read := digestOf(gathered), parse
	known := proven(content)
	if known {
		read = parseProven
	}
	p, err := read(gathered, embeddedName)
	if err != nil {
		return part{}, err
	}
	p.digest, p.proven = content, known
	if p.embedded != nil {
		p.embedded.read = func() (map[string]any, error) { return readEmbeddedData(files) }
	}
	return p, nil
}

// readEmbeddedData reads the data of the embedded bundle once more.
func readEmbeddedData(files fs.FS) (map[string]any, error) {
	gathered, err := gather(embeddedLoader(files), embeddedName)
	if err != nil {
		return nil, err
	}
	_, data := rulesAndData(gathered)
	return readData(data)
}

// embeddedLoader leaves out the tests, which ran at build time: they are most of its text, and every start
// would wait for them.
func embeddedLoader(files fs.FS) bundle.DirectoryLoader {
	untested := func(path string, info os.FileInfo, depth int) bool {
		return hidden(path, info, depth) || isTest(info.Name())
	}
	return bundle.NewFSLoaderWithRoot(files, ".").WithFilter(untested)
}

// hidden reports which names in a directory aren't part of the bundle: editors, version control and ConfigMap
// volumes keep their own files there.
func hidden(_ string, info os.FileInfo, _ int) bool {
	name := info.Name()
	return strings.HasPrefix(name, ".") && name != "." && name != manifestName
}

func readArchive(name string, known []part) (part, error) {
	file, err := os.Open(name)
	if err != nil {
		return part{}, fmt.Errorf("read bundle: %w", err)
	}
	defer file.Close()
	packed, err := readLimited(file, maxBundleBytes)
	if err != nil {
		return part{}, fmt.Errorf("read bundle %s: %w", name, err)
	}
	// OPA's loader unpacks all files before it returns the first one, so the limit on their sum must be
	// checked here, or a small archive could fill the memory.
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return part{}, fmt.Errorf("read bundle %s: %w", name, err)
	}
	if _, err := readLimited(unpacked, maxBundleBytes); err != nil {
		return part{}, fmt.Errorf("read bundle %s: %w", name, err)
	}
	return read(bundle.NewTarballLoaderWithBaseURL(bytes.NewReader(packed), ""), name, known)
}

// read returns the known part with this name and content, or parses a new one.
func read(loader bundle.DirectoryLoader, name string, known []part) (part, error) {
	files, err := gather(loader, name)
	if err != nil {
		return part{}, fmt.Errorf("read bundle %s: %w", name, err)
	}
	content := digestOf(files)
	for _, p := range known {
		if p.name == name && p.digest == content {
			return p, nil
		}
	}
	p, err := parse(files, name)
	p.digest = content
	return p, err
}

// parse checks the files and parses them, both at once: a program that starts waits for it.
func parse(files []file, name string) (part, error) {
	checked := make(chan error, 1)
	go func() { checked <- checkFiles(files, name) }()
	parsed, err := parseFiles(files, name)
	// OPA's error about a refused file has no useful position.
	if refused := <-checked; refused != nil {
		return part{}, refused
	}
	return parsed, err
}

func checkFiles(files []file, name string) error {
	for _, one := range files {
		if err := checkFile(one.name, one.content); err != nil {
			return fmt.Errorf("read bundle %s: %s%w", name, path.Join(name, one.name), err)
		}
	}
	return nil
}

func parseFiles(files []file, name string) (part, error) {
	content, err := readBundle(files, name)
	if err != nil {
		return part{}, err
	}
	return newPart(name, content, nil, ""), nil
}

func readBundle(files []file, name string) (bundle.Bundle, error) {
	content, err := bundle.NewCustomReader(&fileList{files: files}).
		WithBaseDir(name).
		WithSizeLimitBytes(maxBundleBytes).
		WithSkipBundleVerification(true).
		WithProcessAnnotations(true).
		WithRegoVersion(ast.RegoV1).
		WithCapabilities(capabilities()).
		WithLazyLoadingMode(false).
		Read()
	if err != nil {
		return content, fmt.Errorf("read bundle %s: %w", name, err)
	}
	return content, nil
}

// newPart uses a known revision, or computes its own.
func newPart(name string, content bundle.Bundle, held *heldData, revision string) part {
	p := part{name: name, Bundle: content, embedded: held}
	p.values = sync.OnceValues(func() (ast.Object, error) {
		data, err := p.data()
		if err != nil {
			return nil, err
		}
		values, err := ast.InterfaceToValue(data)
		if err != nil {
			return nil, fmt.Errorf("read bundle %s: convert data: %w", name, err)
		}
		return values.(ast.Object), nil // a map becomes an object
	})
	p.version = func() string { return revision }
	if revision == "" {
		p.version = sync.OnceValue(p.revision)
	}
	go func() {
		_, _ = p.values() // the first user gets the error
		p.version()
	}()
	return p
}

// data is the bundle's data as plain values, which the caller may not change.
func (p *part) data() (map[string]any, error) {
	if p.embedded == nil {
		return p.Data, nil
	}
	data, err := p.embedded.get()
	if err != nil {
		return nil, fmt.Errorf("read bundle %s: %w", p.name, err)
	}
	return data, nil
}

// readLimited reads all, and refuses more than most bytes.
func readLimited(r io.Reader, most int) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	if err != nil {
		return nil, err
	}
	if len(content) > most {
		return nil, fmt.Errorf("more than %d bytes", most)
	}
	return content, nil
}

// sameParts reports whether the same bundles with the same files are in both lists.
func sameParts(a, b []part) bool {
	return slices.EqualFunc(a, b, func(x, y part) bool { return x.name == y.name && x.digest == y.digest })
}
