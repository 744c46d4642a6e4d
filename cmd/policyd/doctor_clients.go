package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"policyd/internal/clients/reply"
	"policyd/internal/config"
	"policyd/internal/hook"
	"policyd/internal/install"
)

// examineClients reports for every client with hooks of policyd's, for the user or in the project of this
// directory, whether the hooks would run.
func (p *Program) examineClients(ctx context.Context, s *settings) []finding {
	var found []finding
	here, err := os.Getwd()
	if err != nil {
		here = ""
	}
	for _, client := range reply.Clients() {
		for _, project := range []string{"", here} {
			if project == "" && s.Home == "" || project == s.Home {
				continue
			}
			options := &install.Options{Client: client, Home: s.Home, Project: project, Here: here, Env: p.LookupEnv, Policyd: "policyd"}
			report, err := install.Inspect(options)
			if err != nil {
				found = append(found, finding{name: client, err: err})
			} else if report != nil {
				found = append(found, p.examineClient(ctx, s, report))
			}
		}
	}
	return found
}

func (p *Program) examineClient(ctx context.Context, s *settings, report *install.Report) finding {
	out := finding{name: report.Client, warnings: report.Warnings}
	if client, known := install.ByName(report.Client); known {
		if value, set := p.LookupEnv(client.Variable); client.Variable != "" && set && value != "" {
			out.warnings = append(out.warnings, fmt.Sprintf("%s is set: sessions without it read other settings", client.Variable))
		}
		out.warnings = append(out.warnings, client.Ungated)
	}
	switch contained := report.Contained(); {
	case contained && s.Contain == config.ContainOff:
		out.warnings = append(out.warnings, "--contain does nothing, since the setting contain is off")
	case !contained && s.Contain == config.ContainRequired:
		out.warnings = append(out.warnings, "the setting contain is required: every command line prompts, unless policyd install "+
			report.Client+" has --contain")
	}
	faults := report.Faults
	if err := p.tryHook(ctx, report); err != nil {
		faults = append(faults, err.Error())
	}
	if len(faults) > 0 {
		out.err = fmt.Errorf("%s: %s", report.Path, strings.Join(faults, "; "))
		return out
	}
	out.note = report.Path + ": the hook answers"
	if report.Contained() {
		out.note += ", and rewrites command lines to run contained"
	}
	return out
}

// harmless is an event that decides nothing and creates no session.
const harmless = `{"hook_event_name":"policyd.doctor","session_id":"policyd-doctor"}`

// tryHook runs the installed hook once, as the client would.
func (p *Program) tryHook(ctx context.Context, report *install.Report) error {
	if len(report.Command) == 0 {
		return errors.New("its command line can't be read; install again")
	}
	program, err := exec.LookPath(report.Command[0])
	if err != nil {
		return fmt.Errorf("the hook program can't be started: %w; install again", err)
	}
	ctx, cancel := context.WithTimeout(ctx, hook.Patience+time.Second)
	defer cancel()
	command := exec.CommandContext(ctx, program, report.Command[1:]...)
	var stdout, stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(harmless), &stdout, &stderr
	if err := command.Run(); err != nil {
		said := strings.TrimSpace(strings.TrimPrefix(stderr.String(), "policyd: "))
		return fmt.Errorf("every call is blocked: %s (%w)", said, err)
	}
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
		return fmt.Errorf("the hook program does not answer as policyd's does: %w", err)
	}
	if len(answer) > 0 {
		return fmt.Errorf("policyd does not take the client's payloads: %s", strings.TrimSpace(stdout.String()))
	}
	return nil
}
