package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// model is a language model that wants to run one command, and then is done. It
// speaks the API of Anthropic and that of Google.
type model struct {
	*httptest.Server
	command string

	mu sync.Mutex
	// results are the results of the command, as the agent reported them.
	results []string
}

func startModel(t *testing.T, command string) *model {
	t.Helper()
	m := &model{command: command}
	m.Server = httptest.NewServer(http.HandlerFunc(m.answer))
	t.Cleanup(m.Close)
	return m
}

func (m *model) answer(writer http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	text := string(body)
	m.mu.Lock()
	done := strings.Contains(text, `"tool_result"`) || strings.Contains(text, `"functionResponse"`)
	if done {
		m.results = append(m.results, text)
	}
	m.mu.Unlock()
	writer.Header().Set("Content-Type", "text/event-stream")
	runs := !done && (strings.Contains(text, `"bash"`) || strings.Contains(text, "run_shell_command"))
	switch {
	case strings.HasSuffix(request.URL.Path, "/messages"):
		m.anthropic(writer, runs)
	case strings.Contains(request.URL.Path, "streamGenerateContent"):
		m.google(writer, runs)
	default: // which model to use, and how much was sent
		writer.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(writer, `{"totalTokens":1,"candidates":[{"index":0,"finishReason":"STOP","content":{"role":"model","parts":[`+
			`{"text":"{\"reasoning\":\"x\",\"model_choice\":\"flash\"}"}]}}]}`)
	}
}

func (m *model) anthropic(writer io.Writer, runs bool) {
	event := func(kind string, fields object) {
		fields["type"] = kind
		text, _ := json.Marshal(fields)
		_, _ = fmt.Fprintf(writer, "event: %s\ndata: %s\n\n", kind, text)
	}
	event("message_start", object{"message": object{
		"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []any{}, "usage": object{"input_tokens": 1, "output_tokens": 1},
	}})
	stop := "end_turn"
	if runs {
		input, _ := json.Marshal(object{"command": m.command, "description": "what is asked for"})
		stop = "tool_use"
		event("content_block_start", object{"index": 0, "content_block": object{"type": "tool_use", "id": "call_1", "name": "bash", "input": object{}}})
		event("content_block_delta", object{"index": 0, "delta": object{"type": "input_json_delta", "partial_json": string(input)}})
	} else {
		event("content_block_start", object{"index": 0, "content_block": object{"type": "text", "text": ""}})
		event("content_block_delta", object{"index": 0, "delta": object{"type": "text_delta", "text": "done"}})
	}
	event("content_block_stop", object{"index": 0})
	event("message_delta", object{"delta": object{"stop_reason": stop}, "usage": object{"output_tokens": 1}})
	event("message_stop", object{})
}

func (m *model) google(writer io.Writer, runs bool) {
	part := object{"text": "done"}
	if runs {
		part = object{"functionCall": object{"name": "run_shell_command", "args": object{"command": m.command, "description": "what is asked for"}}}
	}
	text, _ := json.Marshal(object{
		"candidates":    []object{{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": []object{part}}}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	})
	_, _ = fmt.Fprintf(writer, "data: %s\n\n", text)
}

// acpClient drives an agent through the gate as an editor does.
type acpClient struct {
	gate *stand
	// asked are the requests that reached the client.
	asked []string
}

// request sends a request and answers what the agent asks until it is answered. The
// client's person always says no.
func (c *acpClient) request(t *testing.T, id int, method string, params object) json.RawMessage {
	t.Helper()
	c.gate.send(t, acpRequest(id, method, params)+"\n")
	for {
		line := c.gate.next(t)
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Result json.RawMessage `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		require.NoErrorf(t, json.Unmarshal([]byte(line), &m), "%s", line)
		switch {
		case m.Method == "" && string(m.ID) == fmt.Sprint(id):
			require.Nilf(t, m.Error, "%s\n%s", line, c.gate.stderr)
			return m.Result
		case m.Method != "" && m.ID != nil:
			c.asked = append(c.asked, m.Method)
			c.gate.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"cancelled"}}}`+"\n", m.ID))
		}
	}
}

// TestRealACPAgents puts the gate between a client and agents that others wrote
// (N3, N8).
func TestRealACPAgents(t *testing.T) {
	for _, agent := range []struct {
		program, flag string
		settings      func(home, project, model string) map[string]string
		env           func(model string) []string
	}{
		{
			program: "opencode", flag: "acp",
			settings: func(_, project, model string) map[string]string {
				return map[string]string{filepath.Join(project, "opencode.json"): fmt.Sprintf(
					`{"permission":{"bash":"ask"},"model":"anthropic/claude-sonnet-4-5","provider":{"anthropic":{"options":{"baseURL":"%s/v1","apiKey":"x"}}}}`, model)}
			},
			env: func(string) []string {
				return []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"}
			},
		},
		{
			program: "gemini", flag: "--acp",
			settings: func(home, _, _ string) map[string]string {
				return map[string]string{filepath.Join(home, ".gemini", "settings.json"): `{"model":{"name":"gemini-2.5-flash"},"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":false}}}`}
			},
			env: func(model string) []string {
				return []string{"GEMINI_API_KEY=x", "GOOGLE_GEMINI_BASE_URL=" + model, "GEMINI_CLI_TRUST_WORKSPACE=true"}
			},
		},
	} {
		for _, c := range []struct {
			name, command string
			asks          bool
			result        string
		}{
			// The policy allows it with certainty if it gets the raw input; Gemini runs it without a request.
			{"a safe verb", "git status", false, "branch"},
			{"a secret", "cat .env", false, ""},
			{"a verb that asks", "git push", true, ""},
		} {
			t.Run(agent.program+"/"+c.name, func(t *testing.T) {
				path := clientProgram(t, agent.program)
				tree, s, m := newTree(t), startServer(t), startModel(t, c.command)
				home := shortDir(t) // the agent's: what it leaves running may still write there
				for file, text := range agent.settings(home, tree.Project, m.URL) {
					require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
					require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
				}
				client := &acpClient{gate: s.standWith(t, tree.Project, append(agent.env(m.URL), "HOME="+home), "acp", "--", path, agent.flag)}
				client.request(t, 0, "initialize", object{
					"protocolVersion":    1,
					"clientCapabilities": object{"fs": object{"readTextFile": true, "writeTextFile": true}, "terminal": true},
				})
				var session struct{ SessionID string }
				made := client.request(t, 1, "session/new", object{"cwd": tree.Project, "mcpServers": []any{}})
				require.NoError(t, json.Unmarshal(made, &session))
				client.request(t, 2, "session/prompt", object{"sessionId": session.SessionID, "prompt": []object{{"type": "text", "text": "go"}}})
				client.gate.end(t)
				if c.asks {
					assert.Equal(t, []string{"session/request_permission"}, client.asked)
				} else {
					assert.Empty(t, client.asked, "policy is certain, and files are not asked for")
				}
				m.mu.Lock()
				defer m.mu.Unlock()
				if !c.asks && c.result != "" {
					require.NotEmpty(t, m.results)
					assert.Contains(t, m.results[0], c.result)
				}
				assert.NotContains(t, strings.Join(m.results, "\n"), "SECRET", "what is denied doesn't run")
			})
		}
	}
}
