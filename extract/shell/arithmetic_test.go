package shell

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/host"
)

// V1: expressions are commands of their own.
func TestExpressionsHaveItems(t *testing.T) {
	for line, want := range map[string]string{
		"((1 + 2))": "((", "let x=1": "let", "x=1; (( x > 0 )) && ls": ":, ((, ls",
		"for ((i=0;i<3;i++)); do ls; done": "((, ((, ls, ((", "((y))": "((", "let 'a[$(id)]'": "let",
	} {
		assert.Equalf(t, want, verbs(parse(t, line)), "%q", line)
	}
}

// Counters that only ever hold numbers are explained, in loops, too.
func TestArithmeticThatIsUnderstood(t *testing.T) {
	for _, line := range []string{
		"i=0; while [ $i -lt 3 ]; do i=$((i+1)); done", "n=0; for f in a b; do ((n++)); done; echo $n",
		"for ((i=1;i<=5;i+=2)); do echo $i; done", "x=5; echo $(( $x * (2 + 1) ))", "x=5; let x+=1",
		"t=0; for n in 1 2; do t=$((t + n)); done", "echo $(($# + $?))",
		"n=5; echo $((${n}+5))", "n=5; echo \"$(( ${n} * 2 ))\"", "n=5; ((${n}>3)) && ls", "n=5; ((m=${n}+1)); echo $m", "n=5; echo $((${n}+$(wc -l < f)))",
		"echo $((RANDOM % 3))", "echo $((SECONDS / 60))", "echo $(( $RANDOM + LINENO ))", "if (( RANDOM > 9 )); then ls; fi",
	} {
		assert.Emptyf(t, parse(t, line).Messy, "%q", line)
	}
}

// V8: a name is evaluated again, subscripts and what runs in them included.
func TestArithmeticThatIsMessy(t *testing.T) {
	for _, line := range []string{
		"x='a[$(id)]'; echo $((x))", "x='a[$(id)]'; (( x ))", "x='a[$(id)]'; let y=x", "echo $((y))", "((y+1))", "((a[0]))",
		"x=$(cat f); ((x++))", "echo $((RANDOM = 1))", "((SECONDS++))", "sh -c 'echo $((RANDOM))'",
		"unset RANDOM; RANDOM='a[$(id)]'; echo $((RANDOM))", "read RANDOM; echo $((RANDOM))", "f() { local RANDOM='a[$(id)]'; echo $((RANDOM)); }; f",
		"echo $((BASHPID))", "for RANDOM in a; do echo $((RANDOM)); done", "env RANDOM='a[$(id)]' sh -c 'echo $((RANDOM))'", "x='a[$(id)]'; for ((i=0;i<x;i++)); do ls; done", "i=0; echo $((i++)); cat $i", "((PATH=1)); ls",
		"x=1; for f in a b; do echo $((x)); x='a[$(id)]'; done", "x=1; [ -f a ] && x='a[$(id)]'; echo $((x))",
		"while read x; do echo $((x+1)); done < f", "(( x = $(id) ))", "let 'x=1'", "((ls); (id))",
		"declare -i x='a[$(id)]'", "o=-i; declare $o 'x=a[$(id)]'", "typeset -n r=PATH", "declare \"$o\" x=1",
		"n=5; echo $(($${n}+5))", "n=5; echo $((${n}{x}))", "n=5; echo $((${n:-a}+5))", "n=5; echo $((${!n}+5))", "n='a[$(id)]'; echo $((${n}+5))", "x=n; n=5; ((${x}=7))",
		"n=5; echo $((${n}); (id))", "n=5; ((${n}) || (id))",
	} {
		assert.NotEmptyf(t, parse(t, line).Messy, "%q", line)
	}
	assert.Contains(t, newTable(t).Parse("((1))", host.Options{Shell: "dash", Cwd: "/srv/proj"}).Messy, guard.MessyDialect)
}

// A counter is no longer what it was set to: as a path it is not known.
func TestCountersAreNotPaths(t *testing.T) {
	for _, line := range []string{"i=0; ((i++)); cat $i", "i=0; let i++; cat $i", "for ((i=0;i<3;i++)); do cat $i; done"} {
		commands := parse(t, line).Commands
		found := false
		for _, c := range commands {
			found = found || c.Verb == "cat" && c.Caveats.Has("dynamic_word")
		}
		assert.Truef(t, found, "%q", line)
	}
}

// `…` is $(…), where no shell reads it in another way.
func TestBackquotes(t *testing.T) {
	for line, want := range map[string]string{
		"echo `date`": "date, echo", "x=`pwd`; ls \"$x\"": "pwd, :, ls", "echo \"on `git branch --show-current`\"": "git branch, echo",
	} {
		parsed := parse(t, line)
		assert.Emptyf(t, parsed.Messy, "%q", line)
		assert.Equalf(t, want, verbs(parsed), "%q", line)
	}
	for _, line := range []string{
		"echo `echo \\`id\\``", "echo \"`echo \"x\"; id`\"", "echo `ls # x` ; id `", "echo `ls", "echo `cat <<E\nx\nE`", "echo `ls\nid`",
	} {
		assert.NotEmptyf(t, parse(t, line).Messy, "%q", line)
	}
}

// A count that a command prints is a number; what else it prints is none.
func TestCommandsThatPrintNumbers(t *testing.T) {
	for _, line := range []string{
		"[ $(wc -l < f) -gt 3 ]", "n=$(grep -c x f); ((n > 3))", "[[ $(ls | wc -l) -eq 2 ]]",
		"n=$(git rev-list --count HEAD); [ \"$n\" -gt 1 ]",
		"for f in src/*; do n=$(wc -l < \"$f\"); ((n)); done", "for f in src/*; do n=$(grep -c x \"$f\"); ((n)); done", "for f in *; do n=$(wc -l < $f); ((n)); done",
	} {
		assert.Emptyf(t, parse(t, line).Messy, "%q", line)
	}
	for _, line := range []string{
		"[[ $(cat f) -gt 3 ]]", "n=$(wc -l f); ((n))", "n=$(grep -c x f g); ((n))", "n=$(grep -rc x .); ((n))", "n=$(wc -l < f 2>&1); ((n))",
		"n=$(grep -c x *.go); ((n))", "n=$(./wc -l < f); ((n))", "n=$(wc -l < f; cat g); ((n))", "n=$(wc -l < f || cat g); ((n))",
		"for f in src/*; do n=$(wc -l \"$f\"); ((n)); done", "for f in src/*; do n=$(grep -c x \"$f\" g); ((n)); done", "for f in src/*; do n=$(grep -c x \"$f\" \"$f\"); ((n)); done",
		"for f in src; do n=$(grep -c x $f/*); ((n)); done", "for f in src/*; do n=$(grep -c x \"$f\"*); ((n)); done", "for f in src/*; do n=$(grep -c \"$f\" x*); ((n)); done",
		"for f in src/*; do n=$(grep -c x \"$f\"{,a}); ((n)); done", "for f in src/*; do n=$(head -1 \"$f\"); ((n)); done", "for f in src/*; do n=$(grep -c \"$f\" g); ((n)); done",
		"for f in src/*; do n=$(grep -rc x \"$f\"); ((n)); done", "for f in src/*; do n=$f; ((n)); done",
		"n=$(cat f | wc -l | cat - g); ((n))", "n=$(timeout 3 wc -l < f g); ((n))", "n=$(wc -lw < f); ((n))",
	} {
		assert.NotEmptyf(t, parse(t, line).Messy, "%q", line)
	}
}

// The clock's seconds are a number, other formats are text.
func TestSecondsAreNumbers(t *testing.T) {
	assert.Empty(t, parse(t, "s=$(date +%s); e=$(date +%s); echo $((e - s))").Messy)
	assert.NotEmpty(t, parse(t, "s=$(date +%Y-%m); echo $((s))").Messy)
	assert.NotEmpty(t, parse(t, "s=$(date -f x +%s); echo $((s))").Messy)
}

// S2: a name that an expression may leave as it is still holds what the environment gave it.
func TestExpressionsThatMayNotAssign(t *testing.T) {
	for line, shown := range map[string]bool{
		"(( 0 && (KEY=1) )); echo $KEY": true, "(( 1 || (KEY=1) )); echo $KEY": true, "(( 1 ? 1 : (KEY=1) )); echo $KEY": true,
		"(( KEY=1/0 )); echo $KEY": true, "(( KEY=2**-1 )); echo $KEY": true, "let KEY=1/0; echo $KEY": true,
		"let 1/0 KEY=1; echo $KEY": true, "for ((KEY=1/0;0;)); do :; done; echo $KEY": true,
		"(( KEY=1 )); echo $KEY": false, "KEY=2; (( 0 && (KEY=1) )); echo $KEY": false, "for ((KEY=1;KEY<2;KEY++)); do :; done; echo $KEY": false,
	} {
		commands := parse(t, line).Commands
		last := commands[len(commands)-1]
		assert.Equalf(t, shown, slices.Contains(last.Variables, "KEY"), "%q", line)
	}
}

// What an expression gives may be below zero, and begins with a dash then, as an option does. So does a
// time before 1970.
func TestNumbersThatMayBeOptions(t *testing.T) {
	for line, option := range map[string]bool{
		`grep -r $((18446744073709551615)) T`: true, `x=$(wc -l < f); grep -r $((x+1)) T`: true, `x=1; for i in 1 2; do x=$((x+x)); done; grep -r $x T`: true,
		`x=$(stat -c %Y f); grep -r "$x" T`: true, `for x in $(stat -c %Y f g); do grep -r "$x" T; done`: true,
		`stat -c %Y f g | while read -r x; do grep -r "$x" T; done`: true, `x=$(stat -c %Y f | head -1); grep -r "$x" T`: true,
		`x=$(wc -l < f); grep -r "$x" T`: false, `for i in $(seq 1 99); do grep -r "$i" T; done`: false,
	} {
		parsed := newTable(t).Parse(line, textual)
		found := len(parsed.Messy) > 0
		for i := range parsed.Commands {
			found = found || parsed.Commands[i].Verb == "grep" && parsed.Commands[i].Caveats.Has("dynamic_option")
		}
		assert.Equalf(t, option, found, "%q", line)
	}
}

// A pattern behind what only the run can tell becomes as many words as it has matches.
func TestPatternsBehindNumbers(t *testing.T) {
	for _, line := range []string{
		`grep $((1))* f`, `x=$(wc -l < f); rg $x* src`, `x=$(wc -l < f); rg -e $x* src`, `h=$(git log -1 --format=%h); rg $h* src`,
		`t=$(git describe --tags); rg x$t* src`, `x=$(cat f); grep .e$x* f`,
	} {
		assert.Truef(t, last(t, line).Caveats.Has("dynamic_option"), "%q", line)
	}
	for _, f := range []string{`for f in *; do sed -n "s,x,$f,;${n}p" a; done`, `for f in *; do awk "/$f/{print $n}" a; done`} {
		assert.Equal(t, "code", last(t, `n=$(wc -l < f); `+f).Form[len(last(t, `n=$(wc -l < f); `+f).Form)-2].Kind, f)
	}
}
