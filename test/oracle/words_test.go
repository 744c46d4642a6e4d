package oracle

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/shell"
	"policyd/extract/shell/command"
	"policyd/extract/shell/host"
	"policyd/test/oracle/lines"
)

// pieces make up words that a shell expands; none of them runs anything.
var pieces = []string{
	"'", `"`, `\`, "$'", `\x2e`, `\056`, `\u002e`, `\cA`, `\n`, `\'`, `\"`, "a", "b", "c", ".", "..", "..", "/", "env", "$x", "${x}", "$y", `"$x"`,
	"${x%.*}", "${x#*.}", "${x##*/}", "${x%%t*}", "${x/a/b}", "${x//./_}", "${x:0:2}", "${x:1}", "${x:-d}", "${#x}", "${x%?}", "${x#?}",
	"${x/t/..}", "${y%/*}", "${y##*/}", "${y//\\//.}", "$z", "$1", "$#", "$((1+1))", "~", "~/", "=", "a=", ":=", "#", "!", "^", "{a,b}", "{1..2}", "{", "}", ",",
	"{", "}", ",", "1", "3", "02", "-1", "Z", "$", "$", "[", "]", "@", "%", "+", "-", "é", `\,`, `\{`, "$((1))", "x", "{x}", "[x]",
}

// settings are what the variables hold while a word is expanded.
var settings = []string{
	"x=a.txt; y=src/main.go; z=", "x=..; y=sec/key; z=' '", "x=''; y='a*b'; z=/", "x=tat; y='a b'; z=c", "x=-n.a; y=b; z=a=b", "x=1; xa=up; xb=b; x1=u; y=x; z=1",
}

// TestWordsAreWhatShellsMakeOfThem compares the words of the facts, if they claim to be exact, with the words
// of real shells for the same text.
func TestWordsAreWhatShellsMakeOfThem(t *testing.T) {
	count, seed := number(t, linesVariable, usualLines), number(t, seedVariable, usualSeed)
	t.Logf("%s=%d %s=%d", linesVariable, count, seedVariable, seed)
	table, err := shell.NewTable()
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(uint64(seed), 3))
	words := make([][2]string, 0, count)
	for range count {
		var word strings.Builder
		for range 1 + r.IntN(7) {
			word.WriteString(pieces[r.IntN(len(pieces))])
		}
		words = append(words, [2]string{settings[r.IntN(len(settings))], word.String()})
	}
	for _, name := range []string{"bash", "zsh", "dash", "ksh"} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("skipped: %s is not installed", name)
			}
			compared := 0
			for chunk := range slices.Chunk(words, 200) {
				compared += compareWords(t, table, name, chunk)
			}
			t.Logf("%d of %d words are known", compared, len(words))
			assert.Greater(t, compared, len(words)/20, "words that are known")
		})
	}
}

// compareWords expands words in a shell, and counts those that are known.
func compareWords(t *testing.T, table *shell.Table, name string, words [][2]string) (compared int) {
	t.Helper()
	made := expanded(t, name, words)
	for i, word := range words {
		line := word[0] + "; cat x:" + word[1]
		parsed := table.Parse(line, host.Options{Shell: name, Platform: "linux", Home: "/home/dev", Cwd: projectDir})
		got, known := knownWords(parsed)
		if !known || made[i] == "refused" {
			continue
		}
		compared++
		assert.Equalf(t, made[i], got, "%s: %q", name, line)
	}
	return compared
}

// expanded is what a shell makes of words, each behind its assignments: the words
// with a separator behind each, or "refused". A word that a signal ends the shell over
// is refused, too: ksh runs a subshell in its own process.
func expanded(t *testing.T, name string, words [][2]string) []string {
	t.Helper()
	var script strings.Builder
	for _, word := range words {
		text := lines.Quote(word[0] + "; printf '%s\\037' x:" + word[1])
		fmt.Fprintf(&script, "(eval %s) 2>/dev/null || printf refused; printf '\\036'\n", text)
	}
	cmd := exec.Command(name, "-c", script.String())
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=/home/dev", "LC_ALL=C.UTF-8", "ZDOTDIR=" + cmd.Dir}
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) && !failed.Exited() {
		if len(words) == 1 {
			t.Logf("%s ends over %q: %v", name, words[0], failed)
			return []string{"refused"}
		}
		half := len(words) / 2
		return append(expanded(t, name, words[:half]), expanded(t, name, words[half:])...)
	}
	require.NoError(t, err)
	made := strings.Split(string(out), "\036")
	require.Len(t, made, len(words)+1)
	made = made[:len(words)]
	for i := range made {
		if strings.HasSuffix(made[i], "refused") {
			made[i] = "refused"
		}
	}
	return made
}

// knownWords are the operands of the last command, if the line is explained and all
// of them are known to the byte.
func knownWords(line command.Line) (string, bool) {
	if len(line.Messy) > 0 {
		return "", false
	}
	last := line.Commands[len(line.Commands)-1]
	if last.Verb != "cat" || last.Caveats.Has("dynamic_word") || last.Caveats.Has("output_word") {
		return "", false
	}
	var words strings.Builder
	for _, access := range last.Accesses {
		if access.Naming == command.Unnamed || access.Naming == command.ByGlob && access.Matches != command.NoMatch {
			return "", false
		}
		if access.Matches != command.NoMatch {
			words.WriteString(access.Text + "\037")
		}
	}
	return words.String(), true
}
