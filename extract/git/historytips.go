package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"policyd/extract/stat"
)

// tips begins at every ref, at what is checked out anywhere, and with logs at what refs were.
func (h *history) tips(logs bool) bool {
	packed, known := h.v.packedRefs()
	if !known {
		return false
	}
	for _, ref := range packed {
		if !h.tip(ref.id) {
			return false
		}
	}
	var dirs []string
	for _, dir := range []string{h.v.CommonDir, h.v.GitDir} {
		dir, err := disk(h.v.view, dir, true)
		if err != nil {
			return false
		}
		dirs = append(dirs, dir)
	}
	trees, err := filepath.Glob(filepath.Join(escapeGlob(dirs[0]), "worktrees", "*"))
	if err != nil {
		return false
	}
	for _, dir := range append(dirs, trees...) {
		if !h.heads(dir, logs) || !h.files(filepath.Join(dir, "refs")) || logs && !h.files(filepath.Join(dir, "logs")) {
			return false
		}
	}
	return true
}

// heads begins at what HEAD names, and with all at what else stands beside it (ORIG_HEAD, FETCH_HEAD).
func (h *history) heads(dir string, all bool) bool {
	if !all {
		return h.lines(filepath.Join(dir, "HEAD"))
	}
	entries, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(entries, func(entry fs.DirEntry) bool {
		name := entry.Name()
		return entry.Type().IsRegular() && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "" && !h.lines(filepath.Join(dir, name))
	})
}

// files begins at all that the files below a directory of the repository name.
func (h *history) files(dir string) bool {
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !h.lines(path) {
			return fs.ErrInvalid
		}
		return err
	})
	return err == nil || stat.Missing(err)
}

// lines begins at all that the lines of a file name: a ref has one hash, a line of a log has two.
func (h *history) lines(path string) bool {
	content, _, err := readOrAbsent(path, maxPackedRefs)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(content)) {
		words := strings.Fields(line)
		for _, word := range words[:min(len(words), 2)] {
			if _, isID := h.v.id(word); isID && !h.tip(word) {
				return false
			}
		}
	}
	return true
}

// tip begins at what a ref names. What is gone of what one was once names nothing any more.
func (h *history) tip(id string) bool {
	if strings.Trim(id, "0") == "" {
		return true
	}
	id, found, err := h.behindTags(id)
	switch {
	case errors.Is(err, errMissing):
	case err != nil:
		return false
	case h.of.Contents && h.of.All:
		h.lost = h.lost || found.kind == kindBlob && !h.inIndex(id)
	case found.kind == kindCommit:
		h.from = append(h.from, id)
	case found.kind == kindTree:
		h.trees = append(h.trees, id)
	}
	return true
}
