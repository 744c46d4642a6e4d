//go:build amd64 || arm64

package contain

import (
	"errors"
	"fmt"
	"syscall"
)

func run(command *Command) (*Result, error) {
	s, err := newSpec(command)
	if err != nil {
		return nil, err
	}
	defer s.cleanUp()
	var out ended
	if s.Staged {
		keep, err := placeholders(&s.Obligation)
		if err != nil {
			return nil, err
		}
		defer keep.remove()
		s.Placeholders = keep.paths
		out = s.runStaged()
	} else {
		out = s.start(stopSelf)
		if s.Terminal >= 0 {
			takeTerminal(s.Terminal, syscall.Getpgrp())
		}
	}
	if errors.Is(out.err, syscall.ENOENT) && !errors.Is(out.err, ErrNotFound) {
		out.err = fmt.Errorf("%w: %w", ErrNotFound, out.err)
	}
	if out.err != nil {
		return nil, out.err
	}
	result := &Result{ExitCode: out.status.ExitStatus(), Refused: out.refused}
	if out.status.Signaled() {
		result.ExitCode, result.Signal = 0, int(out.status.Signal())
	}
	return result, nil
}
