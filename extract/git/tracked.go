package git

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// ErrNoRepository means that a Verdict names no work tree to list.
var ErrNoRepository = errors.New("no repository")

// Tracked visits the tracked paths that the pathspecs select, relative to
// v.Top and separated by slashes, until visit returns false; submodules appear
// as their own path. Pathspecs are relative to cwd, which lies in v.Top. No
// pathspecs, or only exclusions, select the whole tree: a caller whose command
// is limited to cwd passes ".".
//
// The index is read anew on each call. Errors: ErrNoRepository;
// syntax.ErrPathspecUnknown and ErrIndexUnknown when the answer can't be known. After
// an error the paths visited so far mean nothing.
func (r *Reader) Tracked(v Verdict, pathspecs []string, cwd string, visit func(path string) bool) error {
	selection, content, err := v.selected(pathspecs, cwd)
	if err != nil {
		return err
	}
	if content == nil {
		return nil
	}
	previous := ""
	return walkIndex(content, v.objectSize, func(e indexEntry) bool {
		// An unmerged path has an entry for each stage.
		if string(e.path) == previous || !selection.Select(string(e.path)) {
			return true
		}
		previous = string(e.path)
		return visit(previous)
	})
}

// Blobs visits the tracked paths whose contents have an id that begins with
// prefix, in hexadecimal digits of any case, until visit returns false. Its
// errors are those of Tracked.
func (r *Reader) Blobs(v Verdict, prefix string, visit func(path string) bool) error {
	if !v.Repository || v.Top == "" || v.objectSize == 0 {
		return ErrNoRepository
	}
	content, err := v.index()
	if err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	if content == nil {
		return nil
	}
	prefix = strings.ToLower(prefix)
	return walkIndex(content, v.objectSize, func(e indexEntry) bool {
		return !strings.HasPrefix(hex.EncodeToString(e.object), prefix) || visit(string(e.path))
	})
}

// Gitlinks lists the submodules in the index, relative to v.Top. Its errors are
// those of Tracked.
func (r *Reader) Gitlinks(v Verdict) ([]string, error) {
	if !v.Repository || v.Top == "" || v.objectSize == 0 {
		return nil, ErrNoRepository
	}
	content, err := v.index()
	if err != nil {
		return nil, fmt.Errorf("read index: %w", err)
	}
	if content == nil {
		return nil, nil
	}
	return gitlinks(content, v.objectSize)
}

// index reads the index of the verdict's repository; a missing one is nil.
func (v *Verdict) index() ([]byte, error) {
	path, err := disk(v.view, filepath.Join(v.GitDir, "index"), true)
	if stat.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	content, _, err := readOrAbsent(path, maxIndexBytes)
	return content, err
}

func gitlinks(content []byte, objectSize int) ([]string, error) {
	var links []string
	err := walkIndex(content, objectSize, func(e indexEntry) bool {
		if e.mode&modeType == modeGitlink {
			links = append(links, string(e.path))
		}
		return true
	})
	return links, err
}

// selected reads the index and what pathspecs select of it. The index is nil where there
// is none.
func (v *Verdict) selected(pathspecs []string, cwd string) (selection syntax.Pathspecs, index []byte, err error) {
	if !v.Repository || v.Top == "" || v.objectSize == 0 {
		return selection, nil, ErrNoRepository
	}
	if selection, err = syntax.ParsePathspecs(v.Top, cwd, pathspecs); err != nil {
		return selection, nil, err
	}
	if index, err = v.index(); err != nil {
		return selection, nil, fmt.Errorf("read index: %w", err)
	}
	return selection, index, nil
}
