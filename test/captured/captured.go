// Package captured reads what real agent programs sent to their hooks: the files of
// test/testdata/fixtures, in a directory for each program.
package captured

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	v1 "policyd/api/v1"
)

// agents are the names of the programs' sessions.
var agents = map[string]string{
	"claude": "claude-code", "codex": "codex", "gemini": "gemini-cli", "copilot": "copilot-cli", "opencode": "opencode",
}

// payload is the union of what the programs send to their hooks.
type payload struct {
	BodyRaw string `json:"body_raw"`

	ToolName  string          `json:"tool_name"`
	ToolInput json.RawMessage `json:"tool_input"`
	Cwd       string          `json:"cwd"`

	CamelName  string          `json:"toolName"`
	CamelArgs  json.RawMessage `json:"toolArgs"`
	CamelInput json.RawMessage `json:"toolInput"`

	Input struct {
		Tool string `json:"tool"`
	} `json:"input"`
	Output struct {
		Args json.RawMessage `json:"args"`
	} `json:"output"`
	Directory string `json:"directory"`

	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// Read makes a call of a file below root, as an adapter does: the tool's name, its arguments, the directory
// and the session's agent. The home is in for /home/dev. Tool is empty for an event without a tool call.
func Read(root, name, home string) (v1.Call, error) {
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return v1.Call{}, fmt.Errorf("read payload: %w", err)
	}
	client, _, _ := strings.Cut(name, "/")
	agent, known := agents[client]
	if !known {
		return v1.Call{}, fmt.Errorf("read %s: no agent program is called %q", name, client)
	}
	var p payload
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(text), "/home/dev", home)), &p); err != nil {
		return v1.Call{}, fmt.Errorf("read %s: %w", name, err)
	}
	if p.BodyRaw != "" {
		if err := json.Unmarshal([]byte(p.BodyRaw), &p); err != nil {
			return v1.Call{}, fmt.Errorf("read body of %s: %w", name, err)
		}
	}
	call := v1.Call{
		Tool: first(p.ToolName, p.CamelName, p.Input.Tool, p.Method),
		Args: firstArgs(p.ToolInput, p.CamelArgs, p.CamelInput, p.Output.Args, p.Params),
		Cwd:  first(p.Cwd, p.Directory), Session: v1.Session{Agent: agent},
	}
	if p.Method != "" {
		call.Protocol = "acp"
	}
	return call, nil
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

func firstArgs(candidates ...json.RawMessage) json.RawMessage {
	for _, args := range candidates {
		if len(args) > 0 && string(args) != "null" {
			return args
		}
	}
	return json.RawMessage("{}")
}
