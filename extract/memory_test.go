package extract_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// corpusLines are the command lines of every corpus.
func corpusLines(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../test/testdata/corpus/*.jsonl")
	require.NoError(t, err)
	var out []string
	for _, name := range files {
		file, err := os.Open(name)
		require.NoError(t, err)
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var entry struct{ Command string }
			require.NoError(t, json.Unmarshal(lines.Bytes(), &entry))
			out = append(out, entry.Command)
		}
		require.NoError(t, lines.Err())
	}
	require.Greater(t, len(out), 1000)
	return out
}

func (p place) initialize(tb testing.TB) {
	tb.Helper()
	output, err := exec.Command("git", "init", "-q", p.project).CombinedOutput()
	require.NoErrorf(tb, err, "%s", output)
}

// deep is a copy of facts that shares nothing with them.
func deep(t *testing.T, facts v1.Facts) v1.Facts {
	t.Helper()
	var out v1.Facts
	copyInto(reflect.ValueOf(&out).Elem(), reflect.ValueOf(facts))
	require.Equal(t, facts, out)
	return out
}

func copyInto(to, from reflect.Value) {
	switch from.Kind() {
	case reflect.Struct:
		for i := range from.NumField() {
			copyInto(to.Field(i), from.Field(i))
		}
	case reflect.Slice:
		if from.IsNil() {
			return
		}
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			copyInto(to.Index(i), from.Index(i))
		}
	default:
		to.Set(from)
	}
}

// scribble writes over everything that facts hold, and behind it.
func scribble(value reflect.Value) {
	switch value.Kind() {
	case reflect.Struct:
		for i := range value.NumField() {
			scribble(value.Field(i))
		}
	case reflect.Slice:
		room := value.Slice(0, value.Cap())
		for i := range room.Len() {
			scribble(room.Index(i))
		}
	case reflect.String:
		value.SetString("scribbled")
	case reflect.Int:
		value.SetInt(77)
	default:
	}
}

// Nothing is remembered but what lines were explained as: facts are the same
// whether a line is known or not, and whoever gets them may change them.
func TestFactsAreTheSameAgain(t *testing.T) {
	p := newPlace(t)
	p.initialize(t)
	for _, line := range corpusLines(t) {
		call := p.call("Bash", map[string]any{"command": line})
		p.extractor.Forget()
		first := p.extractor.Extract(call, nil)
		want := deep(t, first)
		scribble(reflect.ValueOf(&first).Elem())
		again := p.extractor.Extract(call, nil)
		require.Equal(t, want, again, line)
		scribble(reflect.ValueOf(&again).Elem())
		require.Equal(t, want, p.extractor.Extract(call, nil), line)
	}
}

// The same for calls that come at once; the race detector sees writes to what
// they share.
func TestFactsAreTheSameAtOnce(t *testing.T) {
	p := newPlace(t)
	p.initialize(t)
	var group sync.WaitGroup
	for _, line := range []string{
		"cd src && git status && ls -la", "for f in *.md; do wc -l $f; done | sort -rn", "cat README.md > out/x; cp -r src docs; git diff -- src",
		"find . -name '*.go' | xargs grep -n TODO", "make; FOO=bar ./run x --y=z",
	} {
		call := p.call("Bash", map[string]any{"command": line})
		want := deep(t, p.extractor.Extract(call, nil))
		for range 3 {
			group.Go(func() {
				for range 20 {
					facts := p.extractor.Extract(call, nil)
					assert.Equal(t, want, facts, line)
					scribble(reflect.ValueOf(&facts).Elem())
				}
			})
		}
	}
	group.Wait()
}

// What a known line does is seen on the disk as it is now.
func TestKnownLinesAreSeenOnTheDiskAnew(t *testing.T) {
	for name, c := range map[string]struct {
		line   string
		change func(p place) error
	}{
		"directory gone":       {"cd src; ls", func(p place) error { return os.RemoveAll(p.project + "/src") }},
		"directory closed":     {"cd src; ls", func(p place) error { return os.Chmod(p.project+"/src", 0o700) }},
		"directory a link":     {"cd src && cat main.go", replaceByLink},
		"link on the way":      {"cd src/.. && ls", replaceByLink},
		"another work tree":    {"cd $(git rev-parse --show-toplevel) && ls", func(p place) error { return os.RemoveAll(p.project + "/.git") }},
		"another match":        {"cat *.md", func(p place) error { return os.Symlink("../other/file", p.project+"/new.md") }},
		"repository untrusted": {"git status", appendMonitor},
		"file unreadable":      {"x=$(wc -l < README.md); grep -m $x a README.md", func(p place) error { return os.Chmod(p.project+"/README.md", 0) }},
		"file no text": {
			"x=$(grep -n e README.md | head -1 | cut -d: -f1); sed -n ${x}p README.md",
			func(p place) error { return os.WriteFile(p.project+"/README.md", []byte("e\x00"), 0o600) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.initialize(t)
			for _, path := range []string{"", "/src", "/docs"} {
				require.NoError(t, os.Chmod(p.project+path, 0o755))
			}
			require.NoError(t, os.Chmod(p.project+"/README.md", 0o644))
			call := p.call("Bash", map[string]any{"command": c.line})
			before := p.extractor.Extract(call, nil)
			require.Equal(t, before, p.extractor.Extract(call, nil))
			require.NoError(t, c.change(p))
			after := p.extractor.Extract(call, nil)
			p.extractor.Forget()
			assert.Equal(t, p.extractor.Extract(call, nil), after)
			assert.NotEqual(t, before, after)
		})
	}
}

func replaceByLink(p place) error {
	if err := os.Rename(p.project+"/src", p.home+"/moved"); err != nil {
		return err
	}
	return os.Symlink(p.home+"/moved", p.project+"/src")
}

func appendMonitor(p place) error {
	return os.WriteFile(p.project+"/.git/config", []byte("[core]\n\tfsmonitor = x\n"), 0o600)
}

// What an extraction leaves behind for the next one tells nothing: the facts of
// a call don't depend on the calls before it.
func TestCallsLeaveNothingBehind(t *testing.T) {
	p := newPlace(t)
	calls := []*v1.Call{
		p.call("Read", map[string]any{"file_path": p.home + "/.ssh/id_ed25519"}),
		p.call("Bash", map[string]any{"command": "cat .env; rm -rf " + strings.Repeat("x ", 40)}),
		p.call("Bash", map[string]any{"command": "cd src && ls"}),
		p.call("Edit", map[string]any{"file_path": "out/file"}),
		{Tool: "unheard-of"},
	}
	windows := p.call("Read", map[string]any{"file_path": `C:\x`})
	windows.Session.Platform = "windows"
	calls = append(calls, windows)
	want := make([]v1.Facts, len(calls))
	for i, call := range calls {
		fresh := p
		fresh.extractor = p.another(t)
		want[i] = fresh.extractor.Extract(call, nil)
	}
	for i := range calls {
		for j := range calls {
			p.extractor.Extract(calls[i], []v1.PathGrant{{Root: p.home + "/other", Mode: "read"}})
			require.Equal(t, want[j], p.extractor.Extract(calls[j], nil))
		}
	}
}

// mostAllocations are the budgets of one call.
func TestExtractKeepsItsBudget(t *testing.T) {
	p := newPlace(t)
	p.initialize(t)
	for _, c := range []struct {
		tool, name, text string
		first, again     float64
	}{
		{"Read", "file_path", "README.md", 6, 6},
		{"Bash", "command", "git status", 40, 8},
		{"Bash", "command", "cd src && git status && ls -la", 85, 8},
	} {
		call := p.call(c.tool, map[string]any{c.name: c.text})
		first := testing.AllocsPerRun(100, func() {
			p.extractor.Forget()
			p.extractor.Extract(call, nil)
		})
		again := testing.AllocsPerRun(100, func() { p.extractor.Extract(call, nil) })
		t.Logf("%s: %.0f allocations, and %.0f again", c.text, first, again)
		assert.LessOrEqual(t, first, c.first+4, c.text) // forgetting makes some, too
		assert.LessOrEqual(t, again, c.again, c.text)
	}
}
