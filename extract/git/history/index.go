package history

import (
	"encoding/hex"
	"errors"
	"strings"

	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
)

// ErrNoRepository means that a repository is not known, or has no work tree.
var ErrNoRepository = errors.New("no repository")

// Tracked visits the tracked paths that the pathspecs select, relative to
// the top and separated by slashes, until visit returns false; submodules appear
// as their own path. Pathspecs are relative to cwd, which lies in the work tree. No
// pathspecs, or only exclusions, select the whole tree: a caller whose command
// is limited to cwd passes ".".
//
// Errors: ErrNoRepository; syntax.ErrPathspecUnknown and object.ErrIndexUnknown if the answer
// can't be known. After an error the paths visited so far mean nothing.
func Tracked(repository object.Repository, pathspecs []string, cwd string, visit func(path string) bool) error {
	selection, err := selected(&repository, pathspecs, cwd)
	if err != nil {
		return err
	}
	previous := ""
	return walkIndex(&repository, func(e object.IndexEntry) bool {
		path := string(e.Path)
		// An unmerged path has an entry for each stage.
		if path == previous || !selection.Select(path) {
			return true
		}
		previous = path
		return visit(path)
	})
}

// Blobs visits the tracked paths whose contents have an id that begins with
// prefix, in hexadecimal digits of any case, until visit returns false. Its
// errors are those of Tracked.
func Blobs(repository object.Repository, prefix string, visit func(path string) bool) error {
	if !repository.HasWorkTree() {
		return ErrNoRepository
	}
	prefix = strings.ToLower(prefix)
	return walkIndex(&repository, func(e object.IndexEntry) bool {
		return !strings.HasPrefix(hex.EncodeToString(e.ID), prefix) || visit(string(e.Path))
	})
}

func selected(repository *object.Repository, pathspecs []string, cwd string) (syntax.Pathspecs, error) {
	if !repository.HasWorkTree() {
		return syntax.Pathspecs{}, ErrNoRepository
	}
	return syntax.ParsePathspecs(repository.Top, cwd, pathspecs)
}

// walkIndex visits the entries of the index; a missing one has none.
func walkIndex(repository *object.Repository, visit func(object.IndexEntry) bool) error {
	content, err := repository.Index()
	if err != nil || content == nil {
		return err
	}
	return object.WalkIndex(content, repository.HashSize, visit)
}
