package syntax

import (
	"path/filepath"
	"strings"
)

// Within reports whether path is root or lies below it. Both are real paths;
// an empty or relative root holds nothing.
func Within(root, path string) bool {
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
