//go:build unix

package disk

import (
	"path"

	"policyd/extract/stat"
)

// OwnedBy reports whether a file or directory is there and is the user's alone: no other user
// can write it, or put another one in its place. Each directory above belongs to the user or to
// the superuser; where everybody may write, the sticky bit keeps others away.
func OwnedBy(owner uint32, name string) bool {
	found, err := stat.Path(name, false)
	if err != nil || found.Kind != stat.Directory && (found.Kind != stat.File || found.Names > 1) {
		return false
	}
	if found.Owner != owner || found.Permissions&0o022 != 0 {
		return false
	}
	for at := path.Dir(name); ; at = path.Dir(at) {
		found, err := stat.Path(at, false)
		open := found.Permissions&0o002 != 0 && !found.Sticky
		if err != nil || found.Kind != stat.Directory || open || found.Owner != owner && found.Owner != 0 {
			return false
		}
		if at == path.Dir(at) {
			return true
		}
	}
}
