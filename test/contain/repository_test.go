//go:build linux && (amd64 || arm64)

package contain

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	v1 "policyd/api/v1"
	"policyd/internal/contain"
)

// reads are what builds and tools do with git, and build stamps a program with the repository's revision.
var (
	reads = []string{
		"git status --short", "git diff --stat", "git log --oneline", "git describe --always --dirty", "git worktree list", "git ls-files",
		"git blame main.go", "git rev-parse HEAD", "git grep main",
	}
	stamps = "go build -o bin/app . && go version -m bin/app | grep -q vcs.revision="
)

// newRepository is a person's Go project with a commit.
func newRepository(t *testing.T) *person {
	t.Helper()
	need(t, v1.ProfileProject)
	for _, tool := range []string{"git", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("skipped: %s is not installed", tool)
		}
	}
	p := newPerson(t)
	p.write(t, "project/go.mod", "module example.org/app\n\ngo 1.21\n")
	p.write(t, "project/main.go", "package main\n\nfunc main() { println(\"main\") }\n")
	p.write(t, "project/.gitignore", "bin/\n")
	p.write(t, ".gitconfig", "[user]\n\tname = A\n\temail = a@example.org\n")
	require.NoError(t, os.MkdirAll(p.home+"/.cache/go-build", 0o755))
	return p
}

func (p *person) commit(t *testing.T) {
	t.Helper()
	p.launch(t, "").lines(t, "git init -q && rm -r .git/hooks && git add -A && git commit -qm first")
}

// started is a contained line that runs until it gets a line of input.
type started struct {
	command *exec.Cmd
	stdout  *bufio.Reader
	finish  func(t *testing.T) launched
}

func (p *person) start(t *testing.T) *started {
	t.Helper()
	command, read := p.launch(t, v1.ProfileProject).command(t, "bash", "-c", "echo started; read -r; "+"git status --short || true")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := command.StdinPipe()
	require.NoError(t, err)
	stdout, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	output := bufio.NewReader(stdout)
	line, err := output.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "started\n", line)
	return &started{command, output, func(t *testing.T) launched {
		t.Helper()
		_, err := stdin.Write([]byte("\n"))
		require.NoError(t, err)
		_ = command.Wait()
		return launched{state: command.ProcessState, result: read()}
	}}
}

// TestGitWorksInAndBesideARun: neither git nor what asks git fails, in a run, beside one and when its whole process
// group was killed.
func TestGitWorksInAndBesideARun(t *testing.T) {
	p := newRepository(t)
	p.commit(t)
	outside := p.launch(t, "")
	check := func(t *testing.T) {
		t.Helper()
		outside.lines(t, reads...)
		outside.lines(t, stamps, "git commit -q --allow-empty -m again", "git worktree add -q ../tree && git worktree remove ../tree && git branch -q -D tree")
		status := outside.run(t, "git", "status", "--porcelain")
		assert.Empty(t, status.stdout)
	}
	p.launch(t, v1.ProfileProject).lines(t, append(reads, stamps, "test -z \"$(git status --porcelain)\"")...)
	check(t)
	one, two := p.start(t), p.start(t)
	check(t)
	p.launch(t, v1.ProfileProject).lines(t, append(reads, stamps)...)
	assert.Equal(t, 0, one.finish(t).state.ExitCode())
	check(t)
	require.NoError(t, unix.Kill(-two.command.Process.Pid, unix.SIGKILL))
	check(t)
	_ = two.command.Wait()
	await(t, "nothing is left", func() bool { return len(p.placeholders(t)) == 0 })
	check(t)
}

// placeholders are the names of the project's directory that no test wrote.
func (p *person) placeholders(t *testing.T) (left []string) {
	t.Helper()
	entries, err := os.ReadDir(p.project)
	require.NoError(t, err)
	for _, entry := range entries {
		if !slices.Contains([]string{".git", ".gitignore", "bin", "go.mod", "main.go"}, entry.Name()) {
			left = append(left, entry.Name())
		}
	}
	return left
}

// TestADirectoryWithoutARepositoryGetsNone: a run makes none there, and what looks for one finds none.
func TestADirectoryWithoutARepositoryGetsNone(t *testing.T) {
	p := newRepository(t)
	outside, builds := p.launch(t, ""), "go build -o bin/app ."
	running := p.start(t)
	outside.lines(t, builds)
	inside := p.launch(t, v1.ProfileProject)
	inside.lines(t, builds, "! git status", "! test -e .git")
	for _, line := range []string{"mkdir .git", "git init", "echo gitdir: /tmp/x > .git", "ln -s /tmp .git", "rm .git", "mv .git x", "mkdir x && mv -T x .git"} {
		assert.NotEqual(t, 0, inside.run(t, "bash", "-c", line).state.ExitCode(), line)
	}
	require.NoError(t, unix.Kill(-running.command.Process.Pid, unix.SIGKILL))
	outside.lines(t, builds)
	_ = running.command.Wait()
	await(t, "nothing is left", func() bool {
		_, err := os.Lstat(p.project + "/.git")
		return os.IsNotExist(err)
	})
	outside.lines(t, "git init -q", builds)
}

// TestARunLeavesARepositoryAsItIs: what a later git runs or reads first isn't made, changed or moved.
func TestARunLeavesARepositoryAsItIs(t *testing.T) {
	p := newRepository(t)
	p.commit(t)
	p.launch(t, "").lines(t, "git init -q sub/module", "git -C sub/module commit -q --allow-empty -m x")
	inside := p.launch(t, v1.ProfileProject)
	for _, dir := range []string{".git", "sub/module/.git"} {
		before := content(t, p.project+"/"+dir)
		for _, name := range []string{
			"commondir", "gitdir", "config", "config.worktree", "hooks/pre-commit", "info/attributes", "objects/info/alternates", "modules/x/config",
			"worktrees/x/gitdir", "rebase-merge/git-rebase-todo", "remotes/origin", "refs/heads/x", "HEAD", "index", "packed-refs",
		} {
			got := inside.run(t, "bash", "-c", "mkdir -p $(dirname "+dir+"/"+name+") && echo x > "+dir+"/"+name)
			assert.NotEqual(t, 0, got.state.ExitCode(), name)
		}
		for _, line := range []string{"mv " + dir + " x", "mkdir x && mv -T x " + dir, "rm -r " + dir + "/refs", "git -C " + dir + "/.. commit --allow-empty -m x"} {
			assert.NotEqual(t, 0, inside.run(t, "bash", "-c", line).state.ExitCode(), line)
		}
		assert.Equal(t, before, content(t, p.project+"/"+dir))
	}
}

// content lists everything below a directory, with what a change of it changes.
func content(t *testing.T, dir string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "find", dir, "-printf", "%p %m %i %s %T@\n").Output()
	require.NoError(t, err)
	return string(output)
}

// TestWhatAKilledRunLeavesIsHarmless: if all processes of the launcher are killed, placeholders stay. Git and builds
// work beside them, and the next run removes them, as RemoveLeft does.
func TestWhatAKilledRunLeavesIsHarmless(t *testing.T) {
	p := newRepository(t)
	outside, builds := p.launch(t, ""), "go build -o bin/app ."
	kill := func() {
		running := p.start(t)
		stage := descendants(running.command.Process.Pid)
		require.NotEmpty(t, stage)
		for _, pid := range append(stage, running.command.Process.Pid) {
			_ = unix.Kill(pid, unix.SIGSTOP) // so that none sees another end
		}
		for _, pid := range append(stage, running.command.Process.Pid) {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		_ = running.command.Wait()
		require.NotEmpty(t, p.placeholders(t))
		outside.lines(t, builds)
	}
	kill()
	_, err := os.Lstat(p.project + "/.git")
	require.NoError(t, err)
	o := p.obligation(t, v1.ProfileProject)
	assert.Empty(t, contain.RemoveLeft(o.Protect))
	assert.Empty(t, p.placeholders(t))
	p.commit(t)
	kill()
	outside.lines(t, reads...)
	outside.lines(t, stamps, "echo x > .vscode/settings.json", "test -z \"$(git status --porcelain | grep -v .vscode)\"")
	p.launch(t, v1.ProfileProject).lines(t, reads...)
	assert.Equal(t, []string{".vscode"}, p.placeholders(t), "something else put it to use")
}

// TestAKilledRunEndsBesideOthers: a reader of its output reads the end, though another run still needs the placeholders.
func TestAKilledRunEndsBesideOthers(t *testing.T) {
	p := newRepository(t)
	killed, other := p.start(t), p.start(t)
	require.NoError(t, unix.Kill(-killed.command.Process.Pid, unix.SIGKILL))
	_, err := io.ReadAll(killed.stdout)
	require.NoError(t, err)
	_ = killed.command.Wait()
	assert.NotEmpty(t, p.placeholders(t))
	assert.Equal(t, 0, other.finish(t).state.ExitCode())
	await(t, "nothing is left", func() bool { return len(p.placeholders(t)) == 0 })
}

// descendants are the processes that a process started, and those that these started.
func descendants(pid int) (out []int) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		more, _ := os.ReadFile(task)
		text = append(text, more...)
	}
	for field := range strings.FieldsSeq(string(text)) {
		if child, err := strconv.Atoi(field); err == nil && !slices.Contains(out, child) {
			out = append(append(out, child), descendants(child)...)
		}
	}
	return out
}

// TestManyRunsInOneRepository: runs that begin and end at once take nothing from each other.
func TestManyRunsInOneRepository(t *testing.T) {
	p := newRepository(t)
	p.commit(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			for range 3 {
				got := p.launch(t, v1.ProfileProject).run(t, "bash", "-c", "git status --short && ! touch .mcp.json/x .git/x 2>/dev/null")
				assert.Equal(t, 0, got.state.ExitCode(), got.stderr)
			}
		})
	}
	all.Wait()
	assert.Empty(t, p.placeholders(t))
}

// S1: a store of git's objects with a secret is beyond git's reach in a run, and what holds none is within it.
func TestGitPrintsNoSecretOfAStore(t *testing.T) {
	p := newRepository(t)
	p.commit(t)
	p.launch(t, "").lines(t,
		"git init -q ../m && echo CANARY > ../m/.env && git -C ../m add -f .env && git -C ../m commit -qm s && mkdir nest && git clone -q --bare ../m nest/secret",
		"git clone -q --bare . nest/plain")
	const show = "git -C nest/secret show HEAD:.env; git --git-dir=nest/secret cat-file -p HEAD:.env; cat nest/secret/objects/??/* | head -c 1"
	require.Contains(t, p.launch(t, "").run(t, "bash", "-c", show).stdout, "CANARY")
	for _, profile := range []string{v1.ProfileReadOnly, v1.ProfileProject} {
		l := p.launch(t, profile)
		assert.Emptyf(t, l.run(t, "bash", "-c", show).stdout, "%s", profile)
		assert.Containsf(t, l.run(t, "git", "-C", "nest/plain", "show", "HEAD:main.go").stdout, "println", "%s", profile)
	}
}

// P11: whatever a word of git's settings names runs later, and uncontained. A build leaves it as it is.
func TestProgramsOfGitSettingsStayAsTheyAre(t *testing.T) {
	p := newRepository(t)
	p.write(t, "project/tools/edit", "#!/bin/sh\n")
	p.write(t, "project/tools/other", "#!/bin/sh\n")
	p.write(t, "project/tools/up", "#!/bin/sh\n")
	p.commit(t)
	p.launch(t, "").lines(t, "git config core.editor 'env A=1 tools/edit -w' && git config alias.up '!./tools/up x'")
	for name, stays := range map[string]bool{"tools/edit": true, "tools/up": true, "tools/other": false} {
		for _, line := range []string{"echo evil > " + name, "rm -f " + name + " && echo evil > " + name, "mv tools/other " + name, "mv tools moved; mkdir tools; echo evil > " + name} {
			before, _ := os.ReadFile(p.project + "/" + name)
			p.launch(t, v1.ProfileProject).run(t, "bash", "-c", line)
			after, _ := os.ReadFile(p.project + "/" + name)
			if stays {
				assert.Equalf(t, string(before), string(after), "%s: %s", name, line)
			}
		}
	}
	p.launch(t, v1.ProfileProject).lines(t, "echo mine > tools/mine")
}
