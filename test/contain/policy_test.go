//go:build linux && (amd64 || arm64)

package contain

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/extract"
)

// person is a home directory with a project, and the obligations that the built-in policy makes there.
type person struct {
	home, project string
	extractor     *extract.Extractor
	// refused is why the last obligation couldn't be made.
	refused error
}

func newPerson(t *testing.T) *person {
	t.Helper()
	// Not in a directory that a project run gets anew, if that can be: links in it would be gone.
	home, err := os.MkdirTemp("/srv", "policyd-person-") //nolint:usetesting // as declared
	if err != nil {
		home = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	home, err = filepath.EvalSymlinks(home)
	require.NoError(t, err)
	p := &person{home: home, project: home + "/project"}
	require.NoError(t, os.MkdirAll(p.project, 0o755))
	base, err := extract.NewBase(extract.Options{
		Home: home, Own: []string{home + "/.local/state/policyd"}, Address: "127.0.0.1:7483", ConsoleAddress: "127.0.0.1:7484", Platform: "linux",
		Now: time.Now,
	})
	require.NoError(t, err)
	t.Cleanup(base.Close)
	p.extractor, err = base.With(builtIn(t))
	require.NoError(t, err)
	return p
}

// builtIn is the data of the built-in policy that extraction reads.
func builtIn(t *testing.T) map[string]any {
	t.Helper()
	read := func(path string) (data map[string]any) {
		text, err := os.ReadFile(filepath.Join("../../policies/policyd", path, "data.json"))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &data))
		return data
	}
	lists := map[string]any{}
	for _, name := range []string{"secrets", "protected", "sensitive", "exclusions", "contain"} {
		lists[name] = read("config/" + name)
	}
	return map[string]any{"config": lists, "settings": read("settings")}
}

func (p *person) write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(p.home+"/"+name), 0o755))
	require.NoError(t, os.WriteFile(p.home+"/"+name, []byte(text), 0o600))
}

// obligation is the policy's for a line in the project.
func (p *person) obligation(t *testing.T, profile string) *v1.Obligation {
	t.Helper()
	run, err := p.extractor.Contain(t.Context(), &v1.Call{Tool: "Bash", Args: json.RawMessage(`{"command":"make"}`), Cwd: p.project, Session: v1.Session{
		ID: "s", Agent: "claude-code", Audience: v1.AudiencePersonal, ProjectDir: p.project, Home: p.home,
	}}, nil, v1.Duty{Kind: v1.ObligationContain, Profile: profile, Reads: v1.ReadsListed})
	p.refused = err
	return &run.Obligation
}

// contain returns why no line can be contained.
func (p *person) contain(t *testing.T, profile string) error {
	t.Helper()
	p.obligation(t, profile)
	return p.refused
}

// launch runs lines as the policy obliges; without a profile, uncontained.
func (p *person) launch(t *testing.T, profile string) *launch {
	t.Helper()
	l := &launch{uid: os.Geteuid(), dir: p.project, env: []string{"HOME=" + p.home, "GOFLAGS=-buildvcs=auto", "GOPROXY=off", "GOCACHE=", "GOMODCACHE="}}
	if profile != "" {
		l.obligation = p.obligation(t, profile)
		require.NoError(t, p.refused)
	}
	return l
}

// lines runs lines and requires that each succeeds.
func (l *launch) lines(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		got := l.run(t, "bash", "-c", line)
		require.Equal(t, 0, got.state.ExitCode(), "%s: %s%s", line, got.stdout, got.stderr)
	}
}
