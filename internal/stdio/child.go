package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// Grace is how long a child has to end after the request to end, and how long its last output may take to
// arrive.
const Grace = 5 * time.Second

// Child is a program whose standard streams this process handles.
type Child struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	stop    context.CancelFunc
	ended   chan struct{}
	code    int
	err     error
}

// Start starts a program, with its output in stdout and stderr. When ctx ends, the child is asked to end, and
// killed after Grace, together with its children on systems with process groups.
func Start(ctx context.Context, argv []string, stdout, stderr io.Writer) (*Child, error) {
	ctx, stop := context.WithCancel(ctx)
	command := exec.CommandContext(ctx, argv[0], argv[1:]...)
	command.Stdout, command.Stderr = stdout, stderr
	command.WaitDelay = Grace
	command.Cancel = func() error { return ask(command) }
	group(command)
	stdin, err := command.StdinPipe()
	if err != nil {
		stop()
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	if err := command.Start(); err != nil {
		stop()
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	child := &Child{command: command, stdin: stdin, stop: stop, ended: make(chan struct{})}
	go child.wait()
	return child, nil
}

func (c *Child) wait() {
	defer close(c.ended)
	defer c.stop()
	err := c.command.Wait()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit), err == nil, errors.Is(err, exec.ErrWaitDelay), errors.Is(err, context.Canceled):
		c.code = codeOf(c.command.ProcessState)
	default:
		c.code, c.err = 1, fmt.Errorf("wait for program: %w", err)
	}
}

// Write writes to the child's standard input.
func (c *Child) Write(text []byte) (int, error) {
	written, err := c.stdin.Write(text)
	if err != nil {
		return written, fmt.Errorf("write to program: %w", err)
	}
	return written, nil
}

// CloseInput ends the child's standard input, on which it is expected to end, too.
func (c *Child) CloseInput() { _ = c.stdin.Close() }

// Ended is closed when the child has ended and all that it wrote was passed on.
func (c *Child) Ended() <-chan struct{} { return c.ended }

// Finish waits for the child to end by itself, no longer than Grace, and then ends it. It returns the exit
// status, which is 128 plus the signal's number after a signal.
func (c *Child) Finish() (int, error) {
	timer := time.NewTimer(Grace)
	defer timer.Stop()
	select {
	case <-c.ended:
	case <-timer.C:
		c.stop()
		<-c.ended
	}
	return c.code, c.err
}

var _ io.Writer = (*Child)(nil)
