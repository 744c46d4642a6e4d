package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/corpus/engine"
)

// sharedCorpus is the folder of lines and sessions that isn't part of the repository:
// ../shared/corpus beside it, unless POLICYD_SHARED_CORPUS names another one. It may be missing.
func sharedCorpus(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("POLICYD_SHARED_CORPUS"); dir != "" {
		return dir
	}
	root, err := filepath.Abs(".")
	require.NoError(t, err)
	for !exists(filepath.Join(root, "go.mod")) {
		require.NotEqual(t, "/", filepath.ToSlash(root), "no go.mod above the test")
		root = filepath.Dir(root)
	}
	return filepath.Join(root, "..", "shared", "corpus")
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// sampled is which of the recorded calls are read with -short: every so many.
const sampled = 10

// recorded are the calls of recorded sessions, as if the project were their repository. Each
// text is read once.
func (a *asking) recorded(t *testing.T) []v1.Call {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(sharedCorpus(t), "sessions", "*.jsonl"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Logf("left out: no recorded sessions in %s", sharedCorpus(t))
	}
	var texts []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		decoder := json.NewDecoder(bytes.NewReader(text))
		for {
			var session struct {
				Root  string `json:"repository_root"`
				Calls []string
			}
			err := decoder.Decode(&session)
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, name)
			require.NotEmpty(t, session.Calls, name)
			for _, command := range session.Calls {
				if session.Root != "" {
					command = strings.ReplaceAll(command, session.Root, a.project)
				}
				texts = append(texts, strings.ReplaceAll(command, "/home/dev", filepath.Dir(a.project)))
			}
		}
	}
	slices.Sort(texts)
	var calls []v1.Call
	for i, command := range slices.Compact(texts) {
		if command != "" && (!testing.Short() || i%sampled == 0) {
			calls = append(calls, a.call(engine.Line{Command: command}, true))
		}
	}
	return calls
}

// captured are the calls that clients' hooks sent.
func (a *asking) captured(t *testing.T) []v1.Call {
	t.Helper()
	agents := map[string]string{
		"claude": "claude-code", "codex": "codex", "gemini": "gemini-cli", "copilot": "copilot-cli", "opencode": "opencode",
	}
	const root = "../testdata/fixtures"
	var calls []v1.Call
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".json") {
			return err
		}
		client, _, _ := strings.Cut(name, "/")
		require.Contains(t, agents, client)
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		call := a.call(engine.Line{}, true)
		call.Session.Agent = agents[client]
		a.payload(t, strings.ReplaceAll(string(text), "/home/dev", filepath.Dir(a.project)), &call)
		if call.Tool != "" {
			calls = append(calls, call)
		}
		return nil
	}))
	require.NotEmpty(t, calls)
	return calls
}

// payload reads tool, arguments and directory of what a client sends to its hook. The tool
// stays empty for an event that is no call.
func (a *asking) payload(t *testing.T, text string, call *v1.Call) {
	t.Helper()
	var p struct {
		BodyRaw   string          `json:"body_raw"`
		ToolName  string          `json:"tool_name"`
		ToolInput json.RawMessage `json:"tool_input"`
		Cwd       string          `json:"cwd"`
		CamelName string          `json:"toolName"`
		CamelArgs json.RawMessage `json:"toolArgs"`
		Input     struct {
			Tool string `json:"tool"`
		} `json:"input"`
		Output struct {
			Args json.RawMessage `json:"args"`
		} `json:"output"`
		Directory string          `json:"directory"`
		Method    string          `json:"method"`
		Params    json.RawMessage `json:"params"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &p))
	if p.BodyRaw != "" {
		require.NoError(t, json.Unmarshal([]byte(p.BodyRaw), &p))
	}
	call.Tool, call.Args = "", json.RawMessage("{}")
	for _, name := range []string{p.Method, p.Input.Tool, p.CamelName, p.ToolName} {
		if name != "" {
			call.Tool = name
		}
	}
	for _, args := range []json.RawMessage{p.Params, p.Output.Args, p.CamelArgs, p.ToolInput} {
		if len(args) > 0 && string(args) != "null" {
			call.Args = args
		}
	}
	for _, dir := range []string{p.Directory, p.Cwd} {
		if dir != "" {
			call.Cwd = dir
		}
	}
	if p.Method != "" {
		call.Protocol = "acp"
	}
}
