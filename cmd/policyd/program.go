// Policyd is a policy decision sidecar for AI agents. It answers allow, prompt
// or deny to the tool calls that an agent wants to make.
//
// This package wires the others and has one file per command. It trusts the person who starts it with the
// state directory, and nobody else. Guarantees: the names of commands, flags and exit codes are stable, and
// only answers go to standard output.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"policyd/internal/sidecar"
	"policyd/internal/visible"
)

// Program is policyd as its users start it. Its whole environment is in its fields, so that a test can start
// the real program.
//
// The zero value is not usable: all fields are needed. A Program may be run
// more than once, but not by several goroutines at a time.
type Program struct {
	Stdin     io.Reader
	Stdout    io.Writer
	Stderr    io.Writer
	LookupEnv func(string) (string, bool)
}

// Run runs one command line, without the program's name, and returns the exit
// status. When ctx ends, a server drains and Run returns 0.
//
// All output of a command passes through a visible.Writer, since it can contain names of an agent's choice.
// Commands that speak a protocol use visible.Raw.
func (p *Program) Run(ctx context.Context, args []string) int {
	stdout, stderr := visible.NewWriter(p.Stdout), visible.NewWriter(p.Stderr)
	shown := &Program{Stdin: p.Stdin, Stdout: stdout, Stderr: stderr, LookupEnv: p.LookupEnv}
	status := shown.run(ctx, args)
	// Only a partial character is left. If a stream can't be written to, there is no way to report it.
	_ = errors.Join(stdout.Flush(), stderr.Flush())
	return status
}

func (p *Program) run(ctx context.Context, args []string) int {
	root := p.root()
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	command, err := root.ExecuteContextC(ctx)
	if err == nil {
		return 0
	}
	return p.report(command, err)
}

// noSuchCommand handles an unknown command.
func noSuchCommand(command *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	const nearby = 2 // letters
	command.SuggestionsMinimumDistance = nearby
	hint := "run " + command.CommandPath() + " --help"
	if near := command.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + command.CommandPath() + " " + strings.Join(near, " or ") + "?"
	}
	return usage(fmt.Errorf("unknown command %q for %q", args[0], command.CommandPath()), hint)
}

func (p *Program) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "policyd",
		Short:         "decide what an agent's tool calls may do",
		Args:          noSuchCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       sidecar.Version(),
		RunE: func(command *cobra.Command, _ []string) error {
			return command.Help()
		},
	}
	root.SetFlagErrorFunc(func(command *cobra.Command, err error) error {
		return usage(err, "run "+command.CommandPath()+" --help")
	})
	root.AddCommand(
		p.serveCommand(), p.decideCommand(), p.explainCommand(), p.parseCommand(), p.sessionsCommand(), p.grantsCommand(), p.promptsCommand(), p.approvalsCommand(), p.consoleCommand(), p.notifyCommand(),
		p.bundleCommand(), p.decisionsCommand(), p.hookCommand(), p.runCommand(), p.installCommand(), p.uninstallCommand(), p.acpCommand(), p.mcpCommand(), p.toolsCommand(),
		p.doctorCommand(), versionCommand(),
	)
	mountEngineCommands(root)
	return root
}
