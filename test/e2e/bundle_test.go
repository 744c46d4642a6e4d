package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

const (
	siteManifest = `{"roots": ["site/mine"], "rego_version": 1}`
	siteDenies   = `package site.mine

deny contains {"rule": "site/mine", "code": "no_reading", "message": "nothing is read today", "item": i} if {
	some i, item in input.items
	item.verb == "read"
}
`
	siteBroken = `package site.mine

deny contains {"rule": "site/mine"
`
	siteSilent = `package site.mine

deny contains {"rule": "site/mine", "code": "no_reading", "message": "nothing is read today", "item": i} if {
	some i, item in input.items
	item.verb == "no such verb"
}
`
	siteFailingTest = `package site.mine

test_never if false
`
)

// TestAWatchedBundleIsReplacedWhole checks that an operator's bundle is reloaded on a change, and that a
// broken one leaves the policy before it active.
func TestAWatchedBundleIsReplacedWhole(t *testing.T) {
	tree := newTree(t)
	dir := t.TempDir()
	put(t, dir, ".manifest", siteManifest)
	put(t, dir, "mine.rego", siteDenies)
	s := startServer(t, "--bundle", dir, "--watch")
	call := v1.Call{
		Tool: "Read", Args: json.RawMessage(`{"file_path":"README.md"}`), Cwd: tree.Project, Session: session(tree, "claude-code"),
	}
	denied := s.decide(t, call)
	require.Equalf(t, v1.EffectDeny, denied.Effect, "%+v", denied.Reasons)

	put(t, dir, "mine.rego", siteBroken)
	eventually(t, "the log names file and row", func() bool { return addressesRow.MatchString(s.stderr.String()) })
	assert.Equal(t, denied.Policy.Revision, s.decide(t, call).Policy.Revision, "a broken bundle changes nothing")

	put(t, dir, "mine_test.rego", siteFailingTest)
	put(t, dir, "mine.rego", siteSilent)
	eventually(t, "the log names the failing test", func() bool { return namesTest.MatchString(s.stderr.String()) })
	assert.Equal(t, v1.EffectDeny, s.decide(t, call).Effect, "a bundle whose tests fail changes nothing")

	require.NoError(t, os.Remove(filepath.Join(dir, "mine_test.rego")))
	eventually(t, "the mended bundle is in force", func() bool { return s.decide(t, call).Effect == v1.EffectAllow })
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

// eventually asks until the answer is yes or patience ends.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline.C:
			require.FailNow(t, "never: "+what)
		}
	}
}
