package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: text about a name leads nowhere else, whatever names there are: names
// that the shell cuts, links and secrets below are asked about.
func TestTextAboutNamesOnDisk(t *testing.T) {
	const line = `for d in $(ls cmd); do cat cmd/$d/main.go; done`
	caveats := func(p place, line string) []string {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		return items[len(items)-1].Caveats
	}
	plain := newPlace(t)
	require.NoError(t, os.MkdirAll(plain.project+"/cmd/a", 0o700))
	assert.Empty(t, caveats(plain, line))
	assert.Contains(t, caveats(plain, `for d in $(ls); do cat $d/.env; done`), "reaches_secret")
	for _, name := range []string{"x .. y", "x -n y", "a*", "'a'", "x\ny"} {
		p := newPlace(t)
		require.NoError(t, os.MkdirAll(p.project+"/cmd/"+name, 0o700))
		assert.Containsf(t, caveats(p, line), "reaches_unknown", "%q", name)
	}
	secret := newPlace(t)
	require.NoError(t, os.MkdirAll(secret.project+"/cmd/a", 0o700))
	require.NoError(t, os.WriteFile(secret.project+"/cmd/a/.env", nil, 0o600))
	assert.Contains(t, caveats(secret, `for d in $(ls cmd); do cat cmd/$d/.e*; done`), "reaches_secret")
	linked := newPlace(t)
	require.NoError(t, os.Mkdir(linked.project+"/cmd", 0o700))
	require.NoError(t, os.Symlink("../../other", linked.project+"/cmd/out"))
	assert.NotEmpty(t, caveats(linked, line))
}
