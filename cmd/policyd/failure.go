package main

import (
	"errors"
	"fmt"
	"strings"

	"policyd/internal/sidecar"

	opa "github.com/open-policy-agent/opa/cmd"
	"github.com/spf13/cobra"
)

// Exit statuses. Those of `decide --exit-code` are in decide.go.
const (
	exitFailed   = 1
	exitBadInput = 2
)

// failure is an error that ends the program with a status and, if there is one, a hint for the person who
// reads it.
type failure struct {
	status int
	err    error
	hint   string
}

var _ error = (*failure)(nil)

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// usage is a failure of the person's input.
func usage(err error, hint string) error {
	return &failure{status: exitBadInput, err: err, hint: hint}
}

// failed is a failure of the requested action.
func failed(err error, hint string) error {
	return &failure{status: exitFailed, err: err, hint: hint}
}

// silent ends the program with a status and without a message.
type silent int

func (s silent) Error() string { return fmt.Sprintf("exit %d", int(s)) }

// report prints err for people and returns the exit status.
func (p *Program) report(command *cobra.Command, err error) int {
	var quiet silent
	if errors.As(err, &quiet) {
		return int(quiet)
	}
	var engine *opa.ExitError
	if errors.As(err, &engine) {
		// OPA's commands that silence errors have printed them already.
		if !command.SilenceErrors && errors.Unwrap(engine) != nil {
			p.complain(errors.Unwrap(engine), "")
		}
		return engine.Exit
	}
	var known *failure
	if errors.As(err, &known) {
		p.complain(known.err, known.hint)
		return known.status
	}
	var hinted *sidecar.HintError
	if errors.As(err, &hinted) {
		p.complain(hinted.Err, hinted.Hint)
		return exitFailed
	}
	p.complain(err, "")
	return exitFailed
}

// complain writes an error, and a hint if there is one. If standard error can't be written to, there is no
// way to report it.
func (p *Program) complain(err error, hint string) {
	_, _ = fmt.Fprintf(p.Stderr, "policyd: error: %s\n", indented(err.Error()))
	if hint != "" {
		p.hint(hint)
	}
}

// indented keeps a line of a text, which may contain a name of an agent's choice, from looking like a message
// of policyd's.
func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }

// warn writes what a person should know of what was done.
func (p *Program) warn(text string) {
	_, _ = fmt.Fprintf(p.Stderr, "policyd: warning: %s\n", indented(text))
}

// hint writes what a person can do.
func (p *Program) hint(text string) {
	_, _ = fmt.Fprintf(p.Stderr, "policyd: hint: %s\n", indented(text))
}

// remark writes what isn't an answer, such as that there is none.
func (p *Program) remark(text string) {
	_, _ = fmt.Fprintf(p.Stderr, "policyd: %s\n", indented(text))
}
