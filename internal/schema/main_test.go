package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

func generated(t *testing.T) map[string][]byte {
	t.Helper()
	root, err := moduleRoot()
	require.NoError(t, err)
	files, err := generate(root)
	require.NoError(t, err)
	return files
}

func TestCommittedFilesAreUpToDate(t *testing.T) {
	root, err := moduleRoot()
	require.NoError(t, err)
	files := generated(t)
	require.Len(t, files, 4)
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want, got), "%s is out of date: run go generate ./internal/schema", name)
	}
}

func TestGeneratingTwiceGivesTheSameBytes(t *testing.T) {
	first := generated(t)
	assert.Equal(t, first, generated(t))
}

// TestFactsSchemaIsTotal checks that every object of the input is closed and names all its fields as
// required.
func TestFactsSchemaIsTotal(t *testing.T) {
	var schema map[string]any
	require.NoError(t, json.Unmarshal(generated(t)["policies/schemas/facts.json"], &schema))
	closed := 0
	var walk func(at string, node map[string]any)
	walk = func(at string, node map[string]any) {
		if properties, ok := node["properties"].(map[string]any); ok {
			closed++
			assert.Equal(t, false, node["additionalProperties"], at)
			required, _ := node["required"].([]any)
			assert.Len(t, required, len(properties), at)
			for name, property := range properties {
				walk(at+"/"+name, property.(map[string]any))
			}
		}
		if items, ok := node["items"].(map[string]any); ok {
			walk(at+"/*", items)
		}
		for _, unsupported := range []string{"$ref", "$defs", "enum", "patternProperties", "anyOf", "allOf", "format"} {
			assert.NotContains(t, node, unsupported, at)
		}
	}
	walk("", schema)
	assert.Equal(t, 11, closed, "input, tool, session, method, peer, terminal, permission, item, path, approval, line")
	properties := schema["properties"].(map[string]any)
	assert.Len(t, properties, reflect.TypeFor[v1.Facts]().NumField()+2, "approvals and line")
	item := properties["items"].(map[string]any)["items"].(map[string]any)["properties"].(map[string]any)
	assert.Equal(t, map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "boolean"}}, item["touches"])
	assert.Equal(t, map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "string"}}, item["form"])
}

// TestFactsSchemaFindsMisspeltFacts checks what the schema is for.
func TestFactsSchemaFindsMisspeltFacts(t *testing.T) {
	var schema any
	require.NoError(t, json.Unmarshal(generated(t)["policies/schemas/facts.json"], &schema))
	check := func(expression string) ast.Errors {
		module, err := ast.ParseModuleWithOpts("x.rego", `# METADATA
# scope: package
# schemas:
#   - input: schema.facts
package x

bad if `+expression, ast.ParserOptions{ProcessAnnotation: true})
		require.NoError(t, err)
		schemas := ast.NewSchemaSet()
		schemas.Put(ast.MustParseRef("schema.facts"), schema)
		compiler := ast.NewCompiler().WithSchemas(schemas).WithUseTypeCheckAnnotations(true)
		compiler.Compile(map[string]*ast.Module{"x.rego": module})
		return compiler.Errors
	}
	for _, fact := range []string{
		`input.messy == true`, `input.items[_].touches["read.project"]`, `input.items[0].form["-n"] == "none"`,
		`input.session.tools.x`, `input.approvals[_].once`, `input.paths[_].class.secret`,
	} {
		assert.Empty(t, check(fact), fact)
	}
	for _, misspelt := range []string{
		`input.messi == true`, `input.items[_].touch`, `input.session.audiense == "x"`, `input.approvals[_].onze`,
		`input.paths[_].reel == ""`, `input.tool.knwon`,
	} {
		assert.NotEmpty(t, check(misspelt), misspelt)
	}
}

func TestOpenAPIReferencesResolve(t *testing.T) {
	data := generated(t)["api/openapi.json"]
	var document map[string]any
	require.NoError(t, json.Unmarshal(data, &document))
	assert.Equal(t, "3.1.0", document["openapi"])
	references := 0
	var walk func(node any)
	walk = func(node any) {
		switch node := node.(type) {
		case map[string]any:
			if reference, ok := node["$ref"].(string); ok {
				references++
				assert.True(t, resolves(document, reference), reference)
			}
			for _, value := range node {
				walk(value)
			}
		case []any:
			for _, value := range node {
				walk(value)
			}
		}
	}
	walk(document)
	assert.Greater(t, references, 20)
	components := document["components"].(map[string]any)["schemas"].(map[string]any)
	for _, name := range []string{"Call", "Session", "Decision", "Reason", "Prompt", "Facts", "Problem", "BatchRequest"} {
		assert.Contains(t, components, name)
	}
	call := components["Call"].(map[string]any)
	assert.ElementsMatch(t, []any{"tool", "args", "session"}, call["required"])
	assert.Contains(t, call["description"], "one tool call")
	decision := components["Decision"].(map[string]any)["properties"].(map[string]any)["decision"].(map[string]any)
	assert.Equal(t, []any{"deny", "prompt", "allow"}, decision["enum"])
	rpcError := components["Decision"].(map[string]any)["properties"].(map[string]any)["jsonrpc_error"].(map[string]any)
	assert.Contains(t, rpcError, "oneOf", "null or an error")
}

func resolves(document map[string]any, reference string) bool {
	var node any = document
	for _, name := range bytes.Split([]byte(reference), []byte("/"))[1:] {
		members, ok := node.(map[string]any)
		if !ok {
			return false
		}
		node, ok = members[string(name)]
		if !ok {
			return false
		}
	}
	return true
}

func TestEveryErrorAnswerIsAProblem(t *testing.T) {
	var document struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]any
			}
		}
	}
	require.NoError(t, json.Unmarshal(generated(t)["api/openapi.json"], &document))
	paths := []string{}
	for name, methods := range document.Paths {
		paths = append(paths, name)
		for _, operation := range methods {
			for status, response := range operation.Responses {
				if status >= "400" {
					assert.Contains(t, response.Content, "application/problem+json", name+" "+status)
				}
			}
		}
	}
	assert.Contains(t, paths, "/v1/decide")
}

// TestNoInternalIDs checks that what users read names no requirement. The one page that lists requirements is
// for people who change the sources.
func TestNoInternalIDs(t *testing.T) {
	id := regexp.MustCompile(`\b[ACDNPSV]\d{1,2}\b`)
	documents := generated(t)
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	pages = slices.DeleteFunc(pages, func(page string) bool { return page == "../../docs/requirements.md" })
	require.NotEmpty(t, pages)
	for _, page := range append(pages, "../../README.md") {
		if documents[page], err = os.ReadFile(page); err != nil {
			require.NoError(t, err)
		}
	}
	for name, text := range documents {
		assert.Empty(t, id.FindAllString(string(text), -1), name)
	}
}
