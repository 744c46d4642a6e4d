package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/config"
)

// TestNotifyTargets checks that each kind has what it needs, and nothing else.
func TestNotifyTargets(t *testing.T) {
	load := func(text string) (*config.Config, error) {
		file := filepath.Join(t.TempDir(), "policyd.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return config.Load(file, func(name string) (string, bool) {
			return "/value-of-" + name, name == "HOME" || strings.HasSuffix(name, "_SECRET")
		}, nil)
	}
	for text, key := range map[string]string{
		"{name: a, kind: slack}":                                                   "notify[0].url",
		"{name: a, kind: desktop, url: 'http://x'}":                                "notify[0].url",
		"{name: a, kind: command}":                                                 "notify[0].command",
		"{name: a, kind: mail}":                                                    "notify[0].kind",
		"{kind: desktop}":                                                          "name",
		"{name: a, kind: desktop}, {name: a, kind: desktop}":                       "notify[1].name",
		"{name: a, kind: ntfy, url: 'http://x', signing_secret: s}":                "notify[0].signing_secret",
		"{name: a, kind: slack, url: 'http://x', public_key: s}":                   "notify[0].public_key",
		"{name: a, kind: slack, url: 'http://x', signing_secret: s}":               "notify[0].people",
		"{name: a, kind: desktop, after: 25h}":                                     "notify[0].after",
		"{name: a, kind: slack, url: 'http://x', signing_secret: s, people: [U1]}": "notify[0].people",
	} {
		_, err := load("notify: [" + text + "]\n")
		require.ErrorContains(t, err, key, text)
	}
	// The settings that the documentation shows.
	doc, err := os.ReadFile("../../docs/notify.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(doc, -1)
	require.Len(t, blocks, 2)
	shown, err := load(string(blocks[0][1]))
	require.NoError(t, err)
	require.Len(t, shown.Notify, 5)
	assert.Equal(t, 10*time.Minute, shown.Notify[1].After)
	assert.Equal(t, "/value-of-HOOK_SECRET", shown.Notify[2].Secret)
	clicks, err := load("tls: {cert: /c, key: /k}\n" + regexp.MustCompile(`\$\{SLACK_WEBHOOK\}`).ReplaceAllString(string(blocks[1][1]), "https://hooks.slack.com/x"))
	require.NoError(t, err)
	assert.Equal(t, []string{"U024BE7LH"}, clicks.Notify[0].People)
}
