package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"policyd/internal/clients/reply"
	"policyd/internal/gates"
	"policyd/internal/pdp"
	"policyd/internal/visible"
)

// acpAgent is the agent of a gate whose program is unknown.
const acpAgent = "acp-gate"

func (p *Program) acpCommand() *cobra.Command {
	var flags gateFlags
	var contained bool
	command := &cobra.Command{
		Use:   "acp [flags] -- AGENT [ARGUMENTS]",
		Short: "gate for an agent of the Agent Client Protocol: decide what it requests of its client",
		Long: "Start an agent that speaks ACP and relay between it and its client, on standard input and output.\n" +
			"Its requests for files, terminals and permission reach the client only when the running policyd allows them;\n" +
			"everything else passes as it is.",
		Args: programGiven,
		RunE: func(command *cobra.Command, args []string) error {
			s, err := p.settings(command, &flags.chosen)
			if err != nil {
				return err
			}
			if !command.Flags().Changed("agent") {
				flags.agent = agentOf(args[0])
			}
			options := gates.ACPOptions{Hold: flags.hold, Note: p.note}
			if options.Session, err = flags.session(p, command, s); err != nil {
				return err
			}
			if options.Session.ID, err = freshID(flags.agent); err != nil {
				return err
			}
			address := p.reach(command, s)
			if contained {
				if options.Launcher, err = runLauncher(address); err != nil {
					return err
				}
			}
			return p.runACP(command.Context(), address, options, args)
		},
	}
	flags.add(command, "")
	command.Flags().BoolVar(&contained, "contain", false, "run the commands of terminals contained: the client starts policyd's program in their place")
	return command
}

// runLauncher is the command line that runs a decision contained, up to the decision.
func runLauncher(address pdp.Address) ([]string, error) {
	own, err := ownProgram()
	if err != nil {
		return nil, err
	}
	socket, err := filepath.Abs(address.Socket)
	if err != nil {
		return nil, failed(fmt.Errorf("find socket: %w", err), "")
	}
	return []string{hookProgram(own)[0], "run", "--socket", socket}, nil
}

// agentOf is the agent name of a known program.
func agentOf(program string) string {
	if client, known := reply.ByName(strings.TrimSuffix(filepath.Base(program), ".exe")); known {
		return client.Agent
	}
	return acpAgent
}

func (p *Program) runACP(ctx context.Context, address pdp.Address, options gates.ACPOptions, argv []string) error {
	client := pdp.New(address)
	defer client.Close()
	options.Client = client
	gate, err := gates.NewACP(options)
	if err != nil {
		return err
	}
	defer keepPipes()()
	code, err := gate.Run(ctx, argv, gates.Streams{Stdin: p.Stdin, Stdout: visible.Raw(p.Stdout), Stderr: visible.Raw(p.Stderr)})
	if err != nil {
		return failed(fmt.Errorf("run the gate for the agent: %w", err), "")
	}
	return exitWith(code)
}
