package scope

import (
	"bytes"
	"unicode/utf8"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/paths"
	"policyd/extract/stat"
)

// What a command does with a directory or a file is known beforehand only where
// everyone may do it: the agent need not be the sidecar's user.

// Permissions says what everyone may do with a file or directory of the session.
type Permissions struct {
	View   *disk.View
	Scope  *Scope
	Grants *Grants
}

// Enterable reports whether a directory in the session's own roots or grants can be made
// the working directory by everyone who may enter the session's own roots.
func (p *Permissions) Enterable(dir string) bool {
	if !p.View.Direct(dir) || !p.Scope.shown(dir) {
		return false
	}
	for at := dir; ; at = paths.Parent(at) {
		found, err := p.View.Stamp(at)
		switch {
		case err != nil || found.Kind != stat.Directory:
			return false
		case p.Scope.leadsToOwnRoot(at):
			return true
		case found.Permissions&0o111 != 0o111 || at == paths.Parent(at):
			return false
		}
	}
}

// Readable reports whether a path in the session's own roots or grants is a file that
// everyone may read.
func (p *Permissions) Readable(path string) bool {
	if !p.View.Direct(path) || !p.Enterable(paths.Parent(path)) {
		return false
	}
	found, err := p.View.Stamp(path)
	return err == nil && found.Kind == stat.File && found.Permissions&0o444 == 0o444
}

// Textual reports whether a path in the session's own roots or grants holds text to whoever reads
// it: UTF-8 without the bytes by which grep knows a binary file, or by which one encoding
// goes over to another. Nothing that is there counts as text, too.
func (p *Permissions) Textual(path string) bool {
	if !p.View.Direct(path) || !p.Scope.shown(path) {
		return false
	}
	found, err := p.View.Stamp(path)
	switch {
	case stat.Missing(err), err == nil && !found.Present():
		return true
	case err != nil || found.Kind != stat.File || found.Size > maxTextFile:
		return false
	}
	content, err := p.View.ReadFile(path)
	return err == nil && utf8.Valid(content) && !bytes.ContainsAny(content, "\x00\x0e\x0f\x1b")
}

// maxTextFile is how much of a file is read to see whether it is text.
const maxTextFile = 1 << 20

// IsOwn reports whether a root's space is one of the session's own.
func IsOwn(space string) bool { return space == v1.SpaceProject || space == v1.SpaceSession }
