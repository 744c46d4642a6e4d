package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-json"
	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/bundles"
	"policyd/extract/stat"
	"policyd/extract/watched"
	"policyd/policies"
)

// What the floors are called. Each is the bare handler with duties.
const (
	nameFloorRepeat = "bare Echo with the duties of a repeat"
	nameFloorFirst  = "bare Echo with the duties of a first call"
)

// duties are what a program that proves its answers can't leave out, each in its cheapest
// form: what it knows beforehand (which questions, what record, what facts) it is given.
type duties struct {
	// Questions are look-ups of names on the disk, Files the files that are held open for fstat, and
	// Directories those whose changes the kernel reports.
	Questions   []string `json:"questions"`
	Files       []string `json:"files"`
	Directories []string `json:"directories"`
	// Record is written to Log.
	Record string `json:"record"`
	Log    string `json:"log"`
	// Line is parsed, and Input judged by the built-in policy. Neither is for a repeat.
	Line  string    `json:"line,omitempty"`
	Input *v1.Input `json:"input,omitempty"`
}

// duty is one of them, done for a request.
type duty func(ctx context.Context) error

// list is what has to be done, in the order in which policyd does it.
func (d *duties) list(ctx context.Context) ([]duty, error) {
	known, err := watched.Open()
	if err != nil {
		return nil, fmt.Errorf("watch directories: %w", err)
	}
	all := []duty{func(context.Context) error { return d.ask(known.Now()) }}
	if d.Line != "" {
		all = append(all, d.parse)
	}
	if d.Input != nil {
		engine, err := bundles.New(ctx, bundles.Options{FS: policies.FS})
		if err != nil {
			return nil, fmt.Errorf("make engine: %w", err)
		}
		all = append(all, func(ctx context.Context) error { return d.judge(ctx, engine.Current()) })
	}
	if d.Log == "" {
		return all, nil
	}
	log, err := os.OpenFile(d.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log: %w", err)
	}
	var writing sync.Mutex
	return append(all, func(context.Context) error {
		writing.Lock()
		defer writing.Unlock()
		_, err := log.WriteString(d.Record)
		return err
	}), nil
}

// ask checks the inputs of the answer. A directory is checked until the kernel reports its changes.
func (d *duties) ask(view watched.View) error {
	for _, name := range d.Directories {
		if _, known := view.Stamp(name); known {
			continue
		}
		found, err := stat.Path(name, false)
		if err != nil {
			return fmt.Errorf("ask the disk: %w", err)
		}
		view.Learn(name, found)
	}
	for _, name := range d.Files {
		if _, held := view.Stamp(name); held {
			continue
		}
		if _, err := stat.Path(name, false); err != nil && !stat.Missing(err) {
			return fmt.Errorf("ask the disk: %w", err)
		}
		view.Hold(name)
	}
	for _, name := range d.Questions {
		if _, err := os.Lstat(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("ask the disk: %w", err)
		}
	}
	return nil
}

func (d *duties) parse(context.Context) error {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(d.Line), "")
	return err
}

func (d *duties) judge(ctx context.Context, policy *bundles.Snapshot) error {
	judged, err := policy.Judge(ctx, d.Input)
	if err != nil {
		return err
	}
	if judged.Effect != v1.EffectAllow {
		return fmt.Errorf("judge facts: %v, want allow", judged.Effect)
	}
	return nil
}

// dutiesOf are those of the measured line, for a policyd that has answered it: its record
// is its log's last.
func (b *bench) dutiesOf(ctx context.Context, served *sidecar, first bool) (*duties, error) {
	log, err := os.ReadFile(filepath.Join(served.state, "decisions.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("read record: %w", err)
	}
	log = bytes.TrimRight(log, "\n")
	d := &duties{Files: b.files(), Directories: b.directories(), Record: string(log[bytes.LastIndexByte(log, '\n')+1:]) + "\n"}
	if !first {
		d.Log = filepath.Join(b.dir, "repeats.jsonl")
		return d, nil
	}
	d.Log, d.Line = filepath.Join(b.dir, "firsts.jsonl"), fmt.Sprintf(lineForm, 0)
	d.Questions = []string{filepath.Join(b.tree.Project, "src", "f0000.go")}
	input, err := b.input(ctx, served, d.Line)
	if err != nil {
		return nil, err
	}
	d.Input = &v1.Input{}
	if err := json.Unmarshal(input, d.Input); err != nil {
		return nil, fmt.Errorf("decode input: %w", err)
	}
	return d, nil
}

// files are those that the answer about the measured line rests on: what can make
// git run something. Those that are missing the directories vouch for.
func (b *bench) files() []string {
	names := []string{"/etc/gitconfig"}
	for _, name := range []string{"HEAD", "config", "index"} {
		names = append(names, filepath.Join(b.tree.Project, ".git", name))
	}
	return names
}

// directories are those that it rests on, from the root down: each on the way, which could
// be a link, and what else git reads.
func (b *bench) directories() []string {
	src := filepath.Join(b.tree.Project, "src")
	names := []string{src}
	for dir := filepath.Dir(src); dir != "/"; dir = filepath.Dir(dir) {
		names = append(names, dir)
	}
	slices.Reverse(names)
	for _, name := range []string{"", "branches", "hooks", "info", "objects", "objects/info", "refs"} {
		names = append(names, filepath.Join(b.tree.Project, ".git", name))
	}
	return append(names, "/etc")
}

// write keeps the duties in a file, for the process that does them.
func (d *duties) write(name string) error {
	text, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("encode duties: %w", err)
	}
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return fmt.Errorf("write duties: %w", err)
	}
	return nil
}

// readDuties reads what write wrote. No file is no duties.
func readDuties(ctx context.Context, name string) ([]duty, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read duties: %w", err)
	}
	var d duties
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("decode duties: %w", err)
	}
	return d.list(ctx)
}
