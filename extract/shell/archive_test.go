package shell

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/command"
)

// tar reads with -t what it writes with -c, wherever the option stands.
func TestArchivesAreReadOrWritten(t *testing.T) {
	for line, kind := range map[string]string{
		"tar -tf a.tar": "read", "tar -f a.tar -t": "read", "tar tvf a.tar x": "read", "tar -cf a.tar x": "write",
		"tar xf a.tar": "write", "tar f a.tar": "write",
	} {
		c := parse(t, line).Commands[0]
		got, _ := c.Form.Get("-f")
		assert.Equalf(t, kind, got, "%q", line)
		assert.Emptyf(t, c.Caveats, "%q", line)
	}
}

// In tar's old bundle the values of all letters stand behind it, and an
// archive of another machine is asked for by a program.
func TestTarThatRunsPrograms(t *testing.T) {
	for _, line := range []string{
		"tar tfI a.tar id", "tar tbf 20 a.tar", "tar -tf host:a.tar", "tar -tf a.tar -I id", "tar tf a.tar --to-command=id",
	} {
		assert.NotEmptyf(t, parse(t, line).Commands[0].Caveats, "%q", line)
	}
}

// gzip takes name.gz for name; scripts put a name into a text for sed.
func TestPackedFiles(t *testing.T) {
	c := parse(t, "zcat logs/app.log").Commands[0]
	assert.True(t, slices.ContainsFunc(c.Accesses, func(a command.Access) bool { return a.Presence == command.IfExists && a.Text == "logs/app.log.gz" }))
	assert.Empty(t, c.Caveats)
	for _, line := range []string{"zgrep x $'a\\nw out'", "unzip -l '*.zip'", "zgrep x 'a|b'", "zcat 'a b'"} {
		assert.Truef(t, parse(t, line).Commands[0].Caveats.Has("unknown_option"), "%q", line)
	}
	c = parse(t, "gunzip a.gz").Commands[0]
	got, _ := c.Form.Get("<file>")
	assert.Equal(t, "delete", got)
}

// The binary tools take arguments from the file behind an "@".
func TestAtFiles(t *testing.T) {
	for line, refused := range map[string]bool{
		"nm build/a.o": false, "nm build/*.o": false, "strings -n 8 app": false, "nm ./@x": false,
		"nm *.o":   false,
		"nm @args": true, "strings -n @x app": true, `size "$x"`: true, "ls | xargs nm": true,
	} {
		commands := parse(t, line).Commands
		assert.Equalf(t, refused, commands[len(commands)-1].Caveats.Has("unknown_option") || len(commands) > 1, "%q", line)
	}
}

// With -n a shell reads a script and runs nothing, unless +n takes it back.
func TestShellsThatOnlyRead(t *testing.T) {
	for line, runs := range map[string]bool{
		"bash -n a.sh": false, "sh -n scripts/*.sh": false, "bash a.sh": true, "bash -n": true, "bash -n +n": true,
		`bash -n "$x"`: true, "bash -n *.sh": false, "bash -n +*": true,
	} {
		assert.Equalf(t, runs, parse(t, line).Commands[0].Caveats.Has("runs_anything"), "%q", line)
	}
}

// A pattern may match a name that is more than a name: it has to match none.
func TestPatternsThatMustNotMatchMarks(t *testing.T) {
	for line, pattern := range map[string]string{"nm *.o": "@*", "bash -n *.sh": "+*", `for f in *.sh; do sh -n "$f"; done`: "+*"} {
		c := parse(t, line).Commands[0]
		assert.Truef(t, slices.ContainsFunc(c.Accesses, func(a command.Access) bool { return a.Matches == command.NoMatch && a.Text == pattern }), "%q", line)
	}
}
