package test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The changelog is for users: versions with dates, known groups, and entries of two lines at most.
func TestChangelogIsForUsers(t *testing.T) {
	page, err := os.ReadFile("../CHANGELOG.md")
	require.NoError(t, err)
	version := regexp.MustCompile(`^## \[(Unreleased|\d+\.\d+\.\d+)\]( - \d{4}-\d{2}-\d{2})?$`)
	groups := []string{"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
	entry, lines := "", 0
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSuffix(line, "\n")
		assert.LessOrEqual(t, len([]rune(line)), 120, line)
		switch {
		case strings.HasPrefix(line, "## "):
			found := version.FindStringSubmatch(line)
			if assert.NotNil(t, found, line) {
				assert.Equal(t, found[1] == "Unreleased", found[2] == "", "a version has a date: %s", line)
			}
		case strings.HasPrefix(line, "### "):
			assert.True(t, slices.Contains(groups, line[4:]), line)
		case strings.HasPrefix(line, "- "):
			entry, lines = line, 1
		case strings.HasPrefix(line, "  ") && entry != "":
			lines++
			assert.LessOrEqual(t, lines, 2, "an entry of more than two lines: %s", entry)
		default:
			entry = ""
		}
	}
}
