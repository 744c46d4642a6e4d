package main

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"policyd/internal/pdp"
)

// reach finds the running server's socket as a program does that is beside an agent. Agents start such
// programs with less of an environment than the server had, so the server's own word on where it listens
// comes before the usual place.
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
