package shell

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/command"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/host"
)

func parseZsh(tb testing.TB, line string) command.Line {
	tb.Helper()
	return newTable(tb).Parse(line, host.Options{
		Shell: "zsh", Home: "/home/dev", Cwd: "/srv/proj", Plain: func(string) bool { return true },
	})
}

// V8: what zsh reads otherwise than bash, or may by an option, is messy there.
func TestZshLinesThatAreMessy(t *testing.T) {
	for _, line := range []string{
		`echo $x[1]`, `echo "$x[$(id)]"`, `echo $HOME:h`, `echo ${(e)x}`, `echo $~x`, `echo $=x`, `echo $^x`,
		"echo !!", `echo "!ls"`, `echo '' "it's $x[1]"`, `echo "$(echo 'a')" '$x[1]'`,
		"ls # ; id", "ls # a", "# it's\nls", "# $(id)\nls", "cat <(ls) #", "cat < ^a",
		"ls *(e:id:)", "cat =(ls)",
		// A range of numbers is a pattern, behind which another command may begin.
		"cat <1-2>&- touch x", "cat <->&1", "cat a<1->b", `cat '' "it's" <1-2>&- id`,
		// Names of parameters go on, and there are more than nine of them.
		`x=src; cat "$xé/etc/passwd"`, "cat $é/etc/passwd", `f() { cat "$10"; }; f a`,
	} {
		assert.NotEmptyf(t, parseZsh(t, line).Messy, "%q", line)
	}
}

// V8: quoted text, plain comments and what both shells read alike is not.
func TestZshLinesThatAreUnderstood(t *testing.T) {
	for _, line := range []string{
		`awk '!seen[$0]++' a.txt`, `sed -n '$!N;$p' f`, `grep '$x[1]' f`, "! grep -q x f", "[ a != b ]",
		"# list the files\nls -la", `find . ! -name x`, `echo "done!"`, `awk '{print $NF[1]}' f`,
		`d=src; echo "$d: $d:"`, `grep '<1-2>' f`, `grep "<->" f`, "cat < a-b", `echo 'x$10'`, `d=src; echo "$d é"`,
	} {
		assert.Emptyf(t, parseZsh(t, line).Messy, "%q", line)
	}
}

// zsh puts the path of a program where a value names it behind a colon.
func TestZshProgramsInValues(t *testing.T) {
	for _, line := range []string{"x=a:=ls; cat $x", "x=:=ls; cat $x", "x==ls; cat $x"} {
		commands := parseZsh(t, line).Commands
		assert.Equalf(t, command.Unnamed, commands[len(commands)-1].Accesses[0].Naming, "%q", line)
	}
}

// zsh sets some variables by itself, so that what a line put there says nothing.
func TestZshVariablesAreItsOwn(t *testing.T) {
	for _, line := range []string{
		"MATCH=src; [[ .. =~ '..' ]]; cat $MATCH/a", "match=src; [[ .. =~ '(..)' ]]; cat $match/a", "for MATCH in src; do [[ .. =~ '..' ]]; cat $MATCH/a; done",
		"status=src; cat $status/a",
	} {
		commands := parseZsh(t, line).Commands
		assert.Truef(t, commands[len(commands)-1].Accesses[0].Naming == command.Unnamed || slices.Contains(parseZsh(t, line).Messy, guard.MessyAssignment), "%q", line)
	}
	assert.NotEqual(t, command.Unnamed, parse(t, "MATCH=src; cat $MATCH/a").Commands[1].Accesses[0].Naming)
}

// zsh and ksh run the last command of a pipe in the shell itself, ksh may be what sh
// is, and bash does so with lastpipe: what it changes may hold behind the pipe.
func TestLastCommandsOfPipesMayStayBehind(t *testing.T) {
	for shell, dirs := range map[string][]string{
		"bash": {"/srv/proj", "/srv"}, "zsh": {"/srv/proj", "/srv"}, "ksh": {"/srv/proj", "/srv"}, "sh": {"/srv/proj", "/srv"},
	} {
		for _, line := range []string{"true | cd ..; cat a", "true | { cd ..; }; cat a"} {
			parsed := newTable(t).Parse(line, host.Options{Shell: shell, Cwd: "/srv/proj", Plain: func(string) bool { return true }})
			last := parsed.Commands[len(parsed.Commands)-1]
			assert.ElementsMatchf(t, dirs, last.Cwd.Known, "%s: %q", shell, line)
		}
	}
}

// ksh takes letters beyond ASCII for a part of a name.
func TestKshNames(t *testing.T) {
	for _, shell := range []string{"sh", "ksh"} {
		parsed := newTable(t).Parse(`x=src; cat "$xé/etc/passwd"`, host.Options{Shell: shell, Cwd: "/srv/proj"})
		assert.Containsf(t, parsed.Messy, guard.MessyDialect, shell)
	}
	assert.Empty(t, parse(t, `x=src; cat "$xé/etc/passwd"`).Messy)
}

// Under EXTENDED_GLOB zsh reads HEAD^ as a pattern: it stands for itself only
// where nothing begins as it does.
func TestZshExtendedPatternsHaveToMatchNothing(t *testing.T) {
	for line, pattern := range map[string]string{"git show HEAD^": "HEAD*", "git log main~2": "main*", "cat ^a": "*", "cat d/.envx#": "d/.env*", `cat d/.env\x#`: "d/.env*", "cat d/.envé#": "d/.env*"} {
		parsed := parseZsh(t, line)
		assert.Emptyf(t, parsed.Messy, "%q", line)
		assert.Truef(t, slices.ContainsFunc(parsed.Commands[0].Accesses, func(a command.Access) bool { return a.Matches == command.NoMatch && a.Text == pattern }), "%q", line)
	}
	for _, line := range []string{"cat x#.env", "cat d/x#.env"} {
		assert.Equalf(t, command.Unnamed, parseZsh(t, line).Commands[0].Accesses[0].Naming, "%q", line)
	}
	for _, line := range []string{"git show 'HEAD^'", `git show HEAD\^`} {
		assert.Falsef(t, slices.ContainsFunc(parseZsh(t, line).Commands[0].Accesses, func(a command.Access) bool { return a.Matches == command.NoMatch }), "%q", line)
	}
}

// Shells evaluate text as an expression where they want a number, so that a
// number with text about it is none.
func TestNumbersWithTextAreNoNumbers(t *testing.T) {
	for _, line := range []string{
		`[[ 'a[$(id)]'$? -eq 0 ]]`, `[ 'a[$(id)]'$# -eq 0 ]`, `x='a[$(id)]'; [[ "$x$?" -gt 1 ]]`, `return a$?`,
	} {
		assert.NotEmptyf(t, parse(t, line).Messy, "%q", line)
	}
	assert.Empty(t, parse(t, `[ "$?" -eq 0 ] && [[ 1$# -gt 2 ]]; exit $?`).Messy)
}

// The conversions of printf are looked for in the word that is the format.
func TestPrintfFormats(t *testing.T) {
	for line, code := range map[string]bool{
		`printf '%s\n' a`: false, `printf -- '%s' a`: false, `printf '%n' a`: true, `printf -- '%n' a`: true,
		`x=$(ls); printf "$x"`: false, `x=$(ls); printf "$x" a`: true,
	} {
		commands := parse(t, line).Commands
		assert.Equalf(t, code, commands[len(commands)-1].Caveats.Has("inline_code"), "%q", line)
	}
}

// zsh evaluates what LINES and COLUMNS are set to.
func TestHarmlessNumbersAreNumbers(t *testing.T) {
	assert.False(t, parse(t, "COLUMNS=80 ls").Commands[0].Caveats.Has("assigns"))
	assert.True(t, parse(t, "COLUMNS='a[$(id)]' ls").Commands[0].Caveats.Has("assigns"))
}

// A zone is a name, and not a file with rules.
func TestHarmlessZonesAreNames(t *testing.T) {
	for line, assigns := range map[string]bool{
		"TZ=UTC date": false, "TZ=America/New_York date": false, "TZ=./x date": true, "TZ=:x date": true, "TZ=/etc/x date": true,
	} {
		assert.Equal(t, assigns, parse(t, line).Commands[0].Caveats.Has("assigns"), line)
	}
}

// zsh runs a program of its own for redirections without a command.
func TestZshRunsRedirectionsAlone(t *testing.T) {
	assert.NotEmpty(t, parseZsh(t, "< a").Messy)
	assert.Empty(t, parse(t, "< a").Messy)
}
