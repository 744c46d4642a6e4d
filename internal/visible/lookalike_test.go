package visible_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/internal/visible"
)

// TestMixedWords checks that a word which mixes letters that look alike is named, and that ordinary text of
// any language isn't.
func TestMixedWords(t *testing.T) {
	for text, want := range map[string]string{
		"git рush origin":          `"рush" mixes Cyrillic and Latin letters: р is U+0440`,
		"cat pаsswd":               `"pаsswd" mixes Latin and Cyrillic letters: а is U+0430`,
		"make bυild":               `"bυild" mixes Latin and Greek letters: υ is U+03C5`,
		"ls ｇit":                   `"ｇit" mixes styled Latin and Latin letters: ｇ is U+FF47`,
		"curl https://еxample.org": `"еxample" mixes Cyrillic and Latin letters: е is U+0435`,
	} {
		assert.Equal(t, []string{want}, visible.MixedWords(text), text)
	}
	for _, text := range []string{
		"git push origin main", "git commit -m 'fix баг in кластер-A'", "echo über naïve ☃ 漢字 カタカナ", "grep -rn 'µs' .",
		"touch 読むREADME.md", "echo Ω", "", "a\nб", "x=1; y=2",
	} {
		assert.Empty(t, visible.MixedWords(text), text)
	}
	long := strings.Repeat("рush ", 1000)
	assert.Len(t, visible.MixedWords(long), 1, "each once")
}

// TestForeignNames checks names in which every letter has to be known: verbs and hosts.
func TestForeignNames(t *testing.T) {
	for name, want := range map[string]string{
		"еxample.org":        "the host еxample.org is xn--xample-2of.org",
		"аррӏе.com":          "the host аррӏе.com is xn--80ak6aa92e.com",
		"xn--80ak6aa92e.com": "the host xn--80ak6aa92e.com is shown to people as аррӏе.com",
		"ехес":               `"ехес" isn't plain ASCII: е is U+0435, х is U+0445, с is U+0441`,
		"git":                "", "example.org": "", "xn--": "", "": "",
	} {
		assert.Equal(t, want, visible.ForeignName(name), name)
	}
}

func TestHosts(t *testing.T) {
	assert.Equal(t, []string{"еxample.org", "b.example", "c.example", "d.example"}, visible.Hosts(
		`curl -o x "https://еxample.org/a?b" ssh://git@b.example:22/x --url=http://c.example && wget 'http://d.example' http://b.example`))
	assert.Empty(t, visible.Hosts("echo :// http:// a//b"))
}

// TestFold checks that blanks can't push anything out of sight, and that all that isn't blank stays as it is,
// in order.
func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("\n", 300) + "make evil":            "⏎ ×300\nmake evil",
		"ls\n" + strings.Repeat(" \t\n", 60) + "make evil": "ls⏎ ×61\nmake evil",
		"ls" + strings.Repeat(" ", 200) + "; make":         "ls ␠ ×200 ; make",
		"ls\n\n\nmake":          "ls\n\n\nmake",
		"if a; then\n    b\nfi": "if a; then\n    b\nfi",
		"":                      "",
	} {
		assert.Equal(t, want, visible.Fold(text))
	}
	for _, text := range []string{"a\n\n\n\n\nb", "x" + strings.Repeat("\t", 50) + "y漢", strings.Repeat("\n \n", 30)} {
		folded := visible.Fold(text)
		assert.LessOrEqual(t, strings.Count(folded, "\n"), 3)
		assert.Equal(t, strings.Join(strings.Fields(text), ""), letters(folded))
	}
}

// letters is a folded text without blanks and marks.
func letters(folded string) string {
	var out strings.Builder
	for _, word := range strings.Fields(folded) {
		if word != "⏎" && word != "␠" && !strings.HasPrefix(word, "×") {
			out.WriteString(strings.TrimSuffix(word, "⏎"))
		}
	}
	return out.String()
}
