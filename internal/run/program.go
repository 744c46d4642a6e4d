package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/contain"
	"policyd/internal/pdp"
)

// Exit statuses, as a shell has them.
const (
	ExitRefused  = 126
	ExitNotFound = 127
)

const (
	claimPatience  = 10 * time.Second
	reportPatience = 2 * time.Second
)

// Program is `policyd run`. All fields are needed. It is run once, in the main goroutine's process: while the
// contained program runs, the process's signals are its.
type Program struct {
	Stderr    io.Writer
	LookupEnv func(string) (string, bool)
	// Environ is what the contained program inherits, before the obligation limits it.
	Environ []string
}

// Main runs the command in this process and returns the exit status. args are the command line without the names of
// program and command. If a signal ended the contained program, this process ends by the same one.
func Main(args []string) int {
	program := &Program{Stderr: os.Stderr, LookupEnv: os.LookupEnv, Environ: os.Environ()}
	return program.Run(args)
}

// Run runs one command line.
func (p *Program) Run(args []string) int {
	o, err := parse(args, p.LookupEnv)
	if err != nil {
		return p.refuse(err, "policyd run --decision ID -- PROGRAM ARGUMENTS…")
	}
	dir, err := workingDirectory()
	if err != nil {
		return p.refuse(fmt.Errorf("find working directory: %w", err), "")
	}
	address, err := o.places.Find(p.LookupEnv)
	if err != nil {
		return p.refuse(fmt.Errorf("find policyd: %w", err), "")
	}
	address.Once = true
	sidecar := pdp.New(address)
	defer sidecar.Close()
	granted, err := claim(sidecar, o, dir)
	if err != nil {
		return p.refuse(err, "ask for the decision again; each can be run once, within a minute")
	}
	sidecar.Close() // a long run keeps no connection open
	result, err := contain.Run(&contain.Command{Argv: granted.Argv, Dir: dir, Env: p.Environ, Obligation: granted.Obligation})
	switch {
	case errors.Is(err, contain.ErrNotFound):
		p.complain(err, "")
		return ExitNotFound
	case err != nil:
		return p.refuse(fmt.Errorf("run contained: %w", err), "policyd doctor says which profiles work here")
	}
	// A program that ended well did without what it was refused.
	failed := result.ExitCode != 0 || result.Signal != 0
	if line := summary(result.Refused); line != "" && failed {
		_, _ = fmt.Fprintf(p.Stderr, "policyd: contained: %s; run the same command again to ask a person for it\n", line)
		report(sidecar, o.decision, result.Refused)
	}
	if result.Signal != 0 {
		contain.Die(result.Signal)
		return signalBase + result.Signal
	}
	return result.ExitCode
}

// workingDirectory is the real path, which the decision is about.
func workingDirectory() (string, error) {
	dir, err := os.Getwd() // may be the value of PWD, with links
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(dir)
}

// signalBase is added to a signal's number by shells, if a process can't end by the signal.
const signalBase = 128

// claim spends the decision.
func claim(sidecar *pdp.Client, o *options, dir string) (*v1.RunGranted, error) {
	ctx, cancel := context.WithTimeout(context.Background(), claimPatience)
	defer cancel()
	body, err := json.Marshal(v1.RunClaim{Argv: o.argv, AsDecided: o.argv == nil, Cwd: dir})
	if err != nil {
		return nil, fmt.Errorf("write claim: %w", err)
	}
	answer, err := sidecar.Do(ctx, http.MethodPost, path(o.decision, "claim"), nil, body)
	if err != nil {
		return nil, err
	}
	if answer.Status != http.StatusOK {
		return nil, fmt.Errorf("claim decision: %s", problem(answer))
	}
	granted := &v1.RunGranted{}
	decoder := json.NewDecoder(bytes.NewReader(answer.Body))
	decoder.DisallowUnknownFields() // a limit that isn't known here wouldn't be enforced
	if err := decoder.Decode(granted); err != nil {
		return nil, fmt.Errorf("read grant: %w", err)
	}
	if granted.DecisionID != o.decision {
		return nil, fmt.Errorf("read grant: it is for decision %q, want %q", granted.DecisionID, o.decision)
	}
	switch {
	case o.argv != nil && granted.Argv != nil:
		return nil, errors.New("read grant: it names another program than the one of the command line")
	case o.argv != nil:
		granted.Argv = o.argv
	case len(granted.Argv) == 0 || granted.Argv[0] == "":
		return nil, errors.New("read grant: it names no program")
	}
	return granted, nil
}

func path(decision, action string) string {
	return "/v1/runs/" + url.PathEscape(decision) + "/" + action
}

// problem is the text of problem details, or the status.
func problem(answer *pdp.Answer) string {
	var details struct{ Title, Detail, Code string }
	if json.Unmarshal(answer.Body, &details) != nil || details.Detail+details.Title == "" {
		return fmt.Sprintf("status %d, want 200", answer.Status)
	}
	text := details.Detail
	if text == "" {
		text = details.Title
	}
	if details.Code != "" {
		text += " (" + details.Code + ")"
	}
	return printable(text)
}

// report sends what was refused. Without the report, a person is asked without that information.
func report(sidecar *pdp.Client, decision string, refused []v1.Refusal) {
	ctx, cancel := context.WithTimeout(context.Background(), reportPatience)
	defer cancel()
	body, err := json.Marshal(v1.RunReport{Refused: refused})
	if err != nil {
		return
	}
	_, _ = sidecar.Do(ctx, http.MethodPost, path(decision, "report"), nil, body)
}

// summary is what was refused in a few words, or empty.
func summary(refused []v1.Refusal) string {
	if len(refused) == 0 {
		return ""
	}
	text := refused[0].Operation + " to " + printable(refused[0].Target) + " refused"
	if refused[0].Operation != "write" && refused[0].Operation != "connect" {
		text = refused[0].Operation + " of " + printable(refused[0].Target) + " refused"
	}
	if more := len(refused) - 1; more > 0 {
		text += " (and " + strconv.Itoa(more) + " more)"
	}
	return text
}

// printable makes a text of the program safe to print.
func printable(text string) string {
	quoted := strconv.QuoteToGraphic(text)
	if quoted == `"`+text+`"` {
		return text
	}
	return quoted
}

func (p *Program) refuse(err error, hint string) int {
	p.complain(err, hint)
	return ExitRefused
}

// complain writes an error and a hint. If standard error can't be written to, there is no way to report it.
func (p *Program) complain(err error, hint string) {
	_, _ = fmt.Fprintf(p.Stderr, "policyd: error: %s\n", strings.ReplaceAll(err.Error(), "\n", "\n  "))
	if hint != "" {
		_, _ = fmt.Fprintf(p.Stderr, "policyd: hint: %s\n", hint)
	}
}
