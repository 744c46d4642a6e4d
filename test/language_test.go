package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// retired are phrases that users had to guess at, and what messages say instead.
var retired = map[string]string{
	`\b(stands?|standing) (there|here|once|twice|before|behind|after|within|between|for|in)\b`: "is repeated, is in, matches, replaces",
	`\btold apart\b`:             "distinguished",
	`\bwhat became of\b`:         "the result of",
	`\bneeds? (no|a) question\b`: "is allowed, or prompts",
	`\bbigger than one may be\b`: "exceeds the limit",
	`\b(is|are) asked about\b`:   "prompts",
	`\bbesides\b`:                "also",
	`\b(un)?fed\b`:               "input",
	`\bpassage\b`:                "evaluation",
}

// What policyd prints and answers has no retired phrase: no text in the sources of programs does.
func TestMessagesHaveNoRetiredPhrases(t *testing.T) {
	patterns := map[*regexp.Regexp]string{}
	for phrase, instead := range retired {
		patterns[regexp.MustCompile(phrase)] = instead
	}
	texts := 0
	walk := func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			literal, ok := node.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			texts++
			for pattern, instead := range patterns {
				if found := pattern.FindString(text); found != "" && strings.Contains(text, " ") {
					t.Errorf("%s: %q has the retired phrase %q; write: %s", path, text, found, instead)
				}
			}
			return true
		})
		return nil
	}
	for _, root := range []string{"../api", "../bundles", "../cmd", "../extract", "../internal"} {
		require.NoError(t, filepath.WalkDir(root, walk))
	}
	assert.Greater(t, texts, 1000)
}
