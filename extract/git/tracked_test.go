package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// populate tracks names that are awkward for pathspecs and for compression.
func (s *sandbox) populate(dir string) {
	s.t.Helper()
	names := []string{
		".env", "a", "a.go", "ab/c.go", "ab/c/d.txt", "ab.go", "sub/.env", "sub/b.go", "sub/deep/b.pem",
		"sub/deep/x[1].txt", "st*r/file", "sp ace/é.txt", "sub/foo?", "Upper/A.GO", "sub2/b.go",
		strings.Repeat("long/", 60) + "end.txt", "z/!bang", "z/^caret", "z/back\\slash",
	}
	for _, name := range names {
		s.write(filepath.Join(dir, filepath.FromSlash(name)), name)
	}
	s.git(dir, "add", "-A")
}

func collect(t *testing.T, v Verdict, specs []string, cwd string) ([]string, error) {
	t.Helper()
	paths := []string{}
	err := newReader(t, nil).Tracked(v, specs, cwd, func(path string) bool {
		paths = append(paths, path)
		return true
	})
	return paths, err
}

func fields(output []byte) []string {
	return strings.FieldsFunc(string(output), func(r rune) bool { return r == 0 })
}

// grepped is the oracle: git grep, since ls-files loses paths when an exclusion
// meets pathspecs that share a prefix.
func (s *sandbox) grepped(dir string, specs ...string) ([]string, bool) {
	s.t.Helper()
	args := append([]string{"grep", "--cached", "-lz", "--full-name", "", "--"}, specs...)
	cmd := s.command(dir, args...)
	output, _ := cmd.Output()
	return fields(output), cmd.ProcessState.ExitCode() < 2
}

// listed is what git ls-files makes of the same.
func (s *sandbox) listed(dir string, specs ...string) []string {
	s.t.Helper()
	output, err := s.command(dir, append([]string{"ls-files", "-z", "--full-name", "--"}, specs...)...).Output()
	require.NoError(s.t, err, "%q", specs)
	return fields(output)
}

// noTree is the id of the tree that holds nothing, which every repository has.
const noTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// compared is the other oracle: git matches trees by other code than its index. The tag
// names the tree that the index makes.
func (s *sandbox) compared(dir string, specs ...string) []string {
	s.t.Helper()
	output, err := s.command(dir, append([]string{"diff", "--name-only", "-z", noTree, "tree", "--"}, specs...)...).Output()
	require.NoError(s.t, err, "%q", specs)
	return fields(output)
}

func TestTrackedReadsEveryIndexVersion(t *testing.T) {
	for _, format := range []string{"sha1", "sha256"} {
		for _, version := range []string{"2", "3", "4"} {
			t.Run(format+" version "+version, func(t *testing.T) {
				s := newSandbox(t)
				s.git(s.project, "init", "-q", "--object-format="+format, ".")
				s.populate(s.project)
				if version == "3" {
					s.write(filepath.Join(s.project, "later"), "x")
					s.git(s.project, "add", "--intent-to-add", "later")
				} else {
					s.git(s.project, "update-index", "--index-version", version)
				}
				content, err := os.ReadFile(filepath.Join(s.project, ".git", "index"))
				require.NoError(t, err)
				require.Equal(t, version[0]-'0', content[7])
				verdict := s.inspect(s.project, "grep")
				require.True(t, verdict.Trusted, verdict.Reason)
				got, err := collect(t, verdict, nil, s.project)
				require.NoError(t, err)
				output, err := s.command(s.project, "ls-files", "-z").Output()
				require.NoError(t, err)
				want := fields(output)
				require.Greater(t, len(want), 15)
				assert.Equal(t, want, got)
			})
		}
	}
}

// pathspecTexts feeds the oracle test and the fuzz seeds.
func pathspecTexts() []string {
	return []string{
		".", "./", "a", "a/", "ab", "ab/", "sub", "*.go", "sub/*.go", "su*", "sub?", "sub/d*p/*", "s[tu]*", "[!s]*",
		"[^a-z]*", "*", "**/b.go", "sub/deep/x[1].txt", "sub/deep/x\\[1\\].txt", "st*r/file", "st\\*r", "sub/foo?",
		"*.GO", ":!*.go", ":^sub", ":(exclude)sub/*.go", ":/", ":/sub", ":(top)sub", ":(top,exclude)sub", ":!/sub",
		"sub/../a", "../a", "./sub/./deep", "z/!bang", "z/^caret", "nothing", "*/*", "*b*.go", "sub/deep/*.pem", "[]a]b*",
		"[a-]*", "sub//b.go", "é*", "sp ace", "z/back\\\\slash", ":!", "sub/deep/..", ":!.env", "long", "*end.txt", "x[",
		":(icase)A.GO", ":(glob)**/*.go", ":(literal)a", "", ":(glob)", ":(icase)", ":(literal)", ":(glob)*", ":(glob)**", ":(glob)*/**",
		":(glob)**/**", ":(glob)sub/**", ":(glob)sub/**/*.pem", ":(glob)*/*/*", ":(glob)**/*/*.pem", ":(glob)s?b/?.go", ":(glob)sub?b.go",
		":(glob)[!a]*", ":(glob)sub[/]b.go", ":(glob)su*/.env", ":(glob)**/.env", ":(glob)sub", ":(glob)sub/", ":(glob)*/", ":(glob)**/",
		":(glob)sub**", ":(glob)**b", ":(glob)a/../*", ":(glob)./*.go", ":(glob)long/**/end.txt", ":(glob)long/*/end.txt",
		":(glob)**/long/**/end.txt", ":(glob)**/deep/**", ":(glob)**/x[[]1].txt", ":(glob)**/x\\[1].txt", ":(glob)ab*", ":(glob)ab*/**/*.txt",
		":(glob,exclude)**/*.go", ":(exclude,glob)*.go", ":(glob,top)*.go", ":(top,glob)**/b.go", ":(glob)sub2/*", ":(glob)*b*/*",
		":(icase)upper", ":(icase)UPPER/a.go", ":(icase)SUB", ":(icase)*.GO", ":(icase)SUB/*", ":(icase,top)SUB", ":(icase)SP?ACE", ":(icase)é",
		":(icase)../SUB", ":(icase)S*B/\\B.go", ":(icase)[S]*", ":(icase,exclude)SUB", ":(icase,glob)**/A.go", ":(glob,icase)SUB/**/*.PEM",
		":(literal)st*r/file", ":(literal)st*r", ":(literal)*", ":(literal)sub/foo?", ":(literal,top)st*r", ":(literal,exclude)st*r",
		":(literal)z/back\\slash", ":(glob,literal)a", ":(literal,icase)UPPER", ":(icase)DEEP", ":(icase)ST*R", ":(glob)st*r/*", ":(glob)f*", ":", "[[:upper:]]*", "../..", "/etc", ":(attr:x)a", "a\\",
		"[.-*]env", "[s-a]ub", ":(glob)[a-*]b", ":/.", ":/!.", ":!/./sub", ":(top)sub/../a", ":(top,exclude)sub//b.go", ":!/**/.env", "sub/deep/",
	}
}

func checkPathspecs(t *testing.T, s *sandbox, v Verdict, cwd string, specs []string) (understood bool) {
	t.Helper()
	got, err := collect(t, v, specs, cwd)
	if err != nil {
		require.ErrorIs(t, err, ErrPathspecUnknown)
		return false
	}
	want, ok := s.grepped(cwd, specs...)
	if !ok {
		return true // git refuses the line, so nothing is printed
	}
	// An exclusion alone is limited to cwd by grep, and to the top by diff.
	for _, path := range want {
		assert.Contains(t, got, path, "%q in %s", specs, cwd)
	}
	for _, path := range s.compared(cwd, specs...) {
		assert.Contains(t, got, path, "%q in %s", specs, cwd)
	}
	parsed, err := parsePathspecs(v.Top, cwd, specs)
	require.NoError(t, err)
	if parsed.include[0] != (pathspec{}) && len(parsed.include)+len(parsed.exclude) == len(specs) { // none is left out for ls-files
		assert.ElementsMatch(t, want, got, "%q in %s", specs, cwd)
	}
	return true
}

func TestPathspecsAgreeWithGit(t *testing.T) {
	s := newSandbox(t)
	s.git(s.project, "init", "-q", ".")
	s.populate(s.project)
	verdict := s.inspect(s.project, "grep")
	require.True(t, verdict.Trusted, verdict.Reason)
	tree, err := s.command(s.project, "write-tree").Output()
	require.NoError(t, err)
	s.git(s.project, "tag", "tree", strings.TrimSpace(string(tree)))
	understood := 0
	for _, cwd := range []string{s.project, filepath.Join(s.project, "sub"), filepath.Join(s.project, "st*r")} {
		for _, text := range pathspecTexts() {
			for _, specs := range [][]string{{text}, {".", text}, {text, ":!*.go"}} {
				if checkPathspecs(t, s, verdict, cwd, specs) {
					understood++
				}
			}
		}
	}
	assert.Greater(t, understood, 350)
	absolute := filepath.Join(s.project, "sub")
	assert.True(t, checkPathspecs(t, s, verdict, absolute, []string{absolute}))
	assert.True(t, checkPathspecs(t, s, verdict, s.project, []string{absolute + "/*.go"}))
}

func TestPathspecsThatAreNotUnderstood(t *testing.T) {
	for _, text := range []string{
		":(glob)a**", ":(glob)**a/b", ":(glob)a[/]b", ":(glob)../a", ":(glob)a\\/b", ":(icase)../a", ":(icase)/top/a", ":(icase)é", ":(icase)[A]",
		":(icase,exclude)a", ":(glob,literal)a", ":(glob,)a", ":(attr:x)", ":(attr:x,glob)a", ":(exclude", ":", "", "[[:upper:]]", "x[", "a\\", "../../a", "/etc",
		":%a", ":!%a", ":/.", ":!/.", ":!/./a", ":(top)a//b", ":(top,exclude)a/../b", ":(top,literal)./a", ":/../a",
	} {
		_, err := parsePathspecs("/top", "/top/sub", []string{text})
		assert.ErrorIs(t, err, ErrPathspecUnknown, "%q", text)
	}
	_, err := parsePathspecs("/top", "/elsewhere", nil)
	assert.ErrorIs(t, err, ErrPathspecUnknown)
}

// git ls-files takes off what excludes as many bytes as the directory has that it looks at.
func TestExclusionsBelowACommonDirectory(t *testing.T) {
	s := newSandbox(t)
	s.git(s.project, "init", "-q", ".")
	s.populate(s.project)
	verdict := s.inspect(s.project, "ls-files")
	require.True(t, verdict.Repository)
	for _, cwd := range []string{s.project, s.project + "/sub"} {
		for _, specs := range [][]string{
			{"sub/deep", ":!**/*.pem"},
			{"sub/deep/", ":!*.pem"},
			{"sub/deep/", ":!sub"},
			{"sub/*.go", ":!?*"},
			{"sub/b.go", "sub/deep/*", ":!?*/b.go"},
			{":(glob)sub/*.go", ":(exclude,glob)**/*.go"},
			{":(top)sub/", ":!/*/b.go"},
			{":!/**/b.go"},
			{":!/?*"},
			{".", ":!/su?/b.go"},
			{"deep/", ":!deep/*.pem"},
			{":!sub", "sub/deep/x"},
		} {
			got, err := collect(t, verdict, specs, cwd)
			require.NoError(t, err, "%q", specs)
			for _, path := range s.listed(cwd, specs...) {
				assert.Contains(t, got, path, "%q in %s", specs, cwd)
			}
		}
	}
	for text, excluded := range map[string]bool{"sub": true, "sub/": true, "sub/deep": true, "sub/deep/": false, "*.pem": true} {
		parsed, err := parsePathspecs("/top", "/top", []string{text, ":!sub/*.pem"})
		require.NoError(t, err)
		assert.Equal(t, excluded, len(parsed.exclude) == 1, text)
	}
}

func TestTrackedStopsAndFails(t *testing.T) {
	s := newSandbox(t)
	s.commit(s.project)
	verdict := s.inspect(s.project, "grep")
	reader := newReader(t, nil)
	visits := 0
	require.NoError(t, reader.Tracked(verdict, nil, s.project, func(string) bool { visits++; return false }))
	assert.Equal(t, 1, visits)
	all := func(string) bool { return true }
	require.ErrorIs(t, reader.Tracked(Verdict{}, nil, s.project, all), ErrNoRepository)
	s.git(s.project, "update-index", "--split-index")
	require.ErrorIs(t, reader.Tracked(verdict, nil, s.project, all), ErrIndexUnknown)
	s.git(s.project, "update-index", "--no-split-index")
	s.git(s.project, "sparse-checkout", "init", "--cone", "--sparse-index")
	require.ErrorIs(t, reader.Tracked(verdict, nil, s.project, all), ErrIndexUnknown)
}

func TestTrackedListsUnmergedPathsOnce(t *testing.T) {
	s := newSandbox(t)
	s.commit(s.project)
	s.git(s.project, "checkout", "-qb", "other")
	s.write(filepath.Join(s.project, "file.txt"), "theirs\n")
	s.git(s.project, "commit", "-qam", "theirs")
	s.git(s.project, "checkout", "-q", "main")
	s.write(filepath.Join(s.project, "file.txt"), "ours\n")
	s.git(s.project, "commit", "-qam", "ours")
	require.Error(t, s.command(s.project, "merge", "-q", "other").Run())
	got, err := collect(t, s.inspect(s.project, "grep"), nil, s.project)
	require.NoError(t, err)
	assert.Equal(t, []string{"file.txt", "sub/deep.txt"}, got)
}

func TestGitlinksAreListed(t *testing.T) {
	s := newSandbox(t)
	s.commit(s.project)
	s.submodule()
	verdict := s.inspect(s.project, "grep")
	links, err := newReader(t, nil).Gitlinks(verdict)
	require.NoError(t, err)
	assert.Equal(t, []string{"lib"}, links)
	got, err := collect(t, verdict, nil, s.project)
	require.NoError(t, err)
	assert.Contains(t, got, "lib")
}

// FuzzWalkIndex holds that whatever is accepted was read within its bounds and
// that a shortened index is never accepted with the same entries unseen.
func FuzzWalkIndex(f *testing.F) {
	for _, version := range []byte{2, 4} {
		f.Add(smallIndex(version), false)
		f.Add(smallIndex(version), true)
	}
	f.Fuzz(func(t *testing.T, content []byte, long bool) {
		size := sha1Size
		if long {
			size = sha256Size
		}
		entries, names := 0, 0
		err := walkIndex(content, size, func(e indexEntry) bool {
			entries++
			names += len(e.path)
			assert.NotEmpty(t, e.path)
			assert.NotContains(t, string(e.path), "\x00")
			return names < 1<<20
		})
		if err != nil {
			assert.ErrorIs(t, err, ErrIndexUnknown)
			return
		}
		assert.LessOrEqual(t, entries*(indexStatBytes+size+indexFlagBytes), len(content))
	})
}

func smallIndex(version byte) []byte {
	content := []byte{'D', 'I', 'R', 'C', 0, 0, 0, version, 0, 0, 0, 1}
	entry := make([]byte, indexStatBytes+sha1Size+indexFlagBytes)
	entry[26], entry[27], entry[61] = 0x81, 0xa4, 1
	content = append(content, entry...)
	if version == 4 {
		content = append(content, 0)
	}
	content = append(content, 'a', 0)
	if version != 4 {
		for (len(content)-indexHeaderBytes)%8 != 0 {
			content = append(content, 0)
		}
	}
	return append(content, make([]byte, sha1Size)...)
}

func TestSmallIndexIsRead(t *testing.T) {
	for _, version := range []byte{2, 4} {
		seen := ""
		content := smallIndex(version)
		require.NoError(t, walkIndex(content, sha1Size, func(e indexEntry) bool { seen += string(e.path); return true }))
		assert.Equal(t, "a", seen)
		for length := range content {
			assert.ErrorIs(t, walkIndex(content[:length], sha1Size, func(indexEntry) bool { return true }), ErrIndexUnknown)
		}
	}
}

// FuzzWildMatch holds that the matcher agrees with a slow one by definition.
func FuzzWildMatch(f *testing.F) {
	for _, text := range pathspecTexts() {
		f.Add(text, "sub/b.go")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 12 || len(text) > 12 || checkPattern(pattern) != nil {
			return
		}
		assert.Equal(t, slowMatch(pattern, text), wildMatch(pattern, text), "%q %q", pattern, text)
	})
}

func slowMatch(pattern, text string) bool {
	if pattern == "" {
		return text == ""
	}
	if pattern[0] == '*' {
		return slowMatch(pattern[1:], text) || text != "" && slowMatch(pattern, text[1:])
	}
	size, ok := matchOne(pattern, text)
	return ok && slowMatch(pattern[size:], text[1:])
}
