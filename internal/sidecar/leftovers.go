package sidecar

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	v1 "policyd/api/v1"
	"policyd/internal/contain"
)

// leftoversName is the file of leftovers in the state directory, and maxLeftovers bounds the paths in it.
const (
	leftoversName = "contained_runs.json"
	maxLeftovers  = 20_000
)

// leftovers remember where contained runs may have left placeholders, if all their processes were killed. The next run
// in the same place removes them, and so does a start of the server.
type leftovers struct {
	file   string
	logger *slog.Logger

	mu sync.Mutex
	// paths are sorted.
	paths []string
}

func newLeftovers(s *Settings, logger *slog.Logger) *leftovers {
	return &leftovers{file: filepath.Join(s.StateDir, leftoversName), logger: logger}
}

// Leftovers are the placeholders that killed runs left.
func Leftovers(s *Settings) ([]string, error) {
	paths, err := newLeftovers(s, nil).read()
	return contain.Left(paths), err
}

// granted remembers the places of a run that is about to begin.
func (l *leftovers) granted(o *v1.Obligation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known := len(l.paths)
	for _, path := range o.Protect {
		if at, found := slices.BinarySearch(l.paths, path); !found && len(l.paths) < maxLeftovers {
			l.paths = slices.Insert(l.paths, at, path)
		}
	}
	if len(l.paths) == known {
		return
	}
	if err := l.write(); err != nil {
		l.logger.Warn("places of contained runs aren't remembered", "error", err)
	}
}

// remove removes what killed runs left, and remembers what is still needed.
func (l *leftovers) remove() {
	l.mu.Lock()
	defer l.mu.Unlock()
	paths, err := l.read()
	if err == nil && len(paths) > 0 {
		l.paths = contain.RemoveLeft(paths)
		err = l.write()
	}
	if err != nil {
		l.logger.Warn("what contained runs left wasn't removed", "error", err)
	}
}

func (l *leftovers) read() (paths []string, err error) {
	text, err := os.ReadFile(l.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &paths)
	}
	if err != nil {
		return nil, fmt.Errorf("read places of contained runs: %w", err)
	}
	slices.Sort(paths)
	return slices.DeleteFunc(paths, func(path string) bool { return !filepath.IsAbs(path) || strings.ContainsRune(path, 0) }), nil
}

// write replaces the file. The caller holds mu.
func (l *leftovers) write() error {
	text, err := json.Marshal(l.paths)
	if err != nil {
		return err
	}
	next := l.file + ".new"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	return os.Rename(next, l.file)
}
