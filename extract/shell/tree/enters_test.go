package tree_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/shell/tree"
)

func entry(dir string) tree.Entry { return tree.Entry{Dir: dir} }

func TestALineIsSplitAtTheDirectoriesItEnters(t *testing.T) {
	for line, want := range map[string]struct {
		entries []tree.Entry
		rest    string
	}{
		"cd a && ls":                           {[]tree.Entry{entry("a")}, "ls"},
		"cd a\nls; false":                      {[]tree.Entry{entry("a")}, "ls; false"},
		"cd a; ls":                             {[]tree.Entry{entry("a")}, "ls"},
		"cd 'a b' 2>/dev/null && ls || true":   {[]tree.Entry{entry("a b")}, "ls || true"},
		`cd "a b" >/dev/null 2>&1` + "\nls":    {[]tree.Entry{entry("a b")}, "ls"},
		"cd a && cd b && ls && (cd c && ls)":   {[]tree.Entry{entry("a"), entry("b")}, "ls && (cd c && ls)"},
		"cd a\n# note\n! ls 'it'\\''s' | cat":  {[]tree.Entry{entry("a")}, "! ls 'it'\\''s' | cat"},
		"cd ~/x && ls":                         {[]tree.Entry{{Dir: "~/x", Home: true}}, "ls"},
		"cd '~/x' && ls":                       {[]tree.Entry{entry("~/x")}, "ls"},
		"cd a && cat <<E\n$(cd b)\nE\necho $1": {[]tree.Entry{entry("a")}, "cat <<E\n$(cd b)\nE\necho $1"},
		"ls":                                   {nil, "ls"},
		"(cd a && ls); echo $(cd b; pwd)":      {nil, "(cd a && ls); echo $(cd b; pwd)"},
		"cd a & ls":                            {nil, "cd a & ls"},
		"cd a":                                 {nil, ""},
	} {
		entries, rest, stays := tree.Enters(line)
		if want.rest == "" {
			assert.False(t, stays && rest != "", line)
			continue
		}
		assert.True(t, stays, line)
		assert.Equal(t, want.entries, entries, line)
		assert.Equal(t, want.rest, rest, line)
	}
}

// What may leave the shell elsewhere, or may not be where the line says, isn't split.
func TestALineThatMovesItsShellDoesNotStay(t *testing.T) {
	for _, line := range []string{
		"ls && cd a", "cd a && ls && cd ..", "cd $A && ls", "cd *a && ls", "cd a* && ls", "cd - && ls", "cd && ls", "cd a b && ls", "cd -P a && ls",
		"cd a || ls", "! cd a && ls", "cd a | ls", "A=1 cd a && ls", "cd a > out && ls", "cd `x` && ls", "cd \"$A\" && ls", "cd a\\ b && ls",
		"pushd a && ls", "popd; ls", "eval 'cd a'; ls", "source x; ls", ". x; ls", "command cd a; ls", "builtin cd a; ls", "\\cd a; ls", "'cd' a; ls",
		"$x a; ls", "f() { cd a; }; f", "if cd a; then ls; fi", "{ cd a; ls; }", "time cd a; ls", "for d in a b; do cd $d; done", "trap 'cd a' EXIT; ls",
		"ls | while read d; do cd $d; done", "cd a && {", "cd ~x && ls", "cd {a,b} && ls", "cd ~root/x && ls",
	} {
		entries, rest, stays := tree.Enters(line)
		assert.False(t, stays, "%q: %v %q", line, entries, rest)
	}
}

// TestASplitLineDoesTheSame runs both: what is printed, the status and where the shell is left.
func TestASplitLineDoesTheSame(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("skipped: there is no bash")
	}
	top := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(top, "a b/c"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(top, "a b/f"), []byte("x\n"), 0o600))
	const where = "\nstatus=$?; pwd; exit $status"
	for _, line := range []string{
		"cd 'a b' && cat f", "cd 'a b'; cat f; false", "cd \"a b\" 2>/dev/null\ncat f | wc -l\n(cd c && pwd)", "cd 'a b' && cd c && pwd && cat ../f || echo no",
		"cd 'a b' && for i in 1 2; do cat f; done && ! true", "cd 'a b' && cat <<E; cat f\nit's\nE", "cd 'a b' && x='q \"u\"' && echo \"$x\" # done",
	} {
		entries, rest, stays := tree.Enters(line)
		require.True(t, stays, line)
		enters := ""
		for _, entry := range entries {
			enters += "cd '" + entry.Dir + "' && "
		}
		want, wantStatus := output(t, bash, top, line+where)
		got, gotStatus := output(t, bash, top, enters+`bash -c "$0"`+where, rest)
		assert.Equal(t, want, got, line)
		assert.Equal(t, wantStatus, gotStatus, line)
	}
}

func output(t *testing.T, bash, dir, line string, words ...string) (string, int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), bash, append([]string{"-c", line}, words...)...)
	command.Dir = dir
	out, _ := command.Output() // the status says it
	return string(out), command.ProcessState.ExitCode()
}
