package bundles

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// patience bounds waits for something that has to happen.
const patience = 20 * time.Second

// mapFS makes a bundle of names and contents.
func mapFS(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, content := range files {
		out[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return out
}

// deciding is a bundle whose main package is the given body.
func deciding(body string) map[string]string {
	return map[string]string{
		".manifest":                  `{"roots": ["policyd"]}`,
		"policyd/main/main.rego":     "package policyd.main\n\n" + body,
		"policyd/settings/data.json": `{"greeting": "hello"}`,
	}
}

// with returns files with one more.
func with(files map[string]string, name, content string) map[string]string {
	out := maps.Clone(files)
	out[name] = content
	return out
}

// prompting is a main package that always asks, with the given hint.
func prompting(hint string) string {
	return strings.ReplaceAll(`decision := {
	"effect": "prompt",
	"reasons": [{"rule": "r", "code": "c", "effect": "prompt", "message": "m", "item": -1}],
	"covered": [], "uncovered": [], "choices": ["once", "deny"], "hint": "HINT",
	"refusal_hint": "", "route": {"mode": "", "peer": "", "select": ""}, "jsonrpc_error": null,
}
`, "HINT", hint)
}

func newEngine(t *testing.T, options Options) *Engine {
	t.Helper()
	e, err := New(t.Context(), options)
	require.NoError(t, err)
	t.Cleanup(e.Close)
	return e
}

// engineOf makes an engine of one embedded bundle.
func engineOf(t *testing.T, files map[string]string) *Engine {
	t.Helper()
	return newEngine(t, Options{FS: mapFS(files)})
}

// writeTree writes a bundle to a directory, in order of names.
func writeTree(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		full := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o750))
		require.NoError(t, os.WriteFile(full, []byte(files[name]), 0o600))
	}
}

// replaceFile puts a file in place as a whole, as careful writers do.
func replaceFile(t *testing.T, name string, content []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(name+".new", content, 0o600))
	require.NoError(t, os.Rename(name+".new", name))
}

func archive(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	tape := tar.NewWriter(zip)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		require.NoError(t, tape.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(files[name]))}))
		_, err := tape.Write([]byte(files[name]))
		require.NoError(t, err)
	}
	require.NoError(t, tape.Close())
	require.NoError(t, zip.Close())
	return out.Bytes()
}

// receive takes the next value of a hook.
func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(patience):
		require.FailNow(t, "nothing happened")
		panic("unreachable")
	}
}

func requireCode(t *testing.T, err error, code string) {
	t.Helper()
	var coded *v1.CodedError
	require.ErrorAs(t, err, &coded)
	require.Equal(t, code, coded.Code, err.Error())
}

// threeCommands is what "cd src && ls -l && git status" looks like.
func threeCommands() *v1.Input {
	item := func(verb string, form v1.Form, touches ...string) v1.Item {
		return v1.Item{
			Kind: v1.ItemCommand, Verb: verb, Directory: "/srv/proj/src", Form: form, Touches: touches,
			Caveats: v1.Set{}, Within: v1.Set{"/srv/proj/src", "/srv/proj"}, Path: -1,
		}
	}
	return &v1.Input{
		Facts: v1.Facts{
			Schema: v1.FactsSchema,
			Tool:   v1.ToolFacts{Name: "Bash", Kind: v1.ToolShell, Client: "claude-code", Known: true, Act: v1.ToolShell},
			Method: v1.MethodFacts{Peers: []v1.PeerFacts{}},
			Session: v1.SessionFacts{
				ID: "s-1", Agent: "claude-code", Audience: v1.AudiencePersonal, Interactive: true, Platform: "linux",
				ProjectDir: "/srv/proj", SessionDir: "/var/agent/s-1", Tools: v1.Set{"set_working_directory"},
			},
			About: []string{"shell", "command", "read"}, Verbs: []string{"cat", "ls", "git status"},
			Names: []string{"main.go"}, Cwd: "/srv/proj", Complete: true, Doubts: []string{},
			Items: []v1.Item{
				item("cat", v1.Form{{Name: "<file>", Kind: "read"}}, "read.project"),
				item("ls", v1.Form{{Name: "-l", Kind: "none"}}, "list.project"),
				item("git status", v1.Form{{Name: "--short", Kind: "none"}}, "read.project", "list.project"),
			},
			Paths: []v1.Path{{
				Raw: "main.go", Real: "/srv/proj/src/main.go", Op: v1.OpRead, Space: v1.SpaceProject,
				Class: v1.Form{}, Links: []string{}, Caveats: v1.Set{"exists"},
			}},
		},
		Approvals: []v1.Approval{{ID: "a-1", Tool: "shell", Verb: "git push", Directory: "/srv/proj"}},
	}
}

// nothing is the least input that can be judged.
func nothing() *v1.Input { return &v1.Input{Facts: v1.Facts{Schema: v1.FactsSchema}} }
