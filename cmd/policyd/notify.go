package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
	"policyd/internal/config"
	"policyd/internal/console"
	"policyd/internal/notify"
	"policyd/internal/sidecar"
)

// notifications sends notifications to the configured targets.
type notifications struct{ workers []*notify.Worker }

// newNotifications makes a worker for each target; without targets it returns nil. link makes the address of
// a prompt, empty for none.
func newNotifications(s *settings, link func(id string) string, logger *slog.Logger) (*notifications, error) {
	n := &notifications{}
	for i := range s.Notify {
		set := &s.Notify[i]
		quiet, err := notify.ParseQuiet(set.Quiet, set.Zone)
		if err != nil {
			return nil, usage(fmt.Errorf("notify[%d].quiet: %w", i, err), "docs/notify.md describes the settings")
		}
		target := notify.Target{
			Name: set.Name, Kind: set.Kind, URL: set.URL, Secret: set.Secret, Command: set.Command, Agents: set.Agents, Ended: set.Ended,
			After: set.After, Quiet: quiet,
		}
		n.workers = append(n.workers, notify.NewWorker(target, notify.NewSender(target), link, logger))
	}
	return n, nil
}

// begin sends a memory's prompts to the targets until ctx ends.
func (n *notifications) begin(ctx context.Context, m *sidecar.Memory) {
	if len(n.workers) == 0 {
		return
	}
	take := func(prompt *v1.Prompt) {
		for _, worker := range n.workers {
			worker.Take(prompt, time.Now())
		}
	}
	m.Notify(take)
	for _, worker := range n.workers {
		go worker.Run(ctx, time.Now)
	}
}

// inbound are the handlers of clicks on messages, by the service that sends them.
func (h *consoleHost) inbound(prompts notify.Prompts) map[string]http.Handler {
	out := map[string]http.Handler{}
	for i := range h.settings.Notify {
		set := &h.settings.Notify[i]
		taken := &notify.Inbound{
			Prompts: prompts, Clock: time.Now, Secret: set.SigningSecret, PublicKey: set.PublicKey, People: set.People,
			ReplyHost: "https://hooks.slack.com/",
		}
		switch {
		case set.SigningSecret != "":
			out[notify.Slack] = http.HandlerFunc(taken.Slack)
		case set.PublicKey != "":
			out[notify.Discord] = http.HandlerFunc(taken.Discord)
		}
	}
	return out
}

// link is the address of a prompt in the console, empty if the console isn't there by itself.
func (h *consoleHost) link(id string) string {
	if h.settings == nil || h.settings.Console.Serve != config.ConsoleAlways {
		return ""
	}
	return h.base() + console.Root + "/prompts/" + id
}

func (p *Program) notifyCommand() *cobra.Command {
	command := &cobra.Command{
		Use: "notify", Short: "tell people of prompts", Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error { return command.Help() },
	}
	command.AddCommand(p.notifyTest())
	return command
}

func (p *Program) notifyTest() *cobra.Command {
	var chosen settingsFlags
	command := &cobra.Command{
		Use:   "test [NAME]",
		Short: "send a sample prompt to all targets of the settings, or to one",
		Long:  "Send a sample prompt at once to each target under notify in the settings, or to the named one.\nNo server is needed, and nobody can answer the sample.",
		Args:  atMostOne,
		RunE: func(command *cobra.Command, args []string) error {
			s, err := p.settings(command, &chosen)
			if err != nil {
				return err
			}
			return p.testNotifications(command.Context(), s, args)
		},
	}
	chosen.addState(command)
	return command
}

func (p *Program) testNotifications(ctx context.Context, s *settings, args []string) error {
	n, err := newNotifications(s, func(string) string { return "" }, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	now := time.Now()
	sample := v1.Prompt{
		ID: sidecar.NewID(), State: v1.PromptPending, Title: "This is a test of policyd's notifications", Verbs: []string{"git push"},
		Call:    v1.PromptCall{Tool: "Bash", Text: "git push origin main", Cwd: "/srv/repo", Agent: "test", SessionID: "test"},
		Choices: []v1.Choice{}, CreatedAt: now, ExpiresAt: now.Add(time.Minute),
	}
	var failures []error
	tested := 0
	for i, worker := range n.workers {
		name := s.Notify[i].Name
		if len(args) > 0 && args[0] != name {
			continue
		}
		tested++
		if err := worker.Test(ctx, &sample, now); err != nil {
			failures = append(failures, err)
			continue
		}
		if err := p.say("%s: sent", name); err != nil {
			return err
		}
	}
	if tested == 0 {
		return usage(errors.New("no such target is in the settings"), "name one under notify in the settings; see docs/notify.md")
	}
	if len(failures) > 0 {
		return failed(errors.Join(failures...), "look at url and secret of the target in the settings")
	}
	return nil
}
