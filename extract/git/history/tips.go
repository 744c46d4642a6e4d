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

// tips begins at every ref, at what is checked out anywhere, and with logs at what refs were.
func (s *starts) tips(logs bool) bool {
	packed, known := s.repository.PackedRefs()
	if !known {
		return false
	}
	for _, ref := range packed {
		if !s.tip(ref.ID) {
			return false
		}
	}
	var dirs []string
	for _, dir := range []string{s.repository.CommonDir, s.repository.GitDir} {
		dir, err := object.OnDisk(s.repository.View, dir, true)
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
		if !s.heads(dir, logs) || !s.files(filepath.Join(dir, "refs")) || logs && !s.files(filepath.Join(dir, "logs")) {
			return false
		}
	}
	return true
}

// heads begins at what HEAD names, and with all at what the files beside it name (ORIG_HEAD, FETCH_HEAD).
func (s *starts) heads(dir string, all bool) bool {
	if !all {
		return s.lines(filepath.Join(dir, "HEAD"))
	}
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(entry fs.DirEntry) bool {
		return entry.Type().IsRegular() && object.IsPseudoRef(entry.Name()) && !s.lines(filepath.Join(dir, entry.Name()))
	})
}

// files begins at all that the files below a directory of the repository name.
func (s *starts) files(dir string) bool {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !s.lines(path) {
			return fs.ErrInvalid
		}
		return err
	})
	return err == nil || stat.Missing(err)
}

// lines begins at all that the lines of a file name: a ref has one hash, a line of a log has two.
func (s *starts) lines(path string) bool {
	content, _, err := object.ReadFile(path, object.MaxRefsBytes)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(content)) {
		words := strings.Fields(line)
		for _, word := range words[:min(len(words), 2)] {
			if s.repository.IsID(word) && !s.tip(word) {
				return false
			}
		}
	}
	return true
}

// tip begins at what a ref names. What is gone of what one was once names nothing any more.
func (s *starts) tip(id string) bool {
	if strings.Trim(id, "0") == "" {
		return true
	}
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
