//go:build linux && (amd64 || arm64)

package contain

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

func newContext() context.Context { return context.Background() }

// Without full, a sample is run: one line of so many.
const (
	sampleContained   = 60
	sampleUncontained = 120
)

// corpus reads the lines of bash that the corpora allow, and those that they don't.
func corpus(t *testing.T) (allowed, others []trial) {
	t.Helper()
	files, err := filepath.Glob("../testdata/corpus/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		file, err := os.Open(name)
		require.NoError(t, err)
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var line struct {
				ID, Command, Cwd string
				Shell            string
				Accept           []string
			}
			require.NoError(t, json.Unmarshal(lines.Bytes(), &line))
			if !slices.Contains([]string{"", "bash", "sh", "dash", "zsh", "ksh"}, line.Shell) || line.Command == "" {
				continue
			}
			one := trial{ID: filepath.Base(name) + "/" + line.ID, Command: line.Command, Cwd: line.Cwd}
			if slices.Contains(line.Accept, "allow") {
				allowed = append(allowed, one)
			} else {
				others = append(others, one)
			}
		}
		require.NoError(t, lines.Err())
		_ = file.Close()
	}
	return allowed, others
}

// full states that every line is run: make contain.
func full() bool { return os.Getenv("POLICYD_TEST_CONTAIN") == "full" }

func every(n int, trials []trial) []trial {
	if full() {
		return trials
	}
	var out []trial
	for i := 0; i < len(trials); i += n {
		out = append(out, trials[i])
	}
	return out
}

// TestCorpusContained runs lines of the corpora in profile read_only: what the analysis allows, and what it
// doesn't. None has an effect. Uncontained, many have: the harness sees effects.
func TestCorpusContained(t *testing.T) {
	need(t, v1.ProfileReadOnly)
	template := jailTemplate(t)
	allowed, others := corpus(t)
	for _, group := range []struct {
		name      string
		trials    []trial
		contained bool
	}{
		{"allowed, contained", every(sampleContained, allowed), true},
		{"not allowed, contained", every(sampleContained/2, others), true},
		{"not allowed, uncontained", every(sampleUncontained, others), false},
	} {
		t.Run(group.name, func(t *testing.T) {
			for i := range group.trials {
				group.trials[i].Contained = group.contained
			}
			outcomes := runInJails(t, template, group.trials)
			require.Len(t, outcomes, len(group.trials))
			byID := map[string]string{}
			for _, one := range group.trials {
				byID[one.ID] = one.Command
			}
			effects, late := map[string]int{}, 0
			affected := 0
			for _, out := range outcomes {
				if out.Late {
					late++
				}
				if len(out.Effects) > 0 {
					affected++
				}
				for _, effect := range out.Effects {
					kind, _, _ := strings.Cut(effect, ":")
					effects[kind]++
				}
				if group.contained {
					assert.Empty(t, out.Effects, "%s: %s", out.ID, byID[out.ID])
				}
			}
			t.Logf("%d lines, %d with effects: %v; %d ended by their deadline", len(outcomes), affected, effects, late)
			if !group.contained {
				assert.Greater(t, affected, len(outcomes)/5, "the harness must see effects")
				assert.NotZero(t, effects["file"])
			}
		})
	}
}

// TestTheJailSeesEffects: one line for each kind, uncontained and contained.
func TestTheJailSeesEffects(t *testing.T) {
	need(t, v1.ProfileReadOnly)
	template := jailTemplate(t)
	kinds := map[string]string{
		"file: made":         "echo x > made",
		"file: changed":      "chmod 600 README.md",
		"file: deleted":      "rm -r src",
		"network: tcp":       "echo x > /dev/tcp/198.51.100.7/80",
		"network: udp":       "echo x > /dev/udp/198.51.100.7/53",
		"signal: victim":     "kill -9 -1",
		"process: left":      "setsid sleep 60 >/dev/null 2>&1 &",
		"file: made by name": "openssl rand -out made 8 || touch made",
	}
	var trials []trial
	for id, command := range kinds {
		trials = append(trials, trial{ID: id, Command: command, Cwd: "/srv/proj"}, trial{ID: id, Command: command, Cwd: "/srv/proj", Contained: true})
	}
	seen, contained := map[string]bool{}, 0
	for i, out := range runInOrder(t, template, trials) {
		if trials[i].Contained {
			contained++
			assert.Empty(t, out.Effects, out.ID)
			continue
		}
		kind, _, _ := strings.Cut(out.ID, ":")
		for _, effect := range out.Effects {
			seen[out.ID] = seen[out.ID] || strings.HasPrefix(effect, kind)
		}
		assert.True(t, seen[out.ID], "%s: %v", out.ID, out.Effects)
	}
	assert.Equal(t, len(kinds), contained)
}

func jailTemplate(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not installed")
	}
	dir := t.TempDir()
	built, err := project.New(t.Context(), dir)
	require.NoError(t, err)
	require.NoError(t, project.Expose(t.Context(), built))
	require.NoError(t, exec.CommandContext(t.Context(), "chmod", "-R", "a+rX", filepath.Dir(dir)).Run())
	return built.Home
}

// runInJails runs trials in two halves at a time, in any order.
func runInJails(t *testing.T, template string, trials []trial) []outcome {
	t.Helper()
	const jails = 2
	var parts [jails][]outcome
	var all sync.WaitGroup
	for i := range jails {
		all.Go(func() { parts[i] = runInOrder(t, template, trials[i*len(trials)/jails:(i+1)*len(trials)/jails]) })
	}
	all.Wait()
	return slices.Concat(parts[:]...)
}

// runInOrder runs trials, and makes a new jail after each that had an effect.
func runInOrder(t *testing.T, template string, trials []trial) []outcome {
	t.Helper()
	var out []outcome
	for len(out) < len(trials) {
		got := oneJail(t, template, trials[len(out):])
		if !assert.NotEmpty(t, got, "the jail failed at %+v", trials[len(out)]) {
			return out
		}
		out = append(out, got...)
	}
	return out
}

// oneJail runs trials until one has an effect.
func oneJail(t *testing.T, template string, trials []trial) []outcome {
	t.Helper()
	root := t.TempDir()
	command := exec.CommandContext(t.Context(), helper, wordJail)
	command.Env = []string{"JAIL_ROOT=" + root, "JAIL_TEMPLATE=" + template, "PATH=" + os.Getenv("PATH") + ":/usr/sbin:/sbin"}
	command.Stderr = os.Stderr
	host := os.Geteuid()
	if host == 0 {
		host = nobody
		require.NoError(t, exec.CommandContext(t.Context(), "chmod", "-R", "a+rX", filepath.Dir(root)).Run())
	}
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: host, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: host, Size: 1}},
		Credential:  &syscall.Credential{NoSetGroups: true},
		Pdeathsig:   syscall.SIGKILL,
	}
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	defer writer.Close()
	command.ExtraFiles = []*os.File{reader}
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	if err := command.Start(); err != nil {
		t.Skipf("skipped: no jail can be made here: %s", err)
	}
	_ = reader.Close()
	encoder, decoder := json.NewEncoder(writer), json.NewDecoder(stdout)
	var out []outcome
	for i := range trials {
		if encoder.Encode(trials[i]) != nil {
			break
		}
		var got outcome
		if decoder.Decode(&got) != nil {
			break
		}
		out = append(out, got)
		if len(got.Effects) > 0 {
			break
		}
	}
	_ = writer.Close()
	_, _ = io.Copy(io.Discard, stdout)
	_ = command.Wait()
	return out
}
