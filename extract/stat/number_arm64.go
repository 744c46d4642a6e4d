//go:build linux

package stat

import "syscall"

const fstatat = syscall.SYS_FSTATAT
