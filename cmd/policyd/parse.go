package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
	"policyd/internal/gate"
	"policyd/internal/server"
	"policyd/internal/sidecar"
)

// parseFlags are the flags of `policyd parse`.
type parseFlags struct {
	shell, platform, cwd string
	json                 bool
}

var platforms = []string{"linux", "darwin", "windows"}

// parsed is what `policyd parse --json` prints.
type parsed struct {
	command.Description
	// Doubts are why the facts of the line are incomplete or the line is messy.
	Doubts []string `json:"doubts"`
	// Paths are the accesses' paths on this disk.
	Paths    []v1.Path `json:"paths"`
	Decision v1.Effect `json:"decision"`
}

func (p *Program) parseCommand() *cobra.Command {
	var flags parseFlags
	var chosen settingsFlags
	command := &cobra.Command{
		Use:   "parse LINE|-",
		Short: "show how a command line is read",
		Long: "Show how policyd reads a command line: its simple commands, the value of each word, the paths that they\n" +
			"access, and the codes of what can't be explained (docs/facts.md). Nothing runs, and nothing is recorded.\n" +
			"With - the line is read from standard input.",
		Example: "  policyd parse 'grep -rn TODO src | head -5'\n  policyd parse --shell zsh 'rm -rf *(.)'",
		RunE: func(command *cobra.Command, args []string) error {
			line, err := p.readLine(args)
			if err != nil {
				return usage(err, "name one line in quotes, as in: policyd parse 'ls -l | head -3'; - reads it from standard input")
			}
			if flags.platform != "" && !slices.Contains(platforms, flags.platform) {
				return usage(fmt.Errorf("platform %q is not known", flags.platform), "name one of "+strings.Join(platforms, ", "))
			}
			settings, err := p.settings(command, &chosen)
			if err != nil {
				return err
			}
			return p.parse(command, settings, &flags, line)
		},
	}
	command.Flags().StringVar(&flags.shell, "shell", "", "the `name` of the shell that would run it: bash, sh, dash, zsh, ksh, powershell or cmd")
	command.Flags().StringVar(&flags.platform, "platform", "", "linux, darwin or windows; this machine's unless set")
	command.Flags().StringVar(&flags.cwd, "cwd", "", "`directory` that it would run in, and the project; the current one unless set")
	command.Flags().BoolVar(&flags.json, "json", false, "print JSON")
	chosen.addPolicy(command)
	return command
}

func (p *Program) readLine(args []string) (string, error) {
	if len(args) != 1 {
		return "", fmt.Errorf("%d arguments where one command line is read", len(args))
	}
	if args[0] != "-" {
		return args[0], nil
	}
	text, err := io.ReadAll(io.LimitReader(p.Stdin, server.DefaultBodyBytes+1))
	if err != nil {
		return "", fmt.Errorf("read the command line: %w", err)
	}
	if len(text) > server.DefaultBodyBytes {
		return "", fmt.Errorf("the command line exceeds %d bytes", server.DefaultBodyBytes)
	}
	return strings.TrimSuffix(string(text), "\n"), nil
}

func (p *Program) parse(command *cobra.Command, s *settings, flags *parseFlags, line string) error {
	attended := true
	call := &v1.Call{Tool: "Bash", Cwd: flags.cwd, Session: v1.Session{
		Agent: "claude-code", Audience: v1.AudiencePersonal, Interactive: &attended, Platform: flags.platform, Home: s.Home, Shell: flags.shell,
	}}
	if call.Session.Platform == "" {
		call.Session.Platform = s.Platform
	}
	if call.Cwd == "" {
		dir, err := os.Getwd()
		if err != nil {
			return failed(fmt.Errorf("find the current directory: %w", err), "name one with --cwd")
		}
		call.Cwd = dir
	}
	call.Session.ProjectDir = call.Cwd
	arguments, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		return fmt.Errorf("encode the command line: %w", err)
	}
	call.Args = arguments
	decider, err := sidecar.NewJudge(command.Context(), s)
	if err != nil {
		return err
	}
	decision := decider.Gate.Decide(command.Context(), call, gate.DecideOptions{IncludeFacts: true})
	out := parsed{Description: decider.Policy.Describe(&call.Session, call.Cwd, line), Doubts: []string{}, Paths: []v1.Path{}, Decision: decision.Effect}
	if decision.Facts != nil {
		out.Doubts, out.Paths = decision.Facts.Doubts, decision.Facts.Paths
	}
	return errors.Join(p.printParsed(&out, flags.json), decider.Close())
}

func (p *Program) printParsed(out *parsed, asJSON bool) error {
	text := out.text()
	if asJSON {
		encoded, err := json.MarshalIndent(out, "", "  ")
		if err != nil {
			return fmt.Errorf("encode what was read: %w", err)
		}
		text = string(encoded) + "\n"
	}
	if _, err := io.WriteString(p.Stdout, text); err != nil {
		return fmt.Errorf("print what was read: %w", err)
	}
	return nil
}

// text is the description for people, one fact a line.
func (out *parsed) text() string {
	var b strings.Builder
	verdict := "understood"
	if len(out.Messy) > 0 {
		verdict = "messy: " + strings.Join(out.Messy, ", ")
	}
	fmt.Fprintf(&b, "line      %s\n", verdict)
	if len(out.Doubts) > 0 {
		fmt.Fprintf(&b, "doubts    %s\n", strings.Join(out.Doubts, ", "))
	}
	for i := range out.Commands {
		writeCommand(&b, i, &out.Commands[i])
	}
	for i := range out.Paths {
		path := &out.Paths[i]
		fmt.Fprintf(&b, "path      %s %s (%s)\n", path.Op, shown(path.Real), path.Space)
	}
	fmt.Fprintf(&b, "decision  %s\n", out.Decision)
	return b.String()
}

func writeCommand(b *strings.Builder, index int, c *command.SimpleDescription) {
	directories := c.Directories
	if c.AnyDirectory {
		directories = append(directories, "any other")
	}
	verb := c.Verb
	if verb == "" {
		verb = "unknown"
	}
	fmt.Fprintf(b, "command %d %s, in %s\n", index, shown(verb), shown(strings.Join(directories, " or ")))
	for _, word := range c.Words {
		notes := ""
		if word.Splits {
			notes += ", splits"
		}
		if word.Vanishes {
			notes += ", may vanish"
		}
		fmt.Fprintf(b, "  word    %s%s: %s\n", word.Kind, notes, shown(word.Text))
	}
	for _, access := range c.Accesses {
		notes := ""
		for _, note := range []struct {
			holds bool
			text  string
		}{{access.Pattern, ", pattern"}, {access.Below, ", everything below"}, {access.Maybe, ", perhaps"}, {access.Dynamic, ", known at run time"}} {
			if note.holds {
				notes += note.text
			}
		}
		fmt.Fprintf(b, "  access  %s%s: %s\n", access.Op, notes, shown(access.Path))
	}
	if len(c.Caveats) > 0 {
		fmt.Fprintf(b, "  caveats %s\n", strings.Join(c.Caveats, ", "))
	}
	if len(c.Risks) > 0 {
		fmt.Fprintf(b, "  risks   %s\n", shown(strings.Join(c.Risks, ", ")))
	}
}

// shown is text of the line, quoted so that control characters and blanks are seen.
func shown(text string) string { return strconv.QuoteToGraphic(text) }
