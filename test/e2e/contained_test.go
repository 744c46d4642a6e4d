package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/contain"
)

// containing starts a server that has found out what can be enforced here.
func containing(t *testing.T) *server {
	t.Helper()
	report := contain.Probe()
	if !report.Works(v1.ProfileReadOnly) || !report.Works(v1.ProfileProject) {
		t.Skipf("skipped: runs can't be contained here: %+v", report.Capabilities)
	}
	s := startServer(t)
	require.Eventually(t, func() bool {
		return strings.Contains(get(t, s.url+"/readyz?verbose"), `"contain/project","ok":true`)
	}, patience, 10*time.Millisecond)
	return s
}

func get(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	_, _, body := do(t, http.DefaultClient, request)
	return string(body)
}

// enforced is a call of a host that runs calls contained.
func enforced(t *testing.T, dir, line string) v1.Call {
	t.Helper()
	args, err := json.Marshal(map[string]string{"command": line})
	require.NoError(t, err)
	return v1.Call{Tool: "Bash", Args: args, Cwd: dir, Session: v1.Session{
		ID: "contained", Agent: "claude-code", Audience: v1.AudiencePersonal, ProjectDir: dir, Interactive: new(true),
		Platform: "linux", Home: filepath.Join(filepath.Dir(dir), "home"), Shell: "bash", Enforces: []string{v1.ObligationContain},
	}}
}

// runs runs what a decision says in a directory.
func (s *server) runs(t *testing.T, dir string, run []string) (stdout, stderr string, exit int) {
	t.Helper()
	require.Equal(t, "policyd", run[0])
	arguments := append([]string{"run", "--socket", filepath.Join(s.runDir, "policyd.sock")}, run[2:]...)
	command := exec.Command(program, arguments...)
	command.Dir, command.Env = dir, environment(s.home)
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	_ = command.Run() // the exit status says it
	return out.String(), complaints.String(), command.ProcessState.ExitCode()
}

func containedProject(t *testing.T) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	dir := filepath.Join(top, "proj")
	require.NoError(t, os.MkdirAll(filepath.Join(top, "home"), 0o700))
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".env"), []byte("KEY=hush"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes"), []byte("fine"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "build.sh"), []byte("echo built > out; cat .env; cat notes"), 0o600))
	return dir
}

// TestCallsAreRunContained: a call with unknown effects is allowed, reads the project and changes nothing;
// after a refusal the same call prompts.
func TestCallsAreRunContained(t *testing.T) {
	s, dir := containing(t), containedProject(t)
	line := `perl -e 'print "hello\n"; exit 3'`
	decision := s.decide(t, enforced(t, dir, line))
	require.Equal(t, v1.EffectAllow, decision.Effect)
	require.Len(t, decision.Obligations, 1)
	assert.Equal(t, v1.ProfileReadOnly, decision.Obligations[0].Profile)
	assert.Contains(t, decision.Obligations[0].Hide, dir+"/.env")
	assert.Equal(t, []string{"policyd", "run", "--decision", decision.ID, "--", "bash", "-c", line}, decision.Run)
	out, complaints, exit := s.runs(t, dir, decision.Run)
	assert.Equal(t, []any{"hello\n", "", 3}, []any{out, complaints, exit})

	reads := s.decide(t, enforced(t, dir, `perl -e 'for (glob("." . "e*"), "notes") { open(F, $_); print <F> }'`))
	require.Equal(t, v1.EffectAllow, reads.Effect)
	out, _, _ = s.runs(t, dir, reads.Run)
	assert.Equal(t, "fine", out, "the secret is hidden")

	writes := enforced(t, dir, `perl -e 'open(F, ">", "made") or die'`)
	decision = s.decide(t, writes)
	require.Equal(t, v1.EffectAllow, decision.Effect)
	_, complaints, exit = s.runs(t, dir, decision.Run)
	assert.NotZero(t, exit)
	assert.Contains(t, complaints, "policyd: contained: write to "+dir+"/made refused; run the same command again to ask a person for it")
	assert.NoFileExists(t, filepath.Join(dir, "made"))
	again := s.decide(t, writes)
	assert.Equal(t, v1.EffectPrompt, again.Effect)
	assert.Empty(t, again.Run)
	require.NotEmpty(t, again.Reasons)
	assert.Equal(t, "contained_run_refused", again.Reasons[0].Code)
	assert.Contains(t, again.Reasons[0].Message, dir+"/made")
}

// TestProjectsAreBuiltContained: scripts of the project write in it, and read no secret.
func TestProjectsAreBuiltContained(t *testing.T) {
	s, dir := containing(t), containedProject(t)
	decision := s.decide(t, enforced(t, dir, "bash build.sh"))
	require.Equalf(t, v1.EffectAllow, decision.Effect, "%+v", decision.Reasons)
	assert.Equal(t, v1.ProfileProject, decision.Obligations[0].Profile)
	out, _, exit := s.runs(t, dir, decision.Run)
	assert.Equal(t, []any{"fine", 0}, []any{out, exit})
	assert.FileExists(t, filepath.Join(dir, "out"))
}

// TestOneDecisionIsOneRun: a decision is for its own command, directory and session, once.
func TestOneDecisionIsOneRun(t *testing.T) {
	s, dir := containing(t), containedProject(t)
	decision := s.decide(t, enforced(t, dir, "git --version"))
	require.Len(t, decision.Obligations, 1)
	claim := func(body string) (int, string) {
		status, _, answer := s.post(t, "/v1/runs/"+decision.ID+"/claim", body)
		return status, string(answer)
	}
	for body, code := range map[string]string{
		`{"argv":["bash","-c","rm -rf /"],"cwd":"` + dir + `"}`:                              "run_of_another_call",
		`{"argv":["bash","-c","git --version"],"cwd":"/"}`:                                   "run_of_another_call",
		`{"argv":["bash","-c","git --version"],"cwd":"` + dir + `","session_id":"somebody"}`: "run_of_another_call",
		`{"argv":[],"cwd":"` + dir + `"}`:                                                    "invalid_value",
		`{"argv":["bash","-c","git --version"],"cwd":"` + dir + `","profile":"none"}`:        "unknown_key",
	} {
		status, answer := claim(body)
		assert.GreaterOrEqual(t, status, 400, body)
		assert.Contains(t, answer, code, body)
	}
	right := `{"argv":["bash","-c","git --version"],"cwd":"` + dir + `"}`
	status, answer := claim(right)
	require.Equal(t, http.StatusOK, status, answer)
	status, answer = claim(right)
	assert.Equal(t, http.StatusConflict, status)
	assert.Contains(t, answer, "run_spent")
	status, _, _ = s.post(t, "/v1/runs/none/claim", right)
	assert.Equal(t, http.StatusNotFound, status)
	_, complaints, exit := s.runs(t, dir, decision.Run)
	assert.Equal(t, 126, exit)
	assert.Contains(t, complaints, "run_spent")
}

// TestNothingIsGrantedAfterARestart: a decision of a server that is gone runs nothing.
func TestNothingIsGrantedAfterARestart(t *testing.T) {
	s, dir := containing(t), containedProject(t)
	decision := s.decide(t, enforced(t, dir, "perl -e 'print 1'"))
	require.Len(t, decision.Obligations, 1)
	s = s.restart(t)
	out, complaints, exit := s.runs(t, dir, decision.Run)
	assert.Equal(t, []any{"", 126}, []any{out, exit})
	assert.Contains(t, complaints, "run_not_found")
}

// TestOnlyWhoEnforcesIsObliged: nothing changes for other callers, for lines that move a shell
// that outlives them, with the setting off, and for who asks for a person.
func TestOnlyWhoEnforcesIsObliged(t *testing.T) {
	s, dir := containing(t), containedProject(t)
	plain := enforced(t, dir, "perl -e 1")
	plain.Session.Enforces = nil
	lasting := enforced(t, dir, "perl -e 1; cd /usr")
	lasting.Session.LastingShell = true
	escalated := enforced(t, dir, "perl -e 1")
	escalated.Escalate = true
	for _, call := range []v1.Call{plain, lasting, escalated} {
		decision := s.decide(t, call)
		assert.Equal(t, v1.EffectPrompt, decision.Effect, string(call.Args))
		assert.Empty(t, decision.Obligations)
	}
	unknown := enforced(t, dir, "perl -e 1")
	unknown.Session.Enforces = []string{"pray"}
	body, err := json.Marshal(unknown)
	require.NoError(t, err)
	status, _, answer := s.post(t, "/v1/decide", string(body))
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Contains(t, string(answer), "no kind of obligation: known is contain")

	settings := filepath.Join(t.TempDir(), "policyd.yaml")
	require.NoError(t, os.WriteFile(settings, []byte("contain: off\n"), 0o600))
	off := startServer(t, "--config", settings)
	assert.Equal(t, v1.EffectPrompt, off.decide(t, enforced(t, dir, "perl -e 1")).Effect)
	assert.Contains(t, get(t, off.url+"/readyz?verbose"), "turned off by the setting contain")
}
