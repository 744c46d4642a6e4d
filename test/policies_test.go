package test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A rule file adds to these sets and declares nothing else in public: files of
// one package merge in silence, and a misnamed set is no error to the compiler.
var publicSets = []string{"deny", "prompt", "cover", "route"}

const rulesPackage = "data.policyd.rules"

// ruleFile is one file below policies/policyd/rules, parsed.
type ruleFile struct {
	// id is its path below the rules directory, without the extension.
	id     string
	path   string
	module *ast.Module
}

func TestRuleFilesDeclareTheKnownSetsOnly(t *testing.T) {
	for _, file := range ruleFiles(t) {
		assert.Equalf(t, rulesPackage, file.module.Package.Path.String(),
			"%s: every rule lives in one package, or the entrypoint doesn't gather it", file.path)
		public := 0
		for _, rule := range file.module.Rules {
			name := ruleName(rule)
			if strings.HasPrefix(name, "_") {
				continue
			}
			public++
			assert.Containsf(t, publicSets, name,
				"%s:%d: %q is gathered by nobody; helpers start with an underscore", file.path, rule.Location.Row, name)
			assert.Falsef(t, rule.Default, "%s:%d: a default for a set that all rules share", file.path, rule.Location.Row)
			assert.Equalf(t, ast.RuleKind(ast.MultiValue), rule.Head.RuleKind(),
				"%s:%d: %q is a set that all rules add to: write %q contains", file.path, rule.Location.Row, name, name)
		}
		assert.Positivef(t, public, "%s adds to no set", file.path)
	}
}

func TestHelperNamesBelongToOneFile(t *testing.T) {
	owner := map[string]string{}
	for _, file := range ruleFiles(t) {
		for _, rule := range file.module.Rules {
			name := ruleName(rule)
			if !strings.HasPrefix(name, "_") {
				continue
			}
			if other, taken := owner[name]; taken {
				assert.Equalf(t, other, file.path, "helper %s: equal names in two files merge and could widen a cover", name)
				continue
			}
			owner[name] = file.path
		}
	}
}

func TestRuleIDsAreTheirPaths(t *testing.T) {
	for _, file := range ruleFiles(t) {
		ids := 0
		for _, annotation := range file.module.Annotations {
			id, named := annotation.Custom["id"]
			if !named {
				continue
			}
			ids++
			assert.Equalf(t, file.id, id, "%s: custom.id in METADATA is the path of the file, so that a reader finds it", file.path)
		}
		assert.Positivef(t, ids, "%s: no METADATA with custom.id", file.path)
		for _, id := range idsInHeads(file.module) {
			assert.Equalf(t, file.id, id, "%s: a finding or cover under the name of another rule", file.path)
		}
	}
}

// TestEveryFindingHasARemedy checks that every message about a stopped call comes with a remedy.
func TestEveryFindingHasARemedy(t *testing.T) {
	for _, file := range ruleFiles(t) {
		set, errs := ast.BuildAnnotationSet([]*ast.Module{file.module})
		require.Empty(t, errs)
		for _, rule := range file.module.Rules {
			if name := ruleName(rule); name != "deny" && name != "prompt" {
				continue
			}
			scope := set.GetRuleScope(rule)
			require.NotEmptyf(t, scope, "%s:%d: no METADATA", file.path, rule.Location.Row)
			remedy, _ := scope[0].Custom["remedy"].(string)
			assert.NotEmptyf(t, remedy, "%s:%d: custom.remedy says what would allow the call", file.path, rule.Location.Row)
		}
	}
}

func TestEveryRuleHasATestBesideIt(t *testing.T) {
	for _, file := range ruleFiles(t) {
		_, err := os.Stat(strings.TrimSuffix(file.path, ".rego") + "_test.rego")
		assert.NoErrorf(t, err, "%s has no test", file.path)
	}
}

// idsInHeads collects the rule ids that heads write out: the second member of a
// pair, or the key "rule" of an object.
func idsInHeads(module *ast.Module) []string {
	var ids []string
	for _, rule := range module.Rules {
		if rule.Head.Key == nil {
			continue
		}
		switch key := rule.Head.Key.Value.(type) {
		case *ast.Array:
			if id, isText := key.Elem(key.Len() - 1).Value.(ast.String); isText {
				ids = append(ids, string(id))
			}
		case ast.Object:
			if id := key.Get(ast.StringTerm("rule")); id != nil {
				if text, isText := id.Value.(ast.String); isText {
					ids = append(ids, string(text))
				}
			}
		}
	}
	return ids
}

func ruleName(rule *ast.Rule) string {
	return string(rule.Head.Ref()[0].Value.(ast.Var))
}

func ruleFiles(t *testing.T) []ruleFile {
	t.Helper()
	root := filepath.Join(repository(t), "policies", "policyd", "rules")
	var files []ruleFile
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".rego") || strings.HasSuffix(path, "_test.rego") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		module, err := ast.ParseModuleWithOpts(path, string(text), ast.ParserOptions{ProcessAnnotation: true})
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		files = append(files, ruleFile{id: strings.TrimSuffix(filepath.ToSlash(relative), ".rego"), path: path, module: module})
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}
