package syntax

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// configTexts feeds the table test, the oracle and the fuzz seeds.
func configTexts() []string {
	return []string{
		"",
		"[core]\n\tbare = false\n",
		"[Core]FSMonitor=x",
		"[core]\n\tkey",
		"[core]\n\tkey =\n",
		"[core]\n\tkey ; comment\n",
		"[core]\n\tkey = a # comment\n\tother = \"a # b\" ; c\n",
		"[remote \"Origin.x\"]\n\turl = a\n[remote.Origin.x]\n\turl = b\n",
		"[a \"quote\\\"back\\\\slash\\n\"]\n\tk = v\n",
		"[a]\n\tk = one \\\n  two \\\r\n three\n",
		"[a]\n\tk = \"one\ttwo\\tthree\\nfour\\b\\\\\\\"\"tail\n",
		"[a]\n\tk = a   b\n\tk = \" a \" \n",
		"[a]\r\n\tk = v\r\n\tk2 = v\r x\r\n",
		"\xef\xbb\xbf[a]\n\tk = v\n",
		"# comment\n; another\n[a] ; after\n\tk = v\n",
		"[a] k = v\n[b] [c] k2 = w\n",
		"[a \"\"]\n\tk = v\n",
		"[a.b \"C.d\"]\n\tk-1 = v\n",
		"[a]\n\tk = unfinished \\",
		"[a]\n\tk = \"quote\" and \"more\"\n",
		"[a]\n\tk =  \\\n\tv\n",
		"[a   \"b\"]\n\tk = é\xff\n",
		"[a]\nk=v\nK=w\n",
		"[a]\n\tk = \"unfinished\n",
		"[a\n]\n",
		"[a]\n\t1k = v\n",
		"[a]\n\tk_x = v\n",
		"[a]\n\tk = \\x\n",
		"[a \"b]\n\tk = v\n",
		"[a 'b']\n\tk = v\n",
		"[]\n\tk = v\n",
		"[a \"b\" ]\n\tk = v\n",
		"[a]\n\tk\t\t= v\n",
		"[a]\n\tk\r\n",
		"[a \"x\\\ny\"]\nk=v\n",
		"[a \"b\"\t]\nk=v\n",
		"= v\n",
	}
}

// gitConfigList is the oracle: the settings as the real git reads them.
func gitConfigList(tb testing.TB, text string) (list string, ok bool) {
	tb.Helper()
	dir := tb.TempDir()
	path := filepath.Join(dir, "config")
	require.NoError(tb, os.WriteFile(path, []byte(text), 0o600))
	cmd := exec.CommandContext(tb.Context(), "git", "config", "-f", path, "--no-includes", "--list", "-z")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1"}
	output, err := cmd.Output()
	return string(output), err == nil
}

func listed(settings []Setting) string {
	var text strings.Builder
	for _, s := range settings {
		text.WriteString(s.Name())
		if s.HasValue {
			text.WriteString("\n" + s.Value)
		}
		text.WriteByte(0)
	}
	return text.String()
}

func checkAgainstGit(tb testing.TB, text string) {
	tb.Helper()
	settings, err := ParseConfig([]byte(text))
	want, ok := gitConfigList(tb, text)
	if err != nil {
		return // refusing what git reads is strict, not wrong
	}
	assert.True(tb, ok, "git refuses %q", text)
	assert.Equal(tb, want, listed(settings), "%q", text)
}

func TestConfigAgreesWithGit(t *testing.T) {
	texts := configTexts()
	require.NotEmpty(t, texts)
	read := 0
	for _, text := range texts {
		checkAgainstGit(t, text)
		_, err := ParseConfig([]byte(text))
		_, ok := gitConfigList(t, text)
		assert.Equal(t, ok, err == nil, "%q: %v", text, err)
		if err == nil {
			read++
		}
	}
	assert.Greater(t, read, len(texts)/2)
}

func TestConfigIsStricterThanGit(t *testing.T) {
	for _, text := range []string{"key = v\n", "[a]\n\tk = v\x00w\n", "[ \"x\"]\n\tk = v\n"} {
		_, err := ParseConfig([]byte(text))
		assert.Error(t, err, "%q", text)
	}
}

// FuzzParseConfig holds that what is read here is what git reads.
func FuzzParseConfig(f *testing.F) {
	for _, text := range configTexts() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		checkAgainstGit(t, text)
	})
}
