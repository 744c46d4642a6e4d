package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// handed says what a find line hands on: the base names, "f" where they are
// those of plain files, and the directories that are not entered.
func handed(tb testing.TB, line string) string {
	tb.Helper()
	commands := parse(tb, line+" | xargs cat").Commands
	if len(commands) < 3 {
		return "unknown"
	}
	a := commands[2].Accesses[0]
	text := strings.Join(a.Include, " ")
	if !a.Follow {
		text += " f"
	}
	if len(a.ExcludeDir) > 0 {
		text += " -" + strings.Join(a.ExcludeDir, " -")
	}
	return strings.TrimSpace(text)
}

// The whole expression of find says what its actions get, and not what stands
// in front of the first of them.
func TestFindExpressions(t *testing.T) {
	for line, want := range map[string]string{
		"find .":                      "",
		"find . -type f -name '*.go'": "*.go f",
		"find . -name '*.md' -print -o -type f -print":                   "",
		"find . -name a -quit -o -type f -print":                         "f",
		"find . -type f -name a , -type f -name b -print":                "b f",
		"find . -type f '(' -name a -o -name b ')'":                      "a b f",
		"find . -type f -name a -o -type f -name b":                      "a b f",
		"find . -name a -o -type f":                                      "",
		"find . ! -name a -type f":                                       "f",
		"find . -not -type f -name a":                                    "a",
		"find . -type f -name '*.go' ! -path './v/*'":                    "*.go f",
		"find -L . -type f -name a":                                      "a",
		"find . -name a -type f -print -print":                           "a f",
		"find . -name v -prune -o -name '*.go' -print":                   "*.go -v",
		"find . -name v -prune -o -type f":                               "-v",
		"find . -type d -name v -prune -o -type f -print":                "f -v",
		"find . '(' -name v -o -path '*/w' ')' -prune -o -type f -print": "f -v -w",
		"find . -not '(' -name v -prune ')' -type f":                     "f -v",
		// Not each directory of the name is left out.
		"find . -depth -name v -prune -o -type f -print":      "f",
		"find . -mindepth 2 -name v -prune -o -type f -print": "f",
		"find . -name V -prune -o -type f -print":             "f",
		"find . -type f -name v -prune -o -type f -print":     "f",
		"find . -empty -name v -prune -o -type f -print":      "f",
		"find . -path ./v -prune -o -type f -print":           "f",
		"find . ! -name v -prune -o -type f -print":           "v f",
		// What can't be followed is everything.
		"find . '(' -type f -name a":       "",
		"find . -type f -name a -o":        "",
		"find . -type f -name a b":         "",
		"find . -type f -name a ')' -o x":  "",
		"find . -type f -print -o -print0": "unknown",
	} {
		assert.Equal(t, want, handed(t, line), line)
	}
}

// Each -exec gets what comes to it, and not what comes to another.
func TestFindExecGetsWhatComesToIt(t *testing.T) {
	commands := parse(t, "find . -name a -exec wc {} + -o -type f -exec cat {} +").Commands
	assert.Len(t, commands, 3)
	assert.Equal(t, []string{"a"}, commands[1].Accesses[0].Include)
	assert.Empty(t, commands[2].Accesses[0].Include)
	assert.True(t, commands[1].Accesses[0].Follow)
	assert.False(t, commands[2].Accesses[0].Follow)
}
