package render_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/render"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// forms are the renderings, by the ending of their golden files.
var forms = map[string]func(*v1.Prompt) string{
	".text":         render.Text,
	".slack.json":   func(prompt *v1.Prompt) string { return indented(render.Slack(prompt)) },
	".discord.json": func(prompt *v1.Prompt) string { return indented(render.Discord(prompt)) },
}

func indented(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		panic(err) // only a value that isn't JSON can't be encoded
	}
	return out.String()
}

// TestGoldenFiles renders every testdata/*.prompt.json.
func TestGoldenFiles(t *testing.T) {
	prompts, err := filepath.Glob("testdata/*.prompt.json")
	require.NoError(t, err)
	require.NotEmpty(t, prompts, "the corpus is empty")
	expected := slices.Clone(prompts)
	for _, file := range prompts {
		stem := strings.TrimSuffix(file, ".prompt.json")
		prompt := readPrompt(t, file)
		for ending, form := range forms {
			golden := stem + ending
			expected = append(expected, golden)
			got := form(prompt)
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
			}
			want, err := os.ReadFile(golden)
			if assert.NoErrorf(t, err, "run go test ./internal/render -update") {
				assert.Equal(t, string(want), got, golden)
			}
		}
	}
	found, err := filepath.Glob("testdata/*.*")
	require.NoError(t, err)
	slices.Sort(expected)
	slices.Sort(found)
	assert.Equal(t, expected, found, "a golden file without its prompt")
}

func readPrompt(t *testing.T, file string) *v1.Prompt {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var prompt v1.Prompt
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	require.NoErrorf(t, decoder.Decode(&prompt), file)
	return &prompt
}
