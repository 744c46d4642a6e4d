package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// model is a language model that follows a script: it asks for one shell command
// after the other, and then is done. It speaks the APIs of several vendors.
type model struct {
	*httptest.Server
	// before is called before the command of that number is asked for.
	before func(int)

	mutex    sync.Mutex
	commands []string
	asked    int
	// transcript is every request's body.
	transcript strings.Builder
}

// newModel starts a model that asks for the commands in order.
func newModel(t *testing.T, commands ...string) *model {
	t.Helper()
	m := &model{commands: commands, before: func(int) {}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", m.anthropic)
	mux.HandleFunc("POST /v1/messages/count_tokens", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"input_tokens":1}`) })
	mux.HandleFunc("POST /v1/responses", m.responses)
	mux.HandleFunc("POST /v1/chat/completions", m.chat)
	mux.HandleFunc("POST /v1beta/models/{call}", m.gemini)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"no"}}`, http.StatusNotFound)
	})
	m.Server = httptest.NewServer(mux)
	t.Cleanup(m.Close)
	return m
}

// next is the command to ask for, and the tool that runs it, which is the first
// of tools that the client offers; empty when the script is over. A request
// without tools is a side question, such as for a title, and takes no step.
func (m *model) next(r *http.Request, tools ...string) (command, tool string) {
	body, _ := io.ReadAll(r.Body)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.transcript.Write(body)
	m.transcript.WriteByte('\n')
	for _, tool := range tools {
		if !strings.Contains(string(body), `"name":"`+tool+`"`) || m.asked >= len(m.commands) {
			continue
		}
		m.before(m.asked)
		m.asked++
		return m.commands[m.asked-1], tool
	}
	return "", ""
}

// heard is everything that the model received.
func (m *model) heard() string {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.transcript.String()
}

func (m *model) steps() int {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.asked
}

func event(w io.Writer, name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // the literals below encode
	}
	if name != "" {
		_, _ = fmt.Fprintf(w, "event: %s\n", name)
	}
	_, _ = fmt.Fprintf(w, "data: %s\n\n", text)
}

func arguments(command string) string {
	text, _ := json.Marshal(object{"command": command, "description": "a step"})
	return string(text)
}

func (m *model) anthropic(w http.ResponseWriter, r *http.Request) {
	command, _ := m.next(r, "Bash")
	w.Header().Set("Content-Type", "text/event-stream")
	event(w, "message_start", object{"type": "message_start", "message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": []any{}, "stop_reason": nil,
		"usage": object{"input_tokens": 1, "output_tokens": 1},
	}})
	block, delta, stop := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": "done"}, "end_turn"
	if command != "" {
		block = object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", m.steps()), "name": "Bash", "input": object{}}
		delta, stop = object{"type": "input_json_delta", "partial_json": arguments(command)}, "tool_use"
	}
	event(w, "content_block_start", object{"type": "content_block_start", "index": 0, "content_block": block})
	event(w, "content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": delta})
	event(w, "content_block_stop", object{"type": "content_block_stop", "index": 0})
	event(w, "message_delta", object{"type": "message_delta", "delta": object{"stop_reason": stop}, "usage": object{"output_tokens": 1}})
	event(w, "message_stop", object{"type": "message_stop"})
}

func (m *model) responses(w http.ResponseWriter, r *http.Request) {
	command, tool := m.next(r, "exec_command", "shell_command", "shell")
	w.Header().Set("Content-Type", "text/event-stream")
	item := object{"type": "message", "role": "assistant", "id": "m", "content": []any{object{"type": "output_text", "text": "done"}}}
	if command != "" {
		text, _ := json.Marshal(map[string]object{
			"exec_command": {"cmd": command}, "shell_command": {"command": command}, "shell": {"command": []string{"bash", "-lc", command}},
		}[tool])
		item = object{"type": "function_call", "id": "f", "call_id": fmt.Sprintf("call_%d", m.steps()), "name": tool, "arguments": string(text)}
	}
	event(w, "response.created", object{"type": "response.created", "response": object{"id": "r"}})
	event(w, "response.output_item.done", object{"type": "response.output_item.done", "output_index": 0, "item": item})
	event(w, "response.completed", object{"type": "response.completed", "response": object{
		"id": "r", "usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, "input_tokens_details": nil, "output_tokens_details": nil},
	}})
}

func (m *model) chat(w http.ResponseWriter, r *http.Request) {
	command, _ := m.next(r, "bash")
	w.Header().Set("Content-Type", "text/event-stream")
	delta, finish := object{"role": "assistant", "content": "done"}, "stop"
	if command != "" {
		finish = "tool_calls"
		delta = object{"role": "assistant", "tool_calls": []any{object{
			"index": 0, "id": fmt.Sprintf("call_%d", m.steps()), "type": "function", "function": object{"name": "bash", "arguments": arguments(command)},
		}}}
	}
	chunk := func(delta object, finish any) object {
		return object{"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": []any{
			object{"index": 0, "delta": delta, "finish_reason": finish},
		}}
	}
	event(w, "", chunk(delta, nil))
	event(w, "", chunk(object{}, finish))
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func (m *model) gemini(w http.ResponseWriter, r *http.Request) {
	command, _ := m.next(r, "run_shell_command")
	part := object{"text": "done"}
	if command != "" {
		part = object{"functionCall": object{"name": "run_shell_command", "args": object{"command": command, "description": "a step"}}}
	}
	answer := object{
		"candidates":    []any{object{"index": 0, "finishReason": "STOP", "content": object{"role": "model", "parts": []any{part}}}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	}
	if strings.HasSuffix(r.PathValue("call"), ":streamGenerateContent") {
		w.Header().Set("Content-Type", "text/event-stream")
		event(w, "", answer)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}
