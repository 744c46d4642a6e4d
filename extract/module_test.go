package extract_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

func (p place) line(command string) v1.Facts {
	return p.facts("Bash", map[string]any{"command": command})
}

// V5: Python looks for the modules that it imports in the working directory first.
func TestModulesOfTheWorkingDirectory(t *testing.T) {
	for name, shadows := range map[string]bool{
		"": false, "json.py": true, "argparse.pyc": true, "re.cpython-311-x86_64-linux-gnu.so": true, "encodings/__init__.py": true,
		"json/__init__.pyc": true, "json/x.py": false, "jsonx.py": false, "json.txt": false, "json": false, "sub/json.py": false,
	} {
		p := newPlace(t)
		if name != "" {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(p.project, name)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(p.project, name), nil, 0o600))
		}
		for _, line := range []string{"python3 -m json.tool src/main.go", "cat src/main.go | python -m json.tool", "cd src || ls; python3 -m json.tool x"} {
			items := p.line(line).Items
			assert.Equal(t, shadows, items[len(items)-1].Caveats.Has("project_chooses_program"), "%s: %s", name, line)
		}
	}
	p := newPlace(t)
	require.NoError(t, os.Symlink("src/main.go", filepath.Join(p.project, "json.py")))
	assert.True(t, p.line("python3 -m json.tool x").Items[0].Caveats.Has("project_chooses_program"))
	assert.True(t, p.line(`cd "$X"; python3 -m json.tool x`).Items[1].Caveats.Has("project_chooses_program"))
	for _, line := range []string{
		"python3 -m json.tool x; cp a json.py", "cp a json.py; python3 -m json.tool x", "for f in a b; do python3 -m json.tool x; git checkout b; done",
		"cat a > json.py; python3 -m json.tool x", "(python3 -m json.tool x) & ./run", "f() { mv a json.py; }; f; python3 -m json.tool x",
		"python3 -m json.tool a json.py; python3 -m json.tool a", "tar xf a.tgz | python -m json.tool",
	} {
		items := p.line(line).Items
		assert.True(t, someItemHas(items, "project_chooses_program"), line)
	}
	assert.Equal(t, "python3", p.line("python3 -m http.server").Items[0].Verb)
	assert.True(t, p.line("python3 -i -m json.tool x").Items[0].Caveats.Has("runs_anything"))
}
