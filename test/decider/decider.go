// Package decider decides calls in process by the assembly that the program ships, for tests that
// decide more lines than they could send.
package decider

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/config"
	"policyd/internal/gate"
	"policyd/internal/sidecar"
)

// Decider decides command lines in one project. It may be used concurrently.
type Decider struct {
	sidecar *sidecar.Sidecar
	session v1.Session
}

// Options state where lines are decided.
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

// New loads the policy. The caller closes the decider.
func New(ctx context.Context, options Options) (*Decider, error) {
	settings, err := config.Load(options.Settings, func(name string) (string, bool) { return options.Home, name == "HOME" },
		map[string]string{"state_dir": options.StateDir})
	if err != nil {
		return nil, fmt.Errorf("load settings: %w", err)
	}
	// What is decided must not depend on how busy the machine is.
	settings.PolicyTimeout = time.Minute
	made, err := sidecar.NewJudge(ctx, &sidecar.Settings{
		Config: settings, File: options.Settings, Home: options.Home, Platform: "linux",
		// A repository that was made this second is never remembered.
		Now: func() time.Time { return time.Now().Add(time.Hour) },
	})
	if err != nil {
		return nil, fmt.Errorf("load policy: %w", err)
	}
	return &Decider{sidecar: made, session: v1.Session{
		ID: "corpus", Agent: "claude-code", Audience: v1.AudiencePersonal, ProjectDir: options.Project,
		Interactive: new(true), Platform: "linux", Home: options.Home, Shell: "bash",
	}}, nil
}

// Policy is what the decider decides by.
func (d *Decider) Policy() gate.Policy { return d.sidecar.Policy }

// Close ends what the decider runs.
func (d *Decider) Close() error { return d.sidecar.Close() }

// Judge decides one unchanged call, with remembered answers.
func (d *Decider) Judge(ctx context.Context, call *v1.Call, grants []v1.PathGrant, approvals []v1.Approval) (v1.Judgement, error) {
	input := v1.Input{Facts: d.Facts(call, grants), Approvals: approvals}
	if input.Approvals == nil {
		input.Approvals = []v1.Approval{}
	}
	judgement, err := d.sidecar.Policy.Current().Judge(ctx, &input)
	if err != nil {
		return v1.Judgement{}, fmt.Errorf("judge call: %w", err)
	}
	return judgement, nil
}

// Facts are what a call is judged by.
func (d *Decider) Facts(call *v1.Call, grants []v1.PathGrant) v1.Facts {
	facts, _ := d.sidecar.Policy.Current().Extract(context.Background(), call, grants) // incomplete then
	return facts
}

// Session is the session that lines are decided in.
func (d *Decider) Session() v1.Session { return d.session }

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
func (d *Decider) Decide(ctx context.Context, line Line) (v1.Decision, error) {
	var args strings.Builder
	encoder := json.NewEncoder(&args)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(map[string]string{"command": line.Command}); err != nil {
		return v1.Decision{}, fmt.Errorf("write call: %w", err)
	}
	call := v1.Call{Tool: "Bash", Args: json.RawMessage(args.String()), Cwd: line.Cwd, Session: d.session}
	switch {
	case line.Windows:
		call.Tool = "shell"
		call.Session = v1.Session{
			ID: "corpus", Agent: "other", Audience: v1.AudiencePersonal, Interactive: new(true), Platform: "windows",
			Shell: line.Shell, ProjectDir: `C:\proj`, Home: `C:\Users\dev`,
		}
	case line.Cwd == "":
		call.Cwd = d.session.ProjectDir
	}
	if line.Shell != "" {
		call.Session.Shell = line.Shell
	}
	if line.Platform != "" {
		call.Session.Platform = line.Platform
	}
	return d.sidecar.Gate.Decide(ctx, &call, gate.DecideOptions{Probe: true}), nil
}
