package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// S3: a name that ls or find prints, with the directory that it was found in
// in front of it or a path that leads down behind it, lies in the tree that it
// was looked for in; any other text about it may lead anywhere.
func TestTextAboutNames(t *testing.T) {
	for line, want := range map[string]string{
		`for d in $(ls cmd); do cat cmd/$d; done`:                              "list cmd, read cmd/**",
		`for d in $(ls ./cmd/); do cat "cmd/$d"/main.go; done`:                 "list ./cmd/, read ./cmd//**",
		`for d in $(ls cmd); do cat cmd/$d/*.go; done`:                         "list cmd, read cmd/**",
		`for d in $(ls); do cat "$d/package.json"; done`:                       "list ., read ./**",
		`ls cmd | while read -r d; do cat "cmd/$d/a"; done`:                    "list cmd, read cmd/**",
		`for d in $(find a b -type d); do cat "$d/x"; done`:                    "list a, list b, read a/**, read b/**",
		`for d in $(ls cmd); do t="cmd/$d/a"; cat "$t"; done`:                  "list cmd, read cmd/**, read cmd/**",
		`for d in $(ls cmd); do t="cmd/$d"; cat "$t/a"; done`:                  "list cmd, read cmd/**, read cmd/**",
		`for d in $(ls cmd); do cat "$d"; done`:                                "list cmd, read ./**",
		`cd sub && for d in $(ls cmd); do cat "cmd/$d/a"; done`:                "list cmd, read cmd/**",
		`for d in $(ls cmd | grep -v x | sort); do cat cmd/$d/go.mod; done`:    "list cmd, read cmd/**",
		`for d in $(ls cmd); do cat cmd/$d; done; for d in a; do cat $d; done`: "list cmd, read cmd/**, read a",
	} {
		assert.Equal(t, want, accesses(t, line), line)
		assert.Falsef(t, last(t, line).Caveats.Has("dynamic_word"), "%q", line)
	}
	for _, line := range []string{
		`for d in $(ls cmd); do cat other/$d; done`, `for d in $(ls cmd); do cat cmd/../$d; done`, `for d in $(ls cmd); do cat ../cmd/$d; done`,
		`for d in $(ls cmd); do cat cmd/$d/../x; done`, `for d in $(ls cmd); do cat cmd$d; done`, `for d in $(ls cmd); do cat cmd/x$d; done`,
		`for d in $(ls cmd); do cat $d.bak; done`, `for d in $(ls cmd); do cat cmd/$d$d; done`, `for d in $(ls cmd); do cat cmd/$d/$(cat x); done`,
		`cat cmd/$(ls cmd)`, `for d in $(ls -a cmd); do cat cmd/$d/x; done`, `for d in $(ls cmd lib); do cat cmd/$d; done`,
		`for d in $(ls -d cmd/*); do cat $d/x; done`, `for d in $(git ls-files); do cat $d/x; done`, `for d in $(ls /etc); do cat /etc/$d; done`,
		`for d in $(ls cmd); do cd lib; cat cmd/$d; done`, `for d in $(ls cmd); do cat cmd/"$d"/{a,../b}; done`, `for d in $(ls cmd); do cat /cmd/$d; done`,
		`for d in $(ls cmd); do cat ~/$d; done`, `for d in $(ls cmd); do cat "cmd/${d%x}"; done`, `for d in $(ls cmd); do cat $'cmd/'$d; done`,
		`for d in $(ls cmd); do cat "cmd/$d/"[.]env; done`, `for d in $(grep -rl x cmd | xargs grep -l y); do cat "$d/x"; done`,
	} {
		c := last(t, line)
		dynamic := c.Caveats.Has("dynamic_word") || len(parse(t, line).Messy) > 0
		assert.Truef(t, dynamic, "%q: %v", line, c.Accesses)
	}
}

// S3: a match of a pattern with some of its name replaced is known to be text alone.
func TestReplacedInMatches(t *testing.T) {
	for _, line := range []string{`for f in a/*.go; do cat "${f/.go/_test.go}"; done`, `for f in a/*.go; do cat "${f/.go/../x}"; done`} {
		assert.Equal(t, "read ${f…}", accesses(t, line), line)
		assert.True(t, last(t, line).Caveats.Has("dynamic_word"), line)
	}
}

// V7: blanks in IFS cut at no more than the shell cuts before.
func TestBlanksInIFS(t *testing.T) {
	for line, cut := range map[string]bool{
		"IFS=$'\n'; for f in $(git ls-files); do wc -l \"$f\"; done": true,
		"IFS=$'\n\t'; ls": true, "IFS=' '; ls": true,
		"IFS=/; ls": false, "IFS=; ls": false, "IFS=$x; ls": false, "IFS+=$'\n'; ls": false, "export IFS=$'\n'; ls": false,
	} {
		c := last(t, line)
		assert.Equalf(t, cut, !c.Caveats.Has("assigns") && !c.Caveats.Has("dynamic_word"), "%q: %v", line, c.Caveats)
	}
	for _, line := range []string{"IFS=$'\n'; a='x y'; cat $a", "IFS=' '; a=(x y); cat \"${a[*]}\"", "IFS=$'\n'; for i in $(seq 3); do sed -n \"s/x/${i}/p\" f; done"} {
		assert.Truef(t, last(t, line).Caveats.Has("dynamic_word"), "%q", line)
	}
}
