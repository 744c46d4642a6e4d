package sidecar

import (
	"runtime/debug"
	"time"

	v1 "policyd/api/v1"
	"policyd/bundles"
	"policyd/internal/config"
	"policyd/internal/metrics"
	"policyd/internal/server"
	"policyd/internal/tracing"
)

// Settings are the active settings, and what the surroundings add to them.
type Settings struct {
	*config.Config
	// File is the settings file, empty for none.
	File string
	// Home is the sidecar's own, empty when unknown.
	Home string
	// Env reads the environment; nil has none.
	Env func(string) (string, bool)
	// Platform is the sidecar's own: linux, darwin or windows.
	Platform string
	// Now is the clock; nil is the system's.
	Now func() time.Time
	// Meter counts for a server, and Tracing sends; both may be nil.
	Meter   *metrics.Metrics
	Tracing *tracing.Tracing
	// Ahead is the built-in policy if it is being read already; it may be nil.
	Ahead *bundles.Ahead
}

// With returns the settings with another configuration.
func (s *Settings) With(changed *config.Config) *Settings {
	out := *s
	out.Config = changed
	return &out
}

// protected are policyd's own input files, and its log: an agent that could change them would choose its own
// policy or its own history (P6).
func (s *Settings) protected() []string {
	files := append([]string{}, s.Files...)
	files = append(files, s.BundleFiles()...)
	for _, file := range []string{s.SafeVerbsFile, s.CatalogFile, s.Bundle, s.DecisionLog.File, s.TLS.Cert, s.TLS.ClientCA} {
		if file != "" {
			files = append(files, whole(file))
		}
	}
	return files
}

// ConsoleAddress is where the console listens or will listen, empty for nowhere.
func (s *Settings) ConsoleAddress() string {
	if s.Console.Serve == config.ConsoleOff {
		return ""
	}
	return s.Console.Addr
}

// AgentTerms are the settings of an agent whose client sends neither audience nor attendance: personal and
// interactive unless set.
func (s *Settings) AgentTerms(agent string) server.AgentTerms {
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

// release is the version that CHANGELOG.md begins with.
const release = "0.1.0"

// Version is the module version that the program was built from, or for a working copy its release with
// "-devel".
func Version() string {
	info, found := debug.ReadBuildInfo()
	if !found || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return release + "-devel"
	}
	return info.Main.Version
}
