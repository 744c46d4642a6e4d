package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"policyd/internal/clients/reply"
	"policyd/internal/hinttools"
	"policyd/internal/pdp"
	"policyd/internal/pep"
	"policyd/internal/sidecar"
	"policyd/internal/visible"
)

// toolsFlags identify the session of the tools. They are in the client's registration.
type toolsFlags struct {
	chosen  settingsFlags
	client  string
	session string
	project string
	wait    time.Duration
}

func (p *Program) toolsCommand() *cobra.Command {
	var flags toolsFlags
	command := &cobra.Command{
		Use:   "tools",
		Short: "serve the tools that hints name to an agent, as an MCP server",
		Long: "Serve request_read_access and set_working_directory over MCP on standard input and output.\n" +
			"The agent program starts it; docs/tools.md says how it knows which session is meant.",
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			s, err := p.settings(command, &flags.chosen)
			if err != nil {
				return err
			}
			binding, err := p.binding(&flags)
			if err != nil {
				return err
			}
			if flags.wait < 0 || flags.wait > maxHold {
				return usage(fmt.Errorf("--wait %s is out of range", flags.wait), "wait for 0 to 10m")
			}
			client := pdp.New(p.reach(command, s))
			defer client.Close()
			return p.serveTools(command.Context(), hinttools.Options{
				Sidecar: pep.New(client), Binding: *binding, Wait: flags.wait, Version: sidecar.Version(),
			})
		},
	}
	command.Flags().StringVar(&flags.client, "client", "", "the agent `program` that starts this: "+strings.Join(slices.Sorted(slices.Values(reply.Clients())), ", "))
	command.Flags().StringVar(&flags.session, "session", "", "the `id` of the session, where the host knows it")
	command.Flags().StringVar(&flags.project, "project", "", "the project's `directory`; where the client starts its servers unless set")
	command.Flags().DurationVar(&flags.wait, "wait", usualHold, "how long a call waits for a person")
	flags.chosen.addReach(command)
	return command
}

// binding is the host's description of the session.
func (p *Program) binding(flags *toolsFlags) (*hinttools.Binding, error) {
	names := strings.Join(slices.Sorted(slices.Values(reply.Clients())), ", ")
	client, known := reply.ByName(flags.client)
	if !known {
		client = &reply.Client{}
	}
	switch {
	case flags.client == "" && flags.session == "":
		return nil, usage(errors.New("it isn't said whose tools these are"), "name the agent program with --client ("+names+"), or the session with --session")
	case flags.client != "" && !known:
		return nil, usage(fmt.Errorf("--client %q is none of %s", flags.client, names), "name one of them, or the session with --session")
	}
	out := &hinttools.Binding{Session: flags.session, Client: *client, Since: parentStarted()}
	out.Own = p.firstSet(client.SessionVariables)
	named := flags.project
	if named == "" {
		named = p.firstSet(client.ProjectVariables)
	}
	var err error
	if out.Project, err = launchDirectory(named); err != nil {
		return nil, err
	}
	// Sessions are kept with their real directories.
	if real, err := filepath.EvalSymlinks(out.Project); err == nil {
		out.Project = real
	}
	return out, nil
}

// firstSet is the value of the first variable that isn't empty.
func (p *Program) firstSet(names []string) string {
	for _, name := range names {
		if value, _ := p.LookupEnv(name); value != "" {
			return value
		}
	}
	return ""
}

// serveTools serves one client until it is gone.
func (p *Program) serveTools(ctx context.Context, options hinttools.Options) error {
	transport := &mcp.IOTransport{Reader: io.NopCloser(p.Stdin), Writer: unclosed{visible.Raw(p.Stdout)}}
	err := hinttools.NewServer(options).Run(ctx, transport)
	if ended := []error{nil, io.EOF, context.Canceled}; slices.ContainsFunc(ended, func(end error) bool { return errors.Is(err, end) }) {
		return nil
	}
	return failed(fmt.Errorf("serve tools: %w", err), "")
}

// unclosed is standard output, which outlives a connection.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// parentStarted is when the parent process started, if the system reports it.
func parentStarted() time.Time { return processStarted(os.Getppid()) }
