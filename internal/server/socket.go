package server

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// SocketName is the name of the Unix socket in the run directory.
const SocketName = "policyd.sock"

// maxSocketPath is the longest path that both Linux (108) and macOS (104) accept, without the final NUL.
const maxSocketPath = 103

// ListenUnix listens on the socket in the run directory, which is made with mode 0750. Every user who can
// enter the directory has the agent role. A stale socket is replaced. A socket that answers is an error, and
// so is anything that isn't a socket. Closing the listener removes it.
//
// access states who may connect. A group gets the directory with mode 0750, too, since it has to enter it.
func ListenUnix(runDir string, access SocketAccess) (net.Listener, error) {
	if err := access.check(); err != nil {
		return nil, err
	}
	group, err := access.group()
	if err != nil {
		return nil, fmt.Errorf("listen on socket: %w", err)
	}
	address := filepath.Join(runDir, SocketName)
	if len(address) > maxSocketPath {
		return nil, fmt.Errorf("listen on socket: %s is longer than %d bytes; choose a shorter --run-dir", address, maxSocketPath)
	}
	if err := prepareRunDir(runDir); err != nil {
		return nil, fmt.Errorf("listen on socket: %w", err)
	}
	if group != keepGroup {
		if err := give(runDir, group, 0o750); err != nil {
			return nil, fmt.Errorf("listen on socket: %w", err)
		}
	}
	if err := removeStale(address); err != nil {
		return nil, fmt.Errorf("listen on socket: %w", err)
	}
	listener, err := net.Listen("unix", address) //nolint:noctx // binding doesn't wait
	if err != nil {
		return nil, fmt.Errorf("listen on socket: %w", err)
	}
	// The directory decides who gets in; its group may then write, too.
	if err := give(address, group, access.mode()); err != nil {
		return nil, errors.Join(fmt.Errorf("restrict socket: %w", err), listener.Close())
	}
	return listener, nil
}

func prepareRunDir(runDir string) error {
	info, err := os.Stat(runDir)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(runDir, 0o750); err != nil {
			return fmt.Errorf("make run directory: %w", err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at run directory: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o027 != 0 {
		return fmt.Errorf("check run directory: %s has mode %04o; at most 0750 is safe, since whoever enters it may ask as an agent", runDir, mode)
	}
	return nil
}

func removeStale(address string) error {
	info, err := os.Lstat(address)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at socket: %w", err)
	}
	if info.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("look at socket: %s is not a socket; move it away", address)
	}
	conn, err := net.DialTimeout("unix", address, time.Second) //nolint:noctx // bounded
	if err == nil {
		return errors.Join(fmt.Errorf("look at socket: another policyd answers on %s", address), conn.Close())
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("look at socket: %w", err)
	}
	if err := os.Remove(address); err != nil {
		return fmt.Errorf("remove stale socket: %w", err)
	}
	return nil
}
