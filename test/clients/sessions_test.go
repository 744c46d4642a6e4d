package clients_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// reading is a call of a client that is allowed in its project alone.
func reading(client, session, cwd string) string {
	shell := func(event, tool string) string {
		return `{"session_id":"` + session + `","cwd":"` + cwd + `","hook_event_name":"` + event + `","tool_name":"` + tool + `","tool_input":{"command":"cat README.md"}}`
	}
	switch client {
	case "claude", "codex":
		return shell("PreToolUse", "Bash")
	case "gemini":
		return shell("BeforeTool", "run_shell_command")
	case "copilot":
		return `{"sessionId":"` + session + `","timestamp":1,"cwd":"` + cwd + `","toolName":"bash","toolArgs":{"command":"cat README.md"}}`
	}
	panic(client)
}

// TestTheLaunchNamesTheProject checks P14: the project comes from the start of the session or from the host's
// side of the hook, never from a call's directory.
func TestTheLaunchNamesTheProject(t *testing.T) {
	s := startServer(t, "")
	for client, event := range map[string]string{
		"claude": `{"hook_event_name":"SessionStart","session_id":"ID","cwd":"/home/dev/proj","source":"startup"}`,
		"codex":  startEvents["codex"], "gemini": startEvents["gemini"], "copilot": startEvents["copilot"],
	} {
		t.Run(client, func(t *testing.T) {
			decision := func(session, query string) string {
				return s.hook(t, client, query, reading(client, session, "/home/dev/proj")).decision
			}
			s.hook(t, client, "", strings.ReplaceAll(event, "ID", "started"))
			assert.Equal(t, "allow", decision("started", ""))
			assert.Equal(t, "prompt", decision("never-started", ""), "the call's directory is no project")
			assert.Equal(t, "prompt", decision("never-started", "project=/home/dev/proj"), "and none is added later")
			assert.Equal(t, "allow", decision("told", "project=/home/dev/proj"))
			for _, middle := range []string{"compact", "clear", ""} {
				if middle == "clear" && (client == "codex" || client == "gemini") {
					continue // no command changes the directory of these
				}
				s.hook(t, client, "", strings.NewReplacer("ID", "middle"+middle, `"startup"`, `"`+middle+`"`, `"new"`, `"`+middle+`"`).Replace(event))
				assert.Equal(t, "prompt", decision("middle"+middle, ""), "a command may have changed the directory by then")
			}
		})
	}
}

// TestRootsAndPluginsNameTheProject checks P14 for Cursor and OpenCode.
func TestRootsAndPluginsNameTheProject(t *testing.T) {
	s := startServer(t, "")
	const cursor = `{"hook_event_name":"beforeReadFile","conversation_id":"ID","workspace_roots":ROOTS,"file_path":"FILE"}`
	read := func(id, roots, file string) string {
		return s.hook(t, "cursor", "", strings.NewReplacer("ID", id, "ROOTS", roots, "FILE", file).Replace(cursor)).decision
	}
	both := `["/home/dev/proj","/home/dev/other"]`
	assert.Equal(t, "allow", read("two", both, "/home/dev/proj/README.md"))
	assert.Equal(t, "allow", read("two", both, "/home/dev/other/x.txt"))
	assert.Equal(t, "allow", read("two", `["/home/dev/other","/home/dev/proj"]`, "/home/dev/proj/README.md"), "in another order")
	assert.Equal(t, "prompt", read("none", `[]`, "/home/dev/proj/README.md"))
	assert.Equal(t, "prompt", read("home", `["/home/dev"]`, "/home/dev/proj/README.md"))
	const plugin = `{"hook_event_name":"tool.execute.before","input":{"tool":"bash","sessionID":"@id"},"output":{"args":{"command":"cat README.md","workdir":"/home/dev/proj"}},"directory":"DIR"}`
	run := func(id, dir string) string {
		return s.hook(t, "opencode", "", strings.NewReplacer("@id", id, "DIR", dir).Replace(plugin)).decision
	}
	assert.Equal(t, "allow", run("in", "/home/dev/proj"))
	assert.Equal(t, "prompt", run("out", "/home/dev/other"))
}

// TestSensitiveLaunchesGiveNoProject checks P14 and P6: a launch from the home or the root is no error and
// gives nothing.
func TestSensitiveLaunchesGiveNoProject(t *testing.T) {
	s := startServer(t, "")
	for name, dir := range map[string]string{"home": "/home/dev", "root": "/", "etc": "/etc", "missing": "/nowhere/at/all"} {
		for _, launch := range []string{"said", "started"} {
			id := name + launch
			query := "project=" + dir
			if launch == "started" {
				query = ""
				got := s.hook(t, "claude", "", `{"hook_event_name":"SessionStart","session_id":"`+id+`","cwd":"`+dir+`","source":"startup"}`)
				assert.Equal(t, "none", got.decision, "it is no error")
			}
			for range 2 {
				got := s.hook(t, "claude", query, reading("claude", id, "/home/dev/proj"))
				assert.Equalf(t, "prompt", got.decision, "%s: %s", id, got.body)
			}
			if name != "missing" {
				assert.Empty(t, s.session(t, "claude-code:"+id).ProjectDir)
			}
		}
	}
}

// TestOtherProjectsAreRefused checks C5 for a session that is resumed elsewhere: calls that name the other
// place are refused, with what to do.
func TestOtherProjectsAreRefused(t *testing.T) {
	s := startServer(t, "")
	sub := filepath.Join(s.Project, "src")
	assert.Equal(t, "allow", s.hook(t, "claude", "project=/home/dev/proj", reading("claude", "s", "/home/dev/proj")).decision)
	got := s.hook(t, "claude", "project=/home/dev/other", reading("claude", "s", "/home/dev/other"))
	refused(t, "claude", "PreToolUse", got, "project_dir", "begin a new session")
	records := s.records(t)
	assert.Equal(t, "session_conflict", records[len(records)-1].Result.Reasons[0].Code)

	s.hook(t, "claude", "", `{"hook_event_name":"SessionStart","session_id":"s","cwd":"/home/dev/other","source":"resume"}`)
	assert.Equal(t, s.Project, s.session(t, "claude-code:s").ProjectDir, "the start of a session moves nothing")
	assert.Equal(t, "allow", s.hook(t, "claude", "", reading("claude", "s", "/home/dev/proj")).decision)
	// Reading in the rest of the repository is in scope below its top, too; writing isn't.
	const writing = `{"session_id":"s","cwd":"/home/dev/proj","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/home/dev/proj/notes.txt","content":"x"}}`
	assert.Equal(t, "allow", s.hook(t, "claude", "project=/home/dev/proj", writing).decision)
	assert.Equal(t, "prompt", s.hook(t, "claude", "project="+sub, writing).decision, "a directory below narrows the call")
	assert.Equal(t, "allow", s.hook(t, "claude", "project=/home/dev/proj", reading("claude", "s", "/home/dev/proj")).decision, "and no other")

	link := filepath.Join(s.Home, "link")
	require.NoError(t, os.Symlink(s.Project, link))
	assert.Equal(t, "allow", s.hook(t, "claude", "project="+link, reading("claude", "linked", "/home/dev/proj")).decision)
	assert.Equal(t, "allow", s.hook(t, "claude", "project=/home/dev/proj", reading("claude", "linked", "/home/dev/proj")).decision)
}

// TestSessionsEnd checks P9 for hooks: what a session was given ends with it, and it comes back no wider than
// it was.
func TestSessionsEnd(t *testing.T) {
	s := startServer(t, "")
	for client, end := range map[string]string{
		"claude":  `{"hook_event_name":"SessionEnd","session_id":"s","cwd":"/","reason":"exit"}`,
		"gemini":  `{"hook_event_name":"SessionEnd","session_id":"s","cwd":"/","reason":"exit"}`,
		"copilot": `{"sessionId":"s","timestamp":1,"cwd":"/","reason":"complete"}`,
	} {
		t.Run(client, func(t *testing.T) {
			agent := map[string]string{"claude": "claude-code", "gemini": "gemini-cli", "copilot": "copilot-cli"}[client]
			assert.Equal(t, "none", s.hook(t, client, "", end).decision, "one that nobody knows")
			s.hook(t, client, "project=/home/dev/proj", reading(client, "s", "/home/dev/proj"))
			assert.Equal(t, http.StatusCreated, s.operate(t, http.MethodPost, "/v1/sessions/"+agent+":s/grants", s.here(`{"path":"/home/dev/other"}`), nil))
			assert.Equal(t, "none", s.hook(t, client, "", end).decision)
			info := s.session(t, agent+":s")
			assert.Equal(t, v1.SessionArchived, info.State)
			assert.Equal(t, "allow", s.hook(t, client, "project=/home/dev/proj", reading(client, "s", "/home/dev/proj")).decision)
			info = s.session(t, agent+":s")
			assert.Equal(t, v1.SessionActive, info.State)
			assert.Empty(t, info.ReadPaths)
			s.hook(t, client, "", end)
			s.hook(t, client, "project=/home/dev/proj/src", reading(client, "s", "/home/dev/proj"))
			assert.Equal(t, s.Project, s.session(t, agent+":s").ProjectDir, "it comes back as it was")
		})
	}
}

// TestSubAgents checks C5: a sub-agent has its parent's answers, the parent has none of the sub-agent's, and
// no sub-agent is wider than its parent.
func TestSubAgents(t *testing.T) {
	s := startServer(t, "")
	push := func(agent, directory string) answer {
		payload := `{"session_id":"s","cwd":"/home/dev/proj","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"}}`
		if agent != "" {
			payload = strings.Replace(payload, "{", `{"agent_id":"`+agent+`","agent_type":"general-purpose",`, 1)
		}
		return s.hook(t, "claude", "hold=1ms&project="+directory, payload)
	}
	approve := func(choice string) {
		open := s.prompts(t, v1.PromptPending)
		require.Len(t, open, 1)
		require.Equal(t, http.StatusOK, s.operate(t, http.MethodPost, "/v1/prompts/"+open[0].ID+"/answer", `{"choice":"`+choice+`"}`, nil))
	}
	// The parent isn't known yet when its sub-agent calls.
	assert.Equal(t, "prompt", push("one", "/home/dev/proj").decision)
	child := s.session(t, "claude-code:s:one")
	assert.Equal(t, "claude-code:s", child.ParentID)
	assert.Equal(t, s.Project, child.ProjectDir)
	assert.Equal(t, s.Project, s.session(t, "claude-code:s").ProjectDir)
	approve(v1.ChoiceSession)
	assert.Equal(t, "allow", push("one", "/home/dev/proj").decision)
	assert.Equal(t, "prompt", push("", "/home/dev/proj").decision, "the parent has nothing of its sub-agent's")
	approve(v1.ChoiceSession)
	assert.Equal(t, "allow", push("", "/home/dev/proj").decision)
	assert.Equal(t, "allow", push("two", "/home/dev/proj").decision, "a sub-agent has its parent's")
	refused(t, "claude", "PreToolUse", push("two", "/home/dev/other"), "project_dir")

	s.hook(t, "claude", "", `{"hook_event_name":"SessionEnd","session_id":"s","cwd":"/","reason":"exit"}`)
	assert.Equal(t, "prompt", push("two", "/home/dev/proj").decision, "the parent's answers ended with it")
}

// TestSubAgentsAreNoWiderThanTheirParent checks C5 for what a parent was narrowed to.
func TestSubAgentsAreNoWiderThanTheirParent(t *testing.T) {
	s := startServer(t, "")
	const query = "project=/home/dev/proj"
	of := func(session, agent string) string {
		return strings.Replace(reading("claude", session, "/home/dev/proj"), "{", `{"agent_id":"`+agent+`",`, 1)
	}
	assert.Equal(t, "allow", s.hook(t, "claude", query, reading("claude", "s", "/home/dev/proj")).decision)
	assert.Equal(t, "allow", s.hook(t, "claude", query, of("s", "early")).decision)
	require.Equal(t, http.StatusOK, s.operate(t, http.MethodPut, "/v1/sessions/claude-code:s", `{"audience":"public","interactive":false}`, nil))
	for _, agent := range []string{"early", "late"} {
		got := s.hook(t, "claude", query, of("s", agent))
		assert.Equalf(t, "deny", got.decision, "%s: %s", agent, got.body)
	}
	late := s.session(t, "claude-code:s:late")
	assert.Equal(t, v1.AudiencePublic, late.Audience)
	assert.False(t, late.Attended())
	// A launch that gave the parent no project gives its sub-agents none.
	s.hook(t, "claude", "", reading("claude", "bare", "/home/dev/proj"))
	assert.Equal(t, "prompt", s.hook(t, "claude", query, of("bare", "x")).decision)
	assert.Empty(t, s.session(t, "claude-code:bare:x").ProjectDir)
}

// TestCopilotsSubAgents checks C5 for captured payloads: a tool call of a sub-agent has its own session id, a
// question of the permission service that of the root, and both name the parent.
func TestCopilotsSubAgents(t *testing.T) {
	s := startServer(t, "")
	const root, sub = "e5b42ee7-749d-4fd8-a1da-b0c8e98a3ccf", "5bc68323-d8cf-4940-922a-bc56905d243e"
	const query = "hold=1ms&project=/home/dev/proj"
	captured := func(name, command string) string {
		text, err := os.ReadFile("../testdata/fixtures/copilot/" + name + ".json")
		require.NoError(t, err)
		require.Contains(t, string(text), command)
		return strings.ReplaceAll(string(text), command, "git push")
	}
	call, question := captured("preToolUse-bash-4", "git status"), captured("permissionRequest-bash-4", "git status")
	parents := captured("preToolUse-bash-3", "rm -rf build")
	decide := func(payload string) string { return s.hook(t, "copilot", query, payload).decision }

	assert.Equal(t, "prompt", decide(call))
	child := s.session(t, "copilot-cli:"+sub)
	assert.Equal(t, "copilot-cli:"+root, child.ParentID)
	assert.Equal(t, s.Project, child.ProjectDir)
	assert.Equal(t, "prompt", decide(parents))
	for _, prompt := range s.prompts(t, v1.PromptPending) {
		if prompt.Call.SessionID == "copilot-cli:"+root {
			require.Equal(t, http.StatusOK, s.operate(t, http.MethodPost, "/v1/prompts/"+prompt.ID+"/answer", `{"choice":"session"}`, nil))
		}
	}
	assert.Equal(t, "allow", decide(parents))
	assert.Equal(t, "allow", decide(call), "a sub-agent has its parent's answers")
	assert.Equal(t, "allow", decide(question), "by either spelling")
	nested := strings.NewReplacer(sub, "nested", root, sub).Replace(call)
	assert.Equal(t, "allow", decide(nested), "and so has a sub-agent of its own")
	assert.Equal(t, "copilot-cli:"+sub, s.session(t, "copilot-cli:nested").ParentID)

	stranger := strings.NewReplacer(root, "another", sub, "stranger").Replace(call)
	assert.Equal(t, "prompt", decide(stranger), "nobody else's")
	orphan := strings.NewReplacer("parentAgentId", "unread", sub, "orphan").Replace(call)
	assert.Equal(t, "prompt", decide(orphan), "no one's")
	assert.Empty(t, s.session(t, "copilot-cli:orphan").ParentID)
	itself := strings.NewReplacer(root, "itself", sub, "itself").Replace(call)
	assert.Equal(t, "prompt", decide(itself), "nor its own")
}

// TestOpenCodesSubAgents checks C5 for sessions that another one starts.
func TestOpenCodesSubAgents(t *testing.T) {
	s := startServer(t, "")
	got := s.hook(t, "opencode", "", `{"hook_event_name":"session.created","event":{"properties":{"info":{"id":"child","parentID":"main"}}},"directory":"/home/dev/proj"}`)
	assert.Equal(t, "none", got.decision)
	assert.Equal(t, "opencode:main", s.session(t, "opencode:child").ParentID)
	got = s.hook(t, "opencode", "", `{"hook_event_name":"tool.execute.before","input":{"tool":"read","sessionID":"child"},"output":{"args":{"filePath":"README.md"}},"directory":"/home/dev/proj"}`)
	assert.Equal(t, "allow", got.decision)
}

// TestAudienceAndAttendanceComeFromSettings checks that audience and attendance come from the settings of the agent
// or the flags of the hook, never from the payload.
func TestAudienceAndAttendanceComeFromSettings(t *testing.T) {
	s := startServer(t, "agents: {codex: {audience: team, interactive: false}, claude-code: {audience: public}}\n")
	for _, test := range []struct {
		client, agent, query string
		audience             v1.Audience
		attended             bool
	}{
		{"codex", "codex", "", v1.AudienceTeam, false},
		{"claude", "claude-code", "", v1.AudiencePublic, true},
		{"gemini", "gemini-cli", "", v1.AudiencePersonal, true},
		{"codex", "codex", "interactive=true&audience=personal", v1.AudiencePersonal, true},
		{"gemini", "gemini-cli", "interactive=false&audience=team", v1.AudienceTeam, false},
	} {
		id := strings.NewReplacer("=", "-", "&", "-").Replace("s" + test.query)
		payload := strings.Replace(reading(test.client, id, "/home/dev/proj"), "{", `{"audience":"personal","interactive":true,"project_dir":"/",`, 1)
		s.hook(t, test.client, test.query+"&tools=request_read_access,set_working_directory&home=/home/dev&platform=linux&shell=zsh", payload)
		info := s.session(t, test.agent+":"+id)
		assert.Equal(t, test.audience, info.Audience, test)
		assert.Equal(t, test.attended, info.Attended(), test)
		assert.Empty(t, info.ProjectDir)
		assert.Equal(t, []string{"request_read_access", "set_working_directory"}, info.Tools)
		assert.Equal(t, []string{s.Home, "linux", "zsh"}, []string{info.Home, info.Platform, info.Shell})
	}
}
