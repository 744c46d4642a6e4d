package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// S3: magic in front of a path pattern says which tracked files git prints, as far as git
// does, and a word that is the path of a tracked file is no pattern.
func TestPathspecsWithMagic(t *testing.T) {
	p := newPlace(t)
	p.initialize(t)
	for _, name := range []string{"conf/.env", "!x/.env", "(glob)y/.env", "src/a.go", "src/deep/b.go"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(p.project+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("KEY=1\n"), 0o600))
	}
	output, err := exec.Command("git", "-C", p.project, "add", "-f", "conf", "!x", "(glob)y", "src").CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	for line, want := range map[string]string{
		"git grep KEY -- ':(glob)src/**/*.go'":               "",
		"git grep KEY -- ':(glob)*/*.go'":                    "",
		"git grep KEY ':(top,icase)SRC'":                     "unknown_option",
		"git diff -- ':(literal)src'":                        "",
		"git log -p -- ':(top)src' ':(exclude)*.md'":         "",
		"git log -p -- ':(top)src' ':(exclude,glob)**/*.md'": "unknown_option",
		"git ls-files ':(glob)src/**/*.go' | xargs cat":      "",
		"git ls-files ':(attr:x)src'":                        "unknown_option",
		"git ls-files ':(glob,literal)src'":                  "unknown_option",
		"git grep KEY -- ':(glob)**'":                        reachesSecret,
		"git grep KEY -- ':(glob)*/*'":                       reachesSecret,
		"git grep KEY -- ':(icase)CONF'":                     "reaches_unknown",
		"git ls-files ':(glob)*/*v' | xargs cat":             reachesSecret,
		"git grep KEY -- src ':(literal)conf'":               reachesSecret,
		"git grep KEY -- ':(icase)../conf'":                  "reaches_unknown",
		// Behind a backslash a wildcard is none, and excludes nothing.
		`git grep KEY -- . ':!\*.env'`:         reachesSecret,
		`git grep KEY -- . ':(exclude)\*.env'`: reachesSecret,
		"git grep KEY -- . ':!*.env'":          "",
		// What counts from the top is taken as it is written.
		"git grep KEY -- . ':!/./conf/.env' ':!*x*' ':!*y*'": "reaches_unknown",
		"git grep KEY -- ':!/.'":                             "reaches_unknown",
		// A range may end before it begins.
		"git grep KEY -- 'conf/[.-*]env'": reachesSecret,
		// git ls-files takes off what excludes as much as the directory has.
		"git ls-files conf/ ':!**/.env' | xargs cat":   reachesSecret,
		"git ls-files conf/ ':!*/.env' | xargs cat":    reachesSecret,
		"git ls-files conf/ ':!conf/.env' | xargs cat": "",
		"git show ':!x/.env' src":                      reachesSecret,
		"git show --stat ':^x/.env' ':!x/.env'":        reachesSecret,
		"git diff ':(glob)y/.env' HEAD:src/a":          reachesSecret,
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		if want == "" {
			assert.False(t, someItemHas(items, reachesSecret, "reaches_unknown", "unknown_option"), line)
			continue
		}
		assert.True(t, someItemHas(items, want), line)
	}
}
