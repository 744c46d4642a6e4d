package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// retired are phrases that readers had to guess at, and what to write instead. Messages, comments and pages have none.
var retired = map[string]string{
	`\bstand(s|ing)? (there|here|once|twice|before|behind|after|within|between|for|in|below|on)\b`: "is repeated, is in, matches, replaces",
	`\btold apart\b`:               "distinguished",
	`\bwhat (became|becomes) of\b`: "the result of",
	`\bneeds? (no|a) question\b`:   "is allowed, or prompts",
	`\bbigger than one may be\b`:   "exceeds the limit",
	`\b(is|are) asked about\b`:     "prompts",
	`\bbesides\b`:                  "also, in addition to",
	`\b(un)?fed\b`:                 "input",
	`\bpassage\b`:                  "evaluation",
}

// retiredProse are more of them for comments and pages.
var retiredProse = map[string]string{
	`\b(is|are|was|were|be|been) told\b`:    "gets, receives",
	`\bhears? of\b`:                         "gets, is called for",
	`\bwhom?ever\b`:                         "a person who, a caller that, or another subject",
	`\bbut for\b`:                           "except for",
	`\bin force\b`:                          "active",
	`\bcomes? by\b`:                         "receives, chooses",
	`\btaken for\b`:                         "treated as, counts as",
	`\bsays? so\b`:                          "reports it",
	`\b(is|was) said\b`:                     "is reported, is set",
	`\b(true|false|empty|none|nil) where\b`: "if",
	`\b(Test|Fuzz)\w+ holds\b`:              "checks",
}

// What policyd prints and answers has no retired phrase: no text in the sources of programs does.
func TestMessagesHaveNoRetiredPhrases(t *testing.T) {
	patterns := compiled(retired)
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
			for _, phrase := range retiredIn(patterns, text) {
				if strings.Contains(text, " ") {
					t.Errorf("%s: %q has the retired phrase %q; write: %s", path, text, phrase.text, phrase.instead)
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

// sweptFolders are those whose comments and pages are swept. The extraction is not: its packages are being rewritten.
var sweptFolders = []string{"../api", "../bundles", "../cmd", "../docs", "../internal", "../policies", "../test"}

// Comments and pages have no retired phrase.
func TestProseHasNoRetiredPhrases(t *testing.T) {
	patterns := compiled(retired, retiredProse)
	files := []string{"../README.md", "../CONTRIBUTING.md", "../SECURITY.md"}
	for _, root := range sweptFolders {
		require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			generated := strings.HasSuffix(path, "_gen.go") || entry.Name() == "benchmarks.md" || entry.Name() == "language_test.go"
			if err == nil && entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "decisions") {
				return filepath.SkipDir
			}
			if err == nil && !entry.IsDir() && !generated {
				files = append(files, path)
			}
			return err
		}))
	}
	read := 0
	for _, path := range files {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, text := range proseOf(t, path, string(content)) {
			read++
			for _, phrase := range retiredIn(patterns, text) {
				t.Errorf("%s: %q is retired; write: %s\n%s", path, phrase.text, phrase.instead, text)
			}
		}
	}
	assert.Greater(t, read, 5000)
}

// The sweep finds a phrase in a comment, in a rule's description and on a page, over the end of a line, and none in code.
func TestRetiredPhrasesAreFound(t *testing.T) {
	patterns := compiled(retired, retiredProse)
	for name, text := range map[string]string{
		"x.go":   "package x\n\n// f answers whoever\n// asks.\nfunc f() {}\n",
		"x.rego": "package x\n\n# METADATA\n# description: >-\n#   The client is\n#   told why.\nallow := true\n",
		"x.md":   "# Title\n\nA line that\nstands for another.\n",
	} {
		found := 0
		for _, prose := range proseOf(t, name, text) {
			found += len(retiredIn(patterns, prose))
		}
		assert.Equal(t, 1, found, name)
	}
	for name, text := range map[string]string{
		"x.go": "package x\n\n// f reads `passage`.\nvar passage = \"whoever\"\n",
		"x.md": "`whoever` is code.\n\n```sh\necho besides\n```\n",
	} {
		for _, prose := range proseOf(t, name, text) {
			assert.Empty(t, retiredIn(patterns, prose), name)
		}
	}
}

func compiled(lists ...map[string]string) map[*regexp.Regexp]string {
	patterns := map[*regexp.Regexp]string{}
	for _, list := range lists {
		for phrase, instead := range list {
			patterns[regexp.MustCompile(phrase)] = instead
		}
	}
	return patterns
}

type retiredPhrase struct{ text, instead string }

func retiredIn(patterns map[*regexp.Regexp]string, text string) (found []retiredPhrase) {
	for pattern, instead := range patterns {
		if phrase := pattern.FindString(text); phrase != "" {
			found = append(found, retiredPhrase{phrase, instead})
		}
	}
	return found
}

var (
	quotedText  = regexp.MustCompile("`[^`]*`|\"[^\"]*\"")
	fencedCode  = regexp.MustCompile("(?ms)^\\s*```.*?^\\s*```$")
	hashComment = regexp.MustCompile(`(?m)(?:^\s*#.*\n)+`)
	hashes      = regexp.MustCompile(`(?m)^\s*#+`)
	paragraphs  = regexp.MustCompile(`\n\s*\n`)
	space       = regexp.MustCompile(`\s+`)
)

// proseOf returns the comments of a file of Go or Rego, and the paragraphs of a page, without quoted text and code.
func proseOf(t *testing.T, path, content string) (texts []string) {
	t.Helper()
	switch filepath.Ext(path) {
	case ".go":
		file, err := parser.ParseFile(token.NewFileSet(), path, content, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, group := range file.Comments {
			texts = append(texts, group.Text())
		}
	case ".rego":
		for _, comment := range hashComment.FindAllString(content, -1) {
			texts = append(texts, hashes.ReplaceAllString(comment, ""))
		}
	case ".md":
		texts = paragraphs.Split(fencedCode.ReplaceAllString(content, ""), -1)
	}
	for i, text := range texts {
		texts[i] = space.ReplaceAllString(quotedText.ReplaceAllString(text, ""), " ")
	}
	return texts
}
