package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// What is measured beside each other over HTTP.
const (
	nameFirst      = "policyd, first"
	nameRepeat     = "policyd, repeat"
	nameBare       = "bare Echo"
	nameOPALog     = "opa, its log on"
	nameOPA        = "opa, its log off"
	nameFastOPALog = "opa set for reading, its log on"
	nameFastOPA    = "opa set for reading, its log off"
	overSocket     = " (socket)"
)

// connectionCounts are the loads that each server is measured under.
func connectionCounts() []int { return []int{1, 8, 64} }

// overHTTP measures the service beside others.
type overHTTP struct {
	bench     *bench
	processes []*process
	targets   []*target
	served    *sidecar
	warm      bool
}

func (h *overHTTP) prepare(ctx context.Context, b *bench) error {
	h.bench = b
	served, err := b.startPolicyd(ctx, "http")
	if err != nil {
		return err
	}
	h.served, h.processes = served, append(h.processes, served.process)
	repeated, err := b.call(line)
	if err != nil {
		return err
	}
	first, err := b.calls()
	if err != nil {
		return err
	}
	h.targets = append(h.targets,
		served.asks(nameFirst, served.tcp, first), served.asks(nameRepeat, served.tcp, [][]byte{repeated}),
		served.asks(nameFirst+overSocket, served.unix, first), served.asks(nameRepeat+overSocket, served.unix, [][]byte{repeated}))
	turn := new(atomic.Int64)
	h.targets[0].next, h.targets[2].next = turn, turn
	asked, err := h.targets[1].once(ctx)
	if err != nil {
		return err
	}
	if err := h.startBares(ctx, repeated, asked); err != nil {
		return err
	}
	if err := h.startFloors(ctx, repeated, asked); err != nil {
		return err
	}
	input, err := b.input(ctx, served, line)
	if err != nil {
		return err
	}
	return h.startOPAs(ctx, fmt.Appendf(nil, `{"input":%s}`, input), asked)
}

func (h *overHTTP) startBares(ctx context.Context, body, answer []byte) error {
	address, err := freeAddress(ctx)
	if err != nil {
		return err
	}
	for name, at := range map[string]endpoint{
		nameBare: {"tcp", address}, nameBare + overSocket: {"unix", filepath.Join(h.bench.dir, "bare.sock")},
	} {
		if err := h.startBare(ctx, name, at, body, answer); err != nil {
			return err
		}
	}
	return nil
}

// startBare starts a bare handler that is asked the body, and waits until it answers.
func (h *overHTTP) startBare(ctx context.Context, name string, at endpoint, body, answer []byte, flags ...string) error {
	p, err := h.bench.startBare(ctx, at, answer, flags...)
	if err != nil {
		return err
	}
	h.processes = append(h.processes, p)
	t := &target{name: name, at: at, path: decidePath, bodies: [][]byte{body}, process: p}
	if _, err := t.untilAnswered(ctx); err != nil {
		return err
	}
	h.targets = append(h.targets, t)
	return nil
}

// startFloors starts bare handlers that do what a decision can't be proven without.
func (h *overHTTP) startFloors(ctx context.Context, body, answer []byte) error {
	for name, first := range map[string]bool{nameFloorRepeat: false, nameFloorFirst: true} {
		address, err := freeAddress(ctx)
		if err != nil {
			return err
		}
		todo, err := h.bench.dutiesOf(ctx, h.served, first)
		if err != nil {
			return err
		}
		file := filepath.Join(h.bench.dir, strings.ReplaceAll(name, " ", "-")+".json")
		if err := todo.write(file); err != nil {
			return err
		}
		if err := h.startBare(ctx, name, endpoint{"tcp", address}, body, answer, "-duties", file); err != nil {
			return err
		}
	}
	return nil
}

func (h *overHTTP) startOPAs(ctx context.Context, request, asked []byte) error {
	for _, variant := range opaVariants() {
		t, err := h.bench.startOPA(ctx, variant, request)
		if err != nil {
			return err
		}
		h.processes = append(h.processes, t.process)
		judged, err := t.untilAnswered(ctx)
		if err != nil {
			return err
		}
		if err := sameDecision(asked, judged); err != nil {
			return err
		}
		h.targets = append(h.targets, t)
	}
	return nil
}

// round measures every server at every load. The first round is made twice, once to
// warm the servers up.
func (h *overHTTP) round(ctx context.Context, taken *samples) error {
	if !h.warm {
		h.warm = true
		if err := h.round(ctx, newSamples()); err != nil {
			return err
		}
	}
	for _, connections := range connectionCounts() {
		for _, t := range h.targets {
			before := h.hits(ctx)
			done, err := t.press(connections, 0, h.bench.slice)
			if err != nil {
				return err
			}
			if hits := h.hits(ctx) - before; strings.HasPrefix(t.name, nameFirst) && hits > 0 {
				return fmt.Errorf("measure %s: %.0f calls were remembered", t.name, hits)
			}
			done.keep(taken, httpFigure(t.name, connections))
			if err := t.process.trim(); err != nil {
				return err
			}
		}
	}
	return nil
}

// hits is how many judgements were remembered so far.
func (h *overHTTP) hits(ctx context.Context) float64 {
	hits, err := h.served.metric(ctx, `policyd_decision_cache_total{result="hit"}`)
	if err != nil {
		return 0 // a policyd that remembers none
	}
	return hits
}

// keep adds what a slice measured below a name.
func (s *slice) keep(taken *samples, name string) {
	answers := float64(len(s.latencies))
	taken.add(name+"/p50_us", float64(s.quantile(0.5).Nanoseconds())/1e3)
	taken.add(name+"/p99_us", float64(s.quantile(0.99).Nanoseconds())/1e3)
	taken.add(name+"/per_second", answers/s.elapsed.Seconds())
	taken.add(name+"/server_cpu_us", float64(s.server.Nanoseconds())/1e3/answers)
	taken.add(name+"/client_cpu_us", float64(s.client.Nanoseconds())/1e3/answers)
}

func (h *overHTTP) close() error {
	for _, p := range h.processes {
		p.stop()
	}
	return nil
}

func httpFigure(name string, connections int) string {
	return "http/" + name + "/" + number(connections)
}

func (h *overHTTP) report(out io.Writer, taken *samples) {
	fmt.Fprintf(out, httpProse, line, fmt.Sprintf(lineForm, 7))
	names := []string{nameBare, nameFirst, nameFloorFirst, nameRepeat, nameFloorRepeat, nameOPALog, nameOPA, nameFastOPALog, nameFastOPA}
	sockets := []string{nameBare + overSocket, nameFirst + overSocket, nameRepeat + overSocket}
	for _, connections := range connectionCounts() {
		fmt.Fprintf(out, "\n### %d %s\n\n", connections, plural(connections, "connection"))
		fmt.Fprint(out, "| server | p50 against bare Echo | throughput against opa, its log on | p50 µs | p99 µs | a second | "+
			"processor µs, server | client |\n|---|---|---|---|---|---|---|---|\n")
		for _, name := range append(names, sockets...) {
			h.row(out, taken, name, connections)
		}
	}
	fmt.Fprintf(out, "\n![throughput of the servers](%s)\n\n![p50 of the servers](%s)\n", plotLink("throughput"), plotLink("latency"))
}

func (h *overHTTP) row(out io.Writer, taken *samples, name string, connections int) {
	figure, bare := httpFigure(name, connections), nameBare
	if strings.HasSuffix(name, overSocket) {
		bare += overSocket
	}
	fmt.Fprintf(out, "| %s | %.2f | %.2f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", name,
		taken.ratio(figure+"/p50_us", httpFigure(bare, connections)+"/p50_us"),
		taken.ratio(figure+"/per_second", httpFigure(nameOPALog, connections)+"/per_second"),
		taken.median(figure+"/p50_us"), taken.median(figure+"/p99_us"), taken.median(figure+"/per_second"),
		taken.median(figure+"/server_cpu_us"), taken.median(figure+"/client_cpu_us"))
}

func plural(n int, thing string) string {
	if n == 1 {
		return thing
	}
	return thing + "s"
}

const httpProse = `
## Over HTTP

How it is measured: every server is a process of its own on this machine, and so is the client, with connections that
stay open and one request after the other on each. The servers have turns of equal length in every round. The client
is one thread that sends requests that were encoded beforehand and takes answers as the kernel has them, since whatever
it needs of the two cores the servers lack; what it costs stands in the last column, and the row of bare Echo shows how
much can be had through it.

- **policyd, repeat** is asked the same call over and over, ` + "`%[1]s`" + `. **First** is asked calls like
  ` + "`%[2]s`" + `, with more different names than anything remembers, so that each is new.
  policyd makes the facts from the text and the disk, decides, and writes its record to the decision log before it
  answers; both are in every figure.
- **bare Echo** decodes the same request and answers the same bytes, and does nothing else. It is the floor: no service
  of this kind can be faster.
- **Bare Echo with duties** does before it answers what a decision can't be proven without, in its cheapest form. A repeat
  has the kernel say that no directory on the way has changed, asks the disk about the files that can make git run
  something, and writes a record: it is told which names, and given the record. A first call parses the line, too, and
  judges facts that it is given. It is the floor of a program that looks at the disk each time and judges by this policy
  in OPA.
- **opa** is ` + "`opa run --server`" + `, built from the module that policyd embeds, with the same policy. It gets the facts of the
  repeated call ready-made in every request, which is its best case: it neither parses nor looks at the disk, and stores
  nothing but its log. Its decision log goes to the console, here a file, or is off; its log of requests is always off. It
  is measured as it comes, and with ` + "`--optimize-store-for-read-speed`" + `. It keeps Go's own setting of the garbage
  collector; policyd and bare Echo have GOGC=400, as policyd sets for itself.
`
