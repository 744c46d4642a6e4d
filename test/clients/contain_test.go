package clients_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
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
	"policyd/internal/contain"
	"policyd/internal/shellquote"
)

// rewriting clients: the payload of a shell call with a line, and where the answer has its
// other arguments.
var rewriting = map[string]struct {
	payload func(line string) object
	input   []string
}{
	"claude": {func(line string) object {
		return object{
			"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/home/dev/proj", "tool_name": "Bash",
			"tool_input": object{"command": line, "description": "<b>", "timeout": 5000},
		}
	}, []string{"hookSpecificOutput", "updatedInput"}},
	"codex": {func(line string) object {
		return object{
			"hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/home/dev/proj", "tool_name": "Bash", "tool_input": object{"command": line},
		}
	}, []string{"hookSpecificOutput", "updatedInput"}},
	"gemini": {func(line string) object {
		return object{
			"hook_event_name": "BeforeTool", "session_id": "s", "cwd": "/home/dev/proj", "tool_name": "run_shell_command",
			"tool_input": object{"command": line, "description": "<b>"},
		}
	}, []string{"hookSpecificOutput", "tool_input"}},
	"copilot": {func(line string) object {
		return object{
			"sessionId": "s", "timestamp": 1, "cwd": "/home/dev/proj", "toolName": "bash",
			"toolArgs": object{"command": line, "mode": "sync"},
		}
	}, []string{"modifiedArgs"}},
	"opencode": {func(line string) object {
		return object{
			"hook_event_name": "tool.execute.before", "directory": "/home/dev/proj",
			"input": object{"tool": "bash", "sessionID": "s", "callID": "c"}, "output": object{"args": object{"command": line, "timeout": 5000}},
		}
	}, []string{"args"}},
}

type object = map[string]any

// startContaining starts a server that found out what can be contained here.
func startContaining(t *testing.T, settings ...string) *server {
	t.Helper()
	report := contain.Probe()
	for _, capability := range report.Capabilities {
		if !capability.Works {
			t.Skipf("skipped: the profile %s doesn't work here: %s", capability.Profile, capability.Why)
		}
	}
	s := startServer(t, strings.Join(settings, ""))
	require.Eventually(t, func() bool {
		response, err := http.Get(s.url + "/readyz?verbose")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		var text bytes.Buffer
		_, _ = text.ReadFrom(response.Body)
		return strings.Contains(text.String(), "contain/")
	}, 5*time.Minute, 10*time.Millisecond, "the server never found out")
	return s
}

// ask runs the real hook program.
func (s *server) ask(t *testing.T, client string, payload object, flags ...string) object {
	t.Helper()
	text, err := json.Marshal(payload)
	require.NoError(t, err)
	if !slices.Contains(flags, "--addr") {
		flags = append([]string{"--socket", filepath.Join(s.runDir, "policyd.sock")}, flags...)
	}
	flags = append([]string{client, "--project", s.Project}, flags...)
	command := exec.CommandContext(t.Context(), hookProgram(), flags...)
	// Clients run what SHELL names, or else what is installed.
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.Home, "SHELL=/bin/bash"}
	command.Stdin = strings.NewReader(s.here(string(text)))
	out, err := command.Output()
	require.NoError(t, err)
	var answered object
	require.NoErrorf(t, json.Unmarshal(out, &answered), "%s", out)
	return answered
}

// below is what is at a path of keys, nil for nothing.
func below(answered object, keys ...string) object {
	for _, key := range keys {
		answered, _ = answered[key].(object)
	}
	return answered
}

// shell runs a line in the project as a client would.
func (s *server) shell(t *testing.T, line string) (stdout, stderr string, status int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "bash", "-c", line)
	command.Dir = s.Project
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.Home}
	var out, problems bytes.Buffer
	command.Stdout, command.Stderr = &out, &problems
	_ = command.Run()
	return out.String(), problems.String(), command.ProcessState.ExitCode()
}

// TestARewrittenLineDoesWhatTheCallsDoes checks, for every client that is rewritten: only the command line of
// the arguments is another, it gives the same output and exit status, and it can be run once.
func TestARewrittenLineDoesWhatTheCallsDoes(t *testing.T) {
	s := startContaining(t)
	for client, of := range rewriting {
		for _, line := range []string{`echo 'a "b"' '<c>'; cat README.md | wc -l`, `printf '%s\n' it\'s; ls -1; false`, "git status --short"} {
			payload := of.payload(line)
			answered := s.ask(t, client, payload, "--contain")
			input := below(answered, of.input...)
			require.NotNilf(t, input, "%s %q: %v", client, line, answered)
			rewritten, _ := input["command"].(string)
			words := shellquote.Split(rewritten)
			require.Greaterf(t, len(words), 4, "%q", rewritten)
			assert.True(t, filepath.IsAbs(words[0]))
			assert.Equal(t, []string{"--", "bash", "-c", line}, words[len(words)-4:])
			input["command"] = line
			given, _ := json.Marshal(payload)
			kept, _ := json.Marshal(input)
			assert.Contains(t, string(given), string(kept), "nothing but the line is another")

			out, problems, status := s.shell(t, line)
			gotOut, gotProblems, gotStatus := s.shell(t, rewritten)
			assert.Equal(t, []any{out, problems, status}, []any{gotOut, gotProblems, gotStatus}, "%s %q", client, line)
			_, problems, status = s.shell(t, rewritten)
			assert.Equal(t, 126, status)
			assert.Contains(t, problems, "run_spent")
		}
	}
}

// TestAShellIsLeftWhereTheLineLeavesIt checks for every client, whatever state its shell keeps: after the
// rewritten line the shell is where it would be after the call's own.
func TestAShellIsLeftWhereTheLineLeavesIt(t *testing.T) {
	s := startContaining(t)
	require.NoError(t, os.MkdirAll(filepath.Join(s.Project, "sub dir", "x"), 0o700))
	const where = "\nstatus=$?; pwd; exit $status"
	for client, of := range rewriting {
		keeps := client == "claude"
		for _, line := range []string{"cd 'sub dir' && ls", "cd \"sub dir\" 2>/dev/null\nls; false", "cd 'sub dir' && cd x && pwd | cat", "(cd 'sub dir' && ls)"} {
			handed := func() string {
				rewritten, _ := below(s.ask(t, client, of.payload(line), "--contain"), of.input...)["command"].(string)
				require.Containsf(t, rewritten, " --decision ", "%s %q", client, line)
				return rewritten
			}
			rewritten := handed()
			out, problems, status := s.shell(t, line+where)
			if !keeps { // each line has a shell of its own
				out, problems, status = s.shell(t, "( "+line+" )"+where) // "((" begins arithmetic
			}
			gotOut, gotProblems, gotStatus := s.shell(t, rewritten+where)
			assert.Equal(t, []any{out, problems, status}, []any{gotOut, gotProblems, gotStatus}, "%s %q", client, line)

			rewritten = handed()
			assert.Nil(t, below(s.ask(t, client, of.payload(rewritten), "--contain"), of.input...), "it is contained already")
			records := s.records(t)
			assert.Equal(t, "contained_run", records[len(records)-1].Result.Reasons[0].Code, "%s %q", client, rewritten)
			for _, other := range []string{"cd / && " + rewritten, "cd /; " + rewritten, strings.Replace(rewritten, "/sub dir", "/other", 1)} {
				if other != rewritten {
					s.ask(t, client, of.payload(other), "--contain")
					records = s.records(t)
					assert.NotEqual(t, "contained_run", records[len(records)-1].Result.Reasons[0].Code, "%s %q", client, other)
				}
			}
		}
	}
}

// TestARewrittenLineIsNotJudgedAgain: a hook that sees the line that was handed out lets it
// pass, and no other line that looks like it.
func TestARewrittenLineIsNotJudgedAgain(t *testing.T) {
	s := startContaining(t)
	for client, of := range rewriting {
		handed := func() string {
			line, _ := below(s.ask(t, client, of.payload("ls"), "--contain"), of.input...)["command"].(string)
			require.NotEmpty(t, line)
			return line
		}
		last := func(payload object, flags ...string) string {
			answered := s.ask(t, client, payload, flags...)
			assert.Nil(t, below(answered, of.input...), "it is contained already")
			records := s.records(t)
			record := records[len(records)-1]
			require.NotEmpty(t, record.Result.Reasons)
			return record.Result.Decision.String() + " " + record.Result.Reasons[0].Code
		}
		line := handed()
		const covered = "allow contained_run"
		assert.Equal(t, covered, last(of.payload(line), "--contain"), client)
		assert.Equal(t, covered, last(of.payload(line), "--contain"), "asking spends nothing")
		assert.NotEqual(t, covered, last(of.payload(line)), "the hook says nothing of containment")
		_, problems, status := s.shell(t, line)
		assert.Equalf(t, 0, status, "%s", problems)
		assert.NotEqual(t, covered, last(of.payload(line), "--contain"), "it was run")

		line = handed()
		for _, other := range []string{line + " ", line + "; id", strings.Replace(line, " ls", " id", 1), strings.Replace(line, " --socket ", "  --socket ", 1)} {
			if other != line {
				assert.NotEqualf(t, covered, last(of.payload(other), "--contain"), "%q", other)
			}
		}
		stranger := strings.NewReplacer(`"session_id":"s"`, `"session_id":"x"`, `"sessionId":"s"`, `"sessionId":"x"`, `"sessionID":"s"`, `"sessionID":"x"`)
		text, _ := json.Marshal(of.payload(line))
		var payload object
		require.NoError(t, json.Unmarshal([]byte(stranger.Replace(string(text))), &payload))
		assert.NotEqual(t, covered, last(payload, "--contain"), "another session")
	}
}

// TestALineOfAnotherLauncherIsJudged: who can ask for a decision can name a launcher and a
// server, and what runs by them isn't contained.
func TestALineOfAnotherLauncherIsJudged(t *testing.T) {
	s := startContaining(t)
	of := rewriting["claude"]
	for _, other := range []url.Values{
		{"launcher": {"/tmp/evil"}, "launcher_socket": {filepath.Join(s.runDir, "policyd.sock")}},
		{"launcher": {program}, "launcher_socket": {"/tmp/evil.sock"}},
	} {
		other.Set("contain", "true")
		other.Set("project", s.Project)
		text, _ := json.Marshal(of.payload("ls"))
		got := s.hook(t, "claude", other.Encode(), string(text))
		line, _ := below(got.object(t), of.input...)["command"].(string)
		require.NotEmptyf(t, line, "%s", got.body)
		s.ask(t, "claude", of.payload(line), "--contain")
		records := s.records(t)
		for _, reason := range records[len(records)-1].Result.Reasons {
			assert.NotEqual(t, "contained_run", reason.Code)
		}
	}
}

// TestNoHookIsRewrittenUnasked: without --contain the reply is as ever, and a launcher that
// could be another program is refused.
func TestNoHookIsRewrittenUnasked(t *testing.T) {
	s := startContaining(t)
	for client, of := range rewriting {
		text, _ := json.Marshal(of.payload("ls"))
		const place = "project=/home/dev/proj"
		plain := s.hook(t, client, place, string(text))
		assert.Equal(t, "allow", plain.decision)
		want := map[string]string{"claude": "{}", "codex": "{}", "copilot": "{}", "gemini": `{"decision":"allow"}`, "opencode": `{"decision":"allow"}`}
		assert.Equal(t, want[client], string(plain.body))
		for _, query := range []string{
			"contain=true", "contain=true&launcher=policyd", "contain=true&launcher=/a/../b", "contain=true&launcher=/a%0Ab", "launcher=/a",
			"contain=yes&launcher=/a", "contain=true&launcher=/a&launcher_socket=x",
		} {
			got := s.hook(t, client, place+"&"+query, string(text))
			assert.Equalf(t, "deny", got.decision, "%s %s", client, query)
			assert.Contains(t, string(got.body), "deny")
		}
		assert.NotContains(t, string(s.hook(t, "cursor", place+"&contain=true&launcher=/a", string(text)).body), "/a")
	}
}

// TestAClientThatPassesRewrittenLinesByIsGivenNoMore: until a session ran a line that it was
// handed, nothing is allowed for being contained; and it isn't handed lines without end.
func TestAClientThatPassesRewrittenLinesByIsGivenNoMore(t *testing.T) {
	s := startContaining(t)
	for client, of := range rewriting {
		handed := func(line string) string {
			rewritten, _ := below(s.ask(t, client, of.payload(line), "--contain"), of.input...)["command"].(string)
			return rewritten
		}
		decided := func() v1.Effect {
			records := s.records(t)
			return records[len(records)-1].Result.Decision
		}
		const unknown = "perl -e 1"
		for range 3 {
			assert.Empty(t, handed(unknown), client)
			assert.Equal(t, v1.EffectPrompt, decided(), client)
			assert.NotEmpty(t, handed("ls"), client)
		}
		assert.Empty(t, handed("ls"), client)
		assert.Equal(t, v1.EffectAllow, decided(), "as without --contain")

		began := map[string]string{"claude": "SessionStart", "codex": "SessionStart", "gemini": "SessionStart", "copilot": "sessionStart", "opencode": "session.created"}
		event := object{
			"hook_event_name": began[client], "session_id": "s", "cwd": "/home/dev/proj", "source": "resume", "directory": "/home/dev/proj",
			"event": object{"properties": object{"info": object{"id": "s"}}},
		}
		if client == "copilot" {
			event = object{"sessionId": "s", "timestamp": 1, "cwd": "/home/dev/proj", "source": "resume"}
		}
		s.ask(t, client, event, "--contain")
		assert.Empty(t, handed(unknown), client)
		line := handed("ls")
		require.NotEmpty(t, line, client)
		_, problems, status := s.shell(t, line)
		require.Zerof(t, status, "%s", problems)
		assert.NotEmpty(t, handed(unknown), client)
	}
}

// TestRewrittenLinesOverTCP: the line finds the server as the hook did, and who has no token claims
// nothing.
func TestRewrittenLinesOverTCP(t *testing.T) {
	s := startContaining(t)
	of := rewriting["gemini"]
	address := strings.TrimPrefix(s.url, "http://")
	token := filepath.Join(t.TempDir(), "the agent's token")
	require.NoError(t, os.WriteFile(token, []byte(s.token(t, "agent")+"\n"), 0o600))
	strange := filepath.Join(t.TempDir(), "strange")
	require.NoError(t, os.WriteFile(strange, []byte(strings.Repeat("0", 64)), 0o600))
	for _, places := range [][]string{{"--addr", address, "--token-file", token}, {"--addr", address, "--state-dir", s.stateDir}} {
		handed := func(line string) string {
			text, _ := below(s.ask(t, "gemini", of.payload(line), append(places, "--contain")...), of.input...)["command"].(string)
			require.NotEmpty(t, text)
			return text
		}
		line := handed("cat README.md | wc -l")
		assert.Contains(t, line, " run "+shellquote.Join(append(places[2:4:4], places[:2]...))+" --decision ")
		assert.Equal(t, "allow contained_run", s.lastReason(t, func() { s.ask(t, "gemini", of.payload(line), append(places, "--contain")...) }))
		assert.NotEqual(t, "allow contained_run", s.lastReason(t, func() { s.ask(t, "gemini", of.payload(line), "--contain") }),
			"a hook that asks over the socket")
		over := strings.Replace(line, shellquote.Join(append(places[2:4:4], places[:2]...)),
			shellquote.Join([]string{"--token-file", strange, "--addr", address}), 1)
		require.NotEqual(t, line, over)
		_, problems, status := s.shell(t, over)
		assert.Equal(t, 126, status)
		assert.Contains(t, problems, "claim decision: ")
		out, problems, status := s.shell(t, line)
		assert.Equalf(t, 0, status, "%s", problems)
		want, _, _ := s.shell(t, "cat README.md | wc -l")
		assert.Equal(t, want, out)
		_, problems, status = s.shell(t, handed(`perl -e 'open(F, ">", "made") or exit 9' -- `+places[2]))
		assert.Equal(t, 9, status)
		assert.Contains(t, problems, "policyd: contained: write to ")
		assert.NoFileExists(t, filepath.Join(s.Project, "made"))
	}
	require.NoError(t, os.WriteFile(token, []byte("wrong"), 0o600))
	answered := s.ask(t, "gemini", of.payload("ls"), "--addr", address, "--token-file", token, "--contain")
	assert.Equal(t, "deny", answered["decision"])
}

// lastReason is what was decided last, and why.
func (s *server) lastReason(t *testing.T, ask func()) string {
	t.Helper()
	ask()
	records := s.records(t)
	result := &records[len(records)-1].Result
	require.NotEmpty(t, result.Reasons)
	return result.Decision.String() + " " + result.Reasons[0].Code
}

// TestMetricsOfContainedRuns counts what was handed out, run and refused.
func TestMetricsOfContainedRuns(t *testing.T) {
	s := startContaining(t)
	of := rewriting["claude"]
	for _, line := range []string{"ls", `perl -e 'open(F, ">", "made") or exit 9'`} {
		text, _ := below(s.ask(t, "claude", of.payload(line), "--contain"), of.input...)["command"].(string)
		require.NotEmpty(t, text)
		s.shell(t, text)
	}
	s.ask(t, "claude", of.payload("ls -l"), "--contain")
	response, err := http.Get(s.url + "/metrics")
	require.NoError(t, err)
	var text bytes.Buffer
	_, _ = text.ReadFrom(response.Body)
	_ = response.Body.Close()
	for _, line := range []string{
		`policyd_contain_profile_up{profile="project"} 1`, `policyd_contain_profile_up{profile="read_only"} 1`,
		`policyd_contained_runs_total{result="obliged"} 3`, `policyd_contained_runs_total{result="run"} 2`, `policyd_contained_runs_total{result="refused"} 1`,
	} {
		assert.Contains(t, text.String(), line+"\n")
	}
}

// TestTheSettingContain: off hands out nothing, and required asks about what can't be contained.
func TestTheSettingContain(t *testing.T) {
	off := startServer(t, "contain: off\n")
	for client, of := range rewriting {
		assert.Nil(t, below(off.ask(t, client, of.payload("ls"), "--contain"), of.input...), client)
		assert.Equal(t, v1.EffectAllow, off.records(t)[len(off.records(t))-1].Result.Decision)
	}
	response, err := http.Get(off.url + "/metrics")
	require.NoError(t, err)
	var text bytes.Buffer
	_, _ = text.ReadFrom(response.Body)
	_ = response.Body.Close()
	assert.Contains(t, text.String(), `policyd_contain_profile_up{profile="read_only"} 0`)

	required := startContaining(t, "contain: required\n")
	for client, of := range rewriting {
		assert.Equal(t, "prompt containment_required", required.lastReason(t, func() { required.ask(t, client, of.payload("ls")) }), client)
		answered := required.ask(t, client, of.payload("ls"), "--contain")
		line, _ := below(answered, of.input...)["command"].(string)
		require.NotEmpty(t, line, client)
		assert.Equal(t, "allow contained_run", required.lastReason(t, func() { required.ask(t, client, of.payload(line), "--contain") }), client)
		_, problems, status := required.shell(t, line)
		assert.Zerof(t, status, "%s", problems)
	}
}

// TestLinesOfEveryKindAreQuoted: what a line holds reaches the shell as it was, or isn't handed out.
func TestLinesOfEveryKindAreQuoted(t *testing.T) {
	s := startContaining(t)
	of := rewriting["gemini"]
	handed := func(line string) string {
		text, _ := below(s.ask(t, "gemini", of.payload(line), "--contain"), of.input...)["command"].(string)
		return text
	}
	_, problems, status := s.shell(t, handed("ls"))
	require.Zerof(t, status, "%s", problems)
	for _, line := range []string{
		"perl - \"it's\" <<'END'\nprint qq(a 'b' \"@ARGV\"\\n);\nEND", "perl -e 'print 1' # don't", "perl -e 'print q(\\)'", "perl -e 'print \"é\u2028\U0001F600\"'",
		"perl -e 'print 1'\n\n", "\tperl -e 'print 2'", "perl -e 'print 1' \\\n  'x'", "perl -e 'print length(q(" + strings.Repeat("'\\''", 4<<10) + "))'",
		"perl -e 'print q($HOME `id` !! %s)'", "perl -le 'print for @ARGV' -- -n '' ' '", "perl -e 'print 1' <&-", "perl -e 'print 3' 2>&1 | cat -A",
	} {
		rewritten := handed(line)
		require.NotEmptyf(t, rewritten, "%.100q", line)
		out, problems, status := s.shell(t, line)
		gotOut, gotProblems, gotStatus := s.shell(t, rewritten)
		assert.Equalf(t, []any{out, problems, status}, []any{gotOut, gotProblems, gotStatus}, "%.100q", line)
	}
	for _, line := range []string{"perl -e 'print 1'\x00", "perl -e \"print '\x1b[2J'\"\r", `perl -e 'print "a\ud800b"'`, "perl -e 'print q(\xff)'"} {
		text, err := json.Marshal(of.payload("LINE"))
		require.NoError(t, err)
		quoted, err := json.Marshal(line)
		require.NoError(t, err)
		raw := strings.NewReplacer(`\ufffd`, "\xff", `\\ud800`, `\ud800`).Replace(string(quoted))
		query := "contain=true&launcher=" + program + "&launcher_socket=" + filepath.Join(s.runDir, "policyd.sock") + "&project=" + s.Project
		got := s.hook(t, "gemini", query, strings.Replace(string(text), `"LINE"`, raw, 1))
		rewritten, _ := below(got.object(t), of.input...)["command"].(string)
		t.Logf("%q: %s", line, got.decision)
		if rewritten == "" {
			continue
		}
		assert.NotContains(t, rewritten, "\x00")
		_, problems, status := s.shell(t, rewritten)
		assert.Zerof(t, status, "%q: %s", rewritten, problems)
	}
}
