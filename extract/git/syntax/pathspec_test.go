package syntax

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/test/gitsandbox"
)

// selected are those of the tracked paths that pathspecs select.
func selected(s *gitsandbox.Sandbox, tracked, specs []string, cwd string) ([]string, error) {
	parsed, err := ParsePathspecs(s.Project, cwd, specs)
	return slices.DeleteFunc(slices.Clone(tracked), func(path string) bool { return !parsed.Select(path) }), err
}

// grepped is the oracle: git grep, since ls-files loses paths when an exclusion
// meets pathspecs that share a prefix.
func grepped(s *gitsandbox.Sandbox, dir string, specs ...string) ([]string, bool) {
	s.TB.Helper()
	args := append([]string{"grep", "--cached", "-lz", "--full-name", "", "--"}, specs...)
	cmd := s.Command(dir, args...)
	output, _ := cmd.Output()
	return gitsandbox.Split(output), cmd.ProcessState.ExitCode() < 2
}

// noTree is the id of the tree that holds nothing, which every repository has.
const noTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// pathspecTexts feeds the oracle test and the fuzz seeds.
func pathspecTexts() []string {
	return []string{
		".", "./", "a", "a/", "ab", "ab/", "sub", "*.go", "sub/*.go", "su*", "sub?", "sub/d*p/*", "s[tu]*", "[!s]*",
		"[^a-z]*", "*", "**/b.go", "sub/deep/x[1].txt", "sub/deep/x\\[1\\].txt", "st*r/file", "st\\*r", "sub/foo?",
		"*.GO", ":!*.go", ":^sub", ":(exclude)sub/*.go", ":/", ":/sub", ":(top)sub", ":(top,exclude)sub", ":!/sub",
		"sub/../a", "../a", "./sub/./deep", "z/!bang", "z/^caret", "nothing", "*/*", "*b*.go", "sub/deep/*.pem", "[]a]b*",
		"[a-]*", "sub//b.go", "é*", "sp ace", "z/back\\\\slash", ":!", "sub/deep/..", ":!.env", "long", "*end.txt", "x[",
		":(literal)a", "", ":(literal)", "[!^]*", "[^!]*", "[^]]*", "[!]a]*", "[s-]*", "[--t]ub", "sub[/]b.go", "**/x[]1-[]*", "*.[gh]o", "[s][u][b]/*", ":![ab]", ":!sub/[b]*", "[", "[]", "[!]", "[!",
		":(glob)**/*.go", ":(glob)", ":(glob)*", ":(glob)**", ":(glob)*/**", ":(glob)**/**", ":(glob)sub/**", ":(glob)sub/**/*.pem", ":(glob)*/*/*",
		":(glob)**/*/*.pem", ":(glob)s?b/?.go", ":(glob)[!a]*", ":(glob)su*/.env", ":(glob)**/.env", ":(glob)sub", ":(glob)sub/", ":(glob)*/", ":(glob)**/",
		":(glob)sub**", ":(glob)**b", ":(glob)./*.go", ":(glob)long/**/end.txt", ":(glob)**/long/**/end.txt", ":(glob)**/deep/**", ":(glob)**/x[[]1].txt",
		":(glob)**/x\\[1].txt", ":(glob)ab*/**/*.txt", ":(glob,top)*.go", ":(top,glob)**/b.go", ":(glob)*b*/*", ":(glob)s**/b.go", ":(glob)st*r/*", ":(glob)sub/**/b.go",
		":(literal)st*r/file", ":(literal)st*r", ":(literal)*", ":(literal)sub/foo?", ":(literal,top)st*r", ":(literal,exclude)st*r",
		":(literal)z/back\\slash", ":", "[[:upper:]]*", "../..", "/etc", ":(attr:x)a", "a\\",
		"[.-*]env", "[s-a]ub", "[a-*]b", ":/.", ":/!.", ":!/./sub", ":(top)sub/../a", ":(top,exclude)sub//b.go", ":!/**/.env", "sub/deep/",
	}
}

func checkPathspecs(t *testing.T, s *gitsandbox.Sandbox, tracked []string, cwd string, specs []string) (understood bool) {
	t.Helper()
	got, err := selected(s, tracked, specs, cwd)
	if err != nil {
		require.ErrorIs(t, err, ErrPathspecUnknown)
		return false
	}
	want, ok := grepped(s, cwd, specs...)
	if !ok {
		return true // git refuses the line, so nothing is printed
	}
	// An exclusion alone is limited to cwd by grep, and to the top by diff.
	for _, path := range want {
		assert.Contains(t, got, path, "%q in %s", specs, cwd)
	}
	// The other oracle: git matches trees by other code than its index. The tag names the tree that
	// the index makes.
	for _, path := range s.Names(cwd, append([]string{"diff", "--name-only", "-z", noTree, "tree", "--"}, specs...)...) {
		assert.Contains(t, got, path, "%q in %s", specs, cwd)
	}
	parsed, err := ParsePathspecs(s.Project, cwd, specs)
	require.NoError(t, err)
	text := strings.Join(specs, " ")
	exact := !strings.Contains(text, "[") && !strings.Contains(text, "glob") && parsed.include[0] != (pathspec{})
	if exact && len(parsed.include)+len(parsed.exclude) == len(specs) { // none is left out for ls-files
		assert.ElementsMatch(t, want, got, "%q in %s", specs, cwd)
	}
	return true
}

func TestPathspecsAgreeWithGit(t *testing.T) {
	s := gitsandbox.New(t)
	s.Git(s.Project, "init", "-q", ".")
	s.Populate(s.Project)
	tree, err := s.Command(s.Project, "write-tree").Output()
	require.NoError(t, err)
	s.Git(s.Project, "tag", "tree", strings.TrimSpace(string(tree)))
	tracked, understood := s.Names(s.Project, "ls-files", "-z"), 0
	for _, cwd := range []string{s.Project, filepath.Join(s.Project, "sub"), filepath.Join(s.Project, "st*r")} {
		for _, text := range pathspecTexts() {
			for _, specs := range [][]string{{text}, {".", text}, {text, ":!*.go"}} {
				if checkPathspecs(t, s, tracked, cwd, specs) {
					understood++
				}
			}
		}
	}
	assert.Greater(t, understood, 350)
	absolute := filepath.Join(s.Project, "sub")
	assert.True(t, checkPathspecs(t, s, tracked, absolute, []string{absolute}))
	assert.True(t, checkPathspecs(t, s, tracked, s.Project, []string{absolute + "/*.go"}))
}

func TestPathspecsThatAreNotUnderstood(t *testing.T) {
	for _, text := range []string{
		":(glob)../a", ":(glob,literal)a", ":(icase)a", ":(top,icase)a", ":(exclude,glob)a", ":![ab]", ":!a*[b]", "[\\]]a", "[[]", "[[.a.]]", "[!", "[!]", ":(attr:x)", ":(exclude", ":", "", "[[:upper:]]", "x[", "a\\", "../../a", "/etc",
		":%a", ":!%a", ":/.", ":!/.", ":!/./a", ":(top)a//b", ":(top,exclude)a/../b", ":(top,literal)./a", ":/../a",
	} {
		_, err := ParsePathspecs("/top", "/top/sub", []string{text})
		assert.ErrorIs(t, err, ErrPathspecUnknown, "%q", text)
	}
	_, err := ParsePathspecs("/top", "/elsewhere", nil)
	assert.ErrorIs(t, err, ErrPathspecUnknown)
}

// git ls-files takes off what excludes as many bytes as the directory has that it looks at.
func TestExclusionsBelowACommonDirectory(t *testing.T) {
	s := gitsandbox.New(t)
	s.Git(s.Project, "init", "-q", ".")
	s.Populate(s.Project)
	tracked := s.Names(s.Project, "ls-files", "-z")
	for _, cwd := range []string{s.Project, s.Project + "/sub"} {
		for _, specs := range [][]string{
			{"sub/deep", ":!**/*.pem"},
			{"sub/deep/", ":!*.pem"},
			{"sub/deep/", ":!sub"},
			{"sub/*.go", ":!?*"},
			{"sub/b.go", "sub/deep/*", ":!?*/b.go"},
			{":(top)sub/", ":!/*/b.go"},
			{":!/**/b.go"},
			{":!/?*"},
			{".", ":!/su?/b.go"},
			{"deep/", ":!deep/*.pem"},
			{":!sub", "sub/deep/x"},
		} {
			got, err := selected(s, tracked, specs, cwd)
			require.NoError(t, err, "%q", specs)
			for _, path := range s.Names(cwd, append([]string{"ls-files", "-z", "--full-name", "--"}, specs...)...) {
				assert.Contains(t, got, path, "%q in %s", specs, cwd)
			}
		}
	}
	for text, excluded := range map[string]bool{"sub": true, "sub/": true, "sub/deep": true, "sub/deep/": false, "*.pem": true} {
		parsed, err := ParsePathspecs("/top", "/top", []string{text, ":!sub/*.pem"})
		require.NoError(t, err)
		assert.Equal(t, excluded, len(parsed.exclude) == 1, text)
	}
}
