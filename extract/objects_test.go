package extract_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: words that name objects by their paths say all that git prints only where nothing else in
// the line names commits, and where no single tree is compared with all that is tracked.
func TestMoreThanObjectsIsPrinted(t *testing.T) {
	p := newPlace(t)
	p.initialize(t)
	require.NoError(t, os.MkdirAll(p.project+"/src", 0o700))
	for _, name := range []string{".env", "src/a.go", "README.md"} {
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("KEY=1\n"), 0o600))
	}
	output, err := exec.Command("git", "-C", p.project, "add", "-f", ".").CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	for line, want := range map[string]bool{
		"git diff HEAD:src":                      true,
		"git diff --cached HEAD:src":             true,
		"git diff-index -p HEAD:src":             true,
		"git diff HEAD:src -- '*env'":            true,
		"git diff HEAD:src -- src":               false,
		"git diff HEAD:src src":                  false,
		"git diff HEAD~1:src HEAD:src":           false,
		"git diff HEAD~1:src..HEAD:src":          false,
		"git diff HEAD:README.md README.md":      false,
		"git show HEAD:README.md":                false,
		"git show --all HEAD:README.md":          true,
		"git show HEAD:README.md --branches":     true,
		"git show --glob='*' HEAD:README.md":     true,
		"git show --reflog HEAD:README.md":       true,
		"git show HEAD:README.md..HEAD":          true,
		"git show :0:README.md..HEAD":            true,
		"git show HEAD:src...main":               true,
		"git show --all HEAD:README.md -- src":   false,
		"git log -p HEAD:README.md --all":        true,
		"git log --oneline --all HEAD:README.md": false,
		"git show HEAD:README.md HEAD:src/a.go":  false,
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		assert.Equal(t, want, someItemHas(items, reachesSecret, "reaches_unknown"), line)
	}
}
