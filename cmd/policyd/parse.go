package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/lexical"
	"policyd/extract/windows"
	"policyd/internal/gate"
	"policyd/internal/server"
	"policyd/internal/sidecar"
)

// parseFlags are the flags of `policyd parse`.
type parseFlags struct {
	shell, platform, cwd string
	json                 bool
}

// unparsed are the codes of lines of which only pieces are read.
var unparsed = []string{guard.MessyParse, guard.MessyNesting}

var platforms = []string{"linux", "darwin", "windows"}

// parsed is what `policyd parse --json` prints.
type parsed struct {
	command.Description
	// Doubts are why the facts of the line are incomplete or the line is messy.
	Doubts []string `json:"doubts"`
	// Paths are the accesses' paths on this disk.
	Paths    []v1.Path `json:"paths"`
	Decision v1.Effect `json:"decision"`
	// Reasons are those of the decision, and Warnings parts of the policy that have no effect.
	Reasons  []v1.Reason `json:"reasons"`
	Warnings []string    `json:"warnings"`
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
			if err := flags.check(); err != nil {
				return err
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

// check reports a flag whose value isn't known.
func (f *parseFlags) check() error {
	if f.platform != "" && !slices.Contains(platforms, f.platform) {
		return usage(fmt.Errorf("platform %q is not known", f.platform), "name one of "+strings.Join(platforms, ", "))
	}
	if _, known := lexical.DialectOf(f.shell, f.platform); !known && !windows.Is(f.shell) {
		return usage(fmt.Errorf("shell %q is not known", f.shell), "name one of bash, sh, dash, zsh, ksh, powershell, cmd")
	}
	return nil
}

// directory returns the directory that the line would run in. One of Windows isn't looked for on other systems.
func (f *parseFlags) directory(here bool) (string, error) {
	if !here && f.cwd != "" {
		return f.cwd, nil
	}
	dir, err := filepath.Abs(f.cwd)
	if err != nil {
		return "", failed(fmt.Errorf("find the current directory: %w", err), "name one with --cwd")
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", usage(fmt.Errorf("%s is no directory", dir), "name one with --cwd")
	}
	return dir, nil
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
	platform := cmp.Or(flags.platform, s.Platform)
	dir, err := flags.directory(platform != "windows" || s.Platform == "windows")
	if err != nil {
		return err
	}
	attended := true
	call := &v1.Call{Tool: "Bash", Cwd: dir, Session: v1.Session{
		Agent: "claude-code", Audience: v1.AudiencePersonal, Interactive: &attended, Platform: platform, Home: s.Home, Shell: flags.shell, ProjectDir: dir,
	}}
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
	out := parsed{
		Description: decider.Policy.Describe(&call.Session, call.Cwd, line), Doubts: []string{}, Paths: []v1.Path{}, Decision: decision.Effect, Reasons: decision.Reasons,
		Warnings: append(s.Warnings(), decider.Policy.Warnings()...),
	}
	programs := []string{""} // none at all would check the whole table
	for _, simple := range out.Commands {
		program, _, _ := strings.Cut(simple.Verb, " ")
		programs = append(programs, program)
	}
	if err := decider.Policy.CheckTables(programs...); err != nil {
		out.Warnings = append(out.Warnings, err.Error())
	}
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
	doubts := slices.DeleteFunc(slices.Clone(out.Doubts), func(code string) bool { return slices.Contains(out.Messy, code) })
	if len(doubts) > 0 {
		fmt.Fprintf(&b, "doubts    %s\n", strings.Join(doubts, ", "))
	}
	if slices.ContainsFunc(out.Messy, func(code string) bool { return slices.Contains(unparsed, code) }) {
		b.WriteString("guessed   the line can't be parsed; the commands are pieces of it that may run\n")
	}
	for i := range out.Commands {
		writeCommand(&b, i, &out.Commands[i])
	}
	for i := range out.Paths {
		path := &out.Paths[i]
		fmt.Fprintf(&b, "path      %s %s (%s)\n", path.Op, shown(path.Real), path.Space)
	}
	fmt.Fprintf(&b, "decision  %s\n", out.Decision)
	for _, reason := range out.Reasons {
		item := ""
		if reason.Item >= 0 {
			item = fmt.Sprintf(" (item %d)", reason.Item)
		}
		fmt.Fprintf(&b, "reason    %s, %s: %s%s\n", reason.Rule, reason.Code, unquoted(reason.Message), item)
	}
	for _, warning := range out.Warnings {
		fmt.Fprintf(&b, "warning   %s\n", unquoted(warning))
	}
	if len(out.Messy)+len(doubts) > 0 || slices.ContainsFunc(out.Commands, func(c command.SimpleDescription) bool { return len(c.Caveats) > 0 }) {
		b.WriteString("codes     docs/facts.md says what they mean\n")
	}
	return b.String()
}

func writeCommand(b *strings.Builder, index int, c *command.SimpleDescription) {
	var directories []string
	for _, directory := range c.Directories {
		directories = append(directories, shown(directory))
	}
	if c.AnyDirectory {
		directories = append(directories, "any directory")
	}
	verb := c.Verb
	if verb == "" {
		verb = "unknown"
	}
	fmt.Fprintf(b, "command %d %s, in %s\n", index, shown(verb), strings.Join(directories, " or "))
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

// unquoted is a sentence on one line, with the same control characters escaped.
func unquoted(text string) string {
	quoted := shown(text)
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(quoted[1 : len(quoted)-1])
}
