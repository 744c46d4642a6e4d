// Command sessions replays recorded agent sessions against the real program and
// reports how often a person is asked.
//
// A folder of sessions holds *.jsonl files, one session a line (see Session), and
// one <repository>.tree file for each repository, with a line "mode size path" for
// every tracked file. For each repository it builds a placeholder: files of about
// that size, valid minimal manifests, one commit, two branches and a remote. The
// recorded home directory, /home/dev, is replaced by the placeholder's.
//
// Each session is replayed for five persons: nobody, who answers no prompt; chat,
// who answers "This chat" if it is offered, else once; lasting, who gives the
// widest answer that stays in the project or the named directory, else once;
// contained, who answers nothing, and whose agents' hosts run calls contained; and
// lasting_contained, who answers as lasting does beside such hosts. All sessions of a person share one server, so that remembered answers count in later
// sessions.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"policyd/test/binary"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sessions: error:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	dir, program, person string
	top                  int
	verbose, asJSON      bool
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("sessions", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&o.dir, "dir", "../shared/corpus/sessions", "`folder` of recorded sessions")
	flags.StringVar(&o.program, "program", "", "policyd `binary`; it is built unless set")
	flags.StringVar(&o.person, "person", "", "replay for one `person` alone: nobody, chat, lasting, contained or lasting_contained")
	flags.IntVar(&o.top, "top", 20, "how many of the most frequent prompts to list")
	flags.BoolVar(&o.verbose, "v", false, "list every prompt with its session, reasons and choices")
	flags.BoolVar(&o.asJSON, "json", false, "print the figures as JSON")
	err := flags.Parse(args)
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return o, err
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	if _, err := os.Stat(o.dir); errors.Is(err, os.ErrNotExist) {
		fmt.Fprintf(out, "sessions: skipped: there is no folder %s; name one with -dir\n", o.dir)
		return nil
	}
	persons, err := chosen(o.person)
	if err != nil {
		return err
	}
	sessions, err := load(o.dir)
	if err != nil {
		return err
	}
	scratch, err := scratchDir()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	home := filepath.Join(scratch, "dev")
	if err := build(ctx, o.dir, home, sessions); err != nil {
		return err
	}
	if o.program == "" {
		if o.program, err = binary.Build(ctx, scratch, "cmd/policyd"); err != nil {
			return err
		}
	}
	figures := make([]*Figures, 0, len(persons))
	for _, person := range persons {
		server, err := start(ctx, o.program, scratch, person.name)
		if err != nil {
			return err
		}
		r := replay{server: server, person: person, home: home, figures: newFigures(person.name)}
		err = errors.Join(r.all(ctx, sessions), server.stop())
		if err != nil {
			return fmt.Errorf("replay for person %s: %w", person.name, err)
		}
		figures = append(figures, r.figures)
	}
	if o.asJSON {
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(figures)
	}
	for _, f := range figures {
		if err := f.print(out, o.top, o.verbose); err != nil {
			return err
		}
	}
	return nil
}

// scratchDir makes the directory that everything is built in. Its name is real,
// since a project that is reached over a link is another one.
func scratchDir() (string, error) {
	dir, err := os.MkdirTemp("", "sessions")
	if err != nil {
		return "", fmt.Errorf("make directory: %w", err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("resolve directory: %w", err)
	}
	return real, nil
}
