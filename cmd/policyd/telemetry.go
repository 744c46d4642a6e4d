package main

import (
	"context"
	"log/slog"
	"time"

	"policyd/internal/metrics"
	"policyd/internal/sidecar"
	"policyd/internal/tracing"
)

// telemetryPatience is how long what is left to send has at the end.
const telemetryPatience = 5 * time.Second

// startTelemetry sets a server's metrics and tracing in the settings. The function that it returns sends the
// rest.
func (p *Program) startTelemetry(ctx context.Context, s *settings, logger *slog.Logger) (end func(), err error) {
	s.Meter = metrics.New(sidecar.Version())
	s.Tracing, err = tracing.Start(ctx, tracing.Options{
		LookupEnv: p.LookupEnv, Version: sidecar.Version(), Gatherer: s.Meter.Gatherer(), Logger: logger,
	})
	if err != nil {
		return nil, failed(err, "unset the OTEL_* variables to run without, or see docs/operations.md")
	}
	return func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), telemetryPatience)
		defer cancel()
		if err := s.Tracing.Close(ending); err != nil {
			// A collector that is away doesn't make an end of a server that drained a failed one.
			logger.Warn("telemetry was not sent", "error", err)
		}
	}, nil
}
