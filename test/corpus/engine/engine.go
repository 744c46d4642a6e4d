// Package engine decides calls in process by the built-in policy, wired as the
// program wires itself, for tests that decide more lines than they could send.
package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	v1 "policyd/api/v1"
	"policyd/bundles"
	"policyd/extract"
	"policyd/internal/config"
	"policyd/internal/gate"
	"policyd/internal/record"
	"policyd/policies"
)

// Engine decides command lines in one project. It may be used concurrently.
type Engine struct {
	gate    *gate.Gate
	bundle  *bundles.Engine
	current atomic.Pointer[snapshot]
	session v1.Session
}

// snapshot joins a policy with the extraction that its data asks for.
type snapshot struct {
	*bundles.Snapshot
	extractor *extract.Extractor
}

var _ gate.Snapshot = (*snapshot)(nil)

// Extract implements gate.Snapshot.
func (s *snapshot) Extract(ctx context.Context, call *v1.Call, grants []v1.PathGrant) (v1.Facts, error) {
	return s.extractor.ExtractContext(ctx, call, grants, 0)
}

var _ gate.Policy = (*Engine)(nil)

// Options say where lines are decided.
type Options struct {
	// Home is the home directory of the session and of the sidecar.
	Home string
	// Project is the session's project directory.
	Project string
	// Settings is a settings file, if there is one.
	Settings string
	// StateDir is where policyd would keep its own files.
	StateDir string
}

// New loads the built-in policy. The caller closes the engine.
func New(ctx context.Context, options Options) (*Engine, error) {
	settings, err := config.Load(options.Settings, func(name string) (string, bool) { return options.Home, name == "HOME" },
		map[string]string{"state_dir": options.StateDir})
	if err != nil {
		return nil, fmt.Errorf("load settings: %w", err)
	}
	base, err := extract.NewBase(extract.Options{
		Home: options.Home, Own: []string{settings.StateDir, settings.RunDir}, Protected: settings.Files,
		Address: settings.Addr, Platform: "linux",
		// A repository that was made this second is never remembered.
		Now: func() time.Time { return time.Now().Add(time.Hour) },
	})
	if err != nil {
		return nil, fmt.Errorf("load extraction: %w", err)
	}
	e := &Engine{session: v1.Session{
		ID: "corpus", Agent: "claude-code", Audience: v1.AudiencePersonal, ProjectDir: options.Project,
		Interactive: new(true), Platform: "linux", Home: options.Home, Shell: "bash",
	}}
	e.bundle, err = bundles.New(ctx, bundles.Options{
		FS: policies.FS, Schema: policies.Schema, Source: settings.Bundle, Settings: settings.Settings(), Logger: slog.New(slog.DiscardHandler),
		// What is decided must not depend on how busy the machine is.
		Deadline:   time.Minute,
		Prepare:    func(policyd map[string]any) (any, error) { return base.With(policyd) },
		OnActivate: e.activate,
	})
	if err != nil {
		return nil, fmt.Errorf("load policy: %w", err)
	}
	e.gate, err = gate.New(gate.Options{
		Policy: e, Redactor: record.NewRedactor(nil, nil),
		Prompts: nobody{},
	})
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Engine) activate(activated *bundles.Snapshot) {
	extractor, prepared := activated.Prepared().(*extract.Extractor)
	if !prepared {
		panic("the snapshot was not prepared")
	}
	e.current.Store(&snapshot{Snapshot: activated, extractor: extractor})
}

// nobody is there to be asked: decisions are probed.
type nobody struct{ gate.Prompts }

// Inert implements gate.Snapshot.
func (s *snapshot) Inert(call *v1.Call) []string { return s.extractor.Inert(call) }

// Contain implements gate.Snapshot.
func (s *snapshot) Moves(call *v1.Call) bool { return s.extractor.Moves(call) }

func (s *snapshot) Contain(ctx context.Context, call *v1.Call, grants []v1.PathGrant, duty v1.Duty) (v1.Containment, error) {
	return s.extractor.Contain(ctx, call, grants, duty)
}

// Current implements gate.Policy.
func (e *Engine) Current() gate.Snapshot {
	if current := e.current.Load(); current != nil {
		return current
	}
	return nil
}

// Close ends what the engine runs.
func (e *Engine) Close() error {
	e.bundle.Close()
	return nil
}

// Judge decides one call as it stands, with what is remembered.
func (e *Engine) Judge(ctx context.Context, call *v1.Call, grants []v1.PathGrant, approvals []v1.Approval) (v1.Judgement, error) {
	current := e.current.Load()
	input := v1.Input{Facts: current.extractor.Extract(call, grants), Approvals: approvals}
	if input.Approvals == nil {
		input.Approvals = []v1.Approval{}
	}
	judgement, err := current.Judge(ctx, &input)
	if err != nil {
		return v1.Judgement{}, fmt.Errorf("judge call: %w", err)
	}
	return judgement, nil
}

// Facts are what a call is judged by.
func (e *Engine) Facts(call *v1.Call, grants []v1.PathGrant) v1.Facts {
	return e.current.Load().extractor.Extract(call, grants)
}

// Session is the session that lines are decided in.
func (e *Engine) Session() v1.Session { return e.session }

// Line is one command line and where it would run.
type Line struct {
	Command string
	// Cwd is the project directory if empty.
	Cwd string
	// Shell is what runs it; empty is bash, or cmd on Windows.
	Shell string
	// Windows makes it a line of a session on Windows, whose disk isn't here.
	Windows bool
	// Platform is that of any other session; linux if empty.
	Platform string
}

// Decide decides one command line.
func (e *Engine) Decide(ctx context.Context, line Line) (v1.Decision, error) {
	var args strings.Builder
	encoder := json.NewEncoder(&args)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string]string{"command": line.Command}); err != nil {
		return v1.Decision{}, fmt.Errorf("write call: %w", err)
	}
	call := v1.Call{Tool: "Bash", Args: json.RawMessage(args.String()), Cwd: line.Cwd, Session: e.session}
	switch {
	case line.Windows:
		call.Tool = "shell"
		call.Session = v1.Session{
			ID: "corpus", Agent: "other", Audience: v1.AudiencePersonal, Interactive: new(true), Platform: "windows",
			Shell: line.Shell, ProjectDir: `C:\proj`, Home: `C:\Users\dev`,
		}
	case line.Cwd == "":
		call.Cwd = e.session.ProjectDir
	}
	if line.Shell != "" {
		call.Session.Shell = line.Shell
	}
	if line.Platform != "" {
		call.Session.Platform = line.Platform
	}
	return e.gate.Decide(ctx, &call, gate.DecideOptions{Probe: true}), nil
}
