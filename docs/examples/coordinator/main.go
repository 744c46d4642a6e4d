// Command coordinator is an example of several agents on one sidecar: four bots
// ask a coordinator at the same time what is open, and the coordinator reads the
// project's status files and answers in a fixed shape. No model takes part; what
// a host has to do around one is all here: it asks policyd before each tool call
// and does what the answer says.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/pdp"
)

// deadline bounds one question, from asking to the answer.
const deadline = 5 * time.Second

func main() {
	socket := flag.String("socket", "", "Unix socket of the sidecar")
	project := flag.String("project", ".", "project directory")
	flag.Parse()
	if err := run(context.Background(), *socket, *project, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "coordinator: error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, socket, project string, out io.Writer) error {
	project, err := filepath.Abs(project)
	if err != nil {
		return fmt.Errorf("find project: %w", err)
	}
	host := &host{sidecar: pdp.New(pdp.Address{Socket: socket}), project: project}
	defer host.sidecar.Close()
	bots := []string{"ada", "ben", "cleo", "dan"}
	for _, agent := range append([]string{"coordinator"}, bots...) {
		if err := host.register(ctx, agent); err != nil {
			return err
		}
	}
	lines := make([]string, len(bots))
	failures := make([]error, len(bots))
	var group sync.WaitGroup
	for i, bot := range bots {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, deadline)
			defer cancel()
			lines[i], failures[i] = host.question(ctx, bot, "what is open?")
		})
	}
	group.Wait()
	if err := errors.Join(failures...); err != nil {
		return err
	}
	refused, err := host.decide(ctx, "coordinator", "Write", map[string]string{
		"file_path": filepath.Join(project, "status", "report.md"), "content": "all well",
	})
	if err != nil {
		return err
	}
	lines = append(lines, fmt.Sprintf("coordinator writes: %s (%s)", refused.Effect, refused.Reasons[0].Code))
	_, err = fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}

// host runs the agents of one project.
type host struct {
	sidecar *pdp.Client
	project string
}

// register names a session of an agent before its first call.
func (h *host) register(ctx context.Context, agent string) error {
	attended := false
	session := v1.Session{Agent: agent, Audience: v1.AudienceTeam, ProjectDir: h.project, Interactive: &attended}
	return h.ask(ctx, http.MethodPut, "/v1/sessions/team-"+agent, session, nil)
}

// question takes a bot's question to the coordinator, if the bot may ask it.
func (h *host) question(ctx context.Context, bot, question string) (line string, err error) {
	decision, err := h.decide(ctx, bot, "ask_agent", map[string]string{"agent": "coordinator", "question": question})
	if err != nil {
		return "", err
	}
	if decision.Effect != v1.EffectAllow {
		return fmt.Sprintf("%s: %s (%s)", bot, decision.Effect, decision.Reasons[0].Code), nil
	}
	answer, err := h.answer(ctx)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: %s", bot, answer), nil
}

// report is the shape of every answer of the coordinator.
type report struct {
	Open      []string `json:"open"`
	Blocked   []string `json:"blocked"`
	Completed []string `json:"completed"`
}

// longest is the length that an answer may have, in characters.
const longest = 400

// answer is what the coordinator says: it reads, and nothing else.
func (h *host) answer(ctx context.Context) (string, error) {
	files, err := filepath.Glob(filepath.Join(h.project, "status", "*.md"))
	if err != nil {
		return "", fmt.Errorf("find status files: %w", err)
	}
	said := report{Open: []string{}, Blocked: []string{}, Completed: []string{}}
	for _, file := range files {
		decision, err := h.decide(ctx, "coordinator", "Read", map[string]string{"file_path": file})
		if err != nil {
			return "", err
		}
		if decision.Effect != v1.EffectAllow {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("read status: %w", err)
		}
		said.add(string(text))
	}
	text, err := json.Marshal(said)
	if err != nil {
		return "", fmt.Errorf("encode answer: %w", err)
	}
	if len([]rune(string(text))) > longest {
		return "", fmt.Errorf("answer: longer than %d characters; shorten the status files", longest)
	}
	return string(text), nil
}

// add takes in lines such as "open: release notes".
func (r *report) add(text string) {
	for line := range strings.Lines(text) {
		kind, what, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch kind {
		case "open":
			r.Open = append(r.Open, what)
		case "blocked":
			r.Blocked = append(r.Blocked, what)
		case "completed":
			r.Completed = append(r.Completed, what)
		}
	}
}

// decide asks about one tool call of an agent.
func (h *host) decide(ctx context.Context, agent, tool string, arguments map[string]string) (decision v1.Decision, err error) {
	args, err := json.Marshal(arguments)
	if err != nil {
		return decision, fmt.Errorf("encode arguments: %w", err)
	}
	call := v1.Call{Tool: tool, Args: args, Session: v1.Session{ID: "team-" + agent}}
	return decision, h.ask(ctx, http.MethodPost, "/v1/decide", call, &decision)
}

// ask sends a request. Everything but success is an error: who can't ask, does
// nothing.
func (h *host) ask(ctx context.Context, method, path string, body, out any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	answer, err := h.sidecar.Do(ctx, method, path, nil, text)
	if err != nil {
		return err
	}
	if answer.Status >= http.StatusMultipleChoices {
		return fmt.Errorf("%s %s: %d: %s", method, path, answer.Status, answer.Body)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Body, out); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	return nil
}
