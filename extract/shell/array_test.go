package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/command"
)

// touched is what the commands of a line read or list, by name.
func touched(t *testing.T, line string) string {
	t.Helper()
	var out []string
	for _, c := range parse(t, line).Commands {
		for _, a := range c.Accesses {
			mark := ""
			if a.Naming == command.Unnamed {
				mark = "?"
			}
			out = append(out, a.Op+" "+a.Text+mark)
		}
	}
	return strings.Join(out, ", ")
}

func TestArrays(t *testing.T) {
	for line, want := range map[string]string{
		`a=(x 'y z'); cat "${a[@]}"`:                     "read x, read y z",
		`a=(x y); cat ${a[@]}`:                           "read x, read y",
		`a=(x y); cat "${a[*]}"`:                         "read x y",
		`a=(x y); cat "${a[1]}" "${a[0]}" "$a"`:          "read y, read x, read x",
		`a=(x); a+=(y); cat "${a[@]}"`:                   "read x, read y",
		`a=(*.go); cat "${a[@]}"`:                        "read *.go",
		`a=(x y); for f in "${a[@]}"; do cat "$f"; done`: "read x, read y",
		`declare -a a=(x); cat "${a[0]}"`:                "read x",
	} {
		got := parse(t, line)
		assert.Empty(t, got.Messy, line)
		assert.Equal(t, want, touched(t, line), line)
		for _, c := range got.Commands {
			assert.Empty(t, c.Caveats, line)
		}
	}
}

// Members that only the run can tell, and subscripts that shells evaluate, are
// not followed.
func TestArraysThatAreNotFollowed(t *testing.T) {
	for _, line := range []string{
		`a=(x y); i=$(wc -l < f); cat "${a[i]}"`, `a=(*.go x); cat "${a[1]}"`, `a=($(cat f)); cat "${a[@]}"`, `cat "${a[@]}"`,
		`a=(x); a[0]=/etc/passwd; cat "${a[0]}"`, `a=(x); a+=y; cat "$a"`, `a=(x y); a=z; cat "${a[1]}"`,
		`a=('x[$(rm y)]'); cat "${b[$a]}"`, `i='x[$(rm y)]'; a=(1); cat "${a[$i]}"`, `a=([i]=x); cat "${a[@]}"`,
		`i='x[$(rm y)]'; a=(1); declare -A a; a=([i]=x); cat "${a[@]}"`, `declare -A m=([k]=x); cat "${m[k]}"`,
		`a=(x); IFS=y; cat ${a[@]}`, `a=(-o out); sort "x${a[@]}"`, `a=(x y); unset a; cat "${a[@]}"`, `read -a a; cat "${a[0]}"`,
		`a=(x); if true; then a=(/etc/passwd); fi; cat "${a[0]}"`, `a=(x); while true; do a+=(y); done; cat "${a[@]}"`,
		`cd /etc; a=(*); cd /srv/proj; cat "${a[@]}"`, `a=(x (y))`, `a=(x; rm y)`, `export a=(x); cat "${a[@]}"`, `declare -x a=(x); cat $a`,
		`declare -i a=(x); cat $a`,
	} {
		got := parse(t, line)
		loose := len(got.Messy) > 0
		for _, c := range got.Commands {
			loose = loose || c.Caveats.Has("dynamic_word") || c.Caveats.Has("dynamic_option") || c.Caveats.Has("assigns")
		}
		assert.True(t, loose, line)
	}
	for _, line := range []string{`a=(x y); cat $a`, `a=(x y); cat "${a[1]}"`} {
		zsh := parseZsh(t, line)
		assert.True(t, len(zsh.Messy) > 0 || zsh.Commands[len(zsh.Commands)-1].Caveats.Has("assigns"), "zsh reads arrays otherwise: "+line)
	}
}

// Operators on known text give known text, where all shells agree about it.
func TestOperatorsOnKnownText(t *testing.T) {
	for line, want := range map[string]string{
		`f=src/app.py; cat "${f%.py}.go"`:       "read src/app.go",
		`f=src/app.py; cat "${f##*/}"`:          "read app.py",
		`f=src/app.py; ls "${f%/*}"`:            "list src",
		`f=a/b/c; ls "${f#*/}" "${f%%/*}"`:      "list b/c, list a",
		`f=x; cat "${f:-/etc/passwd}" "${f-y}"`: "read x, read x",
		`f=x; g=${f%y}; cat "$g"`:               "read x",
		`f=a.b.c; cat "${f%.?}"`:                "read a.b",
	} {
		assert.Equal(t, want, touched(t, line), line)
		assert.Empty(t, parse(t, line).Messy, line)
	}
	for _, line := range []string{
		`f=x; cat "${f^^}"`, `f=a-b-c; cat "${f//-/_}"`, `f=abcdef; cat "${f:2:3}"`, `f=a/b; cat "${f/&/c}"`, `f=; cat "${f:-/etc/passwd}"`, `f=x; cat "${f/x/&}"`, `f=ä; cat "${f:0:1}"`,
		`f=x; cat "${f%[x]}"`, `f=abc; cat "${f:i}"`, `f=x; cat "${f@Q}"`, `f=x; cat "${!f}"`,
	} {
		got := parse(t, line)
		assert.True(t, len(got.Messy) > 0 || got.Commands[len(got.Commands)-1].Caveats.Has("dynamic_word"), line)
	}
}
