package extract_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract"
)

// V5: that a project has no programs of its own is known of its directory only as long
// as the directory is as it was.
func TestProgramsThatComeLater(t *testing.T) {
	outside := func(p place) string { return filepath.Join(p.home, "other") }
	program := func(t *testing.T, path string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o700))
	}
	cases := map[string]struct {
		before, change func(t *testing.T, p place)
	}{
		"a directory": {nil, func(t *testing.T, p place) { program(t, p.project+"/.venv/bin/yq") }},
		"a directory that is moved there": {
			func(t *testing.T, p place) { program(t, p.project+"/src/bin/yq") },
			func(t *testing.T, p place) { require.NoError(t, os.Rename(p.project+"/src/bin", p.project+"/bin")) },
		},
		"a link": {
			func(t *testing.T, p place) { program(t, p.project+"/src/bin/yq") },
			func(t *testing.T, p place) { require.NoError(t, os.Symlink("src", p.project+"/vendor")) },
		},
		"what a link leads to": {
			func(t *testing.T, p place) { require.NoError(t, os.Symlink("src/later", p.project+"/env")) },
			func(t *testing.T, p place) { program(t, p.project+"/src/later/bin/yq") },
		},
		"what is below a name that there was": {
			func(t *testing.T, p place) { require.NoError(t, os.Mkdir(p.project+"/node_modules", 0o700)) },
			func(t *testing.T, p place) { program(t, p.project+"/node_modules/.bin/yq") },
		},
		"one more program": {
			func(t *testing.T, p place) { program(t, p.project+"/bin/other") },
			func(t *testing.T, p place) { program(t, p.project+"/bin/yq") },
		},
		"a link among programs": {
			func(t *testing.T, p place) { program(t, p.project+"/bin/other") },
			func(t *testing.T, p place) { require.NoError(t, os.Symlink("other", p.project+"/bin/yq")) },
		},
		"what a link among programs leads to": {
			func(t *testing.T, p place) {
				program(t, p.project+"/bin/other")
				require.NoError(t, os.Symlink("../src/later", p.project+"/bin/yq"))
			},
			func(t *testing.T, p place) { program(t, p.project+"/src/later") },
		},
		"other programs in their place": {
			func(t *testing.T, p place) {
				program(t, p.project+"/venv/bin/other")
				program(t, p.project+"/src/bin/yq")
			},
			func(t *testing.T, p place) {
				require.NoError(t, os.Rename(p.project+"/venv/bin", p.project+"/src/old"))
				require.NoError(t, os.Rename(p.project+"/src/bin", p.project+"/venv/bin"))
			},
		},
		"programs behind a link": {
			func(t *testing.T, p place) {
				program(t, p.project+"/src/bin/other")
				require.NoError(t, os.Symlink("src", p.project+"/venv"))
			},
			func(t *testing.T, p place) { program(t, p.project+"/src/bin/yq") },
		},
		"another directory in its place": {
			func(t *testing.T, p place) { program(t, outside(p)+"/bin/yq") },
			func(t *testing.T, p place) {
				require.NoError(t, os.Rename(p.project, p.home+"/old"))
				require.NoError(t, os.Rename(outside(p), p.project))
			},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.warm(t)
			if c.before != nil {
				c.before(t, p)
			}
			own := func() bool {
				return someItemHas(p.facts("Bash", map[string]any{"command": "yq . README.md"}).Items, "project_chooses_program")
			}
			tick(t, p.project)
			require.False(t, own())
			require.False(t, own())
			tick(t, p.project)
			c.change(t, p)
			assert.True(t, own())
		})
	}
}

// A program that is missing says nothing of the others of its directory.
func TestOneMissingProgramIsNotAll(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Mkdir(p.project+"/bin", 0o700))
	require.NoError(t, os.WriteFile(p.project+"/bin/yq", []byte("x"), 0o700))
	for _, program := range []string{"jq", "yq", "jq"} {
		items := p.facts("Bash", map[string]any{"command": program + " . README.md"}).Items
		assert.Equal(t, program == "yq", someItemHas(items, "project_chooses_program"), program)
	}
}

// A directory that changed a moment ago vouches for nothing: its next change may leave
// the same stamp.
func TestFreshDirectoriesVouchForNothing(t *testing.T) {
	p := newPlace(t)
	base, err := extract.NewBase(extract.Options{Home: p.home, Platform: "linux", Now: time.Now})
	require.NoError(t, err)
	p.extractor, err = base.With(policyData(t))
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(p.project+"/bin", 0o700))
	p.facts("Bash", map[string]any{"command": "yq . README.md"})
	assert.Zero(t, p.extractor.NoPlaces())
	assert.Zero(t, p.extractor.NoPrograms())
	p = newPlace(t)
	require.NoError(t, os.Mkdir(p.project+"/bin", 0o700))
	p.facts("Bash", map[string]any{"command": "yq . README.md"})
	assert.NotZero(t, p.extractor.NoPlaces())
	assert.NotZero(t, p.extractor.NoPrograms())
}

// tick returns once the disk's clock has moved past the last change of a directory.
func tick(t *testing.T, dir string) {
	t.Helper()
	last, err := os.Stat(dir)
	require.NoError(t, err)
	probe := filepath.Join(t.TempDir(), "probe")
	require.Eventually(t, func() bool {
		require.NoError(t, os.WriteFile(probe, nil, 0o600))
		now, err := os.Stat(probe)
		return err == nil && now.ModTime().After(last.ModTime())
	}, 5*time.Second, time.Millisecond)
}
