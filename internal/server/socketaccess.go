package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
)

// SocketAccess configures who may connect to the Unix socket. The zero value is the mode 0660, with the group
// of the directory.
type SocketAccess struct {
	// Mode is 0600 or 0660; other values are errors.
	Mode fs.FileMode
	// Group owns the run directory and the socket: a name or a number, or empty
	// for no change.
	Group string
}

// keepGroup is the group that os.Chown leaves as it is.
const keepGroup = -1

func (a SocketAccess) check() error {
	if a.Mode == 0 || a.Mode == 0o600 || a.Mode == 0o660 {
		return nil
	}
	return fmt.Errorf("check socket: mode %04o; 0600 and 0660 are allowed, since whoever connects may ask as an agent", a.Mode)
}

func (a SocketAccess) mode() fs.FileMode {
	if a.Mode == 0 {
		return 0o660
	}
	return a.Mode
}

// group returns the number of the group.
func (a SocketAccess) group() (int, error) {
	if a.Group == "" {
		return keepGroup, nil
	}
	text := a.Group
	found, err := user.LookupGroup(a.Group)
	var unknown user.UnknownGroupError
	switch {
	case err == nil:
		text = found.Gid
	case !errors.As(err, &unknown):
		return 0, fmt.Errorf("look up group: %w", err)
	}
	number, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("look up group: there is no group %q; socket.group takes a name or a number", a.Group)
	}
	return int(number), nil
}

// give sets the group and the mode of a file. Only root, or a member of the group, may do so.
func give(name string, group int, mode fs.FileMode) error {
	if group != keepGroup {
		if err := os.Chown(name, -1, group); err != nil {
			return fmt.Errorf("give to group (run policyd as a member of it): %w", err)
		}
	}
	if err := os.Chmod(name, mode); err != nil {
		return fmt.Errorf("set mode: %w", err)
	}
	return nil
}
