package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// MaxPayload bounds a payload, in bytes. The sidecar has a limit of its own.
const MaxPayload = 8 << 20

// byteOrderMark precedes the payload of some Windows programs.
var byteOrderMark = []byte("\ufeff")

// readPayload reads until the end of input. If a program never closes it, ctx ends the wait; the remaining
// reader ends with the process.
func readPayload(ctx context.Context, from io.Reader) ([]byte, error) {
	type outcome struct {
		payload []byte
		err     error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				done <- outcome{err: fmt.Errorf("read payload: %v", fault)}
			}
		}()
		payload, err := io.ReadAll(io.LimitReader(from, MaxPayload+1))
		done <- outcome{payload, err}
	}()
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("read payload: %w", cause(ctx, ctx.Err()))
	case got := <-done:
		return checkPayload(got.payload, got.err)
	}
}

func checkPayload(payload []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, fmt.Errorf("read payload: %w", err)
	}
	if len(payload) > MaxPayload {
		return nil, fmt.Errorf("read payload: longer than %d bytes", MaxPayload)
	}
	payload = bytes.TrimPrefix(payload, byteOrderMark)
	if len(bytes.TrimSpace(payload)) == 0 {
		return nil, errors.New("read payload: standard input is empty; a client gives the call there")
	}
	return payload, nil
}
