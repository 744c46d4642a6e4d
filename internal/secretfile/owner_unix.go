//go:build unix

package secretfile

import (
	"io/fs"
	"os"
	"syscall"
)

// foreign reports whether a file belongs to another user than this process.
func foreign(info fs.FileInfo) bool {
	status, ok := info.Sys().(*syscall.Stat_t)
	return ok && int64(status.Uid) != int64(os.Geteuid())
}
