//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

const (
	// soakRequests is how many calls the short form sends; SOAK=10m, as make soak says, sends
	// calls for so long.
	soakRequests = 4000
	soakWorkers  = 8
	// soakMemory bounds what the program has in memory at any time, in bytes: the limit of the
	// collector, the program itself, and what SQLite maps.
	soakMemory = 224 << 20
)

var residentRow = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`)

// peakMemory is the most that a process had in memory, in bytes.
func (p *process) peakMemory(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	require.NoError(t, err)
	row := residentRow.FindSubmatch(text)
	require.NotNilf(t, row, "%s", text)
	kilobytes, err := strconv.Atoi(string(row[1]))
	require.NoError(t, err)
	return kilobytes << 10
}

// A server that is asked for long, by ever new sessions and about ever new calls, keeps
// within its memory, and answers to the end.
func TestSoak(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	token, operator := s.token(t, "agent"), s.token(t, "operator")
	more := func(sent int64) bool { return sent <= soakRequests }
	if text := os.Getenv("SOAK"); text != "" {
		length, err := time.ParseDuration(text)
		require.NoError(t, err)
		end := time.Now().Add(length)
		more = func(int64) bool { return time.Now().Before(end) }
	}
	var sent, failed atomic.Int64
	var working sync.WaitGroup
	for range soakWorkers {
		working.Go(func() {
			for n := sent.Add(1); more(n); n = sent.Add(1) {
				if err := s.soak(t.Context(), token, operator, tree.Project, n); err != nil {
					failed.Add(1)
					t.Errorf("request %d: %v", n, err)
					return
				}
			}
		})
	}
	working.Wait()
	require.Zero(t, failed.Load())
	peak := s.peakMemory(t)
	t.Logf("%d requests, at most %d MB in memory", sent.Load(), peak>>20)
	assert.Less(t, peak, soakMemory)
	assert.Equal(t, v1.EffectAllow, s.shell(t, "soak-3", "git status").Effect)
	status, text := s.readiness(t)
	assert.Equalf(t, http.StatusOK, status, "%s", text)
}

// soak sends the nth request: every third has a session of its own, every fifth asks, and
// now and then everything that is asked is answered.
func (s *server) soak(ctx context.Context, token, operator, project string, n int64) error {
	command := fmt.Sprintf("git log -%d --stat -- src/f%d.go", n, n)
	if n%5 == 0 {
		command = fmt.Sprintf("make target-%d", n)
	}
	args, err := json.Marshal(map[string]string{"command": command, "description": fmt.Sprintf("%0512d", n)})
	if err != nil {
		return err
	}
	session := v1.Session{
		ID: fmt.Sprintf("soak-%d", n-n%3), Agent: "claude-code", Audience: v1.AudiencePersonal, ProjectDir: project, Interactive: new(true),
	}
	got, err := s.send(ctx, token, http.MethodPost, "/v1/decide", v1.Call{Tool: "Bash", Args: args, Session: session})
	if err == nil && got.status == http.StatusTooManyRequests {
		return nil // the rate is limited, too
	}
	if err == nil && got.status != http.StatusOK {
		err = fmt.Errorf("status %d: %s", got.status, got.body)
	}
	if err == nil && n%500 == 0 {
		got, err = s.send(ctx, operator, http.MethodPost, "/v1/prompts/answer", v1.AnswerAllRequest{Choice: v1.ChoiceDeny, Agent: "claude-code"})
		if err == nil && got.status != http.StatusOK {
			err = fmt.Errorf("status %d: %s", got.status, got.body)
		}
	}
	return err
}
