package main

import (
	"io"
	"log/slog"

	"policyd/internal/config"
)

// newLogger makes policyd's own log, which goes to standard error.
func newLogger(to io.Writer, settings config.Log) *slog.Logger {
	options := &slog.HandlerOptions{Level: settings.Level}
	if settings.Format == "json" {
		return slog.New(slog.NewJSONHandler(to, options))
	}
	return slog.New(slog.NewTextHandler(to, options))
}
