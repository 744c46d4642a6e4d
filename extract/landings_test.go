package extract_test

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract"
)

// V6: policyd's own files are written by what lands on them, too.
func TestOwnFilesAreLandedOn(t *testing.T) {
	p := newPlace(t)
	for _, name := range []string{"conf", "evil"} {
		require.NoError(t, os.Mkdir(p.project+"/"+name, 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+name+"/policyd.yaml", nil, 0o600))
	}
	base, err := extract.NewBase(extract.Options{
		Home: p.home, Protected: []string{p.project + "/conf/policyd.yaml"}, Platform: "linux",
		Now: func() time.Time { return time.Now().Add(time.Hour) },
	})
	require.NoError(t, err)
	p.extractor, err = base.With(policyData(t))
	require.NoError(t, err)
	for _, line := range []string{
		"cp evil/policyd.yaml conf", "cp evil/* conf/", "mv -t conf evil/policyd.yaml", "rsync -a evil/ conf/", "cp -rT evil conf",
		"cd conf && ln -s ../evil/policyd.yaml", "git mv evil/policyd.yaml conf", "cp evil/policyd.y* con*",
	} {
		assert.Contains(t, p.facts("Bash", map[string]any{"command": line}).About, "protected", line)
	}
	for _, line := range []string{"cp evil/policyd.yaml other", "cp conf/policyd.yaml docs"} {
		for _, path := range p.facts("Bash", map[string]any{"command": line}).Paths {
			_, found := path.Class.Get("protected_always")
			assert.False(t, found && path.Op == "write", line)
		}
	}
}

// V6: where names can't be told, the item says so.
func TestUnknownLandings(t *testing.T) {
	p := newPlace(t)
	for line, want := range map[string]bool{
		"cp README.md docs": false, "cp -r docs src": false, "mv docs new": false, "cp README.md missing": false,
		"cp $X docs": true, "cp -r missing docs": true, "cp --backup -S .x README.md docs": true, "rsync -a host:docs/ src": true,
		"rsync host:README.md src": true, "cp --strange README.md docs": true, "rsync -a --delete docs/ src": true,
		"mkdir m; cp README.md m/x; cp -r m src": true,
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		assert.Equal(t, want, someItemHas(items, "lands_unknown"), line)
	}
}
