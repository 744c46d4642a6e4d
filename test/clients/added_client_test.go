package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/test/recipes"
)

// mostFiles is how many files may have to change for a client. A client without directories of
// its own needs one less.
const mostFiles = 4

// TestAClientIsAddedInFewPlaces builds the programs with the client of CONTRIBUTING.md. It checks that its hooks
// are parsed and answered, that it can be installed and examined, that its tools are known, and
// that it has its directory for a session.
func TestAClientIsAddedInFewPlaces(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs are built once more")
	}
	r := newRealRun(t, buildAdded(t), "")
	home, err := filepath.EvalSymlinks(r.home)
	require.NoError(t, err)
	r.write(t, map[string]string{".acme/settings.json": "{}", ".acme/scratch/s1/old.txt": "old"})
	said := r.run(t, r.policyd, "install", "acme", "--no-tools", "--temporary")
	assert.Contains(t, said, "acme wants to be started again")
	r.serve(t)
	doctor := r.run(t, r.policyd, "doctor")
	assert.Regexp(t, `acme.*settings\.json: the hook answers`, doctor)
	assert.Contains(t, doctor, "not gated: nothing")

	hook := func(event, session, fields string) (answer map[string]any, exit int) {
		command := exec.CommandContext(t.Context(), filepath.Join(filepath.Dir(r.policyd), "policyd-hook"), "acme")
		command.Dir, command.Env = r.project, r.env
		command.Stdin = strings.NewReader(`{"hook_event_name":"` + event + `","session_id":"` + session + `","cwd":"` + r.project + `"` + fields + `}`)
		out, err := command.Output()
		if err != nil {
			require.ErrorAs(t, err, new(*exec.ExitError))
		}
		require.NoErrorf(t, json.Unmarshal(out, &answer), "%s", out)
		return answer, command.ProcessState.ExitCode()
	}
	tool := func(name, key, value string) map[string]any {
		answer, exit := hook("acme.tool", "s1", `,"tool_name":"`+name+`","tool_input":{"`+key+`":"`+value+`"}`)
		assert.Zero(t, exit)
		return answer
	}
	answer, _ := hook("acme.start", "s1", `,"source":"fresh"`)
	assert.Empty(t, answer)
	assert.Equal(t, map[string]any{"go": true}, tool("Run", "command", "ls"), "its shell is known, and its project")
	refused := tool("Run", "command", "cat /etc/shadow")
	assert.Equal(t, false, refused["go"])
	assert.NotEmpty(t, refused["why"])
	assert.Equal(t, false, tool("Unheard", "command", "ls")["go"], "the catalog has no such tool")
	inScratch := filepath.Join(home, ".acme", "scratch", "s1", "old.txt")
	assert.Equal(t, map[string]any{"go": true}, tool("Run", "command", "cat "+inScratch), "the directory is the session's")
	beside := filepath.Join(home, ".acme", "scratch", "s2", "old.txt")
	assert.Equal(t, false, tool("Run", "command", "cat "+beside)["go"], "another's isn't")
}

// buildAdded builds the programs with the client in them, and returns their directory.
func buildAdded(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	texts := map[string]string{}
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(page), "\n## A client\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, block := range recipes.Blocks(section) {
		if block.Kind != "diff" {
			continue
		}
		before, after := block.Change()
		file := filepath.Join(root, block.File)
		text, known := texts[file]
		if !known {
			read, err := os.ReadFile(file)
			require.NoError(t, err)
			text = string(read)
		}
		require.Containsf(t, text, before, "%s", block.File)
		texts[file] = strings.Replace(text, before, after, 1)
	}
	assert.Len(t, texts, mostFiles)
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for file, text := range texts {
		made := filepath.Join(dir, strings.ReplaceAll(strings.TrimPrefix(file, root), string(filepath.Separator), "_"))
		require.NoError(t, os.WriteFile(made, []byte(text), 0o600))
		overlay.Replace[file] = made
	}
	list, err := json.Marshal(overlay)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), list, 0o600))
	command := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-overlay", filepath.Join(dir, "overlay.json"), "-o", dir+"/",
		"policyd/cmd/policyd", "policyd/cmd/policyd-hook")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := command.CombinedOutput()
	require.NoErrorf(t, err, "%s", out)
	return dir
}
