package main

import (
	v1 "policyd/api/v1"
	"policyd/internal/server"
)

// agentTerms are what the settings say of an agent whose client says neither who
// sees its output nor whether a person is there: personal and interactive unless
// set.
func (s *settings) agentTerms(agent string) server.AgentTerms {
	terms := server.AgentTerms{Audience: v1.AudiencePersonal, Interactive: true}
	agents, _ := s.Settings()["agents"].(map[string]any)
	said, _ := agents[agent].(map[string]any)
	if audience, set := said["audience"].(string); set {
		terms.Audience = v1.Audience(audience)
	}
	if interactive, set := said["interactive"].(bool); set {
		terms.Interactive = interactive
	}
	return terms
}
