//go:build unix

package extract_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: what is closed to the sidecar may be open to the agent, if that is another
// user: then nobody knows what lies there. What is closed to one user is to both.
func TestDirectoriesThatAreClosed(t *testing.T) {
	if os.Geteuid() == 0 {
		// Root reads what is closed to everybody else; as any other user the test runs.
		t.Skip("skipped: nothing is closed to root")
	}
	p := newPlace(t)
	require.NoError(t, os.RemoveAll(p.project+"/.env"))
	require.NoError(t, os.MkdirAll(p.project+"/private/below", 0o700))
	require.NoError(t, os.Chmod(p.project+"/private", 0))
	t.Cleanup(func() { _ = os.Chmod(p.project+"/private", 0o700) })
	var root syscall.Stat_t
	require.NoError(t, syscall.Stat("/", &root))
	require.NotEqual(t, os.Geteuid(), int(root.Uid))
	for line, closed := range map[string]bool{
		"grep -r x .": true, "rg x": true, "cat private/*": true, "cat */*": true, "find . -type f | xargs cat": true,
		"grep -r x src": false, "cat src/*": false,
	} {
		for home, other := range map[string]bool{p.home: false, "/": true, "/nowhere": true} {
			call := p.call("Bash", map[string]any{"command": line})
			call.Session.Home = home
			facts := p.extractor.Extract(call, nil)
			require.NotEmpty(t, facts.Items, line)
			assert.Equal(t, closed && other, someItemHas(facts.Items, "reaches_unknown"), "%s with the home %s", line, home)
		}
	}
}
