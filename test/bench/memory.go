package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

const (
	// warming is which part of the calls fills what is bounded, before the others.
	warming = 10
	// settling is how long a process has after its start before it counts as idle.
	settling = time.Second
	// collections is how often the garbage is collected before the heap is read.
	collections = 3
)

// memory measures what a process of policyd takes.
type memory struct {
	bench  *bench
	bodies [][]byte
	number int
}

func (m *memory) prepare(ctx context.Context, b *bench) (err error) {
	m.bench = b
	if _, err = b.build(ctx, policydPackage); err != nil {
		return err
	}
	m.bodies, err = b.calls()
	return err
}

// round starts a process of its own, so that it measures from the beginning.
func (m *memory) round(ctx context.Context, taken *samples) (err error) {
	m.number++
	name := fmt.Sprintf("memory-%d", m.number)
	served, err := m.bench.startPolicyd(ctx, name)
	if err != nil {
		return err
	}
	defer func() {
		served.stop()
		_ = os.RemoveAll(filepath.Join(m.bench.dir, name))
	}()
	select {
	case <-time.After(settling):
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := m.read(ctx, served, taken, "idle"); err != nil {
		return err
	}
	asked := served.asks("policyd", served.unix, m.bodies)
	for _, step := range []struct {
		name  string
		calls int64
	}{{"warm", m.bench.decisions / warming}, {"after", m.bench.decisions}} {
		if _, err := asked.press(8, step.calls, 0); err != nil {
			return err
		}
		if err := m.collect(ctx, served, asked); err != nil {
			return err
		}
		if err := m.read(ctx, served, taken, step.name); err != nil {
			return err
		}
	}
	return nil
}

// collect asks on until the garbage was collected several times more.
func (m *memory) collect(ctx context.Context, served *sidecar, asked *target) error {
	const counter = "go_gc_duration_seconds_count"
	begin, err := served.metric(ctx, counter)
	if err != nil {
		return err
	}
	for now := begin; now < begin+collections; {
		if _, err := asked.press(1, 500, 0); err != nil {
			return err
		}
		if now, err = served.metric(ctx, counter); err != nil {
			return err
		}
	}
	return nil
}

// read takes what the kernel and the runtime say of the process.
func (m *memory) read(ctx context.Context, served *sidecar, taken *samples, name string) error {
	figures, err := served.resident("VmRSS", "RssAnon")
	if err != nil {
		return err
	}
	goal, err := served.metric(ctx, "go_memstats_next_gc_bytes")
	if err != nil {
		return err
	}
	taken.add("memory/"+name+"/rss_mib", figures["VmRSS"]/1024)
	taken.add("memory/"+name+"/anonymous_mib", figures["RssAnon"]/1024)
	// The next collection begins where the heap is so many times what the last one left.
	taken.add("memory/"+name+"/live_mib", goal/(1+garbagePercent/100)/(1<<20))
	return nil
}

// metric reads one of policyd's metrics.
func (s *sidecar) metric(ctx context.Context, name string) (float64, error) {
	text, err := s.tcp.get(ctx, "/metrics")
	if err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if value, is := strings.CutPrefix(lines.Text(), name+" "); is {
			number, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return 0, fmt.Errorf("read metric %s: %w", name, err)
			}
			return number, nil
		}
	}
	return 0, fmt.Errorf("read metric %s: there is none", name)
}

func (*memory) close() error { return nil }

func (m *memory) report(out io.Writer, taken *samples) {
	calls := int64(100_000)
	if m.bench != nil {
		calls = m.bench.decisions
	}
	fmt.Fprintf(out, memoryProse, calls/warming, calls)
	fmt.Fprint(out, "\n| | resident MiB | of it not from files | live Go heap MiB |\n|---|---|---|---|\n")
	for _, row := range []struct{ name, about string }{
		{"idle", "idle"},
		{"warm", fmt.Sprintf("after %d decisions", calls/warming)},
		{"after", fmt.Sprintf("after %d more", calls)},
	} {
		figure := "memory/" + row.name
		fmt.Fprintf(out, "| %s | %.1f | %.1f | %.1f |\n", row.about, taken.median(figure+"/rss_mib"),
			taken.median(figure+"/anonymous_mib"), taken.median(figure+"/live_mib"))
	}
}

const memoryProse = `
## Memory

How it is measured: a process of its own in each round; VmRSS and RssAnon of ` + "`/proc/PID/status`" + `, and the live heap
from the metrics of the Go runtime, after several collections. Idle is a second after it is ready. Then it decides
%d first calls over eight connections to the socket, which fill whatever is bounded, and %d more, over which
nothing may grow.
`
