package paths

import (
	"os"

	"policyd/extract/stat"
)

// lookOnDisk returns what there is at path, and where a symbolic link leads.
func lookOnDisk(path string) node {
	found, err := stat.Path(path, false)
	if err != nil {
		return node{err: err}
	}
	seen := node{stamp: found}
	if found.Kind == stat.Link {
		seen.link, seen.err = os.Readlink(path)
	}
	return seen
}
