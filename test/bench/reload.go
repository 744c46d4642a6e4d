package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// reloadSlice is long enough for several reloads.
const reloadSlice = 3 * time.Second

// reload measures the slowest answers while an operator's bundle is replaced every second.
type reload struct {
	served *sidecar
	asked  *target
	rules  string
	turn   int
}

func (r *reload) prepare(ctx context.Context, b *bench) error {
	dir, err := b.under("bundle/site/team")
	if err != nil {
		return err
	}
	r.rules = filepath.Join(dir, "team.rego")
	root := filepath.Join(b.dir, "bundle")
	if err := os.WriteFile(filepath.Join(root, ".manifest"), []byte(`{"roots": ["site/team"], "rego_version": 1}`), 0o600); err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	if err := r.replace(); err != nil {
		return err
	}
	if r.served, err = b.startPolicyd(ctx, "reload", "--bundle", root, "--watch"); err != nil {
		return err
	}
	bodies, err := b.calls()
	if err != nil {
		return err
	}
	r.asked = r.served.asks("policyd", r.served.unix, bodies)
	return nil
}

// replace writes the bundle's rules, different each time.
func (r *reload) replace() error {
	r.turn++
	text := fmt.Sprintf(`package site.team

deny contains {"rule": "site/team", "code": "never", "message": "never run this", "item": i} if {
	"verb%[1]d run" in input.verbs
	some i, item in input.items
	item.verb == "verb%[1]d run"
}
`, r.turn)
	if err := os.WriteFile(r.rules+".new", []byte(text), 0o600); err != nil {
		return fmt.Errorf("write rules: %w", err)
	}
	if err := os.Rename(r.rules+".new", r.rules); err != nil {
		return fmt.Errorf("write rules: %w", err)
	}
	return nil
}

func (r *reload) round(ctx context.Context, taken *samples) error {
	quiet, err := r.asked.press(1, 0, reloadSlice)
	if err != nil {
		return err
	}
	quiet.keep(taken, "reload/quiet")
	before, err := r.activations(ctx)
	if err != nil {
		return err
	}
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- r.replaceEverySecond(stop) }()
	reloading, err := r.asked.press(1, 0, reloadSlice)
	close(stop)
	if failed := <-done; failed != nil {
		return failed
	}
	if err != nil {
		return err
	}
	reloading.keep(taken, "reload/reloading")
	after, err := r.activations(ctx)
	if err != nil {
		return err
	}
	if after == before {
		return fmt.Errorf("reload the policy: none came into force")
	}
	return nil
}

// activations is when the active policy was activated.
func (r *reload) activations(ctx context.Context) (float64, error) {
	return r.served.metric(ctx, "policyd_policy_activated_timestamp_seconds")
}

func (r *reload) replaceEverySecond(stop <-chan struct{}) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if err := r.replace(); err != nil {
			return err
		}
		select {
		case <-stop:
			return nil
		case <-tick.C:
		}
	}
}

func (r *reload) close() error {
	if r.served != nil {
		r.served.stop()
	}
	return nil
}

func (*reload) report(out io.Writer, taken *samples) {
	fmt.Fprint(out, reloadProse)
	fmt.Fprint(out, "\n| | p99 against quiet | p50 µs | p99 µs |\n|---|---|---|---|\n")
	for _, name := range []string{"quiet", "reloading"} {
		figure := "reload/" + name
		fmt.Fprintf(out, "| %s | %.2f | %.0f | %.0f |\n", name, taken.ratio(figure+"/p99_us", "reload/quiet/p99_us"),
			taken.median(figure+"/p50_us"), taken.median(figure+"/p99_us"))
	}
}

const reloadProse = `
## While the policy is reloaded

How it is measured: first calls over one connection to the socket, for three seconds with nothing else and three seconds
in which an operator's bundle changes each second. Each change is compiled and tried with the built-in policy, on a
core of its own if there is one, and put in force at once.
`
