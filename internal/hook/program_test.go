package hook_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/hook"
)

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("no reader") }

type failing struct{ taken int }

func (f failing) Write([]byte) (int, error) {
	if f.taken > 0 {
		return f.taken, nil
	}
	return 0, errors.New("closed")
}

// counting notes how often it is written to.
type counting struct {
	bytes.Buffer
	writes int
}

func (c *counting) Write(text []byte) (int, error) {
	c.writes++
	return c.Buffer.Write(text)
}

// TestAFaultOfTheHookItselfIsADeny: most clients run a tool whose hook crashes.
func TestAFaultOfTheHookItselfIsADeny(t *testing.T) {
	for name, program := range map[string]*hook.Program{
		"while it reads": {Stdin: panicking{}, LookupEnv: func(string) (string, bool) { return "", false }},
		"anywhere else":  {Stdin: strings.NewReader("{}"), LookupEnv: func(string) (string, bool) { panic("no environment") }},
		"a broken pipe":  {Stdin: io.MultiReader(strings.NewReader("{"), panicking{}), LookupEnv: func(string) (string, bool) { return "", false }},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr counting
			program.Stdout, program.Stderr = &stdout, &stderr
			assert.Equal(t, 2, program.Run(t.Context(), []string{"codex"}))
			assert.Contains(t, stdout.String(), `"permissionDecision":"deny"`)
			assert.Equal(t, 1, stdout.writes, "in one go")
			assert.Equal(t, 1, strings.Count(stderr.String(), "\n"))
		})
	}
}

// TestAnAnswerThatIsNotWrittenIsNone.
func TestAnAnswerThatIsNotWrittenIsNone(t *testing.T) {
	for name, stdout := range map[string]io.Writer{"closed": failing{}, "cut": failing{taken: 3}} {
		program := &hook.Program{
			Stdin: strings.NewReader(""), Stdout: stdout, Stderr: io.Discard, LookupEnv: func(string) (string, bool) { return "", false },
		}
		require.Equal(t, 2, program.Run(t.Context(), []string{"gemini"}), name)
	}
}
