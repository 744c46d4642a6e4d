package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/shell/command"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/host"
)

// parseSure parses a line where every directory is there and no link.
func parseSure(t *testing.T, line string) command.Line {
	t.Helper()
	table, err := NewTable()
	require.NoError(t, err)
	sure := func(string) bool { return true }
	return table.Parse(line, host.Options{Platform: "linux", Cwd: "/p", Plain: sure, Enterable: sure})
}

// The shell runs nothing of a command whose redirection fails, so that what was
// true before may hold behind it (V8).
func TestRedirectionsThatMayFail(t *testing.T) {
	for _, redirection := range []string{"< missing", "<&9", "2>&9", "> out", "< *.md"} {
		for line, want := range map[string]string{
			"x=a; { x=b; } " + redirection + `; cat "$x"`:              "read $x?",
			"x=a; if true; then x=b; fi " + redirection + `; cat "$x"`: "read $x?",
			"x=a; x=b " + redirection + `; cat "$x"`:                   "read $x?",
			"f() { x=b; }; x=a; f " + redirection + `; cat "$x"`:       "read $x?",
		} {
			commands := parse(t, line).Commands
			last := commands[len(commands)-1]
			assert.True(t, len(last.Accesses) == 1 && last.Accesses[0].Naming == command.Unnamed, "%s: %s", line, want)
		}
		commands := parseSure(t, "{ cd docs; } "+redirection+"; cat x").Commands
		assert.Contains(t, commands[len(commands)-1].Cwd.Known, "/p", redirection)
	}
	for _, redirection := range []string{"2> /dev/null", "2>&1", "<<< x", "< <(ls)"} {
		assert.Contains(t, touched(t, "x=a; { x=b; } "+redirection+`; cat "$x"`), "read b", redirection)
	}
	assert.Contains(t, touched(t, `x=a; { { x=b; } 2>&1; cat "$x"; } >&-`), "?", "of a stream that is closed")
}

// A count is only a number where no name stands before it (V9).
func TestCountsOfSeveralFiles(t *testing.T) {
	for _, line := range []string{
		"[[ $(grep -c x f -) -gt 1 ]]", "[[ $(grep -c x '' f) -gt 1 ]]", "[[ $(grep -c x f <(ls)) -gt 1 ]]", "[[ $(grep -c x - -) -gt 1 ]]",
	} {
		assert.Contains(t, parse(t, line).Messy, guard.MessyTest, line)
	}
	assert.Empty(t, parse(t, "[[ $(grep -c x f) -gt 1 ]]").Messy)
	assert.Empty(t, parse(t, "[[ $(ls | grep -c x) -gt 1 ]]").Messy)
}

// git prints a revision that it can't resolve as it stands, and the one of two
// formats that comes last; a date may hold a newline.
func TestHashesThatAreNone(t *testing.T) {
	for _, line := range []string{
		"git log $(git rev-parse 'HEAD --output=f')", "git log $(git rev-parse HEAD -- f)", "git log $(git rev-parse HEAD ':(top)f')",
		"git log $(git rev-parse -- -p)", "git log --format=%h --oneline | xargs git log", "git log --oneline --format=%h | xargs git log",
		"git log --date='format:%n-p' --format='%h %ad' | while read -r h x; do git log \"$h\"; done",
		"git -c log.date='format:%n-p' log --format='%h %ad' | while read -r h x; do git log \"$h\"; done",
		"git log --date=\"$d\" --format='%h %ad' | while read -r h x; do git log \"$h\"; done",
		"git log --oneline | while IFS= read -r h x; do git log $h; done", "git log --oneline | while IFS=$y read -r h x; do git log $h; done",
	} {
		got := parse(t, line)
		explained := true
		for _, c := range got.Commands {
			explained = explained && len(c.Caveats) == 0
		}
		assert.False(t, explained && len(got.Messy) == 0, line)
	}
	for _, line := range []string{
		"git log $(git rev-parse HEAD~3)", "git log $(git rev-parse --short main@{1})", "git log --oneline | while read -r h x; do git log \"$h\"; done",
		"git log --date=short --format='%h %ad' | while read -r h x; do git log \"$h\"; done",
		"git log --date=format:%Y-%m-%d --format='%h %ad' | while read -r h x; do git log \"$h\"; done",
	} {
		got := parse(t, line)
		last := got.Commands[len(got.Commands)-1]
		assert.Empty(t, last.Caveats, line)
		assert.Empty(t, got.Messy, line)
	}
}

// What stands behind words that may be several is not known to be nothing, and associative
// arrays aren't followed.
func TestMembersThatAreNotKnown(t *testing.T) {
	for _, line := range []string{
		`a=(*.md); cat "${a[1]}"`, `a=(x $(ls)); cat "${a[2]}"`, `f() { cat "$2"; }; f *.md`, `f() { cat "${@:1}"; }; f x`,
		`f() { cat "./$@"; }; f x y`, `f() { cat "${*%x}"; }; f x`, `declare -A m=([k]=x [j]=y); grep "${m[@]}"`,
		`declare -A m=([k]=x [j]=y); uniq "${!m[@]}"`,
	} {
		got := parse(t, line)
		last := got.Commands[len(got.Commands)-1]
		assert.True(t, last.Caveats.Has("dynamic_word") || last.Caveats.Has("dynamic_option"), line)
	}
	secret := parse(t, `declare -A m=([k]=.env); cat "${m[k]}"`).Commands[0]
	assert.True(t, slices.ContainsFunc(secret.Accesses, func(a command.Access) bool { return a.Text == ".env" }), "the deny rules see it")
}

// A round of a loop may redefine functions and leave other directories behind.
func TestRoundsThatChangeMore(t *testing.T) {
	f := "f() { echo; }; "
	for _, line := range []string{
		f + "for x in docs/*; do f a; f() { cat $1; }; f b; done", f + "while read -r x; do f a; f() { cat $1; }; f b; done < f",
		"cd a; pushd ..; for x in docs/*; do popd; cat x; cd ../c; pushd ..; done",
	} {
		assert.NotEmpty(t, parseSure(t, line).Messy, line)
	}
}

// Functions that shells call by themselves run where nothing names them.
func TestHooks(t *testing.T) {
	for _, name := range []string{"command_not_found_handle", "command_not_found_handler", "chpwd", "precmd"} {
		assert.Contains(t, parse(t, name+"() { ls; }; "+name).Messy, guard.MessyFunction, name)
	}
	table, err := NewTable()
	require.NoError(t, err)
	line := table.Parse("TRAPEXIT() { ls; }; TRAPEXIT", host.Options{Shell: "zsh", Cwd: "/p"})
	assert.Contains(t, strings.Join(line.Messy, " "), guard.MessyFunction)
}

// Behind a link ".." leads elsewhere than the text says.
func TestDirnameAcrossLinks(t *testing.T) {
	assert.Equal(t, "read $(…)/x?", touched(t, "cat $(dirname link/../f)/x"))
	assert.Equal(t, "read link/x", touched(t, "cat $(dirname link/f)/x"))
}

// Every variable of the environment that a line expands belongs to a command,
// wherever in the line it stands.
func TestExpandedVariablesAreNamed(t *testing.T) {
	for _, line := range []string{
		"x=$KEY_A; ls", "x=${KEY_A%x}", "cat <<< \"${KEY_A%x}\"", "case ${KEY_A:0:1} in a) ls;; esac", "for i in $KEY_A; do ls; done",
		"a=(\"$KEY_A\"); ls", "declare -A m=([x]=${KEY_A/x/y}); ls", "declare x=${KEY_A,,}; ls", "f() { ls; }; f $KEY_A", "f() { local x=$KEY_A; }; f",
		"bash -c 'x=${KEY_A%x}'", "declare -A m; m[${KEY_A%x}]=1",
	} {
		var names []string
		for _, c := range parse(t, line).Commands {
			names = append(names, c.Variables...)
		}
		assert.Contains(t, names, "KEY_A", line)
	}
	for _, operator := range []string{"%x", "#x", ":0:9", "/x/y", "^^", ":-x"} {
		for _, line := range []string{"echo \"${B_C" + operator + "}\"", "x=${B_C" + operator + "}; echo \"$x\"", "x=$B_C; echo \"${x" + operator + "}\""} {
			got := parse(t, line)
			last := got.Commands[len(got.Commands)-1]
			assert.True(t, last.Caveats.Has("dynamic_word"), line)
		}
	}
	assert.False(t, parse(t, `echo "${B_C:+set}"`).Commands[0].Caveats.Has("dynamic_word"))
}

// Of globs that take in and leave out the last one counts.
func TestLeavingOutBeforeTakingIn(t *testing.T) {
	for _, line := range []string{"grep -r --exclude=.env --include='.e*' x .", "rg --hidden -g '!.env' -g '*{nv,x}' x"} {
		for _, a := range parse(t, line).Commands[0].Accesses {
			assert.Empty(t, a.Exclude, line)
		}
	}
}

// Names that git prints of commits may be on no disk: which commits, goes with them (S3).
func TestNamesOfCommits(t *testing.T) {
	for _, line := range []string{
		"git diff --name-only HEAD~1 | xargs cat", "git diff --name-only --cached HEAD~1 | xargs cat", "cat $(git diff --name-only HEAD~1 -- '*.md')",
		"git diff --name-only HEAD~1 | while read -r f; do cat \"$f\"; done",
	} {
		table, err := NewTable()
		require.NoError(t, err)
		got := table.Parse(line, host.Options{Platform: "linux", Cwd: "/p", Toplevel: func(dir string) string { return dir }})
		named := 0
		for _, c := range got.Commands {
			for _, a := range c.Accesses {
				if a.FromStream {
					named++
					assert.Equal(t, []string{"HEAD~1"}, a.Commits, line)
					assert.Equal(t, strings.Contains(line, "--cached"), a.AtHead, line)
					assert.Equal(t, strings.Contains(line, "*.md"), a.Dashes, line)
				}
			}
		}
		assert.Positive(t, named, line)
	}
}

// Where patterns are not expanded, one names a file of its own.
func TestPatternsThatStayAsTheyAre(t *testing.T) {
	assert.Contains(t, parse(t, "set -o noglob; cat k[1]").Messy, guard.MessyBuiltin)
	assert.Contains(t, parse(t, "set -f; cat k[1]").Messy, guard.MessyBuiltin)
}
