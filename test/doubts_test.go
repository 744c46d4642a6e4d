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

// Every code of a doubt is in docs/facts.md, and every code there exists.
func TestDoubtsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../docs/facts.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(page), "### Doubts\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\|").FindAllStringSubmatch(section, -1) {
		documented = append(documented, row[1])
	}
	assert.ElementsMatch(t, doubts(t), documented)
}

// doubts are the codes in the sources: of messy lines, and those that extraction is called with.
func doubts(t *testing.T) []string {
	t.Helper()
	codes := map[string]bool{}
	note := func(value ast.Expr) {
		if text, ok := value.(*ast.BasicLit); ok && text.Kind == token.STRING {
			code, err := strconv.Unquote(text.Value)
			require.NoError(t, err)
			codes[code] = true
		}
	}
	walk := func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.ValueSpec:
				for i, name := range node.Names {
					if strings.HasPrefix(name.Name, "Messy") && i < len(node.Values) {
						note(node.Values[i])
					}
				}
			case *ast.CallExpr:
				if called, ok := node.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "doubt" && len(node.Args) == 1 {
					note(node.Args[0])
				}
			}
			return true
		})
		return nil
	}
	require.NoError(t, filepath.WalkDir("../extract", walk))
	out := make([]string, 0, len(codes))
	for code := range codes {
		out = append(out, code)
	}
	return out
}
