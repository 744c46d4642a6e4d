package value

import (
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
)

// S3: a glob over paths takes in no other base names than those that it is said to.
func TestBaseNames(t *testing.T) {
	for glob, want := range map[string][]string{
		"*.ts": {"*.ts"}, "**/*.ts": {"*.ts"}, "src/**/x.go": {"x.go"}, "/a": {"a"}, "*.[jt]s": {"*.[jt]s", "*.?jt?s"},
		"*.{ts,tsx}": {"*.ts", "*.tsx", "*.?ts,tsx?"}, "{a,b}/*.{c,d}": {"*.c", "*.c", "*.d", "*.d", "*.?c,d?"}, "x[0-9].sql": {"x[0-9].sql", "x?0-9?.sql"},
	} {
		names, known := BaseNames(glob)
		assert.True(t, known, glob)
		assert.ElementsMatch(t, want, names, glob)
	}
	for _, glob := range []string{
		"", "src/", "a/..", "*.{ts", "{a}", "a{1..3}", "[!a].ts", "[^a].ts", "[a/b]c", "[a{,}b]", "a]", "[a", "#*.ts", "*.ts ", "\\.env", "@(a|b)", "!*.ts", "{a,[b}", "[a-Z]x",
	} {
		_, known := BaseNames(glob)
		assert.False(t, known, glob)
	}
	for _, glob := range []string{"{.e,x}nv", ".{env,x}", ".env{,.local}", "{a,.{env,b}}", "src/.en[uv]", "**/.e*"} {
		names, known := BaseNames(glob)
		matches := !known
		for _, name := range names {
			ok, err := path.Match(name, ".env")
			matches = matches || ok && err == nil
		}
		assert.True(t, matches, glob)
	}
}
