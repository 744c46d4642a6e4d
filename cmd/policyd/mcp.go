package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"policyd/internal/gates"
	"policyd/internal/pdp"
	"policyd/internal/visible"
)

// mcpAgent is the agent of a gate's calls if its host sets none.
const mcpAgent = "mcp-gate"

func (p *Program) mcpCommand() *cobra.Command {
	var flags gateFlags
	var name, session string
	command := &cobra.Command{
		Use:   "mcp [flags] -- SERVER [ARGUMENTS]",
		Short: "gate for an MCP server: decide the calls of its tools",
		Long: "Start an MCP server and relay between it and its client, on standard input and output.\n" +
			"Calls of tools reach the server only when the running policyd allows them; everything else passes as it is.",
		Args: programGiven,
		RunE: func(command *cobra.Command, args []string) error {
			s, err := p.settings(command, &flags.chosen)
			if err != nil {
				return err
			}
			options, err := p.mcpOptions(command, s, &flags, args)
			if err != nil {
				return err
			}
			if name != "" {
				options.Server = name
			}
			if session != "" {
				options.Session.ID, options.Joined = session, true
			}
			return p.runMCP(command.Context(), p.reach(command, s), options, args)
		},
	}
	command.Flags().StringVar(&name, "name", "", "the server's `name` in approvals; made of its command line unless set")
	command.Flags().StringVar(&session, "session", "", "the `id` of a session that the host keeps; the gate has one of its own unless set")
	command.Flags().StringVar(&flags.project, "project", "", "the project's `directory`; the working directory unless set")
	flags.add(command, mcpAgent)
	return command
}

// programGiven checks that there is a program to start.
func programGiven(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usage(errors.New("no program is named"), "name the program and its arguments after --")
	}
	return nil
}

func (p *Program) mcpOptions(command *cobra.Command, s *settings, flags *gateFlags, argv []string) (gates.MCPOptions, error) {
	session, err := flags.session(p, command, s)
	if err != nil {
		return gates.MCPOptions{}, err
	}
	if session.ProjectDir, err = launchDirectory(flags.project); err != nil {
		return gates.MCPOptions{}, err
	}
	here, err := launchDirectory("")
	if err != nil {
		return gates.MCPOptions{}, err
	}
	if session.ID, err = freshID(flags.agent); err != nil {
		return gates.MCPOptions{}, err
	}
	return gates.MCPOptions{Server: serverName(argv), Session: session, Cwd: here, Hold: flags.hold, Note: p.note}, nil
}

// serverName derives a server's name from its command line. Package runners start many servers, and an
// approval for one must not apply to another.
func serverName(argv []string) string {
	base := strings.TrimSuffix(filepath.Base(argv[0]), ".exe")
	base = strings.Trim(strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, base), "-")
	sum := sha256.Sum256([]byte(strings.Join(argv, "\x00")))
	return base + "-" + hex.EncodeToString(sum[:4])
}

func (p *Program) runMCP(ctx context.Context, address pdp.Address, options gates.MCPOptions, argv []string) error {
	client := pdp.New(address)
	defer client.Close()
	options.Client = client
	gate, err := gates.NewMCP(options)
	if err != nil {
		return usage(err, "choose another name with --name")
	}
	defer keepPipes()()
	code, err := gate.Run(ctx, argv, gates.Streams{Stdin: p.Stdin, Stdout: visible.Raw(p.Stdout), Stderr: visible.Raw(p.Stderr)})
	if err != nil {
		return failed(fmt.Errorf("run the gate for the server: %w", err), "")
	}
	return exitWith(code)
}
