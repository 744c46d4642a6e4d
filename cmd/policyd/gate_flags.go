package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	v1 "policyd/api/v1"
)

// gateFlags configure a gate. They come from the host that starts it.
type gateFlags struct {
	chosen      settingsFlags
	agent       string
	audience    string
	interactive bool
	project     string
	hold        time.Duration
}

// usualHold is below the minute after which clients cancel a call.
const usualHold = 55 * time.Second

// maxHold is the longest that the server holds a call.
const maxHold = 10 * time.Minute

func (f *gateFlags) add(command *cobra.Command, agent string) {
	flags := command.Flags()
	flags.StringVar(&f.agent, "agent", agent, "the agent's `name`, by which approvals and settings know it")
	flags.StringVar(&f.audience, "audience", "", "who sees what the agent says: personal, team or public (agents.<agent>.audience)")
	flags.BoolVar(&f.interactive, "interactive", true, "whether a person is there to answer (agents.<agent>.interactive)")
	flags.DurationVar(&f.hold, "hold", usualHold, "how long a call waits for a person; 0 for not at all")
	f.chosen.addReach(command)
}

// session is what the gate registers, without id and project.
func (f *gateFlags) session(p *Program, command *cobra.Command, s *settings) (v1.Session, error) {
	if f.agent == "" {
		return v1.Session{}, usage(errors.New("the agent has no name"), "leave --agent out, or name one")
	}
	if f.hold < 0 || f.hold > maxHold {
		return v1.Session{}, usage(fmt.Errorf("--hold %s is out of range", f.hold), "hold calls for 0 to 10m")
	}
	terms := s.AgentTerms(f.agent)
	audience, interactive := terms.Audience, terms.Interactive
	if f.audience != "" {
		audience = v1.Audience(f.audience)
	}
	switch audience {
	case v1.AudiencePersonal, v1.AudienceTeam, v1.AudiencePublic:
	default:
		return v1.Session{}, usage(fmt.Errorf("--audience %q is none of personal, team, public", f.audience), "leave it out for personal")
	}
	if command.Flags().Changed("interactive") {
		interactive = f.interactive
	}
	home, _ := p.LookupEnv("HOME")
	return v1.Session{Agent: f.agent, Audience: audience, Interactive: &interactive, Platform: runtime.GOOS, Home: home}, nil
}

// launchDirectory is the directory that the host started the gate in, or the one
// that it names.
func launchDirectory(named string) (string, error) {
	if named == "" {
		here, err := os.Getwd()
		if err != nil {
			return "", failed(fmt.Errorf("find the working directory: %w", err), "name a project with --project")
		}
		return here, nil
	}
	info, err := os.Stat(named)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no directory", named)
	}
	if err != nil {
		return "", usage(fmt.Errorf("read --project: %w", err), "name a directory that is there")
	}
	absolute, err := filepath.Abs(named)
	if err != nil {
		return "", usage(fmt.Errorf("read --project: %w", err), "give the path in full")
	}
	return absolute, nil
}

// freshID is a session id that no other gate has.
func freshID(agent string) (string, error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", failed(fmt.Errorf("make session id: %w", err), "")
	}
	return agent + ":" + id.String(), nil
}

// note shows a message to the person who runs a gate. If standard error can't be written to, there is no way
// to report it.
func (p *Program) note(text string) { _, _ = fmt.Fprintf(p.Stderr, "policyd: %s\n", text) }

// exitWith ends the program with the status of another.
func exitWith(code int) error {
	if code == 0 {
		return nil
	}
	return silent(code)
}
