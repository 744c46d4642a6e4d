package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
)

// person is somebody who answers prompts: with the first of these choices that is
// offered. Without any, prompts stay unanswered. enforces is what the agents' hosts fulfil.
type person struct {
	name     string
	choices  []string
	enforces []string
}

// once is the choice that every prompt offers and that nothing remembers.
const once = v1.ChoiceOnce

func persons() []person {
	lasting := []string{"project", "read_here", v1.ChoiceAlwaysHere, "read_chat", v1.ChoiceSession, once}
	contained := []string{v1.ObligationContain}
	return []person{
		{name: "nobody"},
		{name: "chat", choices: []string{v1.ChoiceSession, once}},
		{name: "lasting", choices: lasting},
		{name: "contained", enforces: contained},
		{name: "lasting_contained", choices: lasting, enforces: contained},
	}
}

func chosen(name string) ([]person, error) {
	all := persons()
	if name == "" {
		return all, nil
	}
	for _, p := range all {
		if p.name == name {
			return []person{p}, nil
		}
	}
	return nil, fmt.Errorf("unknown person %q: name nobody, chat, lasting, contained or lasting_contained", name)
}

// replay sends the calls of all sessions as one person's agents do.
type replay struct {
	server  *server
	person  person
	home    string
	figures *Figures
}

func (r *replay) all(ctx context.Context, sessions []Session) (err error) {
	if len(r.person.enforces) > 0 {
		if r.figures.Contains, err = r.server.contains(ctx); err != nil {
			return err
		}
	}
	for i := range sessions {
		if err := r.session(ctx, &sessions[i]); err != nil {
			return fmt.Errorf("session %s: %w", sessions[i].ID, err)
		}
	}
	return nil
}

func (r *replay) session(ctx context.Context, s *Session) (err error) {
	remove, err := scratch(s, r.home)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	launch := here(s.LaunchDir, r.home)
	attended := true
	about := v1.Session{
		ID: s.ID, Agent: s.Client, Audience: v1.AudiencePersonal, ProjectDir: launch, Interactive: &attended,
		Platform: "linux", Home: r.home, Shell: "bash", Enforces: r.person.enforces,
		// Claude Code follows the directory of its lines.
		LastingShell: len(r.person.enforces) > 0 && s.Client == "claude-code",
	}
	if s.windows() {
		about.Platform, about.Home, about.Shell = "windows", `C:\Users\dev`, "powershell"
	}
	questions := 0
	cwd := launch
	for _, text := range s.Calls {
		text = here(text, r.home)
		arguments, err := json.Marshal(map[string]string{"command": text})
		if err != nil {
			return fmt.Errorf("encode arguments: %w", err)
		}
		call := &v1.Call{Tool: "Bash", Args: arguments, Cwd: cwd, Session: about}
		asked, err := r.call(ctx, s, call, text)
		if err != nil {
			return err
		}
		if asked {
			questions++
		}
		if !s.windows() {
			cwd = after(text, cwd, launch)
		}
	}
	r.figures.endSession(s, questions)
	return nil
}

// call sends one call, answers its prompt, and sends it again. It reports whether
// a person was asked.
func (r *replay) call(ctx context.Context, s *Session, call *v1.Call, text string) (bool, error) {
	decision, err := r.server.decide(ctx, call)
	if err != nil {
		return false, err
	}
	r.figures.decided(s, &decision)
	if len(decision.Run) > 0 {
		if err := r.server.claim(ctx, &decision); err != nil {
			return false, err
		}
	}
	if decision.Effect != v1.EffectPrompt {
		return false, nil
	}
	choice := r.choice(decision.Prompt)
	r.figures.prompted(s, text, choice, &decision)
	if choice == "" {
		return true, r.server.withdraw(ctx, decision.Prompt.ID)
	}
	if err := r.server.answer(ctx, decision.Prompt.ID, choice); err != nil {
		return true, err
	}
	again, err := r.server.decide(ctx, call)
	if err != nil {
		return true, err
	}
	if again.Effect != v1.EffectAllow {
		r.figures.askedAgain(s, text, choice)
	}
	if again.Effect == v1.EffectPrompt {
		return true, r.server.withdraw(ctx, again.Prompt.ID)
	}
	return true, nil
}

func (r *replay) choice(prompt *v1.Prompt) string {
	for _, key := range r.person.choices {
		if slices.ContainsFunc(prompt.Choices, func(c v1.Choice) bool { return c.Key == key }) {
			return key
		}
	}
	return ""
}

// after is the working directory behind a line: it follows cd in the shell itself, and
// returns to the launch directory where that leads out of it, as Claude Code does.
func after(line, cwd, launch string) string {
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		return cwd
	}
	for _, statement := range file.Stmts {
		if !statement.Background {
			cwd = follow(statement.Cmd, cwd)
		}
	}
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() || cwd != launch && !strings.HasPrefix(cwd, launch+"/") {
		return launch
	}
	return cwd
}

func follow(command syntax.Command, cwd string) string {
	switch command := command.(type) {
	case *syntax.BinaryCmd:
		if command.Op == syntax.AndStmt || command.Op == syntax.OrStmt {
			return follow(command.Y.Cmd, follow(command.X.Cmd, cwd))
		}
	case *syntax.CallExpr:
		if len(command.Args) == 2 && command.Args[0].Lit() == "cd" {
			return enter(literal(command.Args[1]), cwd)
		}
	}
	return cwd
}

// enter is where cd leads, or the same directory where that isn't known.
func enter(target, cwd string) string {
	if target == "" || strings.HasPrefix(target, "-") {
		return cwd
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(cwd, target)
	}
	if info, err := os.Stat(target); err != nil || !info.IsDir() {
		return cwd
	}
	return filepath.Clean(target)
}

// literal is a word of plain or quoted text, else empty.
func literal(word *syntax.Word) string {
	if text := word.Lit(); text != "" {
		return text
	}
	if len(word.Parts) != 1 {
		return ""
	}
	switch part := word.Parts[0].(type) {
	case *syntax.SglQuoted:
		return part.Value
	case *syntax.DblQuoted:
		if len(part.Parts) == 1 {
			if text, ok := part.Parts[0].(*syntax.Lit); ok {
				return text.Value
			}
		}
	}
	return ""
}
