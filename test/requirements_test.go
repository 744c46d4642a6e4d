package test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every requirement that a comment or the name of a test cites is in docs/requirements.md, and every one there is cited.
func TestCitedRequirementsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/requirements.md")
	require.NoError(t, err)
	documented := map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| ([A-Z]\d+) \|`).FindAllStringSubmatch(string(page), -1) {
		assert.Falsef(t, documented[row[1]], "%s has two rows", row[1])
		documented[row[1]] = true
	}
	require.NotEmpty(t, documented)
	cited := citedRequirements(t)
	for _, id := range slices.Sorted(maps.Keys(cited)) {
		assert.Truef(t, documented[id], "%s is cited in %s and has no row", id, cited[id])
	}
	for id := range documented {
		assert.NotEmptyf(t, cited[id], "nothing cites %s", id)
	}
}

var (
	requirementInText = regexp.MustCompile(`(?:^|[\s(,])([PSVANCD]\d{1,2})(?:[\s.,:;)]|$)`)
	requirementInName = regexp.MustCompile(`(?m)^func Test([PSVANCD]\d{1,2})[A-Z]`)
	regoComment       = regexp.MustCompile(`(?m)^\s*#.*$`)
)

// citedRequirements returns a file for each id in a comment of Go or Rego, or in the name of a test.
func citedRequirements(t *testing.T) map[string]string {
	t.Helper()
	cited := map[string]string{}
	note := func(path, text string) {
		// Twice, since two ids may share the blank between them.
		for range 2 {
			text = requirementInText.ReplaceAllStringFunc(text, func(found string) string {
				cited[strings.Trim(found, " \t\n(),.:;")] = path
				return "  "
			})
		}
	}
	walk := func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); path != ".." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "bin") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" && filepath.Ext(path) != ".rego" {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if filepath.Ext(path) == ".rego" {
			note(path, strings.Join(regoComment.FindAllString(string(source), -1), "\n"))
			return nil
		}
		for _, found := range requirementInName.FindAllStringSubmatch(string(source), -1) {
			cited[found[1]] = path
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, group := range file.Comments {
			note(path, group.Text())
		}
		return nil
	}
	require.NoError(t, filepath.WalkDir("..", walk))
	return cited
}
