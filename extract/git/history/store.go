package history

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// Store is a directory in which git keeps objects, with the refs, logs and indexes that name them:
// that of a repository, of a submodule, or one that lies anywhere.
type Store struct {
	// Dir is its path, Top the directory that paths in its commits count from.
	Dir, Top string
	// Budget counts what is read, beside other stores of one decision.
	Budget *object.Budget
	Now    func() time.Duration
}

// maxStoreFiles bounds the files of a store that name objects.
const maxStoreFiles = 50_000

// apart are directories of a store that name none of its objects: objects themselves, stores of
// their own, contents by their hashes, and programs.
var apart = []string{"objects", "modules", "lfs", "annex", "hooks"}

// HeldInStore returns the path of a file that is looked for and that something in the store names: a
// ref, a ref beside refs, a log, an index, or a note of what git has under way; "" for none. All
// hashes in all files count. The error is ErrHistoryUnknown: an object can't be read, or has a
// name that gives no path. What isn't there can't be printed, and counts as nothing.
//
// Files are remembered by their stamps once all that they name is known to hold nothing.
func (p *Past) HeldInStore(store *Store) (path string, err error) {
	repository := &object.Repository{Top: store.Top, GitDir: store.Dir, CommonDir: store.Dir, HashSize: object.SHA1Size}
	settings, known := repository.Read(store.Dir, "config", object.MaxRefsBytes)
	if bytes.Contains(bytes.ToLower(settings), []byte("sha256")) {
		repository.HashSize = object.SHA256Size
	}
	if !known || repository.Has("reftable") {
		return "", ErrHistoryUnknown
	}
	source, ok := p.open(repository, store.Budget)
	if !ok {
		return "", ErrHistoryUnknown
	}
	defer source.reader.Close()
	all, err := syntax.ParsePathspecs(store.Top, store.Top, nil)
	if err != nil {
		return "", ErrHistoryUnknown
	}
	s := storeNames{source: source, store: store, seen: map[string]bool{}}
	held := held{source: source, top: store.Top, selection: all, visit: s.found}
	ok = s.directory(store.Dir) && (s.path != "" || held.follow(&starts{source: source, trees: s.trees, from: s.commits}))
	switch {
	case s.path != "":
		return s.path, nil
	case !ok:
		return "", ErrHistoryUnknown
	case !s.missing:
		p.keepFiles(store, s.files)
	}
	return "", nil
}

// storeNames gathers what the files of a store name.
type storeNames struct {
	*source

	store *Store
	// seen are the ids that were looked at, commits and trees what they lead to.
	seen           map[string]bool
	commits, trees []string
	// files are those that were read.
	files []storeFile
	count int
	// missing is true if an object isn't there.
	missing bool
	// path is that of a file that is looked for.
	path string
}

// storeFile is a file of a store, as it was before it was read.
type storeFile struct {
	path  string
	stamp stat.Stamp
}

func (s *storeNames) found(path string) bool {
	s.path = path
	return false
}

// directory reads the files below a directory. It reports false if what they name can't be known.
func (s *storeNames) directory(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return stat.Missing(err)
	}
	return !slices.ContainsFunc(entries, func(entry fs.DirEntry) bool {
		if dir == s.store.Dir && slices.Contains(apart, entry.Name()) || s.path != "" {
			return false
		}
		path := filepath.Join(dir, entry.Name())
		if entry.IsDir() {
			return !s.directory(path)
		}
		return !s.file(path)
	})
}

// file reads a file, behind a link as well: git follows one in the place of a ref.
func (s *storeNames) file(path string) bool {
	stamp, err := stat.Path(path, true)
	switch {
	case stat.Missing(err):
		return true
	case err != nil || stamp.Kind == stat.Directory:
		return false
	case stamp.Kind != stat.File: // git reads no refs from sockets and pipes
		return true
	}
	if s.count++; s.count > maxStoreFiles {
		return false
	}
	if s.past.isKept(s.store.Top, storeFile{path, stamp}) {
		return true
	}
	if stamp.Size > object.MaxRefsBytes && !isIndex(path) {
		return !s.isGits(path) // what others keep there is text that git doesn't read
	}
	content, _, err := object.ReadFile(path, object.MaxIndexBytes)
	if err != nil || !s.budget.Spend(0, len(content)) {
		return false
	}
	s.files = append(s.files, storeFile{path, stamp})
	if bytes.HasPrefix(content, []byte(indexBegins)) {
		return s.index(content)
	}
	return s.hashes(content, filepath.Base(path))
}

// indexBegins is how an index begins.
const indexBegins = "DIRC"

// isIndex reports whether a file is an index, or can't be read.
func isIndex(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return true
	}
	defer file.Close()
	begins := make([]byte, len(indexBegins))
	_, err = io.ReadFull(file, begins)
	return err != nil || string(begins) == indexBegins
}

// gits are directories of a store in which git itself keeps refs and notes.
var gits = []string{"refs", "logs", "worktrees", "info", "rebase-merge", "rebase-apply", "sequencer"}

// isGits reports whether a file of the store is one that git reads as a ref, a log or a note.
func (s *storeNames) isGits(path string) bool {
	first, _, below := strings.Cut(path[len(s.store.Dir)+1:], "/")
	return !below || slices.Contains(gits, first)
}

func (s *storeNames) index(content []byte) bool {
	err := object.WalkIndex(content, s.repository.HashSize, func(e object.IndexEntry) bool {
		path := s.store.Top + "/" + string(e.Path)
		return !s.past.sought(path) || s.found(path)
	})
	return err == nil
}

// hashes visits all ids in a text. A text that begins with a hash of another size is a ref of a kind that isn't read.
func (s *storeNames) hashes(content []byte, name string) bool {
	for at := 0; at < len(content); {
		end := at
		for end < len(content) && isHexDigit(content[end]) {
			end++
		}
		size := end - at
		switch {
		case size == 2*s.repository.HashSize:
			if !s.id(strings.ToLower(string(content[at:end])), name) {
				return false
			}
		case at == 0 && (size == 2*object.SHA1Size || size == 2*object.SHA256Size):
			return false
		}
		at = end + 1
	}
	return true
}

func isHexDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// id notes what an id leads to.
func (s *storeNames) id(id, file string) bool {
	if s.seen[id] || strings.Trim(id, "0") == "" {
		return true
	}
	s.seen[id] = true
	id, found, err := s.peel(id)
	switch {
	case errors.Is(err, object.ErrMissing):
		s.missing = true
		return true
	case err != nil:
		return false
	case found.Kind == object.KindCommit:
		s.commits = append(s.commits, id)
	case found.Kind == object.KindBlob:
		return (&starts{source: s.source}).inIndex(id)
	case len(found.Body) > 0 && file != "AUTO_MERGE": // which names the tree of a merge
		return false // nothing tells which directory it is of
	default:
		s.trees = append(s.trees, id)
	}
	return true
}

// isKept reports whether a file of a store names nothing that is looked for.
func (p *Past) isKept(top string, file storeFile) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept, known := p.files[storeFileAt{top, file.path}]
	return known && kept == file.stamp
}

// keepFiles remembers files that are old enough for their stamps to distinguish contents.
func (p *Past) keepFiles(store *Store, files []storeFile) {
	if !stat.Exact {
		return
	}
	settled := store.Now() - racy
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.files)+len(files) > maxPastCommits {
		clear(p.files)
	}
	for _, file := range files {
		if file.stamp.Changed < settled {
			p.files[storeFileAt{store.Top, file.path}] = file.stamp
		}
	}
}

// storeFileAt is a file of a store, and the directory that paths count from.
type storeFileAt struct{ top, path string }

// racy is how old a file must be before its stamp distinguishes two contents: file systems count in
// steps of up to two seconds.
const racy = 2 * time.Second
