package hook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"policyd/internal/clients/reply"
	"policyd/internal/pdp"
)

// exitDeny is the exit status by which every client refuses.
const exitDeny = 2

// Program is the hook program. Its whole environment is in its fields. All are required. It is run once.
type Program struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// LookupEnv is the environment, which the agent program set and not its model.
	LookupEnv func(string) (string, bool)
	// Platform is where the agent runs: linux, darwin or windows.
	Platform string

	client  string
	payload []byte
}

// Run answers one call and returns the exit status. args are the command line
// without the program's name. When ctx ends, the call is refused.
func (p *Program) Run(ctx context.Context, args []string) (status int) {
	defer func() {
		if fault := recover(); fault != nil {
			status = p.refuse(fmt.Errorf("policyd-hook failed: %v", fault))
		}
	}()
	answer, err := p.answer(ctx, args)
	if err != nil {
		return p.refuse(err)
	}
	if answer.Exit != 0 {
		p.complain("the call is refused; the answer says why")
	}
	return p.print(answer)
}

// answer is policyd's own, or an error.
func (p *Program) answer(ctx context.Context, args []string) (reply.Reply, error) {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		p.client = args[0]
	}
	options, mistake := parse(args, p.LookupEnv)
	if options == nil {
		return reply.Reply{}, mistake
	}
	ctx, cancel := context.WithTimeoutCause(ctx, options.patience(), fmt.Errorf("no answer within %s", options.patience()))
	defer cancel()
	// Read even if the flags are wrong: the payload determines how its event is refused.
	var err error
	if p.payload, err = readPayload(ctx, p.Stdin); err != nil {
		return reply.Reply{}, err
	}
	if mistake != nil {
		return reply.Reply{}, mistake
	}
	address, err := options.address(p.LookupEnv)
	if err != nil {
		return reply.Reply{}, err
	}
	query := options.query(p.LookupEnv, p.Platform)
	if err := options.launcher(query, &address); err != nil {
		return reply.Reply{}, err
	}
	sidecar := pdp.New(address)
	defer sidecar.Close()
	got, err := sidecar.Do(ctx, "POST", "/v1/hooks/"+p.client, query, p.payload)
	if err != nil {
		return reply.Reply{}, cause(ctx, err)
	}
	return accept(got)
}

// cause returns the reason why a request ended, if its own end is known.
func cause(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, context.Canceled) {
		cause = errors.New("interrupted")
	}
	return fmt.Errorf("ask policyd: %w", cause)
}

// refuse prints the client's own deny.
func (p *Program) refuse(err error) int {
	message := "the call is refused, since policyd can't judge it: " + oneLine(err.Error())
	p.complain(message)
	return p.print(reply.Failure(p.client, p.payload, "policyd: "+message))
}

// print writes the answer in one write. If that fails, there is no answer.
func (p *Program) print(answer reply.Reply) int {
	text := append(append([]byte{}, answer.Body...), '\n')
	written, err := p.Stdout.Write(text)
	if err != nil || written != len(text) {
		p.complain("can't write the answer")
		return exitDeny
	}
	return answer.Exit
}

// complain writes the one line that clients show. If standard error can't be written to, there is no way to
// report it.
func (p *Program) complain(message string) {
	_, _ = fmt.Fprintf(p.Stderr, "policyd: %s\n", message)
}

func oneLine(text string) string {
	return strings.Join(strings.Fields(text), " ")
}
