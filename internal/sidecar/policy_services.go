package sidecar

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"policyd/bundles"
	"policyd/internal/server"
)

// persistDir is where, in the state directory, bundles of services are stored for the next start.
const persistDir = "policy"

// fetchPatience bounds how long a command that decides without a server waits for bundles
// of services.
const fetchPatience = 15 * time.Second

// NewOfflinePolicy loads the policy for a command that decides without a server. It has a
// copy of what the server keeps, and changes nothing there.
func NewOfflinePolicy(ctx context.Context, s *Settings, logger *slog.Logger) (*Policy, error) {
	scratch := ""
	if len(s.Bundles) > 0 {
		made, err := os.MkdirTemp("", "policyd-")
		if err != nil {
			return nil, fmt.Errorf("make scratch directory: %w", err)
		}
		scratch = made
		if err := copyKept(filepath.Join(s.StateDir, persistDir), scratch); err != nil {
			return nil, errors.Join(err, os.RemoveAll(scratch))
		}
	}
	p, err := NewPolicy(ctx, s, scratch, logger)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(scratch))
	}
	p.scratch = scratch
	if err := p.wait(ctx); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// copyKept copies bundles that a server keeps, with the times by which their age is known.
func copyKept(from, to string) error {
	kept, err := filepath.Glob(filepath.Join(from, "bundles", "*", "bundle.tar.gz"))
	if err != nil {
		return fmt.Errorf("copy bundles that are kept: %w", err)
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return fmt.Errorf("copy bundles that are kept: %w", err)
	}
	defer root.Close()
	for _, name := range kept {
		if err := copyInto(root, from, name); err != nil {
			return fmt.Errorf("copy bundles that are kept: %w", err)
		}
	}
	return nil
}

func copyInto(root *os.Root, from, name string) error {
	inner, err := filepath.Rel(from, name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(inner), 0o700); err != nil {
		return err
	}
	if err := root.WriteFile(inner, content, 0o600); err != nil {
		return err
	}
	return root.Chtimes(inner, info.ModTime(), info.ModTime())
}

// wait returns once a policy is active.
func (p *Policy) wait(ctx context.Context) error {
	timer := time.NewTimer(fetchPatience)
	defer timer.Stop()
	select {
	case <-p.engine.Ready():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return failed(errors.New("no policy is in force: "+p.awaited()), "is the service there that bundles.services names?")
	}
}

// awaited reports which bundles are awaited, and why they are missing.
func (p *Policy) awaited() string {
	status := p.engine.Status()
	text := "waiting for the bundles " + strings.Join(status.Waiting, ", ")
	if len(status.Waiting) == 0 {
		text = "waiting for the configuration that names the bundles"
	}
	problems := p.bundleWarnings()
	if status.LastError != "" {
		problems = append(problems, status.LastError)
	}
	if len(problems) > 0 {
		text += ": " + strings.Join(problems, "; ")
	}
	return text
}

// checkBundles reports the outcome of each bundle of a service.
func (p *Policy) checkBundles() []server.Check {
	var checks []server.Check
	for _, one := range p.engine.Status().Bundles {
		checks = append(checks, checkBundle(&one))
	}
	return checks
}

// bundleWarnings are bundles whose latest version was refused.
func (p *Policy) bundleWarnings() []string {
	var found []string
	for _, one := range p.engine.Status().Bundles {
		if one.LastError != "" {
			found = append(found, checkBundle(&one).Detail)
		}
	}
	return found
}

func checkBundle(one *bundles.BundleStatus) server.Check {
	check := server.Check{Name: "bundle " + one.Name, OK: one.LastError == "" && !one.ActivatedAt.IsZero(), Detail: one.LastError}
	at := one.ConfirmedAt.UTC().Format(time.RFC3339)
	switch {
	case one.ActivatedAt.IsZero() && check.Detail == "":
		check.Detail = "not there yet"
	case one.ActivatedAt.IsZero():
	case !check.OK:
		check.Detail += "; revision " + one.Revision + " stays in force"
	case one.File != "":
		check.Detail = "revision " + one.Revision + " of " + one.File
	default:
		check.Detail = "revision " + one.Revision + ", confirmed at " + at
	}
	if one.Restored {
		check.OK = false
		check.Detail += "; it was kept by an earlier start and is as of " + at + ", until its service answers"
	}
	return check
}
