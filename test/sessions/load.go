package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Session is one recorded session, as a line of a *.jsonl file holds it.
type Session struct {
	ID         string `json:"id"`
	Client     string `json:"client"`
	Ecosystem  string `json:"ecosystem"`
	Repository string `json:"repository"`
	// Root is where the repository lay, and LaunchDir the directory that the
	// client was started in; null or empty is the repository's root.
	Root      string `json:"repository_root"`
	LaunchDir string `json:"launch_dir"`
	// Tree is the file that lists the repository's files; empty is <repository>.tree.
	Tree  string   `json:"tree"`
	Calls []string `json:"calls"`
}

// longestLine bounds one session.
const longestLine = 16 << 20

// load reads the sessions of a folder, in the order of its files.
func load(dir string) ([]Session, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no *.jsonl file", dir)
	}
	// sessions.jsonl comes before sessions-more.jsonl.
	slices.SortFunc(files, func(a, b string) int {
		return strings.Compare(strings.TrimSuffix(a, ".jsonl"), strings.TrimSuffix(b, ".jsonl"))
	})
	var sessions []Session
	for _, file := range files {
		if sessions, err = loadFile(sessions, file); err != nil {
			return nil, err
		}
	}
	return sessions, nil
}

func loadFile(sessions []Session, name string) ([]Session, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("open sessions: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, longestLine)
	for number := 1; lines.Scan(); number++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		var s Session
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if s.ID == "" || s.Root == "" {
			return nil, fmt.Errorf("%s:%d: a session needs id and repository_root", name, number)
		}
		if s.LaunchDir == "" {
			s.LaunchDir = s.Root
		}
		if s.Tree == "" {
			s.Tree = s.Repository + ".tree"
		}
		if s.Ecosystem == "" {
			s.Ecosystem = s.Repository
		}
		sessions = append(sessions, s)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return sessions, nil
}

// recordedHome is the home directory in recorded sessions.
const recordedHome = "/home/dev"

// windows reports whether the session was recorded on Windows.
func (s *Session) windows() bool { return !strings.HasPrefix(s.Root, "/") }

// recordedScratch is where Claude Code kept its scratch directories for the recorded user.
const recordedScratch = "/tmp/claude-1000/"

// here is a recorded text with the placeholder's home in place of the recorded one, and with the user's
// number and the project's name as they are in the names of scratch directories.
func here(text, home string) string {
	return strings.NewReplacer(
		recordedHome, home, recordedScratch, scratchOf(os.Getuid()), dashed(recordedHome), dashed(home),
	).Replace(text)
}

func scratchOf(user int) string { return fmt.Sprintf("/tmp/claude-%d/", user) }

// dashed is a path as it is in the names of scratch directories.
func dashed(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, path)
}
