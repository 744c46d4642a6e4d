package extract

import (
	"bytes"
	"slices"
	"unicode/utf8"

	v1 "policyd/api/v1"
	"policyd/extract/paths"
	"policyd/extract/stat"
)

// What a command does with a directory or a file is known beforehand only where
// everyone may do it: the agent need not be the sidecar's user.

// enterable reports whether a directory in the session's own roots or grants can be made
// the working directory by everyone who may enter the session's own roots.
func (e *extraction) enterable(dir string) bool {
	if !e.view.Direct(dir) || !e.shown(dir) {
		return false
	}
	for at := dir; ; at = paths.Parent(at) {
		found, err := e.view.Stamp(at)
		switch {
		case err != nil || found.Kind != stat.Directory:
			return false
		case e.leadsToOwnRoot(at):
			return true
		case found.Permissions&0o111 != 0o111 || at == paths.Parent(at):
			return false
		}
	}
}

// leadsToOwnRoot reports whether a directory is one of the session's own roots or holds one:
// whoever may enter the root may pass through it.
func (e *extraction) leadsToOwnRoot(dir string) bool {
	return slices.ContainsFunc(e.roots, func(root paths.Root) bool { return isOwn(root.Space) && paths.Within(root.Real, dir) })
}

// readable reports whether a path in the session's own roots or grants is a file that
// everyone may read.
func (e *extraction) readable(path string) bool {
	if !e.view.Direct(path) || !e.enterable(paths.Parent(path)) {
		return false
	}
	found, err := e.view.Stamp(path)
	return err == nil && found.Kind == stat.File && found.Permissions&0o444 == 0o444
}

// textual reports whether a path in the session's own roots or grants holds text to whoever reads
// it: UTF-8 without the bytes by which grep knows a binary file, or by which one encoding
// goes over to another. Nothing that is there counts as text, too.
func (e *extraction) textual(path string) bool {
	if !e.view.Direct(path) || !e.shown(path) {
		return false
	}
	found, err := e.view.Stamp(path)
	switch {
	case stat.Missing(err), err == nil && !found.Present():
		return true
	case err != nil || found.Kind != stat.File || found.Size > maxTextFile:
		return false
	}
	content, err := e.view.ReadFile(path)
	return err == nil && utf8.Valid(content) && !bytes.ContainsAny(content, "\x00\x0e\x0f\x1b")
}

// maxTextFile is how much of a file is read to see whether it is text.
const maxTextFile = 1 << 20

// isOwn reports whether a root's space is one of the session's own.
func isOwn(space string) bool { return space == v1.SpaceProject || space == v1.SpaceSession }

// shown reports whether what lies at a real path is the session's to see: it is in one of its
// own roots, or in a grant.
func (e *extraction) shown(path string) bool { return e.ownRoot(path) != "" || e.grantOf(path) != nil }

// ownRoot is the project or session directory that holds a path.
func (e *extraction) ownRoot(path string) string {
	for _, root := range e.roots {
		if isOwn(root.Space) && paths.Within(path, root.Real) {
			return root.Real
		}
	}
	return ""
}
