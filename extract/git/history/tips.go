package history

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"policyd/extract/git/object"
	"policyd/extract/stat"
)

// tips visits the ids that refs have.
type tips struct {
	repository *object.Repository
	// logs is true for those that refs had before, too.
	logs  bool
	visit func(id string) bool
}

// walk visits what every ref names and what is checked out anywhere, until visit returns false. It
// reports false then, and if the refs are not known.
func (t *tips) walk() bool {
	packed, known := t.repository.PackedRefs()
	if !known || slices.ContainsFunc(packed, func(ref object.Ref) bool { return !t.visit(ref.ID) }) {
		return false
	}
	var dirs []string
	for _, dir := range []string{t.repository.CommonDir, t.repository.GitDir} {
		dir, err := object.OnDisk(t.repository.View, dir, true)
		if err != nil {
			return false
		}
		dirs = append(dirs, dir)
	}
	trees, err := object.Names(filepath.Join(dirs[0], "worktrees"))
	if err != nil {
		return false
	}
	for _, name := range trees {
		dirs = append(dirs, filepath.Join(dirs[0], "worktrees", name))
	}
	for _, dir := range dirs {
		if !t.heads(dir) || !t.files(filepath.Join(dir, "refs")) || t.logs && !t.files(filepath.Join(dir, "logs")) {
			return false
		}
	}
	return true
}

// heads visits what HEAD names, and with logs what the files beside it name (ORIG_HEAD, FETCH_HEAD).
func (t *tips) heads(dir string) bool {
	if !t.logs {
		return t.lines(filepath.Join(dir, "HEAD"))
	}
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(entry fs.DirEntry) bool {
		return entry.Type().IsRegular() && object.IsPseudoRef(entry.Name()) && !t.lines(filepath.Join(dir, entry.Name()))
	})
}

// files visits all that the files below a directory of the repository name.
func (t *tips) files(dir string) bool {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !t.lines(path) {
			return fs.ErrInvalid
		}
		return err
	})
	return err == nil || stat.Missing(err)
}

// lines visits all that the lines of a file name: a ref has one hash, a line of a log has two. Zeros name
// nothing.
func (t *tips) lines(path string) bool {
	content, _, err := object.ReadFile(path, object.MaxRefsBytes)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(content)) {
		words := strings.Fields(line)
		for _, word := range words[:min(len(words), 2)] {
			if t.repository.IsID(word) && strings.Trim(word, "0") != "" && !t.visit(word) {
				return false
			}
		}
	}
	return true
}

// tip begins at what a ref names. What is gone of what one was once names nothing any more.
func (s *starts) tip(id string) bool {
	id, found, err := s.peel(id)
	switch {
	case errors.Is(err, object.ErrMissing):
	case err != nil:
		return false
	case s.of.Contents && s.of.All:
		s.lost = s.lost || found.Kind == object.KindBlob && !s.inIndex(id)
	case found.Kind == object.KindCommit:
		s.from = append(s.from, id)
	case found.Kind == object.KindTree:
		s.lone(id, found)
	}
	return true
}
