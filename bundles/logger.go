package bundles

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/open-policy-agent/opa/v1/logging"
)

var _ logging.Logger = (*logger)(nil)

// logger forwards OPA's warnings and errors to the program's log. Lower levels contain the headers of
// requests and are dropped; credentials in the rest are masked.
type logger struct {
	to *slog.Logger
	*masker
}

// Debug implements logging.Logger.
func (*logger) Debug(string, ...any) {}

// Info implements logging.Logger.
func (*logger) Info(string, ...any) {}

// Warn implements logging.Logger.
func (l *logger) Warn(format string, args ...any) { l.say(slog.LevelWarn, format, args) }

// Error implements logging.Logger.
func (l *logger) Error(format string, args ...any) { l.say(slog.LevelError, format, args) }

// WithFields implements logging.Logger.
func (l *logger) WithFields(fields map[string]any) logging.Logger {
	to := l.to
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if name == "name" || name == "plugin" {
			to = to.With(name, fields[name])
		}
	}
	return &logger{to, l.masker}
}

// GetLevel implements logging.Logger.
func (*logger) GetLevel() logging.Level { return logging.Warn }

// SetLevel implements logging.Logger; the level is the program's.
func (*logger) SetLevel(logging.Level) {}

func (l *logger) say(level slog.Level, format string, args []any) {
	l.to.Log(context.Background(), level, "bundle service", "message", l.mask(fmt.Sprintf(format, args...)))
}
