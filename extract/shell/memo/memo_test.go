package memo

import (
	"bufio"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/shell"
	"policyd/extract/shell/command"
	"policyd/extract/shell/host"
)

func newTable(tb testing.TB) *shell.Table {
	tb.Helper()
	table, err := shell.NewTable()
	require.NoError(tb, err)
	return table
}

// corpusLines are the command lines of every corpus.
func corpusLines(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob("../../../test/testdata/corpus/*.jsonl")
	require.NoError(tb, err)
	var out []string
	for _, name := range files {
		file, err := os.Open(name)
		require.NoError(tb, err)
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var entry struct{ Command string }
			require.NoError(tb, json.Unmarshal(lines.Bytes(), &entry))
			out = append(out, entry.Command)
		}
		require.NoError(tb, lines.Err())
	}
	require.Greater(tb, len(out), 1000)
	return out
}

// answering are surroundings that answer every question by seed.
func answering(program string, seed uint64, hash maphash.Seed) host.Options {
	yes := func(about string) func(string) bool {
		return func(path string) bool {
			return maphash.String(hash, fmt.Sprint(about, path, seed))&1 == 0
		}
	}
	o := host.Options{
		Shell: program, Platform: "linux", Home: "/home/dev", Cwd: "/srv/proj",
		Plain: yes("plain"), Enterable: yes("enterable"), Readable: yes("readable"),
		Toplevel: func(dir string) string {
			if yes("toplevel")(dir) {
				return dir
			}
			return ""
		},
	}
	if program == "cmd" {
		o.Platform, o.Cwd = "windows", `C:\proj`
	}
	return o
}

func sameAsFresh(t *testing.T, memo *Memo, table *shell.Table, line string, options host.Options) {
	t.Helper()
	got := memo.Parse(line, &options)
	want := table.Parse(line, options)
	want.Detach()
	assert.Equal(t, want, *got, line)
}

// What is remembered of a line is what it is explained as anew, whatever is said
// of the disk in between.
func TestMemoSaysWhatTheTableSays(t *testing.T) {
	table := newTable(t)
	hash := maphash.MakeSeed()
	for _, program := range []string{"bash", "cmd"} {
		memo := New(table)
		for _, line := range corpusLines(t) {
			for _, seed := range []uint64{1, 1, 2} {
				sameAsFresh(t, memo, table, line, answering(program, seed, hash))
			}
		}
	}
}

func FuzzMemo(f *testing.F) {
	for _, seed := range []string{
		"cd src && ls", "cd a/.. && pwd", "cat f | while read -r x; do wc $x; done", "cd $(git rev-parse --show-toplevel) && git diff --name-only | xargs cat",
		"for d in a b; do (cd $d && ls) || cd c; done; x=$(wc -l < f); echo ${y:$x}",
	} {
		f.Add(seed, uint64(1), uint64(2))
	}
	table := newTable(f)
	memo := New(table)
	hash := maphash.MakeSeed()
	f.Fuzz(func(t *testing.T, line string, one, other uint64) {
		for _, seed := range []uint64{one, other, one} {
			sameAsFresh(t, memo, table, line, answering("bash", seed, hash))
		}
	})
}

// A line that is known leads to the same questions, and is explained anew once
// one of them is answered otherwise.
func TestMemoAsksAgain(t *testing.T) {
	memo := New(newTable(t))
	there, asked := true, 0
	options := host.Options{Platform: "linux", Cwd: "/srv/proj", Enterable: func(string) bool { asked++; return there }}
	dirs := func() []string { return memo.Parse("cd src; ls", &options).Commands[1].Cwd.Known }
	require.Equal(t, []string{"/srv/proj/src"}, dirs())
	require.Equal(t, []string{"/srv/proj/src"}, dirs())
	require.Equal(t, 2, asked, "once for each")
	there = false
	assert.ElementsMatch(t, []string{"/srv/proj", "/srv/proj/src"}, dirs())
	assert.ElementsMatch(t, []string{"/srv/proj", "/srv/proj/src"}, dirs())
	there = true
	assert.Equal(t, []string{"/srv/proj/src"}, dirs())
}

// Surroundings that say both yes and no are believed in neither.
func TestMemoKeepsNothingUnsteady(t *testing.T) {
	memo := New(newTable(t))
	said := false
	options := host.Options{Cwd: "/p", Enterable: func(string) bool { said = !said; return said }}
	memo.Parse("cd /p/a; cd /p/a; ls", &options)
	assert.Empty(t, memo.young)
}

func TestMemoIsBounded(t *testing.T) {
	memo := New(newTable(t))
	options := host.Options{Cwd: "/srv/proj"}
	for i := range 3 * maxKeptLines {
		memo.Parse(fmt.Sprintf("echo %d", i), &options)
		assert.LessOrEqual(t, len(memo.young), maxKeptLines)
		assert.LessOrEqual(t, len(memo.old), maxKeptLines)
	}
	assert.NotEmpty(t, memo.old)
	for i := range 3000 {
		memo.Parse(fmt.Sprintf("cat %d %s", i, strings.Repeat("a ", 100)), &options)
		require.LessOrEqual(t, memo.bytes, maxKeptBytes)
	}
	size := 0
	for _, line := range memo.young {
		size += line.size
	}
	assert.Equal(t, size, memo.bytes)
	before := len(memo.young)
	memo.Parse("echo "+strings.Repeat("x", maxKeptLine), &options)
	assert.Len(t, memo.young, before, "too long to be kept")
}

// A line of as many commands as are looked into costs no more for each of them than a
// shorter one: it is remembered, too.
func TestMemoKeepsLinesOfAllCommands(t *testing.T) {
	memo := New(newTable(t))
	options := host.Options{Cwd: "/srv/proj"}
	const most = 64 // as many as shell looks into
	commands := make([]string, most)
	for i := range commands {
		commands[i] = fmt.Sprintf("wc -l src/f%04d.go", i)
	}
	line := strings.Join(commands, " && ")
	first := memo.Parse(line, &options)
	require.Len(t, first.Commands, most)
	require.Same(t, first, memo.Parse(line, &options))
}

// What is asked for still outlives the lines that came and went meanwhile.
func TestMemoKeepsWhatIsUsed(t *testing.T) {
	memo := New(newTable(t))
	options := host.Options{Cwd: "/srv/proj"}
	first := memo.Parse("git status", &options)
	for i := range 4 * maxKeptLines {
		memo.Parse(fmt.Sprintf("echo %d", i), &options)
		if i%100 == 0 {
			require.Same(t, first, memo.Parse("git status", &options))
		}
	}
}

// Lines are told apart by all that an explanation depends on.
func TestMemoTellsSurroundingsApart(t *testing.T) {
	memo := New(newTable(t))
	base := host.Options{Shell: "bash", Platform: "linux", Home: "/h", Cwd: "/p"}
	seen := map[*command.Line]bool{memo.Parse("ls", &base): true}
	for _, change := range []func(*host.Options){
		func(o *host.Options) { o.Shell = "zsh" }, func(o *host.Options) { o.Platform = "darwin" }, func(o *host.Options) { o.Home = "/x" },
		func(o *host.Options) { o.Cwd = "/x" },
	} {
		other := base
		change(&other)
		line := memo.Parse("ls", &other)
		assert.False(t, seen[line])
		seen[line] = true
	}
}

func TestMemoIsSafeForConcurrentUse(t *testing.T) {
	table := newTable(t)
	memo := New(table)
	hash := maphash.MakeSeed()
	lines := corpusLines(t)[:300]
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i, line := range lines {
				sameAsFresh(t, memo, table, line, answering("bash", uint64(i%2), hash))
			}
		})
	}
	group.Wait()
}
