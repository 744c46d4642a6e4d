package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"slices"

	"github.com/spf13/cobra"

	"policyd/bundles"
	"policyd/internal/server"
	"policyd/internal/sidecar"
	"policyd/policies"
)

func (p *Program) serveCommand() *cobra.Command {
	var chosen settingsFlags
	command := &cobra.Command{
		Use:   "serve",
		Short: "serve decisions over HTTP and a Unix socket",
		Long: "Serve decisions on the loopback address and on a Unix socket until SIGTERM or SIGINT,\n" +
			"and then answer the requests that have begun. Prints one line that says where it listens.",
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			settings, err := p.settings(command, &chosen)
			if err != nil {
				return err
			}
			return p.serve(command.Context(), settings)
		},
	}
	chosen.addPolicy(command)
	chosen.addServer(command)
	return command
}

func noArguments(command *cobra.Command, args []string) error {
	if len(args) > 0 && command.HasSubCommands() {
		return noSuchCommand(command, args)
	}
	if len(args) > 0 {
		return usage(fmt.Errorf("%s takes no argument, and there is %q", command.CommandPath(), args[0]),
			"run "+command.CommandPath()+" --help")
	}
	return nil
}

func (p *Program) serve(ctx context.Context, s *settings) (err error) {
	logger := newLogger(p.Stderr, s.Log)
	settle := p.startQuickly()
	if s.Bundle == "" && len(s.Bundles) == 0 {
		s = s.With(s.Config)
		s.Ahead = bundles.ReadAhead(policies.FS)
	}
	open, err := newOperations(s, logger)
	if err != nil {
		return err
	}
	unlock, err := lockState(ctx, s.StateDir, socketOf(s), lockPatience)
	if err != nil {
		return failed(err, lockHint(err, endOther))
	}
	defer func() { err = errors.Join(err, unlock()) }()
	logWarnings(logger, s.Warnings())
	tcp, unix, web, err := listenAll(ctx, s, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, web.Close()) }()
	// Agents can't connect to the configured ports, also if the server chose others.
	bound := *s.Config
	bound.Addr, bound.Console.Addr = tcp.Addr().String(), web.addr
	s = s.With(&bound)
	tcp, unix, scheme := open.bound(tcp, unix)
	ending, err := p.startTelemetry(ctx, s, logger)
	if err != nil {
		return errors.Join(err, tcp.Close(), unix.Close())
	}
	defer ending()
	decider, err := sidecar.New(ctx, s, logger)
	if err != nil {
		return errors.Join(err, tcp.Close(), unix.Close())
	}
	defer func() { err = errors.Join(err, decider.Close()) }()
	server, notified, err := web.newServer(decider, s, open, logger)
	if err != nil {
		return errors.Join(err, tcp.Close(), unix.Close())
	}
	logWarnings(logger, slices.Concat(decider.Policy.ScopeWarnings(), decider.Policy.Notices()))
	if _, err := fmt.Fprintf(p.Stdout, "policyd listens on %s://%s and %s\n",
		scheme, tcp.Addr(), socketOf(s)); err != nil {
		return errors.Join(fmt.Errorf("say where the server listens: %w", err), tcp.Close(), unix.Close())
	}
	following, stop := context.WithCancel(ctx)
	defer stop()
	go open.follow(following)
	notified.begin(following, decider.Memory)
	decider.FindContainment()
	go giveBack(settle, logger)
	return server.Serve(ctx, tcp, unix)
}

// giveBack frees the memory of the start.
func giveBack(settle func() error, logger *slog.Logger) {
	if err := settle(); err != nil {
		logger.Warn("memory of the start is kept", "error", err)
	}
}

func logWarnings(logger *slog.Logger, warnings []string) {
	for _, warning := range warnings {
		logger.Warn("setting to know of", "warning", warning)
	}
}

// Of the process's descriptors, ownDescriptors are for its own files: the database with its log for each
// connection, the decision log, watches, and the files of a decision. Connections get half of the rest: a
// decision may open a file for each of them.
const (
	ownDescriptors   = 32
	leastConnections = 8
	mostConnections  = 10_000
)

// connectionLimit is how many connections may be open at a time. set is the setting, 0 for
// none; descriptors is how many the process may have, 0 for any number.
func connectionLimit(set, descriptors int) int {
	limit := mostConnections
	if descriptors > 0 {
		limit = min(limit, max((descriptors-ownDescriptors)/2, leastConnections))
	}
	if set > 0 {
		limit = min(limit, set)
	}
	return limit
}

// endOther is the hint if another process has locked the state directory.
const endOther = "end the other one first"

// lockHint is the hint if a state directory can't be locked. busy is the hint if another process has locked
// it.
func lockHint(err error, busy string) string {
	if sidecar.Unwritable(err) {
		return sidecar.WritableHint
	}
	return busy + ", or name another directory with --state-dir"
}

// stateHint states what to do about a state directory that can't be used.
func stateHint(err error) string {
	var open *server.ModeError
	switch {
	case errors.As(err, &open):
	case sidecar.Unwritable(err):
		return sidecar.WritableHint
	default:
		return "name another directory with --state-dir"
	}
	hint := fmt.Sprintf("chmod %o %s", open.Want, open.Path)
	if open.Secret {
		hint += ", or delete it if others may have read it: the next start makes a new one"
	}
	return hint
}

// listenAll opens all listeners, or none: those of the API, and that of the console.
func listenAll(ctx context.Context, s *settings, logger *slog.Logger) (tcp, unix net.Listener, web *consoleHost, err error) {
	if tcp, unix, err = listen(ctx, s); err != nil {
		return nil, nil, nil, err
	}
	if web, err = listenConsole(ctx, s, logger); err != nil {
		return nil, nil, nil, errors.Join(err, tcp.Close(), unix.Close())
	}
	return tcp, unix, web, nil
}

// listen opens both listeners, or none.
func listen(ctx context.Context, s *settings) (tcp, unix net.Listener, err error) {
	unix, err = server.ListenUnix(s.RunDir, server.SocketAccess{Mode: fs.FileMode(s.Socket.Mode), Group: s.Socket.Group})
	if err != nil {
		return nil, nil, failed(err, "name another directory with --run-dir, or see socket in the settings")
	}
	tcp, err = new(net.ListenConfig).Listen(ctx, "tcp", s.Addr)
	if err != nil {
		return nil, nil, failed(errors.Join(fmt.Errorf("listen: %w", err), unix.Close()), "name another address with --addr")
	}
	return tcp, unix, nil
}
