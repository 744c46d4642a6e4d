package lexical_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"policyd/extract/shell/lexical"
)

// A question is a command of bash, and what the package says that it prints.
type question struct{ command, printed string }

// Whatever the package says of a text, bash does.
func TestBashAgrees(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	random := rand.New(rand.NewPCG(7, 11))
	var questions []question
	for _, draw := range []func(*rand.Rand) (question, bool){removed, printed, echoed, unescaped, directory} {
		known := 0
		for range 400 {
			if q, ok := draw(random); ok {
				questions = append(questions, q)
				known++
			}
		}
		require.Greater(t, known, 50)
	}
	var script strings.Builder
	for _, q := range questions {
		script.WriteString(q.command + "\nprintf '\\0'\n")
	}
	command := exec.CommandContext(t.Context(), bash, "--norc", "--noprofile")
	command.Stdin, command.Env = strings.NewReader(script.String()), []string{"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"}
	out, err := command.Output()
	require.NoError(t, err)
	answers := strings.Split(string(out), "\x00")
	require.Len(t, answers, len(questions)+1)
	for i, q := range questions {
		require.Equal(t, q.printed, answers[i], q.command)
	}
}

func text(random *rand.Rand, alphabet string, most int) string {
	out := make([]byte, random.IntN(most+1))
	for i := range out {
		out[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(out)
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func removed(random *rand.Rand) (question, bool) {
	value, pattern := text(random, "ab./", 8), text(random, "ab.*?", 4)
	prefix, longest := random.IntN(2) == 0, random.IntN(2) == 0
	operator := "%"
	if prefix {
		operator = "#"
	}
	if longest {
		operator += operator
	}
	rest, ok := lexical.RemoveMatch(value, pattern, prefix, longest)
	return question{fmt.Sprintf("x=%s; printf %%s \"${x%s%s}\"", quote(value), operator, pattern), rest}, ok
}

func printed(random *rand.Rand) (question, bool) {
	args := []string{text(random, `a%s\nt`, 8)}
	for range random.IntN(4) {
		args = append(args, text(random, `a%\ -`, 4))
	}
	out, ok := lexical.Printf(args)
	command := "printf"
	for _, arg := range args {
		command += " " + quote(arg)
	}
	return question{command, out}, ok
}

func echoed(random *rand.Rand) (question, bool) {
	words := []string{text(random, "an-e ", 5), text(random, "an-e ", 5)}
	out, ok := lexical.Echo(words)
	return question{"echo " + quote(words[0]) + " " + quote(words[1]), out}, ok
}

func unescaped(random *rand.Rand) (question, bool) {
	source := text(random, `a\x41u07nE"?`, 10)
	out, ok := lexical.DecodeANSI(source)
	return question{"printf %s $'" + source + "'", out}, ok && !strings.HasSuffix(source, `\`)
}

func directory(random *rand.Rand) (question, bool) {
	name := text(random, "ab./", 7)
	return question{"printf %s \"$(dirname -- " + quote(name) + ")\"", lexical.Dirname(name)}, name != ""
}
