package test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/bundles"
	"policyd/extract"
	"policyd/policies"
)

var update = flag.Bool("update", false, "write the facts of the smoke cases anew")

const smokeFacts = "../bundles/smoke/facts.json"

// TestSmokeFactsAreThoseOfExtraction checks that the facts by which bundles are checked before they become
// active are those that extraction makes of the cases' calls.
func TestSmokeFactsAreThoseOfExtraction(t *testing.T) {
	var cases []bundles.SmokeCase
	content, err := os.ReadFile("../bundles/smoke/cases.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &cases))
	extractor := smokeExtractor(t)
	made := map[string]v1.Facts{}
	for i := range cases {
		made[cases[i].Name] = extractor.Extract(&cases[i].Call, cases[i].Grants)
	}
	assert.Len(t, made, len(cases), "names are unique")
	wanted, err := json.MarshalIndent(made, "", " ")
	require.NoError(t, err)
	wanted = append(wanted, '\n')
	if *update {
		require.NoError(t, os.WriteFile(smokeFacts, wanted, 0o600))
	}
	there, err := os.ReadFile(smokeFacts)
	require.NoError(t, err)
	assert.JSONEq(t, string(wanted), string(there), "facts have changed: run go test ./test -run SmokeFacts -update")
}

// smokeExtractor sees a small disk under the names of the cases.
func smokeExtractor(t *testing.T) *extract.Extractor {
	t.Helper()
	disk := t.TempDir()
	for name, content := range map[string]string{
		"proj/.env": "TOKEN=x\n", "proj/README.md": "# Project\n", "proj/src/main.go": "package main\n", "proj/AGENTS.md": "Be kind.\n",
		"proj/.git/HEAD": "ref: refs/heads/main\n", "proj/.git/config": "[core]\n", "other/notes.txt": "x\n", "granted/notes.txt": "x\n",
		"agent/notes.txt": "x\n", "proj/notes/scratch.md": "x\n", "home/.profile": "\n", "etc/hosts": "\n",
	} {
		full := filepath.Join(disk, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o750))
		require.NoError(t, os.WriteFile(full, []byte(content), 0o600))
	}
	var pathMap []any
	for agent, name := range map[string]string{
		"/srv/proj": "proj", "/srv/other": "other", "/srv/granted": "granted", "/var/agent/smoke": "agent", "/home/dev": "home", "/etc": "etc",
	} {
		pathMap = append(pathMap, map[string]any{"agent": agent, "sidecar": filepath.Join(disk, name)})
	}
	base, err := extract.NewBase(extract.Options{
		Home: "/home/policyd", Own: []string{"/var/lib/policyd"}, Address: "127.0.0.1:7483", Platform: "linux",
		Now: func() time.Time { return time.Now().Add(time.Hour) }, // what was made this second is never remembered
	})
	require.NoError(t, err)
	engine, err := bundles.New(t.Context(), bundles.Options{
		FS: policies.FS, Settings: map[string]any{"scope": map[string]any{"path_map": pathMap, "delete_allow": []any{"notes/scratch.md"}}},
		WithoutSmoke: true, // its facts are what is made here
		Prepare:      func(policyd map[string]any) (any, error) { return base.With(policyd) },
	})
	require.NoError(t, err)
	t.Cleanup(engine.Close)
	extractor, prepared := engine.Current().Prepared().(*extract.Extractor)
	require.True(t, prepared)
	return extractor
}
