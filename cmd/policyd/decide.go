package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
	"policyd/internal/server"
	"policyd/internal/sidecar"
	"policyd/internal/strict"
)

// Exit statuses of `decide --exit-code`.
const (
	exitPrompt = 10
	exitDeny   = 20
)

// decideFlags are the flags of `policyd decide`.
type decideFlags struct {
	quiet    bool
	exitCode bool
	facts    bool
}

func (p *Program) decideCommand() *cobra.Command {
	var flags decideFlags
	var chosen settingsFlags
	command := &cobra.Command{
		Use:   "decide [FILE|-]",
		Short: "decide one call without a server",
		Long: "Decide one call, read from a file or standard input, by the policy that the server would use.\n" +
			"Nothing is recorded and nobody is asked: a prompt is only shown, in the state offline and without an id.",
		Args: atMostOne,
		RunE: func(command *cobra.Command, args []string) error {
			settings, err := p.settings(command, &chosen)
			if err != nil {
				return err
			}
			return p.decide(command.Context(), settings, flags, args)
		},
	}
	command.Flags().BoolVarP(&flags.quiet, "quiet", "q", false, "print the one word alone")
	command.Flags().BoolVar(&flags.exitCode, "exit-code", false, "exit with 0 for allow, 10 for prompt, 20 for deny")
	command.Flags().BoolVar(&flags.facts, "facts", false, "add the facts to the answer")
	chosen.addPolicy(command)
	return command
}

func atMostOne(command *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usage(fmt.Errorf("%d files where one is decided", len(args)), "run "+command.CommandPath()+" --help")
	}
	return nil
}

func (p *Program) decide(ctx context.Context, s *settings, flags decideFlags, args []string) error {
	call, err := p.readCall(args)
	if err != nil {
		return usage(err, "the call is what POST /v1/decide takes; see README.md for one")
	}
	decider, err := sidecar.NewJudge(ctx, s)
	if err != nil {
		return err
	}
	decision := decider.Gate.Decide(ctx, call, gate.DecideOptions{IncludeFacts: flags.facts})
	if decision.Prompt != nil {
		// Nobody can answer it: no server has it.
		decision.Prompt.ID, decision.Prompt.State, decision.Prompt.ExpiresAt = "", v1.PromptOffline, decision.Prompt.CreatedAt
	}
	if err := errors.Join(p.print(&decision, flags.quiet), decider.Close()); err != nil {
		return err
	}
	if flags.exitCode {
		return exitOf(decision.Effect)
	}
	return nil
}

// exitOf is nil for allow, so that a shell's && runs what was allowed.
func exitOf(effect v1.Effect) error {
	switch effect {
	case v1.EffectAllow:
		return nil
	case v1.EffectPrompt:
		return silent(exitPrompt)
	case v1.EffectDeny:
	}
	return silent(exitDeny)
}

func (p *Program) readCall(args []string) (*v1.Call, error) {
	name, from := "standard input", p.Stdin
	if len(args) == 1 && args[0] != "-" {
		file, err := os.Open(args[0])
		if err != nil {
			return nil, fmt.Errorf("read call: %w", err)
		}
		defer file.Close()
		name, from = args[0], file
	}
	text, err := io.ReadAll(io.LimitReader(from, server.DefaultBodyBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read call: %w", err)
	}
	if len(text) > server.DefaultBodyBytes {
		return nil, fmt.Errorf("read call: %s is larger than %d bytes", name, server.DefaultBodyBytes)
	}
	call, err := strict.DecodeCall(text)
	if err != nil {
		return nil, fmt.Errorf("read call from %s: %w", name, err)
	}
	return call, nil
}

func (p *Program) print(decision *v1.Decision, quiet bool) error {
	if quiet {
		if _, err := fmt.Fprintln(p.Stdout, decision.Effect); err != nil {
			return fmt.Errorf("print decision: %w", err)
		}
		return nil
	}
	encoder := json.NewEncoder(p.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(decision); err != nil {
		return fmt.Errorf("print decision: %w", err)
	}
	return nil
}
