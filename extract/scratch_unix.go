//go:build unix

package extract

import (
	"strconv"
	"strings"
	"syscall"
)

// scratch puts the user of the session's home in the place of {user} in the name
// of a directory that a client makes for itself. It returns "" unless the
// directory belongs to that user, and to nobody else to write in: in a place that
// everybody may write to, anybody could have made it first.
func scratch(dir, home string) string {
	var owner, itself syscall.Stat_t
	if home == "" || syscall.Stat(home, &owner) != nil {
		return ""
	}
	dir = strings.ReplaceAll(dir, userMark, strconv.FormatUint(uint64(owner.Uid), 10))
	if syscall.Lstat(dir, &itself) != nil || itself.Mode&syscall.S_IFMT != syscall.S_IFDIR ||
		itself.Uid != owner.Uid || itself.Mode&0o022 != 0 {
		return ""
	}
	return dir
}
