package paths

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Mapping says under which name the sidecar sees what an agent calls Agent.
type Mapping struct{ Agent, Sidecar string }

// Map translates the names of an agent that sees the disk otherwise, as one in
// a container does. Its longest entries stand first. A nil Map translates every
// name to itself.
type Map []Mapping

// errHidden is for names that a Map holds no entry for: the sidecar can't see
// what the agent does there.
var errHidden = errors.New("path is on no disk that the sidecar sees")

// NewMap checks entries and brings them into order. Both names are absolute and
// clean, and an agent's name stands once.
func NewMap(entries []Mapping) (Map, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	out := make(Map, 0, len(entries))
	for _, entry := range entries {
		for _, name := range []string{entry.Agent, entry.Sidecar} {
			if !strings.HasPrefix(name, "/") || strings.IndexByte(name, 0) >= 0 || slices.Contains(strings.Split(name, "/"), "..") {
				return nil, fmt.Errorf("path map: %q is no absolute path without \"..\"", name)
			}
		}
		entry.Agent, entry.Sidecar = path.Clean(entry.Agent), path.Clean(entry.Sidecar)
		if slices.ContainsFunc(out, func(other Mapping) bool { return other.Agent == entry.Agent }) {
			return nil, fmt.Errorf("path map: %q is repeated", entry.Agent)
		}
		var resolver Resolver // the sidecar's own name is followed on the sidecar's own disk
		if resolved, err := resolver.Resolve(entry.Sidecar); err == nil {
			entry.Sidecar = resolved.Real
		}
		out = append(out, entry)
	}
	slices.SortFunc(out, func(a, b Mapping) int { return cmp.Compare(len(b.Agent), len(a.Agent)) })
	return out, nil
}

// Sidecar returns the sidecar's name of a clean absolute path of the agent's.
// It reports false for a path that the sidecar can't see.
func (m Map) Sidecar(path string) (string, bool) {
	if m == nil {
		return path, true
	}
	for _, entry := range m {
		if !Within(path, entry.Agent) {
			continue
		}
		rest := path[len(strings.TrimSuffix(entry.Agent, "/")):]
		if rest == "" || rest == "/" {
			return entry.Sidecar, true
		}
		return strings.TrimSuffix(entry.Sidecar, "/") + rest, true
	}
	return "", false
}

// Crosses reports whether an entry lies below a directory, which then holds
// more than the sidecar's directory of that name.
func (m Map) Crosses(dir string) bool {
	return slices.ContainsFunc(m, func(entry Mapping) bool { return entry.Agent != dir && Within(entry.Agent, dir) })
}

// look asks the disk for what the agent calls path. A directory on the way to
// an entry is one by the word of whoever wrote the map.
func (m Map) look(path string) node {
	seen := node{err: errHidden}
	if disk, visible := m.Sidecar(path); visible {
		seen = lookOnDisk(disk)
	}
	if seen.err != nil && m.Crosses(path) {
		return directoryNode
	}
	return seen
}
