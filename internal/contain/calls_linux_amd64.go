package contain

import "golang.org/x/sys/unix"

// olderCalls have no directory descriptor.
var olderCalls = map[int]call{
	unix.SYS_OPEN:      {operation: "write", dir: none, path: 0, follows: true, creates: true},
	unix.SYS_CREAT:     {operation: "write", dir: none, path: 0, follows: true, creates: true},
	unix.SYS_UNLINK:    {operation: "delete", dir: none, path: 0},
	unix.SYS_RMDIR:     {operation: "delete", dir: none, path: 0},
	unix.SYS_RENAME:    {operation: "rename", dir: none, path: 1, creates: true},
	unix.SYS_MKDIR:     {operation: "create", dir: none, path: 0, creates: true},
	unix.SYS_MKNOD:     {operation: "create", dir: none, path: 0, creates: true},
	unix.SYS_LINK:      {operation: "link", dir: none, path: 1, creates: true},
	unix.SYS_SYMLINK:   {operation: "link", dir: none, path: 1, creates: true},
	unix.SYS_CHMOD:     {operation: "change mode", dir: none, path: 0, metadata: true},
	unix.SYS_CHOWN:     {operation: "change owner", dir: none, path: 0, metadata: true},
	unix.SYS_LCHOWN:    {operation: "change owner", dir: none, path: 0, metadata: true},
	unix.SYS_UTIME:     {operation: "change times", dir: none, path: 0, metadata: true},
	unix.SYS_UTIMES:    {operation: "change times", dir: none, path: 0, metadata: true},
	unix.SYS_FUTIMESAT: {operation: "change times", dir: 0, path: 1, metadata: true},
}
