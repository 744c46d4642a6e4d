package clients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/clients/reply"
)

// clientsVariable names the directory with the clients' programs, and asks for
// their tests: make test-clients.
const clientsVariable = "POLICYD_TEST_CLIENTS"

// realClient is how one agent program is driven without a person and without a
// network, with every question of its own answered yes.
type realClient struct {
	name string
	// model is the name of the model that is driven, and others are names for which the client offers other tools.
	model  string
	others []string
	// args and environment name the model's address.
	args, environment func(address string) []string
	// settings are files of the client's own in the home; %s is the model's address.
	settings map[string]string
	// flags are the install's: headless, Gemini waits for ever for an answer to ask.
	flags []string
	// trust is what a person does once after the install.
	trust func(t *testing.T, r *realRun)
}

// with is the client with a model of another name.
func (c realClient) with(model string) *realClient {
	renamed := func(of func(string) []string) func(string) []string {
		return func(address string) []string {
			words := slices.Clone(of(address))
			for i := range words {
				words[i] = strings.ReplaceAll(words[i], c.model, model)
			}
			return words
		}
	}
	c.args, c.environment, c.settings = renamed(c.args), renamed(c.environment), maps.Clone(c.settings)
	for name, text := range c.settings {
		c.settings[name] = strings.ReplaceAll(text, c.model, model)
	}
	return &c
}

func fixed(words ...string) func(string) []string { return func(string) []string { return words } }

func realClients() []realClient {
	return []realClient{
		{
			name: "claude", model: "claude-sonnet-4-5", others: []string{"claude-opus-4-5", "claude-haiku-4-5"}, args: fixed("-p", "go on", "--allowedTools", "Bash", "--model", "claude-sonnet-4-5"),
			environment: func(address string) []string {
				return []string{
					"ANTHROPIC_BASE_URL=" + address, "ANTHROPIC_API_KEY=none", "DISABLE_TELEMETRY=1",
					"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
				}
			},
		},
		{
			name: "codex", model: "scripted", others: []string{"gpt-5.1-codex", "gpt-5", "o3"}, environment: fixed(), trust: trustCodex,
			args: func(address string) []string {
				return []string{
					"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-c", `model="scripted"`,
					"-c", `model_provider="local"`, "-c", `model_providers.local={name="local",base_url="` + address + `/v1",wire_api="responses"}`, "go on",
				}
			},
		},
		{
			name: "gemini", model: "gemini-2.5-flash", others: []string{"gemini-3-pro-preview", "gemini-2.5-pro"}, flags: []string{"--no-interactive"}, args: fixed("-p", "go on", "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"),
			environment: func(address string) []string {
				return []string{"GEMINI_API_KEY=none", "GOOGLE_GEMINI_BASE_URL=" + address, "GEMINI_TELEMETRY_ENABLED=false"}
			},
			settings: map[string]string{".gemini/settings.json": `{
  // the person's own
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "general": {"disableAutoUpdate": true}
}`},
		},
		{
			name: "opencode", model: "scripted", others: []string{"gpt-5.1-codex", "claude-sonnet-4-5"}, args: fixed("run", "-m", "local/scripted", "go on"),
			environment: func(address string) []string {
				return []string{"MODEL=" + address + "/v1", "OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"}
			},
			settings: map[string]string{".config/opencode/opencode.json": `{
  // the person's own
  "provider": {"local": {
    "npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "{env:MODEL}", "apiKey": "none"},
    "models": {"scripted": {"name": "scripted", "tool_call": true}}
  }}
}`},
		},
		{
			name: "copilot", model: "scripted", others: []string{"gpt-5.1-codex", "claude-sonnet-4.5"}, args: fixed("-p", "go on", "--allow-all-tools"),
			environment: func(address string) []string {
				return []string{
					"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + address + "/v1", "COPILOT_PROVIDER_TYPE=openai", "COPILOT_MODEL=scripted",
				}
			},
		},
	}
}

// trustCodex makes Codex trust its hooks, over its app server, as a person does in /hooks.
func trustCodex(t *testing.T, r *realRun) {
	t.Helper()
	command := exec.CommandContext(t.Context(), r.program, "app-server")
	command.Dir, command.Env = r.project, r.env
	input, err := command.StdinPipe()
	require.NoError(t, err)
	output, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	defer func() { _ = command.Process.Kill(); _ = command.Wait() }()
	answers := bufio.NewScanner(output)
	answers.Buffer(nil, 1<<20)
	call := func(id int, method string, params any) (answer struct {
		ID     int `json:"id"`
		Result struct {
			Data []struct {
				Hooks []struct {
					Key         string `json:"key"`
					CurrentHash string `json:"currentHash"`
				} `json:"hooks"`
			} `json:"data"`
		} `json:"result"`
	},
	) {
		text, err := json.Marshal(object{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
		require.NoError(t, err)
		_, err = input.Write(append(text, '\n'))
		require.NoError(t, err)
		for answers.Scan() {
			if json.Unmarshal(answers.Bytes(), &answer) == nil && answer.ID == id {
				return answer
			}
		}
		require.Fail(t, "codex gave no answer to "+method)
		return answer
	}
	call(1, "initialize", object{"clientInfo": object{"name": "test", "version": "1"}, "capabilities": object{"experimentalApi": true}})
	found := call(2, "hooks/list", object{"cwds": []string{r.project}})
	require.NotEmpty(t, found.Result.Data)
	state := object{}
	for _, hook := range found.Result.Data[0].Hooks {
		state[hook.Key] = object{"trusted_hash": hook.CurrentHash}
	}
	require.NotEmpty(t, state)
	call(3, "config/batchWrite", object{"edits": []any{object{"keyPath": "hooks.state", "value": state, "mergeStrategy": "upsert"}}})
}

// realRun is one home with a project, a server and an installed client.
type realRun struct {
	home, project, policyd, program string
	env                             []string
	server                          *exec.Cmd
}

// TestRealClients drives the real agent programs, with a model that follows a
// script, and holds what the hooks are for: a denied command leaves no trace, an
// allowed one runs, and with policyd gone in the middle of a session nothing runs.
func TestRealClients(t *testing.T) {
	bin := os.Getenv(clientsVariable)
	if bin == "" {
		t.Skip("skipped: " + clientsVariable + " is not set; make test-clients installs the programs and sets it")
	}
	programs := buildPrograms(t)
	for _, client := range realClients() {
		t.Run(client.name, func(t *testing.T) {
			program := filepath.Join(bin, client.name)
			if _, err := os.Stat(program); err != nil {
				t.Skipf("skipped: %v", err)
			}
			r := newRealRun(t, programs, program)
			r.write(t, client.settings)
			t.Run("without hooks all runs", func(t *testing.T) {
				model := newModel(t, "cat .env > leaked.txt")
				r.drive(t, &client, model)
				require.FileExists(t, filepath.Join(r.project, "leaked.txt"), "the rig itself lets commands run:\n%s", model.heard())
				require.NoError(t, os.Remove(filepath.Join(r.project, "leaked.txt")))
			})
			r.install(t, &client, "0s")
			r.serve(t)
			t.Run("a denied command leaves no trace, an allowed one runs", func(t *testing.T) {
				model := newModel(t, "cat .env > leaked.txt", "cat marker.txt")
				r.drive(t, &client, model)
				assert.Equal(t, 2, model.steps())
				assert.NoFileExists(t, filepath.Join(r.project, "leaked.txt"))
				assert.NotContains(t, model.heard(), "hunter2")
				assert.Contains(t, model.heard(), "the marker's text")
				assert.Contains(t, model.heard(), "secret", "the model is told why")
			})
			t.Run("a call is judged in the directory where it runs", func(t *testing.T) {
				model := newModel(t, "cd inner", "cat which.txt")
				r.drive(t, &client, model)
				require.Equal(t, 2, model.steps())
				want := r.project
				if strings.Contains(model.heard(), "the inner one") {
					want = filepath.Join(r.project, "inner") // the shell keeps its directory
				} else {
					require.Contains(t, model.heard(), "the outer one")
				}
				assert.Equal(t, want, r.lastRecord(t).Input.Cwd)
			})
			t.Run("what a person would have to approve does not run", func(t *testing.T) {
				model := newModel(t, "touch asked.txt", "cat marker.txt")
				r.drive(t, &client, model)
				assert.Positive(t, model.steps())
				assert.NoFileExists(t, filepath.Join(r.project, "asked.txt"))
			})
			t.Run("a question that is held is answered elsewhere", func(t *testing.T) {
				attended := client
				attended.flags = nil // somebody answers
				r.install(t, &attended, "1m")
				assert.NotContains(t, r.run(t, r.policyd, "doctor"), "trust", "the hook that shows where to answer is trusted")
				model := newModel(t, "touch asked.txt", "cat marker.txt")
				stop := r.answerAll(t, client.name)
				r.drive(t, &client, model)
				stop()
				assert.FileExists(t, filepath.Join(r.project, "asked.txt"))
				r.install(t, &client, "0s")
			})
			t.Run("policyd killed in the middle", func(t *testing.T) {
				model := newModel(t, "cat marker.txt", "cat second.txt", "cat marker.txt > trace.txt")
				model.before = func(step int) {
					if step == 1 {
						require.NoError(t, r.server.Process.Kill())
						_ = r.server.Wait()
					}
				}
				r.drive(t, &client, model)
				assert.Greater(t, model.steps(), 1)
				assert.Contains(t, model.heard(), "the marker's text")
				assert.NotContains(t, model.heard(), "the second's text")
				assert.NoFileExists(t, filepath.Join(r.project, "trace.txt"))
			})
		})
	}
}

func buildPrograms(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	command := exec.CommandContext(t.Context(), "go", "build", "-o", dir+"/", "policyd/cmd/policyd", "policyd/cmd/policyd-hook")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	text, err := command.CombinedOutput()
	require.NoErrorf(t, err, "%s", text)
	return dir
}

func newRealRun(t *testing.T, programs, client string) *realRun {
	t.Helper()
	home, err := os.MkdirTemp("", "home") //nolint:usetesting // t.TempDir may be too long for a socket
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	r := &realRun{
		home: home, project: filepath.Join(home, "proj"), policyd: filepath.Join(programs, "policyd"), program: client,
		env: []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "SHELL=/bin/bash", "TERM=dumb", "NO_COLOR=1", "CI=1"},
	}
	r.write(t, map[string]string{
		"proj/marker.txt": "the marker's text\n", "proj/second.txt": "the second's text\n", "proj/.env": "PASSWORD=hunter2\n",
		"proj/which.txt": "the outer one\n", "proj/inner/which.txt": "the inner one\n",
	})
	r.run(t, "git", "init", "--quiet", ".")
	return r
}

// write writes files of the home.
func (r *realRun) write(t *testing.T, files map[string]string) {
	t.Helper()
	for path, text := range files {
		path = filepath.Join(r.home, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
}

func (r *realRun) run(t *testing.T, program string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Dir, command.Env = r.project, r.env
	text, err := command.CombinedOutput()
	require.NoErrorf(t, err, "%s", text)
	return string(text)
}

// lastRecord is the record of the newest decision.
func (r *realRun) lastRecord(t *testing.T) (last v1.Record) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(r.home, ".local/state/policyd/decisions.jsonl"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &last))
	return last
}

// answerAll approves what a client asks, until it is stopped.
func (r *realRun) answerAll(t *testing.T, client string) (stop func()) {
	t.Helper()
	known, found := reply.ByName(client)
	require.True(t, found)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(200 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			command := exec.CommandContext(ctx, r.policyd, "prompts", "answer", "--all", "--agent", known.Agent, "once")
			command.Dir, command.Env = r.project, r.env
			_ = command.Run() // nothing may be asked yet
		}
	}()
	return func() { cancel(); <-done }
}

func (r *realRun) install(t *testing.T, client *realClient, hold string) {
	t.Helper()
	r.run(t, r.policyd, append([]string{"install", client.name, "--temporary", "--no-tools", "--hold", hold}, client.flags...)...)
	if client.trust != nil {
		client.trust(t, r)
	}
}

func (r *realRun) serve(t *testing.T) {
	t.Helper()
	r.server = exec.Command(r.policyd, "serve", "--addr", "127.0.0.1:0")
	r.server.Dir, r.server.Env = r.home, r.env
	var log bytes.Buffer
	r.server.Stderr = &log
	require.NoError(t, r.server.Start())
	t.Cleanup(func() { _ = r.server.Process.Kill(); _ = r.server.Wait() })
	socket := filepath.Join(r.home, ".local/state/policyd/run/policyd.sock")
	require.Eventually(t, func() bool {
		conn, err := new(net.Dialer).DialContext(t.Context(), "unix", socket)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, 5*time.Minute, 20*time.Millisecond, "%s", &log)
	doctor := r.run(t, r.policyd, "doctor")
	require.Contains(t, doctor, "the hook answers")
}

// drive runs the client until it ends. Its exit status is its own affair.
func (r *realRun) drive(t *testing.T, client *realClient, m *model) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, r.program, client.args(m.URL)...)
	command.Dir, command.Env = r.project, append(append([]string{}, r.env...), client.environment(m.URL)...)
	text, err := command.CombinedOutput()
	t.Logf("%s: %v: %s", client.name, err, strings.TrimSpace(string(text)))
	require.NoError(t, ctx.Err(), "the client never ended")
	require.Positive(t, m.steps(), "the client never asked the model for a command:\n%.3000s", m.heard())
}
