package main

import (
	"runtime"

	"github.com/spf13/cobra"

	"policyd/internal/hook"
	"policyd/internal/visible"
)

// hookCommand is policyd-hook in the main program, for places without the small one. The hook itself parses
// its flags, and refuses an invalid one in the client's own way.
func (p *Program) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook CLIENT [flags]",
		Short: "answer an agent program's hook",
		Long: "Read a hook's payload from standard input, ask the server, and print the client's own answer.\n" +
			"Whatever goes wrong is a deny. The program policyd-hook does the same and starts faster.",
		DisableFlagParsing: true,
		RunE: func(command *cobra.Command, args []string) error {
			program := &hook.Program{
				Stdin: p.Stdin, Stdout: visible.Raw(p.Stdout), Stderr: p.Stderr, LookupEnv: p.LookupEnv, Platform: runtime.GOOS,
			}
			if status := program.Run(command.Context(), args); status != 0 {
				return silent(status)
			}
			return nil
		},
	}
}
