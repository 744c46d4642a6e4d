package oracle

import (
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/shell"
	"policyd/test/oracle/lines"
)

// textPieces make up texts with all that shells, here-documents and formats give a meaning to.
var textPieces = []string{
	"a", "b c", " ", "  ", "\n", "\n\n", "\t", "'", `"`, `\`, `\\`, `\n`, `\t`, `\c`, `\0`, `\x41`, `\"`, `\$`, "\\`", "\\\n", "%", "%s", "%%", "%d", "%b",
	"%5s", "%n", "$", "$x", "${x}", "$(echo y)", "`echo z`", "$((1+1))", "!", "#", " # c", "*", "?", "[a]", "~", "{a,b}", "-", "-n", "-e", "--", "=", "é",
	"(", ")", "EOF", "EO", "<<EOF", "/", "..", ".env", "\\", "a.txt",
}

// substitutionForms print a text in the line.
func substitutionForms(text, other string) []string {
	own, second := lines.Quote(text), lines.Quote(other)
	document := "\n" + text + "\nEOF\n"
	return []string{
		"\"$(cat <<'EOF'" + document + ")\"", "\"$(cat <<\"EOF\"" + document + ")\"", "\"$(cat <<EOF" + document + ")\"", "\"$(cat <<-'EOF'" + document + ")\"",
		"\"$(cat <<\\EOF" + document + ")\"", "\"$(cat 2>/dev/null <<'EOF'" + document + ")\"", "\"$(cat <<'EOF' || true" + document + ")\"",
		"\"`cat <<'EOF'" + document + "`\"", "\"$(cat 0<<'EOF'" + document + ")\"", "\"$(cat 3<<'EOF'" + document + ")\"", "$(cat <<'EOF'" + document + ")",
		"\"a$(cat <<'EOF'" + document + ")b\"", "\"$(cat - <<'EOF'" + document + ")\"", "\"$(cat <<'EOF' <<'EOF'" + document + document[1:] + ")\"",
		"\"$(printf " + own + ")\"", "\"$(printf '%s' " + own + ")\"", "\"$(printf '%s\\n' " + own + " " + second + ")\"",
		"\"$(printf " + own + " " + second + ")\"", "\"$(printf -- " + own + ")\"", "\"$(printf '%s: %s\\n' " + own + ")\"", "$(printf " + own + ")",
		"\"$(echo " + own + ")\"", "\"$(echo " + own + " " + second + ")\"", "\"$(echo -n " + own + ")\"", "$(echo " + own + ")", "\"$(echo)\"", "\"$(printf '')\"",
		"\"$(echo " + text + ")\"",
	}
}

// TestTextOfSubstitutionsIsWhatShellsMakeOfIt compares the text of here-documents, echo and printf
// within $(…), if the facts claim to be exact, with real shells.
func TestTextOfSubstitutionsIsWhatShellsMakeOfIt(t *testing.T) {
	count, seed := number(t, linesVariable, usualLines), number(t, seedVariable, usualSeed)
	t.Logf("%s=%d %s=%d", linesVariable, count, seedVariable, seed)
	table, err := shell.NewTable()
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(uint64(seed), 4))
	text := func() string {
		var text strings.Builder
		for range 1 + r.IntN(5) {
			text.WriteString(textPieces[r.IntN(len(textPieces))])
		}
		return text.String()
	}
	var words [][2]string
	for len(words) < count {
		for _, form := range substitutionForms(text(), text()) {
			words = append(words, [2]string{settings[0], form}, [2]string{settings[0] + "; v=" + form, `"$v"`})
		}
	}
	for _, name := range []string{"bash", "zsh", "dash", "ksh"} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(name); err != nil {
				t.Skipf("skipped: %s is not installed", name)
			}
			compared, words := 0, slices.Clone(words)
			if name == "ksh" { // which never ends over some here-documents in $(…)
				words = slices.DeleteFunc(words, func(word [2]string) bool { return strings.Contains(word[0]+word[1], "<<") })
			}
			for chunk := range slices.Chunk(words, 200) {
				compared += compareWords(t, table, name, chunk)
			}
			t.Logf("%d of %d words are known", compared, len(words))
			assert.Greater(t, compared, len(words)/10, "words that are known")
		})
	}
}
