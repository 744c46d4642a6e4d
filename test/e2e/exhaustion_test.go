//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// until asks again until something holds, within patience.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(patience); !holds(); <-ticker.C {
		require.Truef(t, time.Now().Before(deadline), "%s", what)
	}
}

// readiness is the status of /readyz.
func (s *server) readiness(t *testing.T) (status int, text string) {
	t.Helper()
	got := s.as(t, "agent", http.MethodGet, "/readyz?verbose", nil)
	return got.status, string(got.body)
}

// remember approves a verb, and returns the status of the answer.
func (s *server) remember(t *testing.T, directory string) int {
	t.Helper()
	got := s.as(t, "operator", http.MethodPost, "/v1/approvals", v1.ApprovalRequest{
		Audience: v1.AudiencePersonal, Agent: "*", Tool: "shell", Verb: "make", Directory: &directory,
	})
	if got.status >= http.StatusBadRequest {
		refuses(t, got, http.StatusServiceUnavailable, "store_unavailable")
	}
	return got.status
}

func (s *server) approvedDirectories(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	for after := ""; ; {
		list := must[v1.ApprovalList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/approvals?limit=1000&after="+after, nil))
		for _, entry := range list.Approvals {
			known[*entry.Directory] = true
		}
		if after = list.Next; after == "" {
			return known
		}
	}
}

// Connections of one client take no descriptor that the server needs for its own files: tokens
// stay, calls are decided, answers are kept.
func TestDescriptorsRunOut(t *testing.T) {
	tree := newTree(t)
	s := startLimited(t, filepath.Join(t.TempDir(), "state"), "-n 64")
	s.register(t, tree, "s")
	address := strings.TrimPrefix(s.url, "http://")
	for round := range 3 {
		for range 150 {
			conn, err := net.DialTimeout("tcp", address, patience)
			if err == nil {
				t.Cleanup(func() { _ = conn.Close() })
			}
		}
		require.NoError(t, s.command.Process.Signal(syscall.SIGHUP))
		until(t, "the files are read again", func() bool { return strings.Count(s.stderr.String(), "files are read again") > round })
		http.DefaultClient.CloseIdleConnections()
		assert.Equal(t, v1.EffectAllow, s.shell(t, "s", "git status").Effect)
		assert.Equal(t, http.StatusCreated, s.remember(t, fmt.Sprintf("%s/src/%d", tree.Project, round)))
		status, text := s.readiness(t)
		assert.Equalf(t, http.StatusOK, status, "%s", text)
	}
	assert.NotContains(t, s.stderr.String(), "files can't be used")
	next := s.restart(t)
	assert.Len(t, next.approvedDirectories(t), 3)
}

// smallDisk is a file system of some megabytes.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "disk")
	require.NoError(t, os.Mkdir(dir, 0o700))
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m,mode=0700"); err != nil {
		t.Skipf("skipped: no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fill takes all that is left of a disk, and returns what gives it back.
func fill(t *testing.T, dir string) (release func()) {
	t.Helper()
	name := filepath.Join(dir, "filler")
	file, err := os.Create(name)
	require.NoError(t, err)
	for size := 1 << 16; size > 0; {
		if _, err = file.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NoError(t, file.Close())
	return func() { require.NoError(t, os.Remove(name)) }
}

// On a full disk nothing is allowed without a record and nothing is acknowledged that isn't
// kept; once there is room the server goes on, and what it acknowledged is there.
func TestTheDiskIsFull(t *testing.T) {
	tree := newTree(t)
	disk := smallDisk(t)
	s := startLimited(t, filepath.Join(disk, "state"), "")
	s.register(t, tree, "s")
	acknowledged := map[string]bool{}
	refused := 0
	for round := range 3 {
		release := fill(t, disk)
		for i := range 40 {
			directory := fmt.Sprintf("%s/src/%d-%d", tree.Project, round, i)
			if status := s.remember(t, directory); status == http.StatusCreated {
				acknowledged[directory] = true
			} else {
				refused++
			}
			decision := s.shell(t, "s", fmt.Sprintf("git log -%d", round*100+i+1))
			if decision.Effect != v1.EffectAllow {
				assert.Equal(t, []string{"record_failed"}, codes(decision))
			}
		}
		until(t, "a full disk makes the server unready", func() bool {
			s.shell(t, "s", "git status")
			status, _ := s.readiness(t)
			return status == http.StatusServiceUnavailable
		})
		release()
		until(t, "calls are decided once there is room", func() bool { return s.shell(t, "s", "git status").Effect == v1.EffectAllow })
		until(t, "answers are kept once there is room", func() bool {
			directory := fmt.Sprintf("%s/src/%d", tree.Project, round)
			if s.remember(t, directory) >= http.StatusBadRequest {
				return false
			}
			acknowledged[directory] = true
			return true
		})
	}
	assert.Positive(t, refused)
	next := s.restart(t)
	assert.Equal(t, acknowledged, next.approvedDirectories(t))
	for id, record := range next.recorded(t) {
		assert.NotEmpty(t, record.Result.Decision, id)
	}
}

// A database that is removed while the server runs ends its readiness, and no answer is acknowledged that
// would be gone after a restart. The next start states what is missing.
func TestTheDatabaseIsRemoved(t *testing.T) {
	tree := newTree(t)
	for name, remove := range map[string]func(stateDir string) error{
		"the file": func(dir string) error { return os.Remove(filepath.Join(dir, "policyd.db")) },
		"all of its files": func(dir string) error {
			names, err := filepath.Glob(filepath.Join(dir, "policyd.db*"))
			for _, name := range names {
				err = errors.Join(err, os.Remove(name))
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t)
			s.register(t, tree, "s")
			require.Equal(t, http.StatusCreated, s.remember(t, tree.Project+"/src/before"))
			require.NoError(t, remove(s.stateDir))
			for i := range 5 {
				assert.Equal(t, http.StatusServiceUnavailable, s.remember(t, fmt.Sprintf("%s/src/%d", tree.Project, i)))
			}
			status, text := s.readiness(t)
			assert.Equal(t, http.StatusServiceUnavailable, status)
			assert.Contains(t, text, "removed or replaced")
			s.stop(t)
			output := s.fails(t)
			assert.Contains(t, output, "policyd.db is missing")
			assert.Contains(t, output, "policyd doctor --repair")
		})
	}
}

// fails starts the server, which has to refuse, and returns what it says.
func (s *server) fails(t *testing.T) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, "serve", "--addr", "127.0.0.1:0", "--state-dir", s.stateDir, "--run-dir", s.runDir)
	command.Env = environment(s.home)
	output, err := command.CombinedOutput()
	require.Error(t, err)
	return string(output)
}

// A hostile agent with one token neither keeps others waiting nor fills what they share.
func TestOneAgentLeavesRoomForOthers(t *testing.T) {
	tree := newTree(t)
	s := startSet(t, "limits: {prompts_per_caller: 20}\n")
	s.register(t, tree, "victim")
	dirs := make([]string, 65)
	for i := range dirs {
		dirs[i] = fmt.Sprintf("%s/none/%d", tree.Project, i)
	}
	wide := session(tree, "hostile")
	wide.ID, wide.ExtraDirs = "wide", dirs
	refuses(t, s.as(t, "agent", http.MethodPut, sessionPath("wide"), wide), http.StatusBadRequest, "too_many_extra_dirs")
	call, err := json.Marshal(v1.Call{Tool: "Read", Args: json.RawMessage(`{"file_path":"a"}`), Session: wide})
	require.NoError(t, err)
	refuses(t, s.as(t, "agent", http.MethodPost, "/v1/decide", string(call)), http.StatusBadRequest, "too_many_extra_dirs")

	opened, full := 0, 0
	for i := range 60 {
		id := fmt.Sprintf("flood-%d", i)
		must[v1.SessionInfo](t, http.StatusCreated, s.as(t, "agent", http.MethodPut, sessionPath(id),
			v1.Session{ID: id, Agent: "hostile", Audience: v1.AudiencePersonal, ProjectDir: tree.Project, Interactive: new(true)}))
		switch decision := s.shell(t, id, "git push origin main"); decision.Effect {
		case v1.EffectPrompt:
			opened++
		default:
			assert.Equal(t, []string{"prompts_full", "approval_required"}, codes(decision))
			full++
		}
	}
	assert.Equal(t, 20, opened)
	assert.Equal(t, 40, full)
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "victim", "git push origin main").Effect)
	assert.Equal(t, "answered 20 prompts with deny", s.cli(t, "prompts answer --all --agent hostile deny"))
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "flood-59", "git push origin other").Effect)
}

// A caller makes no more sessions than it may, by calls, hooks and registrations, and its other sessions go on.
func TestSessionsOfACallerAreBounded(t *testing.T) {
	tree := newTree(t)
	s := startSet(t, "limits: {sessions_per_caller: 3}\n")
	for _, id := range []string{"a", "b", "c"} {
		s.register(t, tree, id)
	}
	more := session(tree, "hostile")
	more.ID = "d"
	refuses(t, s.as(t, "agent", http.MethodPut, sessionPath("d"), more), http.StatusTooManyRequests, "sessions_full")
	call, err := json.Marshal(v1.Call{Tool: "Bash", Args: json.RawMessage(`{"command":"ls"}`), Session: more})
	require.NoError(t, err)
	decision := wellFormed(t, s.as(t, "agent", http.MethodPost, "/v1/decide", string(call)).body)
	assert.Equal(t, v1.EffectDeny, decision.Effect)
	assert.Equal(t, []string{"sessions_full"}, codes(decision))
	assert.Equal(t, v1.EffectAllow, s.shell(t, "c", "ls").Effect)
	must[v1.SessionInfo](t, http.StatusCreated, s.as(t, "operator", http.MethodPut, sessionPath("d"), more))
	assert.Equal(t, v1.EffectAllow, s.shell(t, "d", "ls").Effect, "operators have no limit")
	assert.Contains(t, string(s.as(t, "agent", http.MethodGet, "/metrics", nil).body), "policyd_sessions_refused_total 2\n")
}
