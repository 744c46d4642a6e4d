package extract_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: to ripgrep a hidden file of a type that is asked for isn't hidden.
func TestHiddenFilesOfATypeAreRead(t *testing.T) {
	p := newPlace(t)
	p.files(t, "src/a.json", "src/.env")
	for line, want := range map[string][2]bool{
		"rg x src": {}, "rg -t json x src": {false, true}, "rg --type=json x src": {false, true}, "rg -t=json x src": {false, true},
		"rg -tgo x src": {}, "rg -t go -t json x src": {false, true}, "rg -T json x src": {}, "rg -tall x src": {true, true},
		"rg -t nosuch x src": {true, true}, "rg --files -t json src | xargs cat": {false, true}, "rg --files -t go src | xargs cat": {},
	} {
		for planted, name := range []string{"src/a.json", "src/.env.json"} {
			_ = os.Remove(p.project + "/src/.env.json")
			p.files(t, name)
			if want[planted] {
				assert.Containsf(t, p.lastOf(line), "reaches_secret", "%q with %s", line, name)
			} else {
				assert.Emptyf(t, p.lastOf(line), "%q with %s", line, name)
			}
		}
	}
}

// S3: ripgrep reads no further in a file of rules than its first line that isn't text, and
// a ".git" that leads nowhere makes no repository.
func TestIgnoreRulesThatDoNotHold(t *testing.T) {
	p := newPlace(t)
	p.files(t, "src/a", "src/.env")
	require.NoError(t, os.RemoveAll(p.project+"/.git"))
	require.NoError(t, os.MkdirAll(p.project+"/.git", 0o700))
	rules := func(text string) { require.NoError(t, os.WriteFile(p.project+"/.gitignore", []byte(text), 0o600)) }
	rules(".env\n")
	assert.Empty(t, p.lastOf("rg --hidden x src"))
	rules("\xff\n.env\n")
	assert.Contains(t, p.lastOf("rg --hidden x src"), "reaches_secret")
	rules(".env\n")
	require.NoError(t, os.RemoveAll(p.project+"/.git"))
	require.NoError(t, os.Symlink("nowhere", p.project+"/.git"))
	assert.Contains(t, p.lastOf("rg --hidden x src"), "reaches_secret")
}
