package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Limits of a package of extract and of a type in it.
const (
	mostFiles  = 20
	mostLines  = 5000
	mostFields = 15
	// mostInAll is how many lines all packages have together. It only shrinks (docs/decisions/0031).
	mostInAll   = 44_785
	mostMethods = 20
)

// large are packages of extract that exceed a limit still, and wide types. watched.Directories has its methods once
// for each system. The lists only shrink.
var (
	large []string
	wide  = []string{"extract/watched.Directories"}
)

// TestPackagesOfExtractStaySmall checks the limits, so that no part of extraction knows everything again.
func TestPackagesOfExtractStaySmall(t *testing.T) {
	checked, all := 0, 0
	require.NoError(t, filepath.WalkDir("../extract", func(path string, entry fs.DirEntry, err error) error {
		directory := strings.TrimPrefix(filepath.ToSlash(path), "../")
		if err != nil || !entry.IsDir() || entry.Name() == "testdata" {
			return err
		}
		found := measure(t, path)
		exceeds := found.files > mostFiles && found.lines > mostLines
		assert.Equalf(t, slices.Contains(large, directory), exceeds, "%s has %d files with %d lines: split it by concern", directory, found.files, found.lines)
		for name, fields := range found.fields {
			assert.LessOrEqualf(t, fields, mostFields, "%s.%s has too many fields: split it by concern", directory, name)
		}
		for name, methods := range found.methods {
			tooMany := methods > mostMethods
			assert.Equalf(t, slices.Contains(wide, directory+"."+name), tooMany, "%s.%s has %d methods: split it by concern", directory, name, methods)
		}
		checked++
		all += found.lines
		return nil
	}))
	assert.LessOrEqual(t, all, mostInAll, "lines in all packages of extract: take away as much as you add")
	assert.Greater(t, checked, 20)
}

type measured struct {
	files, lines    int
	fields, methods map[string]int
}

func measure(t *testing.T, directory string) measured {
	t.Helper()
	found := measured{fields: map[string]int{}, methods: map[string]int{}}
	files, err := filepath.Glob(directory + "/*.go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		found.files++
		found.lines += strings.Count(string(text), "\n")
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(parsed, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.FuncDecl:
				if node.Recv != nil {
					found.methods[receiver(node.Recv.List[0].Type)]++
				}
				return false
			case *ast.TypeSpec:
				if structure, is := node.Type.(*ast.StructType); is {
					found.fields[node.Name.Name] = 0
					for _, field := range structure.Fields.List {
						found.fields[node.Name.Name] += max(1, len(field.Names))
					}
				}
			}
			return true
		})
	}
	return found
}

// receiver is the name of a method's type.
func receiver(expression ast.Expr) string {
	switch expression := expression.(type) {
	case *ast.StarExpr:
		return receiver(expression.X)
	case *ast.IndexExpr:
		return receiver(expression.X)
	case *ast.Ident:
		return expression.Name
	}
	return ""
}
