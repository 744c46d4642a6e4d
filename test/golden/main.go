//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/rogpeppe/go-internal/diff"

	"policyd/test/jsonl"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "golden: error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("golden", flag.ContinueOnError)
	flags.SetOutput(out)
	root := flags.String("root", ".", "`directory` of the repository whose corpora are read")
	write := flags.String("write", "", "write the facts to a `file`")
	compare := flags.Bool("diff", false, "compare two files of facts")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case *compare && flags.NArg() == 2:
		return differences(flags.Arg(0), flags.Arg(1), out)
	case *write != "" && flags.NArg() == 0:
		return writeFacts(ctx, *root, *write)
	}
	return errors.New("give -write FILE, or -diff OLD NEW")
}

// compute makes the facts of all cases, as JSON, in the order of the cases.
func compute(ctx context.Context, groups []group) (facts [][][]byte, err error) {
	// What is built must not depend on the user's mask.
	defer syscall.Umask(syscall.Umask(0o022))
	dir, err := os.MkdirTemp("", "golden")
	if err != nil {
		return nil, fmt.Errorf("make directory: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	worlds := map[kind]*world{}
	for i := range groups {
		if worlds[groups[i].kind] != nil {
			continue
		}
		below := filepath.Join(dir, fmt.Sprint(len(worlds)))
		if err := os.Mkdir(below, 0o755); err != nil {
			return nil, fmt.Errorf("make directory: %w", err)
		}
		made, err := newWorld(ctx, below, groups[i].kind)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, made.engine.Close()) }()
		worlds[groups[i].kind] = made
	}
	facts = make([][][]byte, len(groups))
	for i := range groups {
		if facts[i], err = worlds[groups[i].kind].all(groups[i].cases); err != nil {
			return nil, fmt.Errorf("%s: %w", groups[i].name, err)
		}
	}
	return facts, nil
}

// all makes the facts of cases on all cores.
func (w *world) all(cases []*testCase) ([][]byte, error) {
	out, failures := make([][]byte, len(cases)), make([]error, len(cases))
	var next atomic.Int64
	var done sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		done.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(cases)); i = next.Add(1) - 1 {
				out[i], failures[i] = w.facts(&cases[i].call)
			}
		})
	}
	done.Wait()
	return out, errors.Join(failures...)
}

// record is one case in a file of facts.
type record struct {
	Group string          `json:"group"`
	ID    string          `json:"id"`
	Tool  string          `json:"tool"`
	Args  json.RawMessage `json:"args"`
	Facts json.RawMessage `json:"facts"`
}

func writeFacts(ctx context.Context, root, name string) error {
	groups, err := readGroups(root)
	if err != nil {
		return err
	}
	facts, err := compute(ctx, groups)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	for i, g := range groups {
		for j, c := range g.cases {
			if err := encoder.Encode(record{g.name, c.id, c.call.Tool, c.call.Args, facts[i][j]}); err != nil {
				return fmt.Errorf("write facts: %w", err)
			}
		}
	}
	if err := os.WriteFile(name, text.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write facts: %w", err)
	}
	return nil
}

// differences prints every case of both files whose facts differ. Cases of one file alone
// are counted.
func differences(oldName, newName string, out io.Writer) error {
	before, err := jsonl.Read[record](oldName)
	if err != nil {
		return err
	}
	after, err := jsonl.Read[record](newName)
	if err != nil {
		return err
	}
	type key struct{ group, id, args string }
	keyOf := func(r *record) key { return key{r.Group, r.ID, string(r.Args)} }
	known := map[key]*record{}
	for i := range before {
		known[keyOf(&before[i])] = &before[i]
	}
	buffered := bufio.NewWriter(out)
	different, added := 0, 0
	for i := range after {
		old := known[keyOf(&after[i])]
		switch {
		case old == nil:
			added++
		case !bytes.Equal(old.Facts, after[i].Facts):
			different++
			fmt.Fprintf(buffered, "%s %s %s\n%s\n", after[i].Group, after[i].ID, after[i].Args,
				diff.Diff("old", indented(old.Facts), "new", indented(after[i].Facts)))
		}
	}
	fmt.Fprintf(buffered, "%d cases in both, %d of them with other facts; %d only before, %d only after\n",
		len(after)-added, different, len(before)-len(after)+added, added)
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("print differences: %w", err)
	}
	return nil
}

func indented(text []byte) []byte {
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", " "); err != nil {
		return text
	}
	return append(out.Bytes(), '\n')
}
