package gates

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"policyd/internal/jsonrpc"
	"policyd/internal/stdio"
)

// Streams are the standard streams of a gate.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// MaxLine bounds a message, in bytes. A longer one is refused.
const MaxLine = 64 << 20

// farewell bounds the time for ending sessions after the signal to end.
const farewell = 5 * time.Second

// relay is between the streams of the gate and a program that it starts.
type relay struct {
	toHost  *stdio.LineWriter
	toChild *stdio.LineWriter
	held    heldRequests
	// note shows a message to the person who runs the gate.
	note func(text string)
	// fromHost handles a line of the host. An error ends the gate.
	fromHost func(ctx context.Context, line []byte) error
	// fromChild handles a line of the program; nil forwards its output as it is.
	fromChild func(ctx context.Context, line []byte) error
	// limit bounds lines, in bytes.
	limit int
}

// run starts the program and is between until one side ends. It returns the exit status of the program.
func (r *relay) run(ctx context.Context, argv []string, streams Streams) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.toHost = stdio.NewLineWriter(streams.Stdout)
	output, read, drained := r.outlet(ctx)
	child, err := stdio.Start(ctx, argv, output, streams.Stderr)
	if err != nil {
		return 0, err
	}
	r.toChild = stdio.NewLineWriter(child)
	go read()
	holding, release := context.WithCancel(ctx)
	defer release()
	hostEnded := make(chan error, 1)
	go func() { hostEnded <- r.each(holding, streams.Stdin, r.fromHost, r.toHost) }()
	select {
	case err = <-hostEnded:
	case <-child.Ended():
	}
	// One of the two sides is gone: nobody waits for an answer.
	release()
	r.held.cancelAll()
	child.CloseInput()
	code, childErr := child.Finish()
	drained()
	return code, errors.Join(err, childErr, r.toHost.End())
}

// outlet is the destination of the program's output. read copies it there, and drained returns when all of it
// was copied.
func (r *relay) outlet(ctx context.Context) (output io.Writer, read, drained func()) {
	if r.fromChild == nil {
		return r.toHost, func() {}, func() {}
	}
	reader, writer := io.Pipe()
	done := make(chan struct{})
	read = func() {
		defer close(done)
		// The rest of the program's output is copied although the gate ends.
		_ = reader.CloseWithError(r.each(context.WithoutCancel(ctx), reader, r.fromChild, r.toChild))
	}
	return writer, read, func() {
		_ = writer.Close()
		<-done
	}
}

// putter writes a line between other lines.
type putter interface{ Put(line []byte) error }

// each passes line by line to take, and refuses lines that are too long.
func (r *relay) each(
	ctx context.Context, from io.Reader, take func(ctx context.Context, line []byte) error, back putter,
) error {
	lines := stdio.NewLines(from, r.limit)
	for {
		line, whole, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !whole {
			fault := &jsonrpc.FaultError{
				Code: jsonrpc.CodeRefused, ID: jsonrpc.BeginningID(line),
				Message: fmt.Sprintf("the message is longer than %d bytes", r.limit),
			}
			err = r.refuse(fault, back)
		} else {
			err = take(ctx, line)
		}
		if err != nil {
			return err
		}
	}
}

// refuse answers a message that can't be forwarded, if it has an id.
func (r *relay) refuse(fault *jsonrpc.FaultError, back putter) error {
	r.note("a message was not passed on: " + fault.Message)
	if fault.ID == nil && (fault.Code == jsonrpc.CodeUnknownMethod || fault.Code == jsonrpc.CodeInvalidParams) {
		return nil // a notification
	}
	answer, err := jsonrpc.Failure(fault.ID, jsonrpc.ErrorObject{Code: fault.Code, Message: "policyd: " + fault.Message})
	if err != nil {
		return err
	}
	return back.Put(answer)
}
