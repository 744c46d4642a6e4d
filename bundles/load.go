package bundles

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
)

const (
	// maxBundleBytes bounds a bundle, unpacked, all files together.
	maxBundleBytes = 8 << 20
	// configMapLink is the link by which a ConfigMap volume is swapped as a whole.
	configMapLink = "..data"
	// embeddedName stands for a directory where messages name a file of Options.FS.
	embeddedName = "embedded"
)

// part is one bundle that a snapshot is made of.
type part struct {
	name string
	bundle.Bundle
}

// load reads the local bundles that the options name, the source last.
func load(options Options) ([]part, error) {
	if options.Source == "" {
		embedded, err := readFS(options.FS, embeddedName)
		return []part{embedded}, err
	}
	source, err := readSource(options.Source)
	if err != nil {
		return nil, err
	}
	if err := checkLocalRoots(source); err != nil {
		return nil, &rootsError{err}
	}
	if source.ownsPolicy() {
		return []part{source}, nil
	}
	embedded, err := readFS(options.FS, embeddedName)
	if err != nil {
		return nil, err
	}
	return []part{embedded, source}, nil
}

// ownsPolicy reports whether all of the policy's root is the bundle's to fill.
func (p part) ownsPolicy() bool {
	return bundle.RootPathsContain(*p.Manifest.Roots, policyRoot)
}

func readSource(source string) (part, error) {
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
		return readFS(os.DirFS(root), source)
	case info.Mode().IsRegular() && (strings.HasSuffix(source, ".tar.gz") || strings.HasSuffix(source, ".tgz")):
		return readArchive(source)
	}
	return part{}, fmt.Errorf("read bundle: %s is neither a directory nor a .tar.gz file", source)
}

// rootsError tells a bundle that owns what belongs to others from one that can't be read.
type rootsError struct{ error }

// Unwrap returns what is wrong with the roots.
func (e *rootsError) Unwrap() error { return e.error }

func readFS(files fs.FS, name string) (part, error) {
	if files == nil {
		return part{}, errors.New("read bundle: no embedded bundle is given")
	}
	loader := bundle.NewFSLoaderWithRoot(files, ".").WithFilter(hidden).WithFollowSymlinks(true)
	return read(loader, name)
}

// hidden says which names in a directory are no part of the bundle: editors, version
// control and ConfigMap volumes keep their own files there.
func hidden(_ string, info os.FileInfo, _ int) bool {
	name := info.Name()
	return strings.HasPrefix(name, ".") && name != "." && name != manifestName
}

func readArchive(name string) (part, error) {
	file, err := os.Open(name)
	if err != nil {
		return part{}, fmt.Errorf("read bundle: %w", err)
	}
	defer file.Close()
	packed, err := readLimited(file, maxBundleBytes)
	if err != nil {
		return part{}, fmt.Errorf("read bundle %s: %w", name, err)
	}
	// OPA's loader unpacks all files before it returns the first one: so the limit on
	// their sum has to be held here, or a small archive could fill the memory.
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return part{}, fmt.Errorf("read bundle %s: %w", name, err)
	}
	if _, err := readLimited(unpacked, maxBundleBytes); err != nil {
		return part{}, fmt.Errorf("read bundle %s: %w", name, err)
	}
	return read(bundle.NewTarballLoaderWithBaseURL(bytes.NewReader(packed), ""), name)
}

func read(loader bundle.DirectoryLoader, name string) (part, error) {
	content, err := bundle.NewCustomReader(&checkedLoader{DirectoryLoader: loader, name: name, seen: map[string]bool{}}).
		WithBaseDir(name).
		WithSizeLimitBytes(maxBundleBytes).
		WithSkipBundleVerification(true).
		WithProcessAnnotations(true).
		WithRegoVersion(ast.RegoV1).
		WithCapabilities(capabilities()).
		WithLazyLoadingMode(false).
		Read()
	if err != nil {
		return part{}, fmt.Errorf("read bundle %s: %w", name, err)
	}
	return part{name: name, Bundle: content}, nil
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
