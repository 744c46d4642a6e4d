package main

import (
	"os"

	"github.com/spf13/cobra"

	"policyd/internal/run"
	"policyd/internal/visible"
)

// runCommand is `policyd-hook run` in the main program, for places without the small one. Package run parses
// its flags, since another program follows "--".
func (p *Program) runCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "run --decision ID -- PROGRAM [ARGUMENTS]",
		Short: "run a program contained, as its decision obliges",
		Long: "Claim a decision from the server and run its program so that the kernel enforces the decision's obligation.\n" +
			"Nothing runs if the claim is refused or the containment doesn't work: the exit status is then 126.\n" +
			"The program policyd-hook does the same and starts faster. See docs/contain.md.",
		DisableFlagParsing: true,
		RunE: func(command *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
				return command.Help()
			}
			program := &run.Program{Stderr: visible.Raw(p.Stderr), LookupEnv: p.LookupEnv, Environ: os.Environ()}
			if status := program.Run(args); status != 0 {
				return silent(status)
			}
			return nil
		},
	}
}
