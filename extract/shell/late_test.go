package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// V5: where a program's options end at the first operand, what looks like one
// behind it is an operand: a process, a value that is set, a file that is written.
func TestOptionsBehindOperands(t *testing.T) {
	for line, option := range map[string]string{
		"kill 7 -l":                  "-l",
		"builtin kill %1 -l":         "-l",
		"git config user.name --get": "--get",
		"git config a.b --type=bool": "--type",
		"ifconfig eth0 -a":           "-a",
		"unzip a.zip x -l":           "-l",
		"unzip a.zip -t":             "-t",
		"bzgrep x a.bz2 -e y":        "-e",
	} {
		c := parse(t, line).Commands[0]
		_, read := c.Form.Get(option)
		assert.Falsef(t, read, "%q: %v", line, c.Form)
	}
	for line, option := range map[string]string{
		"kill -l 7": "-l", "git config --get user.name": "--get", "unzip -l a.zip x": "-l", "zgrep x a.gz -n": "-n",
	} {
		c := parse(t, line).Commands[0]
		_, read := c.Form.Get(option)
		assert.Truef(t, read && len(c.Caveats) == 0, "%q: %v %v", line, c.Form, c.Caveats)
	}
	assert.Contains(t, accesses(t, "unzip a.zip -d out"), "write out", "behind the archive only -d and -x count")
	assert.Contains(t, accesses(t, "bzgrep x a.bz2 -e .env"), "read .env")
}

// S2: a script that cuts a value into words reads what the words name.
func TestValuesThatAreCut(t *testing.T) {
	for _, line := range []string{
		"bzgrep '-ex . .env' x a.bz2", "zgrep -A '0 . .env' x a.gz", "xzgrep -m '1 . .env' x a.xz", "zgrep -e '*' a.gz",
		"bzgrep -e .env -n a.bz2", "bzgrep -e x -e .env a.bz2", // grep -e -n .env, grep -e -e .env
	} {
		assert.Truef(t, parse(t, line).Commands[0].Caveats.Has("unknown_option"), "%q", line)
	}
	for _, line := range []string{"zgrep -A 3 x a.gz", "zgrep 'a b' a.gz"} {
		assert.Emptyf(t, parse(t, line).Commands[0].Caveats, "%q", line)
	}
}

// V8: a part of a name that is read is no name that is known.
func TestPartsOfFedNames(t *testing.T) {
	line := parse(t, "git ls-files | xargs -I{} git log -L {}")
	assert.True(t, line.Commands[2].Caveats.Has("dynamic_word"))
}

// V7: what awk prints to a stream by its name is written to what the stream is.
func TestStreamsOfAwk(t *testing.T) {
	assert.Contains(t, accesses(t, `gawk -P 'BEGIN { print "x" > "/dev/stderr" }' a.txt`), "write /dev/stderr")
	assert.Contains(t, accesses(t, `awk '{ printf "x" >"/dev/stdout"; print }' a.txt`), "write /dev/stdout")
	assert.NotContains(t, accesses(t, "awk '{ print }' a.txt"), "write")
}

// S2, V6: behind a short option some parsers leave a "=" out of the value and others
// don't, so that what it names is either file, either glob and either directory.
func TestValuesBehindAnEqualsSign(t *testing.T) {
	for _, line := range []string{
		"rg -f=.env x", "rg -nf=.env x", "rg -g=.env x", "rg -ng=.env x", "fd -C=/etc x", "npm -C=/etc ls", "grep -f=.env x",
		"git log -O=.env", "git grep -f=.env", "sort -o=x a",
	} {
		assert.Truef(t, parse(t, line).Commands[0].Caveats.Has("unknown_option"), "%q", line)
	}
	for _, line := range []string{"cut -d= -f1 a", "awk -F= 1 a", "sort -t= a", "rg -A=3 x", "rg -e=x a", "rg -g '*=' x", "rg --glob=a x"} {
		assert.Falsef(t, parse(t, line).Commands[0].Caveats.Has("unknown_option"), "%q", line)
	}
}
