package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	hookPackage    = "policyd/cmd/policyd-hook"
	leastPackage   = "./onerequest"
	hookPayload    = "test/testdata/fixtures/claude/PreToolUse-Bash.json"
	benchModule    = "test/bench"
	hookRunsARound = 40
)

// hook measures what the hook program adds to a tool call, beside the least program in
// Go that sends one request over the same socket.
type hook struct {
	programs [2][]string
	payload  []byte
	server   *http.Server
}

func (h *hook) prepare(ctx context.Context, b *bench) error {
	shipped, err := b.build(ctx, hookPackage, "-trimpath", "-ldflags=-s -w")
	if err != nil {
		return err
	}
	least, err := b.build(ctx, leastPackage, "-C", benchModule, "-trimpath", "-ldflags=-s -w")
	if err != nil {
		return err
	}
	socket := filepath.Join(b.dir, "hook.sock")
	h.programs = [2][]string{{shipped, "claude", "--socket", socket}, {least, socket}}
	if h.payload, err = os.ReadFile(hookPayload); err != nil {
		return fmt.Errorf("read payload: %w", err)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "unix", socket)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	h.server = &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(answerHook)}
	go func() { _ = h.server.Serve(listener) }()
	return nil
}

// answerHook answers as the sidecar does, without deciding: a decision would add the
// same to both programs, and hide the difference.
func answerHook(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Policyd-Decision", "allow")
	w.Header().Set("Policyd-Exit", "0")
	_, _ = io.WriteString(w, "{}")
}

func (h *hook) round(ctx context.Context, taken *samples) error {
	var took [2][]float64
	for range hookRunsARound {
		for i, program := range h.programs {
			elapsed, err := h.run(ctx, program)
			if err != nil {
				return err
			}
			took[i] = append(took[i], float64(elapsed.Microseconds())/1e3)
		}
	}
	taken.add("hook/hook/ms", median(took[0]))
	taken.add("hook/least/ms", median(took[1]))
	return nil
}

func (h *hook) run(ctx context.Context, program []string) (time.Duration, error) {
	command := exec.CommandContext(ctx, program[0], program[1:]...)
	command.Stdin = bytes.NewReader(h.payload)
	started := time.Now()
	out, err := command.Output()
	took := time.Since(started)
	if err == nil && string(bytes.TrimSpace(out)) != "{}" {
		err = errors.New("it printed " + string(out))
	}
	if err != nil {
		return 0, fmt.Errorf("run %s: %w", filepath.Base(program[0]), err)
	}
	return took, nil
}

func (h *hook) close() error {
	if h.server == nil {
		return nil
	}
	return h.server.Close()
}

func (*hook) report(out io.Writer, taken *samples) {
	fmt.Fprintf(out, hookProse, hookRunsARound)
	fmt.Fprint(out, "\n| program | against the least | ms |\n|---|---|---|\n")
	for _, row := range []struct{ name, figure string }{{"the least program in Go", "hook/least/ms"}, {"policyd-hook", "hook/hook/ms"}} {
		fmt.Fprintf(out, "| %s | %.2f | %.2f |\n", row.name, taken.ratio(row.figure, "hook/least/ms"), taken.median(row.figure))
	}
}

const hookProse = `
## The hook program

How it is measured: ` + "`policyd-hook`" + `, which an agent program starts before each tool call, beside the least program in Go
that sends what it reads to the same socket and prints what comes back (test/bench/onerequest), in turns, %d times
each in a round. Both are answered at once, without a decision, so that the time is that of starting, asking and printing.
`
