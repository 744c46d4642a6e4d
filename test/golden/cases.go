//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/test/captured"
	"policyd/test/jsonl"
	"policyd/test/oracle/lines"
)

// Generated lines: how many, and by which seed.
const (
	generatedLines = 20_000
	generatedSeed  = 1
)

// group are the cases of one file of digests: those of one corpus, all payloads, or the
// generated lines.
type group struct {
	name  string
	kind  kind
	cases []*testCase
}

// testCase is one call. Its id is unique in its group.
type testCase struct {
	id   string
	call v1.Call
}

// row is one line of a corpus. Members that state what is right are not needed here.
type row struct {
	ID       string  `json:"id"`
	Command  string  `json:"command"`
	Cwd      string  `json:"cwd"`
	Shell    *string `json:"shell"`
	Platform string  `json:"platform"`
}

// readGroups reads the corpora and payloads of the repository at root.
func readGroups(root string) ([]group, error) {
	corpus := filepath.Join(root, "test", "testdata", "corpus")
	files, err := filepath.Glob(filepath.Join(corpus, "*.jsonl"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("find corpora in %s: %d files: %w", corpus, len(files), err)
	}
	var groups []group
	var known []string
	for _, file := range files {
		rows, err := jsonl.Read[row](file)
		if err != nil {
			return nil, err
		}
		g := group{name: strings.TrimSuffix(filepath.Base(file), ".jsonl")}
		g.kind.exposed = g.name == "attacks"
		if script := filepath.Join(corpus, g.name+".sh"); strings.HasPrefix(g.name, "suites") {
			g.kind.script = script
		}
		for i := range rows {
			g.cases = append(g.cases, &testCase{id: rows[i].id(i), call: rows[i].call()})
			if rows[i].Shell == nil {
				known = append(known, here(rows[i].Command, rows[i].Cwd))
			}
		}
		groups = append(groups, g)
	}
	payloads, err := readPayloads(filepath.Join(root, "test", "testdata", "fixtures"))
	if err != nil {
		return nil, err
	}
	generated := group{name: "generated", kind: kind{exposed: true}}
	for i, line := range lines.GenerateStable(known, generatedLines, generatedSeed) {
		text := row{Command: line}
		generated.cases = append(generated.cases, &testCase{id: fmt.Sprintf("%05d", i), call: text.call()})
	}
	return append(groups, payloads, generated), nil
}

func (r *row) id(at int) string {
	if r.ID == "" {
		return fmt.Sprintf("line-%d", at+1)
	}
	return r.ID
}

// call is the call of a line. One for a shell that Unix doesn't have belongs to a session
// on Windows.
func (r *row) call() v1.Call {
	args, err := json.Marshal(map[string]string{"command": here(r.Command, r.Cwd)})
	if err != nil {
		panic(err) // a map of texts
	}
	call := v1.Call{Tool: "Bash", Args: args, Cwd: projectDir, Session: session()}
	if r.Shell != nil {
		if !slices.Contains([]string{"bash", "sh", "dash", "zsh", "ksh"}, *r.Shell) {
			call.Tool, call.Cwd = "shell", ""
			call.Session = v1.Session{
				ID: "golden", Agent: "other", Audience: v1.AudiencePersonal, Interactive: new(true), Platform: "windows",
				ProjectDir: `C:\proj`, Home: `C:\Users\dev`,
			}
		}
		call.Session.Shell = *r.Shell
	}
	if r.Platform != "" {
		call.Session.Platform = r.Platform
	}
	return call
}

// readPayloads reads what agent programs sent to their hooks; events without a tool call
// have no facts.
func readPayloads(root string) (group, error) {
	g := group{name: "payloads"}
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".json") {
			return err
		}
		call, err := captured.Read(root, path, homeDir)
		if err != nil || call.Tool == "" {
			return err
		}
		agent := call.Session.Agent
		call.Session = session()
		call.Session.Agent = agent
		g.cases = append(g.cases, &testCase{id: path, call: call})
		return nil
	})
	if err != nil {
		return g, fmt.Errorf("read payloads: %w", err)
	}
	return g, nil
}
