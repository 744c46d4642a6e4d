package clients_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fixtures are payloads of real programs; payloads are those that no program was
// seen to send, made by its documentation.
const (
	fixtures = "../testdata/fixtures"
	payloads = "testdata/payloads"
	golden   = "testdata/golden"
)

// modes are the ways in which a hook can be installed, by their query.
var modes = []struct{ name, query string }{
	{"plain", ""},
	{"auto_approve", "auto_approve=true"},
	{"unattended", "interactive=false"},
}

// said is one reply in a golden file.
type said struct {
	Decision string          `json:"decision"`
	Exit     string          `json:"exit"`
	Reply    json.RawMessage `json:"reply"`
}

// payloadFile is one payload with the client that sends it.
type payloadFile struct {
	root, path, client string
}

// collect lists the payloads that are sent to hooks, and those for which policyd is between the agent and its
// host, which no hook sees.
func collect(t *testing.T) (hooks []payloadFile, proxied []string) {
	t.Helper()
	for _, root := range []string{fixtures, payloads} {
		require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			client, _, _ := strings.Cut(path, "/")
			if strings.HasPrefix(filepath.Base(path), "acp-") {
				proxied = append(proxied, path)
				return nil
			}
			hooks = append(hooks, payloadFile{root, path, client})
			return nil
		}))
	}
	require.NotEmpty(t, hooks)
	return hooks, proxied
}

// TestRepliesToEveryPayload checks the reply to each payload of each client: the exact bytes, the decision
// for the call's class, and that only an allow lets the tool run (V12, P14, and the clients' own rules).
func TestRepliesToEveryPayload(t *testing.T) {
	hooks, _ := collect(t)
	wanted := classes(t)
	replies := map[string]map[string]said{}
	for _, mode := range modes {
		s := startServer(t, "")
		started := map[string]bool{}
		for _, file := range hooks {
			text, err := os.ReadFile(filepath.Join(file.root, file.path))
			require.NoError(t, err)
			got := s.deliver(t, file, mode.query, string(text), started)
			t.Run(mode.name+"/"+strings.TrimSuffix(file.path, ".json"), func(t *testing.T) {
				checkOutcome(t, file.client, eventName(t, file, string(text)), mode.name, got)
				if want, decided := wanted[file.path]; decided && mode.name != "unattended" {
					assert.Contains(t, want, got.decision)
				}
			})
			if replies[file.path] == nil {
				replies[file.path] = map[string]said{}
			}
			replies[file.path][mode.name] = said{got.decision, got.exit, s.anywhere(got.body)}
		}
	}
	compareGolden(t, replies)
}

// deliver sends a payload as its client would. If a client names the project at the start of a session alone,
// the session is started first.
func (s *server) deliver(t *testing.T, file payloadFile, query, payload string, started map[string]bool) answer {
	t.Helper()
	if file.client == "claude" {
		query += "&project=/home/dev/proj"
	}
	id := sessionOf(t, payload)
	if event := startEvents[file.client]; event != "" && !started[file.client+id] && id != "" {
		started[file.client+id] = true
		got := s.hook(t, file.client, query, strings.ReplaceAll(event, "ID", id))
		require.Equal(t, "none", got.decision)
	}
	if strings.HasPrefix(filepath.Base(file.path), "http-") {
		return s.overHTTP(t, file.client, query, payload)
	}
	return s.hook(t, file.client, query, payload)
}

var startEvents = map[string]string{
	"codex":   `{"hook_event_name":"SessionStart","session_id":"ID","cwd":"/home/dev/proj","source":"startup"}`,
	"gemini":  `{"hook_event_name":"SessionStart","session_id":"ID","cwd":"/home/dev/proj","source":"startup"}`,
	"copilot": `{"sessionId":"ID","timestamp":1,"cwd":"/home/dev/proj","source":"new"}`,
}

// overHTTP sends what a client's HTTP hook sent, with its headers and a token.
func (s *server) overHTTP(t *testing.T, client, query, payload string) answer {
	t.Helper()
	var captured struct {
		HTTP struct {
			Headers map[string]string `json:"headers"`
		} `json:"http"`
		Body string `json:"body_raw"`
	}
	require.NoError(t, json.Unmarshal([]byte(payload), &captured))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/hooks/"+client, strings.NewReader(s.here(captured.Body)))
	require.NoError(t, err)
	for name, value := range captured.HTTP.Headers {
		if !slices.Contains([]string{"host", "content-length", "connection", "accept-encoding"}, strings.ToLower(name)) {
			request.Header.Set(name, value)
		}
	}
	request.Header.Set("Authorization", "Bearer "+s.token(t, "agent"))
	request.URL.RawQuery = s.query(t, query)
	return s.send(t, http.DefaultClient, request)
}

// inner is the payload itself, where a file holds a whole request.
func inner(t *testing.T, payload string) map[string]any {
	t.Helper()
	var object map[string]any
	require.NoError(t, json.Unmarshal([]byte(payload), &object))
	if body, isRequest := object["body_raw"].(string); isRequest {
		object = nil
		require.NoError(t, json.Unmarshal([]byte(body), &object))
	}
	return object
}

func sessionOf(t *testing.T, payload string) string {
	t.Helper()
	object := inner(t, payload)
	for _, key := range []string{"session_id", "sessionId"} {
		if id, found := object[key].(string); found {
			return id
		}
	}
	return ""
}

// eventName is the event of a payload as its client knows it.
func eventName(t *testing.T, file payloadFile, payload string) string {
	t.Helper()
	object := inner(t, payload)
	for _, key := range []string{"hook_event_name", "hookName"} {
		if name, found := object[key].(string); found {
			return name
		}
	}
	require.Equal(t, "copilot", file.client)
	return "preToolUse"
}

// checkOutcome checks that a client does what was decided, and that no reply makes it run the tool, or block,
// by accident.
func checkOutcome(t *testing.T, client, event, mode string, got answer) {
	t.Helper()
	does := outcome(client, event, got)
	allowed := map[string][]string{"deny": {blocks}, "none": {runs, leaves}}
	question := strings.Contains(strings.ToLower(event), "permission")
	switch {
	case question && client == "opencode": // its question contains less than the tool gets
		allowed["none"], allowed["prompt"], allowed["allow"] = []string{asks}, []string{asks}, []string{asks}
	case question:
		allowed["prompt"], allowed["allow"] = []string{leaves}, []string{leaves}
		if mode == "auto_approve" {
			allowed["allow"] = []string{runs}
		}
	case client == "codex" || client == "cursor":
		allowed["prompt"], allowed["allow"] = []string{blocks}, []string{leaves, runs}
	default:
		allowed["prompt"], allowed["allow"] = []string{asks}, []string{leaves, runs}
	}
	if mode == "unattended" && got.decision != "none" {
		assert.NotEqual(t, "prompt", got.decision, "nobody is there (A7)")
		if !question { // if the client's own question is open, it is left to it
			assert.NotEqual(t, asks, does, "the client would hang")
		}
	}
	assert.Containsf(t, allowed[got.decision], does, "%s, exit %s: %s", got.decision, got.exit, got.body)
}

// classes states which decisions each captured payload may get.
func classes(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("../testdata/expectations.json")
	require.NoError(t, err)
	var expected struct {
		Classes []struct {
			Want  []string `json:"want"`
			Files []string `json:"files"`
		} `json:"classes"`
	}
	require.NoError(t, json.Unmarshal(text, &expected))
	out := map[string][]string{}
	for _, class := range expected.Classes {
		for _, file := range class.Files {
			out[file] = class.Want
		}
	}
	require.NotEmpty(t, out)
	return out
}

var anyID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}`)

// anywhere takes out of a reply what differs from run to run.
func (s *server) anywhere(body []byte) json.RawMessage {
	text := strings.ReplaceAll(string(body), s.Home, "/home/dev")
	return json.RawMessage(anyID.ReplaceAllString(text, "PROMPT"))
}

// compareGolden compares replies with the golden files; no file may be left over.
func compareGolden(t *testing.T, replies map[string]map[string]said) {
	t.Helper()
	for path, modes := range replies {
		got := encodeGolden(t, modes)
		file := filepath.Join(golden, path)
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, got, 0o600))
		}
		want, err := os.ReadFile(file)
		require.NoErrorf(t, err, "a payload without its reply; -update writes it")
		assert.Equalf(t, string(want), string(got), "the reply to %s", path)
	}
	require.NoError(t, fs.WalkDir(os.DirFS(golden), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			assert.Containsf(t, replies, path, "a golden reply to no payload")
		}
		return err
	}))
}

func encodeGolden(t *testing.T, modes map[string]said) []byte {
	t.Helper()
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	require.NoError(t, encoder.Encode(modes))
	return out.Bytes()
}

// TestNoPayloadIsForgotten checks that what no hook sees is an agent's request over ACP and nothing else.
func TestNoPayloadIsForgotten(t *testing.T) {
	hooks, proxied := collect(t)
	for _, path := range proxied {
		text, err := os.ReadFile(filepath.Join(fixtures, path))
		require.NoError(t, err)
		var request struct {
			Method string `json:"method"`
		}
		require.NoError(t, json.Unmarshal(text, &request))
		assert.NotEmptyf(t, request.Method, "%s is no request", path)
	}
	seen := map[string]bool{}
	for _, file := range hooks {
		seen[file.client] = true
	}
	assert.Len(t, seen, 6, "every client")
}
