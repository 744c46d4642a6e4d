package shell

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/shell/expansion"
)

// classWords is how many words TestClassesAreSoundInBash draws.
const classWords = 600

// TestClassesAreSoundInBash draws words of parts, and checks that what bash makes of each is in the
// class that the word has.
func TestClassesAreSoundInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed") // make needs bash itself, so that this is go test alone
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("a-1\n-b *\n"), 0o600))
	assigned := `x=$(cat f); e=$(cat none); n=$(wc -l < f); g=$(grep -n a f | cut -d: -f1); k=$(grep -oE '[a-z]' f); y="b$x"; z="$n$n"; s=$((n - 9)); d=-; v="$e-$n"; `
	parts := []string{
		`"$x"`, `"$e"`, `"$n"`, `"$g"`, `"$k"`, `"$y"`, `"$z"`, `"$s"`, `"$d"`, `"$v"`, `"$((n - 9))"`, `"$((n + 1))"`, `"$?"`, `"${#x}"`, `"$!"`,
		`""`, `''`, `-`, `\-`, `'-'`, `$'-'`, `$'\x61'`, `"a$n"`, `7`, `\a`, `"${x%1*}"`, `"${y#b}"`, `"$(printf '%s' -)"`, `"$(cat f)"`,
	}
	random := rand.New(rand.NewPCG(5, 5))
	words := make([]expansion.Word, classWords)
	script := []string{"cd " + dir, assigned}
	for i := range words {
		word := ""
		for range 1 + random.IntN(4) {
			word += parts[random.IntN(len(parts))]
		}
		line := parse(t, assigned+"printf %s "+word)
		argv := line.Commands[len(line.Commands)-1].Argv
		require.Len(t, argv, 3, word)
		words[i] = argv[2]
		script = append(script, `printf '%s\0' `+word)
	}
	file := filepath.Join(dir, "script")
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(script, "\n")), 0o600))
	printed, err := exec.CommandContext(t.Context(), bash, file).Output()
	require.NoError(t, err)
	texts := strings.Split(string(printed), "\x00")
	require.Len(t, texts, classWords+1)
	narrow := 0
	for i := range words {
		class := words[i].Bytes()
		assert.True(t, class.Contains(texts[i]), "%q of %s, a %+v", texts[i], script[i+2], words[i])
		if !words[i].MayBeginWithDash() {
			narrow++
			assert.False(t, strings.HasPrefix(texts[i], "-"), script[i+2])
		}
		if expansion.IsNumber(words[i]) {
			assert.Regexp(t, `^(-?[0-9]+)?$`, texts[i], script[i+2])
		}
	}
	assert.Greater(t, narrow, classWords/4, "some classes exclude a dash")
}

// A class is that of a whole value. The fields that the shell splits it into can begin otherwise.
func TestClassesOfFieldsAndValues(t *testing.T) {
	for line, option := range map[string]bool{
		`x=$(cat f); y="a$x"; grep "$y" g`: false, `x=$(cat f); y="a$x"; grep $y g`: true, `x=$(cat f); y="a$x"; for z in $y; do grep "$z" g; done`: true,
		`x=$(cat f); y="a$x"; for z in "$y"; do grep "$z" g; done`: false, `x=$(cat f); y="$x"; grep "$y" g`: true, `x=$(cat f); a=(a$x); grep "${a[0]}" g`: true,
		`x=$(cat f); set -- a$x; grep "$2" g`: true, `x=$(cat f); y="a$x"; grep "${y#a}" g`: true,
	} {
		assert.Equal(t, option, last(t, line).Caveats.Has("dynamic_option"), line)
	}
}
