package bundles

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/goccy/go-json"
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/policies"
)

var update = flag.Bool("update", false, "write the proof of the embedded bundle")

// unproven is the embedded bundle as it would be read if there were no proof of it.
func unproven(t *testing.T) part {
	t.Helper()
	files, err := gather(embeddedLoader(policies.FS), embeddedName)
	require.NoError(t, err)
	p, err := parse(files, embeddedName)
	require.NoError(t, err)
	p.digest = digestOf(files)
	return p
}

// What the proof says is found out here, by everything that a start would do without it,
// and the proof is written by nothing else.
func TestTheEmbeddedBundleIsProven(t *testing.T) {
	whole := unproven(t)
	snapshot, err := build(t.Context(), Options{FS: policies.FS}.withDefaults(), []part{whole}, embeddedName)
	require.NoError(t, err, "a policy that fails its checks or cases is not proven")
	require.NotNil(t, snapshot)
	found := proof{Digest: digestOfProof(whole.digest), Revision: whole.version()}
	require.NotEmpty(t, found.Digest)
	if *update {
		text, err := json.MarshalIndent(found, "", "  ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(proofFile, append(text, '\n'), 0o600))
		return
	}
	require.Equal(t, found, written(), "the bundle, its cases or the engine changed: run make generate")
	embedded, err := readEmbedded(policies.FS)
	require.NoError(t, err)
	require.True(t, embedded.proven)
}

// The stages that are left out for a bundle that is proven change nothing of what is
// compiled.
func TestWhatIsProvenIsCompiledAlike(t *testing.T) {
	embedded, err := readEmbedded(policies.FS)
	require.NoError(t, err)
	require.True(t, embedded.proven)
	short, err := compile(t.Context(), nil, []part{embedded}, embeddedName)
	require.NoError(t, err)
	long, err := compile(t.Context(), nil, []part{unproven(t)}, embeddedName)
	require.NoError(t, err)
	assert.True(t, long.query.Equal(short.query))
	require.Len(t, short.compiler.Modules, len(long.compiler.Modules))
	for name, module := range long.compiler.Modules {
		assert.Equal(t, module.String(), short.compiler.Modules[name].String(), name)
		for i, rule := range module.Rules {
			assert.Equal(t, isIndexed(long.compiler, rule), isIndexed(short.compiler, short.compiler.Modules[name].Rules[i]), rule.Head)
		}
	}
	assert.Zero(t, long.data.data.Compare(short.data.data))
}

// isIndexed reports whether the compiler made an index of a rule and those of its name.
func isIndexed(compiler *ast.Compiler, rule *ast.Rule) bool {
	return compiler.RuleIndex(rule.Ref().GroundPrefix()) != nil
}

// A bundle that somebody changed is proven by nothing: it is checked and judges its cases.
func TestAChangedBundleIsNotProven(t *testing.T) {
	changed := fstest.MapFS{}
	require.NoError(t, fs.WalkDir(policies.FS, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(policies.FS, name)
		changed[name] = &fstest.MapFile{Data: content}
		return err
	}))
	p, err := readEmbedded(changed)
	require.NoError(t, err)
	require.True(t, p.proven, "the same files are the same bundle")

	const name = "policyd/rules/secrets/file.rego"
	changed[name] = &fstest.MapFile{Data: append(bytes.Clone(changed[name].Data), '\n')}
	p, err = readEmbedded(changed)
	require.NoError(t, err)
	require.False(t, p.proven)
	require.False(t, provenAlone([]part{p}))
	require.NotEmpty(t, p.version())

	delete(changed, name) // some case is decided otherwise without this rule
	_, err = New(t.Context(), Options{FS: changed})
	require.ErrorContains(t, err, "case ")
	_, err = New(t.Context(), Options{FS: changed, Ahead: ReadAhead(changed)})
	require.ErrorContains(t, err, "case ")
}

// A proof is about one bundle, and says nothing of one beside it.
func TestOperatorsAreNotProven(t *testing.T) {
	embedded, err := readEmbedded(policies.FS)
	require.NoError(t, err)
	require.True(t, provenAlone([]part{embedded}))
	require.False(t, provenAlone([]part{embedded, {}}))
	require.False(t, provenAlone(nil))
}
