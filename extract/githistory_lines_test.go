package extract_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leakyHistory makes the project a repository with secrets in its history: on several branches,
// in a merge that brings one of its own, behind tags, and in a stash.
type leakyHistory struct {
	t       *testing.T
	project string
	seconds int
}

func (l *leakyHistory) git(args ...string) string {
	l.t.Helper()
	l.seconds += 60
	cmd := exec.CommandContext(l.t.Context(), "git", args...)
	cmd.Dir = l.project
	date := strconv.Itoa(1_700_000_000+l.seconds) + " +0000"
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
		"GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date, "GIT_CONFIG_GLOBAL=/dev/null")
	output, err := cmd.CombinedOutput()
	require.NoErrorf(l.t, err, "git %s: %s", strings.Join(args, " "), output)
	return string(output)
}

func (l *leakyHistory) commit(path, content string) {
	l.t.Helper()
	require.NoError(l.t, os.MkdirAll(filepath.Join(l.project, filepath.Dir(path)), 0o700))
	require.NoError(l.t, os.WriteFile(filepath.Join(l.project, path), []byte(content+"\n"), 0o600))
	l.git("add", path)
	l.git("commit", "-q", "-m", path)
}

// leak commits a secret and takes it away again.
func (l *leakyHistory) leak(path, content string) {
	l.t.Helper()
	l.commit(path, content)
	l.git("rm", "-q", path)
	l.git("commit", "-q", "-m", "without "+path)
}

func (l *leakyHistory) build() {
	l.t.Helper()
	l.git("init", "-q", "-b", "main")
	require.NoError(l.t, os.Remove(filepath.Join(l.project, ".env")))
	l.commit("README.md", "r")
	l.commit("src/a.go", "1")
	l.leak(".env", "LEAK1")
	l.git("tag", "-a", "heavy", "-m", "heavy", "HEAD~1")
	l.commit("conf/c.txt", "c")
	l.leak("conf/.env", "LEAK2")
	l.commit("src/a.go", "2")
	l.git("checkout", "-q", "-b", "topic")
	l.commit("src/t.go", "t")
	l.leak("src/.env", "LEAK3")
	l.git("checkout", "-q", "main")
	l.commit("src/b.go", "b")
	l.git("merge", "-q", "--no-ff", "--no-commit", "topic")
	l.leak("docs/.env", "LEAK4")
	for i := range 4 {
		l.commit("src/c.go", strconv.Itoa(i))
	}
	l.git("checkout", "-q", "-b", "side")
	l.leak(".env.local", "LEAK5")
	l.git("checkout", "-q", "main")
	require.NoError(l.t, os.WriteFile(filepath.Join(l.project, "src/.env"), []byte("LEAK6\n"), 0o600))
	l.git("stash", "-q", "-u")
	l.commit("src/c.go", "last")
	l.git("tag", "tree", "HEAD~3^{tree}")
	l.git("tag", "blob", "HEAD:README.md")
}

// historyLines makes lines that print what commits hold.
type historyLines struct {
	*rand.Rand
	hashes []string
}

func (g historyLines) of(words ...string) string { return words[g.IntN(len(words))] }

func (g historyLines) revision() string {
	rev := g.of("HEAD", "HEAD", "HEAD", "main", "topic", "side", "heavy", "tree", "blob", "@", "stash", "refs/stash", "heads/topic", "tags/heavy",
		"ORIG_HEAD", "@{-1}", "@{1}", "HEAD@{3}", "stash@{0}", ":/LEAK", "HEAD^{/without}", "#", "#", "#")
	if rev == "#" {
		rev = g.hashes[g.IntN(len(g.hashes))][:g.of2(5, 8, 40)]
	}
	for range g.IntN(3) {
		rev += g.of("", "~1", "~2", "~5", "^", "^2", "^3", "^0", "^{commit}", "^{}", "^{tree}", "~9")
	}
	return rev
}

func (g historyLines) of2(numbers ...int) int { return numbers[g.IntN(len(numbers))] }

func (g historyLines) word() string {
	switch g.IntN(12) {
	case 0, 1:
		return g.revision() + ".." + g.revision()
	case 2:
		return g.revision() + "..." + g.revision()
	case 3:
		return "^" + g.revision()
	case 4:
		return g.revision() + g.of("^!", "^@", "^-", "^-2")
	case 5:
		return g.revision() + ":" + g.of("", "src", "conf", "./src", "README.md", "src/a.go")
	}
	return g.revision()
}

func (g historyLines) line() string {
	options := []string{
		"-p", "-p", "-u", "-U1", "-3", "-n 2", "--max-count=6", "-1", "--oneline", "--all", "--branches", "--tags", "--boundary", "--first-parent", "-m", "-c", "--cc",
		"--reverse", "--graph", "--topo-order", "-g", "--reflog", "--no-walk", "--do-walk", "--full-diff", "--full-history", "--ancestry-path", "--skip=2", "--author=a",
		"-S LEAK", "-G LEAK", "--not", "--left-right", "--cherry-pick", "--root", "-t", "--raw", "--stat", "-w", "-R", "--text", "-M", "--diff-filter=D", "--word-diff",
		"-W", "--no-merges", "--merges", "--remove-empty", "--parents", "--exclude=main --all", "--simplify-by-decoration", "--patch-with-stat", "-D", "--relative=src",
		"-L1,1:src/a.go", "--bran", "--bound", "--find-object=HEAD~3", "--cached", "--merge-base", "--dd", "--ignore-missing",
	}
	verb := g.of("log", "log -p", "log -p", "show", "show", "diff", "diff", "diff-tree -p", "diff-index -p", "whatchanged -p", "range-diff", "stash show", "reflog show",
		"stash list", "grep LEAK", "grep LEAK", "cat-file -p", "cat-file blob", "blame -s")
	words := []string{"git", verb}
	if !strings.HasPrefix(verb, "grep") && !strings.HasPrefix(verb, "cat-file") && verb != "blame -s" {
		for range g.IntN(4) {
			words = append(words, g.of(options...))
		}
	}
	for range g.of2(0, 1, 1, 2, 3) {
		words = append(words, "'"+g.word()+"'")
	}
	if g.IntN(3) == 0 || verb == "blame -s" {
		words = append(words, "--", g.of("src", ".", "conf", "src/a.go", "'*.go'", "':!.env'", "':!*.env'", "':!**/.env*' README.md", ":/", "':(top)src'"))
	}
	line := strings.Join(words, " ")
	switch g.IntN(16) {
	case 4:
		return line + " README.md"
	case 0:
		return "git log --format=%h -4 | xargs -n1 " + line
	case 1:
		return "for c in $(git rev-list --all); do " + line + " $c; done"
	case 2:
		return "cd src && " + line
	}
	return line
}

// S3: what the real git prints of commits is told by a caveat, however a line names them. The
// number of lines is that of POLICYD_HISTORY_LINES where it is set.
func TestLinesThatPrintHistory(t *testing.T) {
	p := newPlace(t)
	history := leakyHistory{t: t, project: p.project}
	history.build()
	seed, lines := uint64(20261123), 600
	if more, err := strconv.Atoi(os.Getenv("POLICYD_HISTORY_LINES")); err == nil {
		seed, lines = uint64(more), more
	}
	g := historyLines{Rand: rand.New(rand.NewPCG(seed, 3)), hashes: strings.Fields(history.git("rev-list", "--all"))}
	printed := 0
	for range lines {
		line := g.line()
		facts := p.facts("Bash", map[string]any{"command": line})
		told := !facts.Complete || len(facts.Items) == 0 || slices.Contains(facts.About, "secret")
		for _, item := range facts.Items {
			told = told || len(item.Caveats) > 0
		}
		if told {
			continue
		}
		output := runForReal(t, p.project, line)
		assert.NotContainsf(t, output, "LEAK", "%q", line)
		if output != "" {
			printed++
		}
	}
	assert.Greater(t, printed, lines/20, "most lines were refused: nothing was tried")
}

func runForReal(t *testing.T, dir, line string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_PAGER=cat", "GIT_CONFIG_GLOBAL=/dev/null")
	output, _ := cmd.Output() // most lines fail somewhere
	require.NoErrorf(t, ctx.Err(), "%q", line)
	return string(output)
}
