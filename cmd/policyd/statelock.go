package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// lockName is the locked file in the state directory of a process that keeps the state in memory. It contains
// the address of a server.
const lockName = "policyd.lock"

// whereabouts is what a server writes into its lock file.
type whereabouts struct {
	Process int    `json:"process"`
	Socket  string `json:"socket"`
}

// inUseError states that another process keeps the state in memory.
type inUseError struct {
	stateDir string
	by       whereabouts
}

var _ error = (*inUseError)(nil)

func (e *inUseError) Error() string {
	return fmt.Sprintf("the state directory %s is in use by another policyd (process %d)", e.stateDir, e.by.Process)
}

// lockPatience is how long the lock is waited for: a command that opens the
// store itself has it for a moment.
const (
	lockPatience = 3 * time.Second
	lockPause    = 20 * time.Millisecond
)

// lockState locks the state directory for this process, since memory has to contain the whole state. socket
// is where this process can be reached, empty for nowhere. An error can be an *inUseError.
func lockState(ctx context.Context, stateDir, socket string, patience time.Duration) (unlock func() error, err error) {
	name := filepath.Join(stateDir, lockName)
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock state directory: %w", err)
	}
	deadline := time.Now().Add(patience)
	for {
		err = lockFile(file)
		if !errors.Is(err, errLocked) || time.Now().After(deadline) {
			break
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), file.Close())
		case <-time.After(lockPause):
		}
	}
	if errors.Is(err, errLocked) {
		return nil, errors.Join(&inUseError{stateDir: stateDir, by: readWhereabouts(name)}, file.Close())
	}
	if err == nil {
		err = writeWhereabouts(file, whereabouts{Process: os.Getpid(), Socket: socket})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock state directory: %w", err), file.Close())
	}
	return file.Close, nil
}

func writeWhereabouts(file *os.File, here whereabouts) error {
	text, err := json.Marshal(here)
	if err != nil {
		return fmt.Errorf("encode lock file: %w", err)
	}
	if err := file.Truncate(0); err != nil {
		return fmt.Errorf("write lock file: %w", err)
	}
	if _, err := file.WriteAt(append(text, '\n'), 0); err != nil {
		return fmt.Errorf("write lock file: %w", err)
	}
	return nil
}

// readWhereabouts reads what the holder of the lock wrote; nothing is known if
// it can't be read.
func readWhereabouts(name string) whereabouts {
	var there whereabouts
	text, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(text, &there) != nil {
		return whereabouts{}
	}
	return there
}
