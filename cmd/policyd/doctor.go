package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"policyd/internal/server"
	"policyd/internal/sidecar"
	"policyd/internal/store"
)

// finding is the result of one check of the doctor.
type finding struct {
	name string
	// note is what was found; empty if err is set.
	note string
	err  error
	// warnings aren't faults, and each has a line of its own.
	warnings []string
}

func (p *Program) doctorCommand() *cobra.Command {
	var chosen settingsFlags
	var health, repair bool
	command := &cobra.Command{
		Use:   "doctor",
		Short: "check configuration, policy, state, socket, catalog and installed hooks",
		Long: "Check what a server would start with, and whether installed hooks fire; one line each, and exit with 1\n" +
			"if anything is wrong.\n" +
			"A warning is a line too, and no fault.\n" +
			"With --health ask the running server whether it is ready, and nothing else.\n" +
			"With --repair set a lost or damaged SQLite database aside as .bak, and begin a new one: approvals,\n" +
			"grants, prompts and sessions are then forgotten.",
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			settings, err := p.settings(command, &chosen)
			if err != nil {
				return err
			}
			switch {
			case health && repair:
				return usage(errors.New("--health and --repair exclude each other"), "run policyd doctor --help")
			case health:
				return p.health(command.Context(), settings)
			case repair:
				return p.repair(command.Context(), settings)
			}
			return p.doctor(command.Context(), settings)
		},
	}
	command.Flags().BoolVar(&health, "health", false, "ask the running server alone")
	command.Flags().BoolVar(&repair, "repair", false, "begin a new database in the place of a lost or damaged one")
	chosen.addPolicy(command)
	chosen.addServer(command)
	return command
}

// doctor prints every finding, also after a bad one.
func (p *Program) doctor(ctx context.Context, s *settings) error {
	bad := false
	findings := append([]finding{
		examineConfiguration(s), examinePolicy(ctx, s), examineState(s), examineAccess(s), examineLog(s), examineServer(ctx, s), examineContainment(s),
	}, p.examineClients(ctx, s)...)
	for _, f := range findings {
		bad = bad || f.err != nil
		if err := p.printFinding(&f); err != nil {
			return err
		}
	}
	if bad {
		return silent(exitFailed)
	}
	return nil
}

// printFinding prints a line for the finding and one for each warning.
func (p *Program) printFinding(f *finding) error {
	type row struct{ mark, text string }
	rows := []row{{"ok", f.note}}
	if f.err != nil {
		rows[0] = row{"fail", f.err.Error()}
	}
	for _, warning := range f.warnings {
		rows = append(rows, row{"warn", warning})
	}
	oneLine := strings.NewReplacer("\n", "; ", "\t", "")
	for _, row := range rows {
		if _, err := fmt.Fprintf(p.Stdout, "%-4s  %-13s  %s\n", row.mark, f.name, oneLine.Replace(row.text)); err != nil {
			return fmt.Errorf("print findings: %w", err)
		}
	}
	return nil
}

func examineConfiguration(s *settings) finding {
	if s.File == "" {
		return finding{name: "configuration", note: "no file; defaults, environment and flags", warnings: s.Warnings()}
	}
	return finding{name: "configuration", note: s.File, warnings: s.Warnings()}
}

// examinePolicy loads what would decide, which needs the tool catalog, and reads the whole program table.
func examinePolicy(ctx context.Context, s *settings) finding {
	loaded := *s
	quiet := *s.Config
	quiet.Watch = false
	loaded.Config = &quiet
	policy, err := sidecar.NewOfflinePolicy(ctx, &loaded, slog.New(slog.DiscardHandler))
	if err != nil {
		return finding{name: "policy", err: err}
	}
	defer policy.Close()
	if err := policy.CheckTables(); err != nil {
		return finding{name: "policy", err: err}
	}
	source := s.Bundle
	if source == "" {
		source = "built in"
	}
	return finding{
		name: "policy", note: fmt.Sprintf("%s, revision %s; tool catalog and program table are whole", source, policy.Current().Revision()),
		warnings: policy.Warnings(),
	}
}

// examineState looks at the state directory and changes nothing.
func examineState(s *settings) finding {
	info, err := os.Stat(s.StateDir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return finding{name: "state", note: s.StateDir + " is made on first start"}
	case err != nil:
		return finding{name: "state", err: fmt.Errorf("look at state directory: %w", err)}
	case !info.IsDir():
		return finding{name: "state", err: fmt.Errorf("look at state directory: %s is no directory", s.StateDir)}
	case info.Mode().Perm()&0o077 != 0:
		return finding{name: "state", err: fmt.Errorf("look at state directory: %s has mode %04o, and others may enter it; chmod 700 it",
			s.StateDir, info.Mode().Perm())}
	}
	if err := store.Examine(sidecar.StoreOptions(s)); err != nil {
		return finding{name: "state", err: fmt.Errorf("look at store: %w; %s", err, sidecar.StoreHint(err))}
	}
	return finding{name: "state", note: s.StateDir}
}

func examineLog(s *settings) finding {
	info, err := os.Stat(s.DecisionLog.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return finding{name: "decision log", note: s.DecisionLog.File + " is made with the first decision"}
	case err != nil:
		return finding{name: "decision log", err: fmt.Errorf("look at decision log: %w", err)}
	case !info.Mode().IsRegular():
		return finding{name: "decision log", err: fmt.Errorf("look at decision log: %s is no file", s.DecisionLog.File)}
	case info.Mode().Perm()&0o077 != 0:
		return finding{name: "decision log", err: fmt.Errorf("look at decision log: %s has mode %04o, and others may read it; chmod 600 it",
			s.DecisionLog.File, info.Mode().Perm())}
	}
	return finding{name: "decision log", note: fmt.Sprintf("%s, %d bytes", s.DecisionLog.File, info.Size())}
}

// examineServer reports whether a server runs. That none runs isn't a fault: the doctor is useful before the
// first start, too.
func examineServer(ctx context.Context, s *settings) finding {
	socket := filepath.Join(s.RunDir, server.SocketName)
	if _, err := os.Stat(socket); err != nil {
		return finding{name: "server", note: "none runs; no socket at " + socket}
	}
	warnings, err := askReady(ctx, s)
	if err != nil {
		return finding{name: "server", err: err}
	}
	return finding{name: "server", note: "ready at " + socket, warnings: warnings}
}
