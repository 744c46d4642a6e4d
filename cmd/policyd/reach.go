package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"policyd/internal/pdp"
)

// reach finds the running server's socket for a program of an agent. Such programs have less of an
// environment than the server had, so the address that the server stored comes before the default.
func (p *Program) reach(command *cobra.Command, s *settings) pdp.Address {
	if _, set := p.LookupEnv("POLICYD_RUN_DIR"); !set && !command.Flags().Changed("run-dir") {
		if there := readWhereabouts(filepath.Join(s.StateDir, lockName)); there.Socket != "" {
			return pdp.Address{Socket: there.Socket}
		}
	}
	return pdp.Address{Socket: socketOf(s)}
}

// addReach adds the flags of programs that ask a running server.
func (f *settingsFlags) addReach(command *cobra.Command) {
	command.Flags().StringVar(&f.file, "config", "", "settings `file` (POLICYD_CONFIG)")
	f.add(command, "state_dir", "state-dir", "`directory` of the server's state")
	f.add(command, "run_dir", "run-dir", "`directory` of the server's Unix socket")
}
