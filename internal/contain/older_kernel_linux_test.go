//go:build amd64 || arm64

package contain

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// withABI makes the test's program run a line as on a kernel with an older Landlock.
const withABI = "POLICYD_TEST_LANDLOCK"

func TestMain(m *testing.M) {
	Stage()
	if abi, err := strconv.Atoi(os.Getenv(withABI)); err == nil {
		os.Exit(runWithABI(abi, os.Args[1]))
	}
	os.Exit(m.Run())
}

func runWithABI(abi int, line string) int {
	s, err := newSpec(&Command{
		Argv: []string{"bash", "-c", line}, Dir: "/", Env: os.Environ(), NoSignals: true,
		Obligation: v1.Obligation{Kind: v1.ObligationContain, Profile: v1.ProfileReadOnly, Read: []string{"/"}, Network: v1.NetworkNone},
	})
	if err != nil {
		return fail(err)
	}
	defer s.cleanUp()
	s.ABI = abi
	out := s.start(stopSelf)
	if out.err != nil {
		return fail(out.err)
	}
	return out.status.ExitStatus()
}

// TestOlderKernels: what an older Landlock doesn't restrict, the filter does.
func TestOlderKernels(t *testing.T) {
	if landlockABI() < minLandlock {
		t.Skip("skipped: " + landlockMissing(landlockABI()))
	}
	dir := t.TempDir()
	for abi := minLandlock; abi <= landlockABI(); abi++ {
		for line, works := range map[string]bool{
			"kill -0 $PPID":                    false,
			"kill -CONT $PPID":                 false,
			"kill -CONT -1":                    abi >= abiScopes, // its own processes, and no others
			"kill -CONT $$":                    abi >= abiScopes,
			"echo x > " + dir + "/x":           false,
			"echo x > /dev/tcp/127.0.0.1/1":    false,
			"cat < /proc/$PPID/environ":        false,
			"echo x > $TMPDIR/x && ls -l /":    true,
			"ulimit -c unlimited; ulimit -c":   true,
			"chmod 777 " + dir:                 false,
			"mkfifo $TMPDIR/f && ls $TMPDIR":   true,
			"mknod $TMPDIR/d b 7 0":            false,
			"echo x > /dev/null; cat /dev/tty": false,
		} {
			command := exec.CommandContext(t.Context(), os.Args[0], line)
			command.Env = append(os.Environ(), withABI+"="+strconv.Itoa(abi))
			output, err := command.CombinedOutput()
			assert.Equal(t, works, err == nil, "abi %d: %s: %s", abi, line, output)
		}
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, entries)
}
