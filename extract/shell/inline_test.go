package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/argv"
	"policyd/extract/shell/command"
)

// inline reports whether a line holds program text: no answer to it is remembered.
func inline(line command.Line) bool {
	return len(line.Messy) > 0 || slices.ContainsFunc(line.Commands, func(c command.Command) bool {
		return c.Caveats.Has("inline_code") || c.Caveats.Has("inner")
	})
}

// A1: each interpreter of the table runs program text of its options and of standard input,
// in every spelling of an option that it may know.
func TestProgramTextOfInterpreters(t *testing.T) {
	table, err := NewTable()
	require.NoError(t, err)
	seen := 0
	for _, name := range table.Names() {
		program := table.Program(name)
		if program == nil || !program.Interprets() || strings.ContainsAny(name, "/ ") || argv.IsShell(name) {
			continue
		}
		seen++
		lines := []string{name, "cat x | " + name, name + " -", name + " /dev/stdin", name + " -zqe 1", "mytool " + name + " -e 1"}
		for option, known := range program.Options {
			if known.Kinds[0] != "code" {
				continue
			}
			lines = append(lines, name+" "+option+" 1", name+" "+option+"=1", "uv run "+name+" "+option+" 1")
			if strings.HasPrefix(option, "--") && len(option) > 5 {
				lines = append(lines, name+" "+option[:len(option)-1]+" 1")
			}
		}
		for _, line := range lines {
			assert.Truef(t, inline(parse(t, line)), "%q", line)
		}
	}
	require.Greater(t, seen, 100)
}

// A1: so do shells, editors, debuggers and clients of databases.
func TestProgramTextOfOtherPrograms(t *testing.T) {
	for _, line := range []string{
		"ash -c ls", "csh -c ls", "tcsh -c ls", "mksh -c ls", "elvish -c ls", "nu -c ls", "fish -c ls", "vim -c q", "nvim +q", "ex -c q", "emacs --eval 1",
		"gdb -ex 'shell ls'", "sqlite3 a.db 'drop table t'", "psql -d x -c 'drop table t'", "mysql db", "node -pe 1", "perl -ne 1", "perl -pe 1 a", "ruby -ne 1",
		"uv run python -c 1", "poetry run python3 -c 1", "mytool bash -c ls", "npx node -e 1", "tmux new ls", "screen -X stuff x", "at now", "crontab -",
		"julia -E 1", "Rscript -e 1", "php -r 1", "lua -e 1", "deno eval 1", "osascript -e 1", "pwsh -enc AAAA", "python3 -", "make --eval='x:;ls'",
	} {
		line := parse(t, line)
		assert.Truef(t, inline(line), "%v", line.Commands)
	}
	for _, line := range []string{
		"python3 tool.py -x", "node server.js", "bash run.sh", "vim --version", "psql --version", "perl tool.pl a", "command -v nvim tmux", "uv run pytest", "mytool a",
		"node --max-old-space-size=4096 a.js", "python3 -u a.py", "ruby a.rb",
	} {
		assert.Falsef(t, inline(parse(t, line)), "%q", line)
	}
}

// S2: what prints values of variables that may hold secrets says so.
func TestProgramsThatPrintVariables(t *testing.T) {
	for _, line := range []string{
		"go env", "go env -json", "go env -changed", "go env GOPROXY", "go env GOPATH GOFLAGS", "java -version", "java --version", "javac -version", "mvn -v",
		"jar tf a.jar", "git config -l", "git config --list --show-origin", "git config list", "git config --get-regexp .", "printenv FOO",
	} {
		caveats := parse(t, line).Commands[0].Caveats
		assert.Truef(t, caveats.Has("private_variable") || caveats.Has("shows_variable"), "%q", line)
	}
	for _, line := range []string{
		"go env GOPATH", "go env GOMODCACHE GOOS", "go env -json GOVERSION", "go version", "git config --local -l", "git config --global --list",
		"git config user.name", "printenv PATH", "node --version",
	} {
		caveats := parse(t, line).Commands[0].Caveats
		assert.Falsef(t, caveats.Has("private_variable") || caveats.Has("shows_variable"), "%q", line)
	}
}

// A1, V11: on Windows, too, in either dialect.
func TestProgramTextOnWindows(t *testing.T) {
	for _, dialect := range []string{"powershell", "cmd"} {
		for _, line := range []string{
			"powershell -EncodedCommand AAAA", "powershell -enc AAAA", "powershell -e AAAA", "bash -c ls", "wsl ls", "cmd /c dir",
			"node -e 1", "py -c 1", "python -c 1", "ruby -e 1", "perl -e 1", "php -r 1", "node.exe -p 1", "type a.txt | cmd", "type a.txt | node", "mshta x",
			"uv run python -c 1", "sqlite3 a.db x",
		} {
			out := parseWindows(t, dialect, line)
			assert.Truef(t, inline(out), "%s: %q: %v", dialect, line, out.Commands)
		}
		for _, line := range []string{"node server.js", "py tool.py", "node --version", "mytool a"} {
			assert.Falsef(t, inline(parseWindows(t, dialect, line)), "%s: %q", dialect, line)
		}
	}
	assert.True(t, inline(parseWindows(t, "powershell", "iex x")))
}
