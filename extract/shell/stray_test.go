package shell

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
)

// S2, V5: where getopt(3) ends options at the first operand, the value of one
// behind it is a file, too.
func TestValuesBehindOperands(t *testing.T) {
	for line, read := range map[string]bool{
		"head main.go -n .env": true, "tail -q main.go -c /etc/passwd": true, "cut main.go -d .env -f1": true,
		"grep x main.go -e /etc/passwd": true, "grep x main.go -A 3 --include .env": true, "gzip -c a --suffix .env": true,
		"head -n .env main.go": false, "head main.go --lines=.env": false, "grep -r x src --exclude .env": false, "tr a b -d .env": false,
		"jq . a.json --arg a .env": false, "rg x src -g .env": false, "git log main.go -n .env": false,
	} {
		found := slices.ContainsFunc(last(t, line).Accesses, func(a command.Access) bool {
			return a.Op == v1.OpRead && a.Presence == command.IfExists && (a.Text == ".env" || a.Text == "/etc/passwd")
		})
		assert.Equal(t, read, found, line)
	}
	for line, word := range map[string]string{
		"cat main.go -n": "-n", "head main.go -n5": "-n5", "grep x main.go --color=never": "--color=never", "cat main.go -- b": "--",
	} {
		found := slices.ContainsFunc(last(t, line).Accesses, func(a command.Access) bool {
			return a.Op == v1.OpRead && a.Presence == command.IfExists && a.Text == word
		})
		assert.True(t, found, line)
	}
	for line, pattern := range map[string]string{
		"head main.go -n $?": "[0-9]*", "tail main.go -n +$?": "+*", "n=$((1-5)); tail main.go -n $n": "-[0-9]*",
	} {
		found := slices.ContainsFunc(last(t, line).Accesses, func(a command.Access) bool {
			return a.Op == v1.OpRead && a.Naming == command.ByGlob && a.Text == pattern
		})
		assert.True(t, found, line)
	}
	assert.Len(t, last(t, "cat -n -- main.go").Accesses, 1)
	assert.True(t, last(t, `head main.go -n "$(cat x)"`).Caveats.Has("dynamic_option"))
	assert.False(t, last(t, `n=5; head main.go -n "$n"`).Caveats.Has("dynamic_option"))
}

// V5: there an option behind the first operand doesn't make a program read
// what it would change, nor take a script from another place.
func TestOptionsThatComeTooLate(t *testing.T) {
	for line, late := range map[string]bool{
		"xz main.go -l": true, "gunzip a.gz -c": true, "bzip2 a -t": true, "sed 'w x' -e p": true, "sed -n a -e p b": true,
		"xz -l main.go": false, "gunzip -c a.gz -v": false, "sed -e p a -n": false, "sed p a -n": false, "sort a -u": false,
	} {
		assert.Equal(t, late, last(t, line).Caveats.Has("unknown_option"), line)
	}
}
