package shell

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/command"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/host"
)

// Behind declare and its like bash expands a value in parentheses once more, where the
// variable is an array or becomes one (V8).
func TestValuesThatAreMembers(t *testing.T) {
	for _, line := range []string{
		`declare -a x='( $(c) )'`, `y='( $(c) )'; declare -a x=$y`, `x=(a); declare x='( $(c) )'`, `declare -A m; declare m='([a]=$(c))'`,
		`f() { local -a x='( $(c) )'; }; f`, `f() { declare -a x=$1; }; f '( $(c) )'`, `typeset -a x=$'( $(c) )'`, `declare -a x=""' ($(c))'`,
		`declare -a x=\(`, `declare -a x="( $(ls) )"`, `declare -a x=$(ls)`, `x=(a); declare x="$(ls)"`, `declare -a "x"; declare x="$(ls)"`,
		`for i in 1 2; do declare x="$(ls)"; declare -a x; done`, `declare -A m; m[a]=b; f() { local m="$(ls)"; }; f`, `readonly -a x='( $(c) )'`,
		`declare -a x=$z`, `mapfile -t x < f; declare x="$(ls)"`, `readarray -t x < f; y='( $(c) )'; declare x=$y`,
		`f() { local x; mapfile -t x < f; local x="$1"; }; f "$(ls)"`, `m=mapfile; $m -t x < f; declare x="$(ls)"`,
		`while read -r l; do declare x="$l"; mapfile -t x < f; done < f`, `declare -A m=([k]='(')`, `declare -A m`, `local -A m`,
	} {
		assert.Contains(t, parse(t, line).Messy, guard.MessyDeclaration, line)
	}
	for _, line := range []string{
		`declare x="$(ls)"; ls`, `f() { local x="$(ls)"; echo "$x"; }; f; f`, `declare -a x="a $(ls)"`, `declare -a x=(a b)`,
		`x=(a); declare y="$(ls)"`, `declare -a x=a`, `x='(a)'; ls`, `mapfile -t x < f; declare y="$(ls)" x=a`,
	} {
		assert.Empty(t, parse(t, line).Messy, line)
	}
	assert.Len(t, parse(t, `declare x="$(ls)"`).Commands, 2, "what a value runs is told once")
}

// bash and ksh assign before they open what redirections of the same assignments name
// (V8).
func TestAssignmentsComeBeforeTheirRedirections(t *testing.T) {
	for _, line := range []string{
		"x=/dev/null; x=main.go > $x", `x=a; x=.env < "$x"`, "x=a; y=b x=c 2> ${x}", "x=1 > $(echo main.go)", "HOME=/etc < ~/x", `x=1 <<< "$x"`,
		"f() { x=main.go $@ > $x; }; x=/dev/null; f",
	} {
		assert.Contains(t, parse(t, line).Messy, guard.MessyRedirection, line)
	}
	for _, line := range []string{"x=1 > /dev/null", "x=1 2>&1", `x=1 < 'a'"b"`, "x=a; cat < $x", "x=a; { x=b; } < $x"} {
		assert.NotContains(t, parse(t, line).Messy, guard.MessyRedirection, line)
	}
}

// A shell that a function starts is in no function, so that local sets nothing there.
func TestLocalInAShellOfItsOwn(t *testing.T) {
	for _, line := range []string{
		`f() { bash -c 'x=a; local x=b; cat $x'; }; f`, `f() { env bash -c 'x=a; local x=b; cat $x'; }; f`, `f() { sh -c 'x=a; local x=b; cat $x'; }; f`,
	} {
		commands := parse(t, line).Commands
		assert.True(t, commands[len(commands)-1].Caveats.Has("assigns"), line)
	}
	assert.Equal(t, "read b", touched(t, `bash -c 'f() { local x=b; cat $x; }; f'`))
}

// Of a value that is cut into words each part is the shell's own, and none is left where an
// operator made another value of it.
func TestValuesAreCutAsShellsCutThem(t *testing.T) {
	for line, want := range map[string]string{
		`x='a b'; cat $x`: "read a, read b", `x=$'a b\vc'; cat $x`: "read a, read b\vc", "x='a b\u3000c'; cat $x": "read a, read b\u3000c",
	} {
		assert.Equal(t, want, touched(t, line), line)
	}
	for _, line := range []string{`x='a Xenv'; cat ${x/X/.}`, `x='a b c'; cat ${x#a}`, `x=$'~\t'; cat ${x:1:2}`, `x='a b'; cat ${x:-c}`} {
		assert.Contains(t, touched(t, line), "?", line)
	}
	for _, line := range []string{`x=src/a; cat ${x/t}`, `x=src/a; cat ${x:1:2}`} {
		assert.Equal(t, command.Unnamed, newTable(t).Parse(line, host.Options{Shell: "sh", Cwd: "/p"}).Commands[1].Accesses[0].Naming, line)
	}
	assert.Contains(t, touched(t, `x=~/a; cat ${x##~/}`), "?", "ksh expands no tilde there")
}

// In some character sets the byte of a quote or a backslash may be the end of another
// character, so that a locale is harmless only where its set is known (V7).
func TestLocalesThatReadOtherwise(t *testing.T) {
	for value, harmless := range map[string]bool{
		"C": true, "POSIX": true, "": true, "C.UTF-8": true, "de_DE.utf8": true, "en_US.UTF-8@x": true, "zh_CN.GBK": false, "zh_TW.BIG5": false,
		"ja_JP.SJIS": false, "zh_TW": false, "zh_CN.gb18030": false, "x@y.utf8": false, "UTF-8": false,
	} {
		for _, name := range []string{"LC_ALL", "LANG", "LC_CTYPE"} {
			line := parse(t, name+"="+value+" ls")
			assert.Equal(t, !harmless, line.Commands[0].Caveats.Has("assigns"), "%s=%s", name, value)
		}
	}
}

// What bash makes of a character beyond ASCII in $'…' depends on its locale.
func TestEscapesThatLocalesRead(t *testing.T) {
	assert.Equal(t, `read é.md?`, touched(t, `cat $'\u00e9.md'`))
	assert.Equal(t, "read a.md", touched(t, `cat $'\u0061.md'`))
	assert.Equal(t, "read \u00e9.md", touched(t, `cat $'\xc3\xa9.md'`))
	assert.Empty(t, parse(t, `echo $'\u2713 done'`).Messy)
}

// ksh splits braces in what an expansion gives, and may be what sh is.
func TestBracesThatExpansionsGive(t *testing.T) {
	for line, dynamic := range map[string]bool{
		`x='{.env,b}'; cat $x`: true, `x='{.env,b}'; cat "$x"`: false, `f() { cat $1; }; f '{a,b}'`: true, `f() { cat $@; }; f '{a,b}'`: true,
		`x='a {b,c}'; cat $x`: true, `x='a b'; cat $x`: false,
	} {
		for shell, splits := range map[string]bool{"sh": true, "ksh": true, "dash": true, "bash": false} {
			commands := newTable(t).Parse(line, host.Options{Shell: shell, Cwd: "/srv/proj"}).Commands
			assert.Equal(t, dynamic && splits, commands[len(commands)-1].Accesses[0].Naming == command.Unnamed, "%s: %s", shell, line)
		}
	}
}

// A person may have set extglob for every bash, where what an expansion gives may be such
// a pattern.
func TestPatternsThatExpansionsGive(t *testing.T) {
	for _, line := range []string{`x='@(.env)'; cat $x`, `x='a +(b)'; cat $x`, `f() { cat $@; }; f '!(a)'`} {
		assert.Contains(t, touched(t, line), "?", line)
	}
	assert.Equal(t, "read app/(auth)/page.tsx", touched(t, `x='app/(auth)/page.tsx'; cat $x`))
	assert.Equal(t, "read @(.env)", touched(t, `x='@(.env)'; cat "$x"`))
}

// An expression that fails, or leaves out a part, assigns nothing there: the variable holds
// what it held, which a later expression would evaluate (V8).
func TestExpressionsThatMayAssignNothing(t *testing.T) {
	for _, line := range []string{
		"((x=08))", "let x=08", "i=0; ((x=1/i))", "((i=08, x=1))", "((0 && (x=1)))", "((1 || (x=1)))", "((1 ? 2 : (x=1)))", "let i=08 x=1",
		"for ((x=08;x<1;)); do :; done", "y=08; ((x=y))",
	} {
		assert.Contains(t, parse(t, "x='a[$(c)]'; "+line+"; echo $((x))").Messy, guard.MessyArithmetic, line)
	}
	for _, line := range []string{
		"x=a; ((x=1)); echo $((x))", "x=1; ((x=1/i)); echo $((x))", "i=2; x=5; ((x = i * 2, i++)); echo $((x+i))", "((x = 7 / 2)); echo $((x))",
		"x=1; ((x > 0 && x++)); echo $((x))", "for ((i=0;i<3;i++)); do echo $((i)); done",
	} {
		assert.Empty(t, parse(t, "i=1; "+line).Messy, line)
	}
}

// Some shells take a number that begins with a zero for an octal one.
func TestShiftsByOctalNumbers(t *testing.T) {
	assert.Contains(t, touched(t, `f() { shift 01; cat "$1"; }; f a b c`), "?")
	assert.Equal(t, "read c", touched(t, `f() { shift 2; cat "$1"; }; f a b c`))
}

// dash knows no -d, so that read fails there and the name keeps what it held.
func TestReadOptionsOfSomeShells(t *testing.T) {
	line := "x=.env; find src -print0 | { read -r -d '' x; cat \"$x\"; }"
	for _, shell := range []string{"sh", "dash"} {
		assert.Contains(t, newTable(t).Parse(line, host.Options{Shell: shell, Cwd: "/p"}).Messy, guard.MessyBuiltin)
	}
	assert.Empty(t, parse(t, line).Messy)
}

// A person may have set that cd takes the name of a variable (cdable_vars).
func TestVariablesThatNameDirectories(t *testing.T) {
	commands := parse(t, "x=/etc; cd x; cat passwd").Commands
	assert.True(t, commands[len(commands)-1].Cwd.Others)
	assert.True(t, parse(t, "x=/etc; pushd x; cat passwd").Commands[2].Cwd.Others)
	commands = parseSure(t, "x=/etc; cd x; cat passwd").Commands
	assert.Equal(t, []string{"/p/x"}, commands[len(commands)-1].Cwd.Known)
}

// An assignment to what npm and others read may reach a program that it is exported to.
func TestLowerCaseVariablesOfPrograms(t *testing.T) {
	for _, name := range []string{"npm_config_userconfig", "rsync_proxy", "https_proxy"} {
		assert.True(t, parse(t, name+"=x; npm ls").Commands[1].Caveats.Has("assigns"), name)
	}
	assert.False(t, parse(t, "npmrc=x; npm ls").Commands[1].Caveats.Has("assigns"))
}

// macOS brings a bash without associative arrays, which reads some words otherwise.
func TestTheBashOfMacOS(t *testing.T) {
	for line, code := range map[string]string{
		"cat {01..03}.md": guard.MessyBraces, "cat {1..5..2}": guard.MessyBraces,
	} {
		assert.Contains(t, newTable(t).Parse(line, host.Options{Platform: "darwin", Cwd: "/p"}).Messy, code, line)
		assert.Empty(t, newTable(t).Parse(line, host.Options{Platform: "linux", Cwd: "/p"}).Messy, line)
		assert.Empty(t, newTable(t).Parse("cat {1..3} a; declare -a x=(1)", host.Options{Platform: "darwin", Cwd: "/p"}).Messy)
	}
	for line, ends := range map[string]bool{
		"echo $(ls # it's\n); echo ') ; touch x #'": true, "cat <(ls # )\n)": true, "x=$(cat <<'E'\nit's\nE\n)": true,
		"echo \"$(case a in (a) ls;; esac)\"": true, "echo $(ls # all\n)": false, "echo $(ls) # it's": false, "x=$(cat <<'E'\nall\nE\n)": false,
	} {
		for _, shell := range []string{"bash", "sh"} {
			messy := newTable(t).Parse(line, host.Options{Shell: shell, Platform: "darwin", Cwd: "/p"}).Messy
			assert.Equal(t, ends, slices.Contains(messy, guard.MessyDialect), line)
		}
	}
	mac := newTable(t).Parse(`cat $'\u0061.md'`, host.Options{Platform: "darwin", Cwd: "/p"})
	assert.Equal(t, command.Unnamed, mac.Commands[0].Accesses[0].Naming)
}

// V1: what time is told stands in front of the command, and is none itself.
func TestTimeWithOptions(t *testing.T) {
	for line, want := range map[string]string{
		"time -p ls": "ls", "time -p\nls": "ls", "{ time -p ls; }": "ls", "sh -c 'time -p ls'": "ls", "sh -c 'time -f x ls'": "ls", "sh -c 'time -- ls'": "ls",
		"dash -c 'time \"-p\" ls'": "ls", "echo time -p": "echo", "time -p | time -p ls": "ls", "time -- ls": "ls", "time -p -- ls -l": "ls",
	} {
		got := parse(t, line)
		assert.Equal(t, want, verbs(got), line)
		assert.Empty(t, got.Messy, line)
	}
	for line, want := range map[string]string{
		"time -- \"env\"": "env", "time -- A=b ! env": "env", "time --": "", "time -- { env\n}": "env", "time ls -p": "ls", "time -- ! env": "env", "zsh -c 'time -- env'": "env",
	} {
		got := parse(t, line)
		assert.Contains(t, verbs(got), want, line)
		assert.Equal(t, want != "ls", len(got.Messy) > 0, line)
	}
	assert.Contains(t, parse(t, "time -p -p ls").Commands[0].Caveats, "unknown_program")
}

// Beside == and != bash and ksh read extended patterns. What such a pattern expands runs, and elsewhere its brackets are a subshell.
func TestExtendedPatterns(t *testing.T) {
	for _, line := range []string{
		"x=a; [[ $x == @(a|b) ]]", "x=a; [[ $x != *.@(ts|tsx) && -f a ]]", "for f in *; do [[ $f == +([0-9])_*.sql ]] && wc $f; done",
	} {
		assert.Emptyf(t, parse(t, line).Messy, "%q", line)
	}
	for _, line := range []string{
		"x=a; [[ $x == @($(id)|b) ]]", "x=a; [[ $x == @(`id`) ]]", "x=a; [[ $x == @(<(id)) ]]", "x=a; [[ $x == !(id) ]]", "true == !(id)",
		"echo == @(a|b)", "[ a == @(a|b) ]", "[[ @(a|b) == a ]]", "x=a; [[ $x == @(a|b\nid) ]]", "x=a; [[ $x == \"$(id)\"@(a) ]]", "x=a; [[ $x == @(a|b ]]; id; echo ) ]]",
		"[[ $PRIVATE == @(a*|b*) ]]",
	} {
		assert.NotEmptyf(t, parse(t, line).Messy, "%q", line)
	}
}

// Builtins that run text only print what the shell holds without it.
func TestBuiltinsThatInspect(t *testing.T) {
	for _, line := range []string{"jobs", "jobs -l", "alias", "alias -p", "hash", "hash -l", "ulimit -n"} {
		assert.Emptyf(t, parse(t, line).Messy, "%q", line)
	}
	for _, line := range []string{
		"jobs -x id", "jobs -lx id", "jobs -Z x", "alias ls=id", "alias ll", "hash -r", "hash -p ./x ls", "hash ls", "ulimit -n 5", "jobs $x", "hash -d x=/etc",
	} {
		assert.NotEmptyf(t, parse(t, line).Messy, "%q", line)
	}
}
