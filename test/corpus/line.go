package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	v1 "policyd/api/v1"
	"policyd/test/decider"
)

// line is one case of a file. Members that the report has no use for are
// skipped: every corpus has its own.
type line struct {
	ID      string `json:"id"`
	Command string `json:"command"`
	Cwd     string `json:"cwd"`
	Class   string `json:"class"`
	Label   string `json:"label"`
	// Shell is set, possibly to "", if the line isn't for bash.
	Shell *string `json:"shell"`
	// Platform is darwin for a line of a session there.
	Platform string `json:"platform"`
	// Accept holds the decisions that are right: allow, prompt, deny.
	Accept []string `json:"accept"`
	number int
}

// asked is the line as the engine takes it.
func (l *line) asked() decider.Line {
	asked := decider.Line{Command: l.Command, Cwd: l.Cwd, Platform: l.Platform}
	if l.Shell != nil {
		asked.Shell = *l.Shell
		asked.Windows = !slices.Contains([]string{"bash", "sh", "dash", "zsh", "ksh"}, *l.Shell)
	}
	return asked
}

// name is what the report calls the line.
func (l *line) name() string {
	name := l.ID
	if name == "" {
		name = fmt.Sprintf("line %d", l.number)
	}
	for _, class := range []string{l.Class, l.Label} {
		if class != "" {
			return name + " [" + class + "]"
		}
	}
	return name
}

// read reads a file of cases. A file without cases is an error, and so is a
// case that says nothing of what is right: both would pass unseen.
func read(name string) ([]line, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read lines: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	var lines []line
	for {
		l := line{number: len(lines) + 1}
		err := decoder.Decode(&l)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read %s, case %d: %w", name, l.number, err)
		}
		if l.Command == "" || len(l.Accept) == 0 {
			return nil, fmt.Errorf("read %s, case %d: command and accept are required", name, l.number)
		}
		for _, word := range l.Accept {
			if _, err := v1.ParseEffect(word); err != nil {
				return nil, fmt.Errorf("read %s, case %d: %w", name, l.number, err)
			}
		}
		lines = append(lines, l)
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("read %s: it holds no lines", name)
	}
	return lines, nil
}
