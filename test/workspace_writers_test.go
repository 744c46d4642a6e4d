package test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// besideArguments are the words that a program needs to do its work on the file a.txt.
var besideArguments = map[string][]string{
	"[": {"-f", "a.txt", "]"}, "awk": {"1", "a.txt"}, "chmod": {"600", "a.txt"}, "cmp": {"a.txt", "a.txt"}, "comm": {"a.txt", "a.txt"},
	"cp": {"a.txt", "b.txt"}, "cut": {"-c1", "a.txt"}, "date": {}, "df": {}, "diff": {"a.txt", "a.txt"}, "echo": {"x"}, "egrep": {"x", "a.txt"},
	"false": {}, "fgrep": {"x", "a.txt"}, "find": {".", "-name", "a.txt"}, "grep": {"x", "a.txt"}, "hostname": {}, "id": {}, "join": {"a.txt", "a.txt"},
	"kill": {"-l"}, "killall": {"-l"}, "mkdir": {"made"}, "mv": {"a.txt", "c.txt"}, "nproc": {}, "pkill": {"-f", "no such program runs here"},
	"printf": {"x"}, "ps": {}, "pwd": {}, "readlink": {"a.txt"}, "rmdir": {"empty"}, "sed": {"p", "a.txt"}, "seq": {"2"}, "sleep": {"0"},
	"tee": {"b.txt"}, "test": {"-f", "a.txt"}, "tr": {"a", "b"}, "true": {}, "uname": {}, "which": {"ls"}, "whoami": {},
}

// Programs that may be beside a command that writes, and those that use only the paths that they are given,
// take their settings from no file of the project or of the home directory: they look at the file that they
// are given, and at no other.
func TestProgramsBesideAWriteReadNoSettings(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	var config struct {
		Beside map[string]bool `json:"beside"`
	}
	data, err := os.ReadFile("../policies/policyd/config/workspace_writes/data.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &config))
	for _, name := range usingPathsOnly(t) {
		config.Beside[name] = true
	}
	named := regexp.MustCompile(`"([^"]*)"`)
	ran := 0
	for name := range config.Beside {
		program, err := exec.LookPath(name)
		if err != nil {
			continue // a builtin of shells, or not installed
		}
		ran++
		home, dir := t.TempDir(), t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("x y\n"), 0o600))
		require.NoError(t, os.Mkdir(filepath.Join(dir, "empty"), 0o700))
		arguments, ok := besideArguments[name]
		if !ok {
			arguments = []string{"a.txt"}
		}
		log := filepath.Join(t.TempDir(), "log")
		trace := []string{"-f", "-e", "trace=open,openat,readlink,readlinkat,execve", "-o", log, program}
		cmd := exec.CommandContext(t.Context(), strace, append(trace, arguments...)...)
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + home, "PATH=/usr/bin:/bin", "XDG_CONFIG_HOME=" + home + "/.config"}
		_ = cmd.Run() // some of them end with a status of their own
		traced, err := os.ReadFile(log)
		require.NoErrorf(t, err, "strace of %s", name)
		require.Containsf(t, string(traced), "execve(", "strace of %s", name)
		for _, match := range named.FindAllStringSubmatch(string(traced), -1) {
			assert.Falsef(t, strings.HasPrefix(match[1], home), "%s looks for %s", name, match[1])
		}
		for _, line := range strings.Split(string(traced), "\n") {
			if !strings.Contains(line, "open") {
				continue
			}
			for _, match := range named.FindAllStringSubmatch(line, -1) {
				file := strings.TrimPrefix(match[1], dir+"/")
				own := filepath.IsAbs(file) || file == "." || file == "" || file == "a.txt" || file == "b.txt" || file == "c.txt" || file == "made" || file == "empty"
				assert.Truef(t, own, "%s opens %s", name, match[1])
			}
		}
	}
	assert.Greater(t, ran, 40)
}

// usingPathsOnly are the programs of the program table that touch no path but those that they are given.
func usingPathsOnly(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../extract/argv/programs/*.json")
	require.NoError(t, err)
	var names []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var programs map[string]struct {
			WorksIn string `json:"works_in"`
		}
		require.NoError(t, json.Unmarshal(data, &programs), file)
		for name, program := range programs {
			if program.WorksIn == "paths" {
				names = append(names, name)
			}
		}
	}
	assert.Greater(t, len(names), 60)
	return names
}
