package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/captured"
	"policyd/test/decider"
	"policyd/test/jsonl"
)

// sharedCorpus is the folder of lines and sessions that isn't part of the repository:
// ../shared/corpus beside it, unless POLICYD_SHARED_CORPUS names another one. It may be missing.
func sharedCorpus(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("POLICYD_SHARED_CORPUS"); dir != "" {
		return dir
	}
	root, err := filepath.Abs(".")
	require.NoError(t, err)
	for !exists(filepath.Join(root, "go.mod")) {
		require.NotEqual(t, "/", filepath.ToSlash(root), "no go.mod above the test")
		root = filepath.Dir(root)
	}
	return filepath.Join(root, "..", "shared", "corpus")
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// sampled is which of the recorded calls are read with -short: every so many.
const sampled = 10

// recorded are the calls of recorded sessions, as if the project were their repository. Each
// text is read once.
func (a *asking) recorded(t *testing.T) []v1.Call {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(sharedCorpus(t), "sessions", "*.jsonl"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Logf("left out: no recorded sessions in %s", sharedCorpus(t))
	}
	var texts []string
	for _, name := range files {
		sessions, err := jsonl.Read[struct {
			Root  string `json:"repository_root"`
			Calls []string
		}](name)
		require.NoError(t, err)
		for _, session := range sessions {
			require.NotEmpty(t, session.Calls, name)
			for _, command := range session.Calls {
				if session.Root != "" {
					command = strings.ReplaceAll(command, session.Root, a.project)
				}
				texts = append(texts, strings.ReplaceAll(command, "/home/dev", filepath.Dir(a.project)))
			}
		}
	}
	slices.Sort(texts)
	var calls []v1.Call
	for i, command := range slices.Compact(texts) {
		if command != "" && chosen(t, command) && (!testing.Short() || i%sampled == 0) {
			calls = append(calls, a.call(decider.Line{Command: command}, true))
		}
	}
	return calls
}

// captured are the calls that clients' hooks sent.
func (a *asking) captured(t *testing.T) []v1.Call {
	t.Helper()
	const root = "../testdata/fixtures"
	var calls []v1.Call
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".json") {
			return err
		}
		sent, err := captured.Read(root, name, filepath.Dir(a.project))
		if err != nil || sent.Tool == "" {
			return err
		}
		call := a.call(decider.Line{}, true)
		call.Tool, call.Args, call.Protocol, call.Session.Agent = sent.Tool, sent.Args, sent.Protocol, sent.Session.Agent
		if sent.Cwd != "" {
			call.Cwd = sent.Cwd
		}
		calls = append(calls, call)
		return nil
	}))
	require.NotEmpty(t, calls)
	return calls
}
