package sidecar

import (
	"log/slog"

	"policyd/internal/record"
	"policyd/internal/server"
)

// NewServer makes the server of the sidecar. Each of add may change the server's options.
func (s *Sidecar) NewServer(
	settings *Settings, tokens server.Tokens, logger *slog.Logger, add ...func(*server.Options),
) (*server.Server, error) {
	options := server.Options{
		Gate: s.Gate, Sessions: s.Memory.Sessions, Prompts: s.Memory.Prompts,
		Approvals: s.Memory.Approvals, Capabilities: s.Gate, Terminals: s.Memory.Terminals,
		Events: s.Memory.Events, Tokens: tokens, Ready: s.Ready, Version: Version(), Logger: logger,
		AllowedHosts: settings.AllowedHosts, Agents: settings.AgentTerms, Decisions: record.NewReader(settings.DecisionLog.File),
		Runs: s.runs,
	}
	for _, more := range add {
		more(&options)
	}
	return server.New(options)
}
