//go:build !unix

package paths

import "os"

// lookOnDisk returns what there is at path, and where a symbolic link leads.
// Hard links can't be told here: every file counts as having one name.
func lookOnDisk(path string) node {
	info, err := os.Lstat(path)
	if err != nil {
		return node{err: err}
	}
	seen := node{mode: info.Mode(), nlink: 1}
	if seen.mode&os.ModeSymlink != 0 {
		seen.link, seen.err = os.Readlink(path)
	}
	return seen
}
