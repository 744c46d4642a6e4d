package git

import (
	"path/filepath"
	"strings"
)

// within reports whether path is root or lies below it. Both are real paths;
// an empty or relative root holds nothing.
func within(root, path string) bool {
	if !filepath.IsAbs(root) {
		return false
	}
	root = filepath.Clean(root)
	if root == path {
		return true
	}
	if !strings.HasSuffix(root, string(filepath.Separator)) {
		root += string(filepath.Separator)
	}
	return strings.HasPrefix(path, root)
}

// resolve gives the real path of a path that a file in base names. The name
// itself is noted too: a link swapped on the way shows in what it leads to.
func (p *probe) resolve(base, path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = base + string(filepath.Separator) + path
	}
	if _, err := p.stat(path, true); err != nil {
		return "", err
	}
	if p.view != nil {
		return p.view.Real(path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		p.unstable = true
		return "", err
	}
	return real, nil
}
