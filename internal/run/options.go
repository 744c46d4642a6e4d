package run

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"policyd/internal/pdp"
)

// options are the command line.
type options struct {
	decision string
	places   pdp.Places
	// argv is the program that was decided about; nil with --as-decided.
	argv []string
}

// asDecided represents the program: the sidecar states what was decided.
const asDecided = "--as-decided"

// parse parses the command line. The program follows "--", so that none of its options is read as one of this
// program.
func parse(args []string, env func(string) (string, bool)) (*options, error) {
	o := &options{}
	end := slices.Index(args, "--")
	if end < 0 && len(args) > 0 && args[len(args)-1] == asDecided {
		end = len(args) - 1
	} else {
		if end < 0 {
			return nil, errors.New("read command line: no program; name it after --")
		}
		o.argv = args[end+1:]
		if len(o.argv) == 0 || o.argv[0] == "" {
			return nil, errors.New("read command line: no program after --")
		}
	}
	value := func(name string) string { text, _ := env(name); return text }
	flags := flag.NewFlagSet("run", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.decision, "decision", "", "")
	flags.StringVar(&o.places.Socket, "socket", "", "")
	flags.StringVar(&o.places.RunDir, "run-dir", value("POLICYD_RUN_DIR"), "")
	flags.StringVar(&o.places.StateDir, "state-dir", value("POLICYD_STATE_DIR"), "")
	flags.StringVar(&o.places.TCP, "addr", "", "")
	flags.StringVar(&o.places.TokenFile, "token-file", "", "")
	if err := flags.Parse(args[:end]); err != nil {
		return nil, fmt.Errorf("read command line: %w", err)
	}
	switch {
	case flags.NArg() > 0:
		return nil, fmt.Errorf("read command line: unexpected argument %q before --", flags.Arg(0))
	case o.decision == "":
		return nil, errors.New("read command line: --decision is missing; the decision's field run has it")
	case o.places.TCP != "" && o.places.Socket != "":
		return nil, errors.New("read command line: give --socket or --addr, not both")
	}
	return o, nil
}
