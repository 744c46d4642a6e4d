package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/captured"
	"policyd/test/project"
)

const fixtureRoot = "../testdata/fixtures"

// expectations state what each captured payload has to get.
type expectations struct {
	Classes []class  `json:"classes"`
	Events  []string `json:"events"`
}

type class struct {
	Name  string   `json:"name"`
	Why   string   `json:"why"`
	Want  []string `json:"want"`
	Files []string `json:"files"`
}

// TestCapturedPayloads sends what real agent programs sent to their hooks (D1, S1, P2, P3, V5, V12, N2).
func TestCapturedPayloads(t *testing.T) {
	expected := readExpectations(t)
	tree := newTree(t)
	s := startServer(t)
	for _, class := range expected.Classes {
		require.NotEmpty(t, class.Files, class.Name)
		for _, file := range class.Files {
			t.Run(class.Name+"/"+strings.TrimSuffix(file, ".json"), func(t *testing.T) {
				call := callOf(t, tree, file)
				decision := s.decide(t, call)
				assert.Containsf(t, class.Want, decision.Effect.String(), "%s: %s %s\nreasons: %+v\nitems: %+v",
					class.Why, call.Tool, call.Args, decision.Reasons, decision.Items)
				if call.Protocol == "acp" {
					assert.NotEmpty(t, decision.Route.Mode, "every ACP method has a route")
				}
			})
		}
	}
}

// TestEveryFixtureIsExpected checks that no captured file is forgotten and that none is in two classes.
func TestEveryFixtureIsExpected(t *testing.T) {
	expected := readExpectations(t)
	var named, found []string
	for _, class := range expected.Classes {
		named = append(named, class.Files...)
	}
	named = append(named, expected.Events...)
	require.NoError(t, fs.WalkDir(os.DirFS(fixtureRoot), ".", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".json") {
			found = append(found, path)
		}
		return err
	}))
	require.NotEmpty(t, found)
	slices.Sort(named)
	assert.Equal(t, found, named)
}

func readExpectations(t *testing.T) expectations {
	t.Helper()
	text, err := os.ReadFile("../testdata/expectations.json")
	require.NoError(t, err)
	var expected expectations
	require.NoError(t, json.Unmarshal(text, &expected))
	require.NotEmpty(t, expected.Classes)
	return expected
}

// callOf makes a call of a captured payload. The tree's home is in for /home/dev.
func callOf(t *testing.T, tree project.Tree, file string) v1.Call {
	t.Helper()
	call, err := captured.Read(fixtureRoot, file, tree.Home)
	require.NoError(t, err)
	require.NotEmpty(t, call.Tool)
	call.Session = session(tree, call.Session.Agent)
	return call
}
