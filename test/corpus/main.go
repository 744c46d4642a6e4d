// Command corpus decides files of command lines and reports how the decisions
// compare with those that are right: what was wrongly allowed, and how much of
// what may pass did.
//
// A file contains one JSON object per line: command, accept (the decisions that are right), and optionally
// id, class or label, cwd, and shell; a shell that isn't one of Unix makes it a line of a session on Windows.
// Without a project of its own it decides in one that it builds, in place of the directory in cwd.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/test/decider"
	"policyd/test/project"
)

// errFalseAllow is what ends the program when a line was wrongly allowed.
var errFalseAllow = errors.New("lines were allowed that must not be")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpus: error:", err)
		os.Exit(1)
	}
}

// settings are the flags.
type settings struct {
	project, home string
	// tree is a script that builds the project in the directory that it is given.
	tree    string
	verbose bool
	// exposed puts secrets and a link that leads out into the built project.
	exposed bool
	files   []string
}

func parse(args []string, out io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("corpus", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.StringVar(&s.project, "project", "", "project `directory`; one is built unless set")
	flags.StringVar(&s.home, "home", "", "home `directory` of the session; the project's parent unless set")
	flags.StringVar(&s.tree, "tree", "", "`script` that builds the project, in place of the usual one")
	flags.BoolVar(&s.exposed, "exposed", false, "put tracked secrets and a link that leads out into the built project")
	flags.BoolVar(&s.verbose, "v", false, "list every line that was not decided as it should be")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	s.files = flags.Args()
	if len(s.files) == 0 {
		return s, errors.New("name at least one file of lines")
	}
	return s, nil
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	s, err := parse(args, out)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "corpus")
	if err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	built := s.project == ""
	if built {
		if err := s.build(ctx, scratch); err != nil {
			return err
		}
	} else if s.project, err = filepath.Abs(s.project); err != nil {
		return fmt.Errorf("find project: %w", err)
	}
	if s.home == "" {
		s.home = filepath.Dir(s.project)
	}
	decider, err := decider.New(ctx, decider.Options{Home: s.home, Project: s.project, StateDir: filepath.Join(scratch, "state")})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, decider.Close()) }()
	return report(ctx, decider, s, built, out)
}

// build makes the project to decide in.
func (s *settings) build(ctx context.Context, scratch string) error {
	tree, err := project.New(ctx, scratch)
	if err != nil {
		return fmt.Errorf("build project: %w", err)
	}
	if s.tree != "" {
		if output, err := exec.CommandContext(ctx, "bash", s.tree, tree.Project).CombinedOutput(); err != nil {
			return fmt.Errorf("build project: %w: %s", err, output)
		}
	}
	if s.exposed {
		if err := project.Expose(ctx, tree); err != nil {
			return fmt.Errorf("build project: %w", err)
		}
	}
	s.project, s.home = tree.Project, tree.Home
	return nil
}

// report decides all files and prints one paragraph for each.
func report(ctx context.Context, decider *decider.Decider, s settings, built bool, out io.Writer) error {
	falseAllows := 0
	for _, name := range s.files {
		lines, err := read(name)
		if err != nil {
			return err
		}
		var sum tally
		for i := range lines {
			asked := lines[i].asked()
			if built && asked.Cwd != "" {
				// The built project is in for the directory that the file names.
				asked.Command, asked.Cwd = strings.ReplaceAll(asked.Command, asked.Cwd, s.project), s.project
			}
			decision, err := decider.Decide(ctx, asked)
			if err != nil {
				return fmt.Errorf("decide %s: %w", lines[i].name(), err)
			}
			sum.add(&lines[i], &decision)
		}
		falseAllows += len(sum.falseAllows)
		if err := sum.print(out, name, s.verbose); err != nil {
			return fmt.Errorf("print report: %w", err)
		}
	}
	if falseAllows > 0 {
		return fmt.Errorf("%d %w", falseAllows, errFalseAllow)
	}
	return nil
}

// tally counts the outcomes of the lines of one file.
type tally struct {
	lines, mayPass, passed int
	// mismatches counts other decisions than the right ones, false allows and
	// lines that should have passed left out.
	mismatches  int
	falseAllows []string
	missed      []string
}

func (t *tally) add(l *line, decision *v1.Decision) {
	t.lines++
	effect := decision.Effect.String()
	right := slices.Contains(l.Accept, effect)
	mayPass := slices.Contains(l.Accept, "allow")
	if mayPass {
		t.mayPass++
	}
	switch {
	case decision.Effect == v1.EffectAllow && mayPass:
		t.passed++
		return
	case decision.Effect == v1.EffectAllow:
		t.falseAllows = append(t.falseAllows, describe(l, decision))
		return
	case right && !mayPass:
		return
	case !right && !mayPass:
		t.mismatches++
	}
	t.missed = append(t.missed, describe(l, decision))
}

// describe is a line with its decision and the reasons for it.
func describe(l *line, decision *v1.Decision) string {
	var reasons []string
	for _, reason := range decision.Reasons {
		text := reason.Code + " (" + reason.Message + ")"
		if !slices.Contains(reasons, text) {
			reasons = append(reasons, text)
		}
	}
	return fmt.Sprintf("%s %s %q, right is %s: %s",
		l.name(), decision.Effect, l.Command, strings.Join(l.Accept, " or "), strings.Join(reasons, "; "))
}

func (t *tally) print(out io.Writer, name string, verbose bool) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %d lines\n", name, t.lines)
	fmt.Fprintf(&text, "  false allows      %d\n", len(t.falseAllows))
	fmt.Fprintf(&text, "  allowed           %s\n", share(t.passed, t.mayPass))
	fmt.Fprintf(&text, "  other mismatches  %s\n", share(t.mismatches, t.lines))
	for _, line := range t.falseAllows {
		fmt.Fprintf(&text, "  FALSE ALLOW %s\n", line)
	}
	if verbose {
		for _, line := range t.missed {
			fmt.Fprintf(&text, "  %s\n", line)
		}
	}
	_, err := io.WriteString(out, text.String())
	return err
}

func share(part, whole int) string {
	if whole == 0 {
		return "none of none"
	}
	return fmt.Sprintf("%d of %d (%.1f %%)", part, whole, 100*float64(part)/float64(whole))
}
