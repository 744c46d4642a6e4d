package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// Exceptions from the limits of complexity. They may only become fewer.
const (
	mostComplexFunctions = 6
	mostNestedFiles      = 0
)

// TestComplexityExceptionsOnlyShrink checks that no function is added to those that may be complex, and that
// none is listed that isn't there.
func TestComplexityExceptionsOnlyShrink(t *testing.T) {
	text, err := os.ReadFile("../.golangci.yml")
	require.NoError(t, err)
	var settings struct {
		Linters struct {
			Exclusions struct {
				Rules []struct {
					Path    string   `yaml:"path"`
					Text    string   `yaml:"text"`
					Linters []string `yaml:"linters"`
				} `yaml:"rules"`
			} `yaml:"exclusions"`
		} `yaml:"linters"`
	}
	require.NoError(t, yaml.Unmarshal(text, &settings))
	list := regexp.MustCompile(`^function \(([\w|]+)\) is$`)
	complexFunctions, nestedFiles := 0, 0
	for _, rule := range settings.Linters.Exclusions.Rules {
		if rule.Path == `_test\.go` {
			continue
		}
		if slices.Contains(rule.Linters, "nestif") {
			nestedFiles++
		}
		assert.NotContains(t, rule.Linters, "maintidx", rule.Path)
		if !slices.Contains(rule.Linters, "cyclop") {
			continue
		}
		names := list.FindStringSubmatch(rule.Text)
		directory, named := strings.CutSuffix(strings.TrimPrefix(rule.Path, "^"), `/[^/]+\.go$`)
		require.True(t, named && names != nil, "an exception from cyclop names a directory and functions: %s: %s", rule.Path, rule.Text)
		there := functions(t, directory)
		for _, name := range strings.Split(names[1], "|") {
			complexFunctions++
			assert.Containsf(t, there, name, "%s has no function %s: take it off the list in .golangci.yml", directory, name)
		}
	}
	assert.LessOrEqual(t, nestedFiles, mostNestedFiles)
	assert.Equal(t, mostComplexFunctions, complexFunctions, "the list is shorter now: lower mostComplexFunctions")
}

// functions are the names of functions and methods of a directory.
func functions(t *testing.T, directory string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", directory, "*.go"))
	require.NoError(t, err)
	names := map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declaration := range parsed.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok {
				names[function.Name.Name] = true
			}
		}
	}
	return names
}
