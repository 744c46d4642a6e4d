package e2e

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// recorded are the decisions in the log and its rotated files, by id. Each line
// but one that a kill tore has to be whole.
func (s *server) recorded(t *testing.T) map[string]v1.Record {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(s.stateDir, "decisions*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	found := map[string]v1.Record{}
	for _, name := range names {
		file, err := os.Open(name)
		require.NoError(t, err)
		scanner := bufio.NewScanner(file)
		scanner.Buffer(nil, 16<<20)
		for scanner.Scan() {
			var record v1.Record
			if json.Unmarshal(scanner.Bytes(), &record) == nil {
				assert.NotContains(t, found, record.DecisionID, "recorded twice")
				found[record.DecisionID] = record
			}
		}
		require.NoError(t, scanner.Err())
		require.NoError(t, file.Close())
	}
	return found
}

func (s *server) decisions(t *testing.T, query string) []string {
	t.Helper()
	list := must[v1.RecordList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/decisions"+query, nil))
	ids := []string{}
	for i := range list.Decisions {
		ids = append(ids, list.Decisions[i].DecisionID)
	}
	return ids
}

// TestDecisionsAreRead asks for what was decided, over HTTP and on the command
// line, before and after a restart and without a server (D3).
func TestDecisionsAreRead(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	s.register(t, tree, "other", func(session *v1.Session) { session.Interactive = new(false) })
	allowed := s.shell(t, "s", "ls")
	prompted := s.shell(t, "s", "git push")
	denied := s.file(t, "other", "Read", ".env")
	require.Equal(t, v1.EffectDeny, denied.Effect)
	all := []string{denied.ID, prompted.ID, allowed.ID}
	s = s.restart(t)

	assert.Equal(t, all, s.decisions(t, ""), "the newest first, and those before a restart")
	for query, want := range map[string][]string{
		"?session=s":                            {prompted.ID, allowed.ID},
		"?agent=claude-code&limit=1":            {denied.ID},
		"?agent=nobody":                         {},
		"?decision=prompt":                      {prompted.ID},
		"?rule=safe_verbs/read":                 {allowed.ID},
		"?code=secret_file":                     {denied.ID},
		"?since=1h":                             all,
		"?since=2100-01-01T00:00:00Z&session=s": {},
	} {
		assert.Equal(t, want, s.decisions(t, query), query)
	}
	page := must[v1.RecordList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/decisions?limit=2", nil))
	require.Equal(t, prompted.ID, page.Next)
	assert.Equal(t, all[2:], s.decisions(t, "?limit=2&after="+page.Next))
	one := must[v1.Record](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/decisions/"+prompted.ID, nil))
	assert.Equal(t, prompted.Prompt.ID, one.Result.PromptID)
	assert.Equal(t, prompted.Reasons, one.Result.Reasons)
	assert.Equal(t, prompted.Policy.Revision, one.Bundles["policyd"].Revision)
	assert.Equal(t, "git push", one.Call.Args["command"])
	assert.Equal(t, s.recorded(t)[prompted.ID], one)

	for path, want := range map[string]struct {
		role, code string
		status     int
	}{
		"/v1/decisions":                 {"agent", "role_not_allowed", 403},
		"/v1/decisions/" + allowed.ID:   {"agent", "role_not_allowed", 403},
		"/v1/decisions/nothing":         {"operator", "not_found", 404},
		"/v1/decisions?limit=0":         {"operator", "invalid_parameter", 400},
		"/v1/decisions?after=nothing":   {"operator", "not_found", 404},
		"/v1/decisions?decision=maybe":  {"operator", "invalid_parameter", 400},
		"/v1/decisions?since=yesterday": {"operator", "invalid_parameter", 400},
		"/v1/decisions?audience=public": {"operator", "unknown_parameter", 400},
		"/v1/decisions/nothing?facts=1": {"operator", "unknown_parameter", 400},
	} {
		refuses(t, s.as(t, want.role, http.MethodGet, path, nil), want.status, want.code)
	}
	s.readOnTheCommandLine(t, all)
	s.stop(t)
	s.readOnTheCommandLine(t, all)
}

// readOnTheCommandLine lists, shows and judges again; with or without a server.
func (s *server) readOnTheCommandLine(t *testing.T, all []string) {
	t.Helper()
	lines := strings.Split(s.cli(t, "decisions list"), "\n")
	require.Len(t, lines, 3)
	for i, parts := range [][]string{
		{"deny", "other", "read", ".env", "secrets/file", "is a secret file"}, {"prompt", "s", "git push", "approvals/required"}, {"allow", "ls"},
	} {
		for _, part := range append(parts, "claude-code", all[i]) {
			assert.Contains(t, lines[i], part)
		}
	}
	assert.Len(t, strings.Split(s.cli(t, "decisions list --limit 1"), "\n"), 1)
	var list v1.RecordList
	require.NoError(t, json.Unmarshal([]byte(s.cli(t, "decisions list --session s --json")), &list))
	assert.Len(t, list.Decisions, 2)
	shown := s.cli(t, "decisions show "+all[1])
	for _, part := range []string{
		"decision   prompt", "call       git push", "item       0 command git push in ", ": not covered",
		"reason     prompt by approvals/required (approval_required, item 0): git push is not approved", "policy     policyd ",
	} {
		assert.Contains(t, shown, part)
	}
	assert.Contains(t, s.cli(t, "decisions show "+all[2]), "covered by safe_verbs/read")
	assert.Contains(t, s.cli(t, "decisions replay "+all[1]), all[1]+": prompt, as it was")
}

// TestRecordsAreJudgedAgain replays the log by a bundle that decides otherwise (D3).
func TestRecordsAreJudgedAgain(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "s")
	read, push := s.file(t, "s", "Read", "README.md"), s.shell(t, "s", "git push")
	dir := t.TempDir()
	put(t, dir, ".manifest", siteManifest)
	put(t, dir, "mine.rego", siteDenies)
	log := filepath.Join(s.stateDir, "decisions.jsonl")
	assert.Contains(t, s.cli(t, "decisions replay "+log), read.ID+": allow, as it was")
	command := exec.CommandContext(t.Context(), program, "decisions", "replay", log, "--bundle", dir)
	command.Env = environment(t.TempDir())
	out, err := command.Output()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, 1, exit.ExitCode())
	assert.Contains(t, string(out), read.ID+": was allow, would be deny\n")
	assert.Contains(t, string(out), "  + deny by site/mine (no_reading): nothing is read today\n")
	assert.Contains(t, string(out), push.ID+": prompt, as it was\n")
}

const siteMasks = `package system.log

mask contains "/call/args"

mask contains "/input/cwd" if input.call.tool == "Bash"

mask contains {"op": "upsert", "path": "/call/agent", "value": "hidden"}

mask contains sprintf("/input/%d", [to_number(input.call.args.file_path)]) if input.call.tool == "Read"

drop if input.call.tool == "TodoWrite"
`

// TestOperatorsRulesMaskRecords checks masks and drop rules of a bundle, in the log and in what is read back.
func TestOperatorsRulesMaskRecords(t *testing.T) {
	tree := newTree(t)
	dir := t.TempDir()
	put(t, dir, ".manifest", `{"roots": ["system/log"], "rego_version": 1}`)
	put(t, dir, "log.rego", siteMasks)
	s := startServer(t, "--bundle", dir)
	s.register(t, tree, "s")
	masked := s.shell(t, "s", "ls hushhush")
	broken := s.file(t, "s", "Read", "hushhush.txt")
	kept := s.decide(t, v1.Call{Tool: "TodoWrite", Args: json.RawMessage(`{"todos":[]}`), Session: v1.Session{ID: "s"}})

	one := must[v1.Record](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/decisions/"+masked.ID, nil))
	assert.Equal(t, "hidden", one.Call.Agent)
	assert.Empty(t, one.Call.Args)
	assert.ElementsMatch(t, []string{"/call/args", "/input/cwd"}, one.Erased)
	assert.Empty(t, one.MaskError)
	assert.Contains(t, s.cli(t, "decisions replay "+masked.ID), "a mask took away part of its input")

	one = must[v1.Record](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/decisions/"+broken.ID, nil))
	assert.Equal(t, "mask_failed", one.MaskError)
	assert.Nil(t, one.Input)
	assert.Equal(t, broken.Effect, one.Result.Decision)
	text, err := os.ReadFile(filepath.Join(s.stateDir, "decisions.jsonl"))
	require.NoError(t, err)
	assert.NotContains(t, string(text), "hushhush.txt", "a mask that fails hides what it could have hidden")

	assert.Contains(t, s.decisions(t, ""), kept.ID, "records are required, so none is dropped")
	_, _, answer := s.probe(t, "/readyz?verbose")
	assert.Contains(t, string(answer), "1 kept against data.system.log.drop")
	assert.Contains(t, string(answer), "1 for which a rule of data.system.log failed")
	s.stop(t)

	put(t, dir, "policyd.yaml", "decision_log: {required: false, overflow: drop}\n")
	s = startServer(t, "--bundle", dir, "--config", filepath.Join(dir, "policyd.yaml"))
	s.register(t, tree, "s")
	s.decide(t, v1.Call{Tool: "TodoWrite", Args: json.RawMessage(`{"todos":[]}`), Session: v1.Session{ID: "s"}})
	listed := s.shell(t, "s", "ls")
	assert.Equal(t, []string{listed.ID}, s.decisions(t, ""))
}

// TestNoAnsweredDecisionIsLost ends the server, and kills it, while agents ask, and checks that every
// decision that was answered is in the log, and that another server goes on with it.
func TestNoAnsweredDecisionIsLost(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, s *server){
		"at the end": func(t *testing.T, s *server) {
			t.Helper()
			require.NoError(t, s.command.Process.Signal(syscall.SIGTERM))
		},
		"by a kill": func(t *testing.T, s *server) { t.Helper(); s.kill(t) },
	} {
		t.Run(name, func(t *testing.T) {
			tree := newTree(t)
			s := startServer(t)
			s.register(t, tree, "s")
			answered := s.askUntil(t, 2000, end)
			s.stop(t)
			next := *s
			next.start(t)
			after := next.shell(t, "s", "ls after")
			found := next.recorded(t)
			for id, effect := range answered {
				assert.Equal(t, effect, found[id].Result.Decision, id)
			}
			assert.Contains(t, found, after.ID)
			assert.Equal(t, []string{after.ID}, next.decisions(t, "?limit=1"))
			t.Logf("%d answered, %d recorded", len(answered), len(found))
		})
	}
}

// askUntil lets agents ask until so many were answered and the server has ended by
// end, and returns what was answered.
func (s *server) askUntil(t *testing.T, enough int, end func(*testing.T, *server)) map[string]v1.Effect {
	t.Helper()
	agent := s.token(t, "agent")
	answered := map[string]v1.Effect{}
	var mu sync.Mutex
	var group sync.WaitGroup
	reached := make(chan struct{})
	for worker := range workers {
		group.Go(func() {
			for step := 0; ; step++ {
				decision, err := s.ask(t.Context(), agent, fmt.Sprintf("ls %d-%d", worker, step))
				if err != nil {
					return // the server has ended
				}
				mu.Lock()
				if answered[decision.ID] = decision.Effect; len(answered) == enough {
					close(reached)
				}
				mu.Unlock()
			}
		})
	}
	<-reached
	end(t, s)
	group.Wait()
	require.GreaterOrEqual(t, len(answered), enough)
	return answered
}

// ask decides a command line in the session s, for goroutines.
func (s *server) ask(ctx context.Context, token, line string) (v1.Decision, error) {
	args, err := json.Marshal(map[string]string{"command": line})
	if err != nil {
		return v1.Decision{}, err
	}
	got, err := s.send(ctx, token, http.MethodPost, "/v1/decide", v1.Call{Tool: "Bash", Args: args, Session: v1.Session{ID: "s"}})
	if err != nil {
		return v1.Decision{}, err
	}
	if got.status != http.StatusOK {
		return v1.Decision{}, fmt.Errorf("answered %d", got.status)
	}
	var decision v1.Decision
	err = json.Unmarshal(got.body, &decision)
	return decision, err
}

// TestRecordsAreForwarded checks that a log service gets what the file has, in OPA's form, also what is left
// when the server ends.
func TestRecordsAreForwarded(t *testing.T) {
	var mu sync.Mutex
	var got []string
	service := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		unpacked, err := gzip.NewReader(request.Body)
		if !assert.NoError(t, err) {
			return
		}
		var batch []v1.Record
		assert.NoError(t, json.NewDecoder(unpacked).Decode(&batch))
		assert.Equal(t, "/logs", request.URL.Path)
		assert.Equal(t, "Bearer hushhush", request.Header.Get("Authorization"))
		mu.Lock()
		defer mu.Unlock()
		for i := range batch {
			got = append(got, batch[i].DecisionID)
		}
	}))
	defer service.Close()
	tree, dir := newTree(t), t.TempDir()
	put(t, dir, "policyd.yaml", "decision_log:\n  service: {url: "+service.URL+", token: hushhush}\n")
	s := startServer(t, "--config", filepath.Join(dir, "policyd.yaml"))
	s.register(t, tree, "s")
	want := []string{}
	for range 5 {
		want = append(want, s.shell(t, "s", "ls").ID)
	}
	s.stop(t)
	assert.Equal(t, want, got)
	assert.NotContains(t, s.stderr.String(), "hushhush")

	service.Close()
	s.start(t)
	decision := s.shell(t, "s", "ls")
	require.Equal(t, v1.EffectAllow, decision.Effect, "a service that is away denies nothing")
	eventually(t, "readiness warns", func() bool {
		status, _, answer := s.probe(t, "/readyz")
		return status == http.StatusOK && strings.Contains(string(answer), "record_service")
	})
	assert.Contains(t, s.recorded(t), decision.ID)
}
