package test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Every term of the glossary is in use in a comment or on another page, is defined once, and isn't retired.
func TestGlossary(t *testing.T) {
	page, err := os.ReadFile("../docs/glossary.md")
	require.NoError(t, err)
	var terms []string
	for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]+ \|$`).FindAllStringSubmatch(string(page), -1)[1:] {
		terms = append(terms, row[1])
	}
	assert.Greater(t, len(terms), 30)
	assert.True(t, slices.IsSorted(terms), "the terms are in alphabetical order")
	prose := allProse(t)
	patterns := compiled(retired, retiredProse)
	for i, term := range terms {
		assert.NotContains(t, terms[:i], term)
		assert.Empty(t, retiredIn(patterns, term), term)
		assert.NotEmptyf(t, usesOf(prose, term), "%q is used nowhere: remove it from the glossary", term)
	}
	assert.Empty(t, usesOf(prose, "decision diary"), "an invented term")
}

// usesOf returns the first use of a term, or of its abbreviation in parentheses, in the singular or the plural.
func usesOf(prose, term string) string {
	long, short, _ := strings.Cut(strings.TrimSuffix(term, ")"), " (")
	for _, word := range []string{long, short} {
		if word == "" {
			continue
		}
		pattern := `(?i)\b` + regexp.QuoteMeta(strings.TrimSuffix(word, "y")) + `(s|es|y|ies)?\b`
		if use := regexp.MustCompile(pattern).FindString(prose); use != "" {
			return use
		}
	}
	return ""
}

// allProse is the text of all comments and pages, without the glossary.
func allProse(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, root := range append(slices.Clone(sweptFolders), "../extract") {
		require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || entry.Name() == "glossary.md" {
				return err
			}
			switch filepath.Ext(path) {
			case ".go", ".rego", ".md":
				content, err := os.ReadFile(path)
				require.NoError(t, err)
				for _, text := range proseOf(t, path, string(content)) {
					all.WriteString(text + "\n")
				}
			}
			return nil
		}))
	}
	return all.String()
}
