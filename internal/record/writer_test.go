package record_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/record"
)

// sample is a record of a three-command line, with every kind of field in use.
func sample(id string) *v1.Record {
	item := func(verb string) v1.Item {
		return v1.Item{
			Kind: v1.ItemCommand, Verb: verb, Directory: "/srv/proj",
			Form: v1.Form{{Name: "-n", Kind: "none"}, {Name: "<file>", Kind: "read"}}, Touches: v1.Set{"read.project"},
			Caveats: v1.Set{"shallow"}, Within: v1.Set{"/srv/proj", "/srv"}, Path: -1,
		}
	}
	return &v1.Record{
		DecisionID: id, Timestamp: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Path: "policyd/main/decision",
		Labels: map[string]string{"version": "1"}, Bundles: map[string]v1.BundleInfo{"policyd": {Revision: "r<1>"}},
		Input: &v1.Input{
			Facts: v1.Facts{
				Schema: 1, Tool: v1.ToolFacts{Name: "Bash", Kind: "shell"}, About: []string{"command"}, Verbs: []string{"ls"},
				Names: []string{}, Cwd: "/srv/proj", Doubts: []string{},
				Session: v1.SessionFacts{ID: "s", Audience: v1.AudiencePersonal, Tools: v1.Set{}},
				Items:   []v1.Item{item("ls"), item("cat"), item("git status")},
				Paths: []v1.Path{{
					Raw: "a", Real: "/srv/proj/a", Op: v1.OpRead, Class: v1.Form{{Name: "secret", Kind: ".env"}},
					Links: []string{}, Caveats: v1.Set{"missing"},
				}},
			},
			Approvals: []v1.Approval{{ID: "a", Verb: "ls", Anywhere: true}},
		},
		Call: &v1.RecordCall{Tool: "Bash", Args: map[string]any{"command": "ls && cat a > b; git status"}},
		Result: v1.RecordResult{
			Decision: v1.EffectPrompt,
			Reasons:  []v1.Reason{{Rule: "approvals/required", Code: "approval_required", Effect: v1.EffectPrompt, Item: 1}},
			Items:    []v1.DecisionItem{{Kind: "command", Verb: "ls", CoveredBy: "safe_verbs/read"}},
		},
		Metrics: v1.RecordMetrics{Gate: 1}, Erased: []string{}, Masked: []string{"/call/args/command"},
	}
}

func open(t *testing.T, options record.Options) *record.Writer {
	t.Helper()
	writer, err := record.New(options)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, writer.Close()) })
	return writer
}

func TestLineEqualsTheStandardEncoding(t *testing.T) {
	line, err := record.Encode(sample("1"))
	require.NoError(t, err)
	want, err := json.Marshal(sample("1"))
	require.NoError(t, err)
	assert.JSONEq(t, string(want), string(line))
	assert.Equal(t, 1, bytes.Count(line, []byte("\n")))
	var back v1.Record
	require.NoError(t, json.Unmarshal(line, &back))
	assert.Equal(t, "/srv/proj/a", back.Input.Paths[0].Real)
}

func TestWriteIsReadableWhenItReturns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "decisions.jsonl")
	writer := open(t, record.Options{File: file, Required: true})
	assert.True(t, writer.Required())
	require.NoError(t, writer.Write(t.Context(), sample("1")))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var line v1.Record
	require.NoError(t, json.Unmarshal(data, &line))
	assert.Equal(t, "1", line.DecisionID)
	assert.True(t, bytes.HasSuffix(data, []byte("}\n")))
}

func TestWriteIgnoresACancelledCaller(t *testing.T) {
	file := filepath.Join(t.TempDir(), "decisions.jsonl")
	writer := open(t, record.Options{File: file})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, writer.Write(ctx, sample("1")))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.NotEmpty(t, data)
}

func TestFileIsItsOwnersAlone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes on windows")
	}
	file := filepath.Join(t.TempDir(), "decisions.jsonl")
	require.NoError(t, os.WriteFile(file, []byte("{}\n"), 0o644))
	writer := open(t, record.Options{File: file})
	require.NoError(t, writer.Write(t.Context(), sample("1")))
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(data), "{}\n{"), "what was there stays")
}

func TestLinesStayWholeUnderConcurrencyAndRotation(t *testing.T) {
	directory := t.TempDir()
	writer := open(t, record.Options{File: filepath.Join(directory, "decisions.jsonl"), MaxSizeMB: 1})
	const writers, each = 8, 150 // about 1.5 MB
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for range each {
				assert.NoError(t, writer.Write(t.Context(), sample("x")))
			}
		})
	}
	group.Wait()
	files, err := filepath.Glob(filepath.Join(directory, "*"))
	require.NoError(t, err)
	assert.Greater(t, len(files), 1, "rotated")
	lines := 0
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		opened, err := os.Open(file)
		require.NoError(t, err)
		scanner := bufio.NewScanner(opened)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() {
			require.True(t, json.Valid(scanner.Bytes()))
			lines++
		}
		require.NoError(t, scanner.Err())
		require.NoError(t, opened.Close())
	}
	assert.Equal(t, writers*each, lines)
}

func TestNewRefusesAFileThatCannotBeWritten(t *testing.T) {
	_, err := record.New(record.Options{File: t.TempDir()})
	require.ErrorContains(t, err, "open decision log")
	_, err = record.New(record.Options{})
	require.ErrorContains(t, err, "neither")
}

func TestWriteReportsAFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	writer := open(t, record.Options{File: "/dev/full"})
	require.ErrorContains(t, writer.Write(t.Context(), sample("1")), "write record to /dev/full")
}

// failing refuses every write until it is mended, as a full disk does.
type failing struct {
	bytes.Buffer
	err error
}

func (w *failing) Write(line []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	return w.Buffer.Write(line)
}

func TestCheckReportsWhetherRecordsAreWritten(t *testing.T) {
	out := &failing{}
	writer := record.NewTo(out)
	require.NoError(t, writer.Check(), "nothing has failed yet")
	require.NoError(t, writer.Write(t.Context(), sample("1")))
	before := out.Len()
	require.NoError(t, writer.Check())
	require.Equal(t, before, out.Len(), "a log that works is left alone")

	out.err = errors.New("disk full")
	require.Error(t, writer.Write(t.Context(), sample("2")))
	require.ErrorContains(t, writer.Check(), "disk full")
	require.ErrorContains(t, writer.Check(), "write record to test")

	out.err = nil
	require.NoError(t, writer.Check(), "recovers without a record")
	require.NoError(t, writer.Write(t.Context(), sample("3")))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2)
	for _, line := range lines {
		assert.True(t, json.Valid([]byte(line)), line)
	}
}

func TestCheckEndsATornLine(t *testing.T) {
	out := &tearing{}
	writer := record.NewTo(out)
	require.Error(t, writer.Write(t.Context(), sample("1")))
	require.NoError(t, writer.Check())
	require.NoError(t, writer.Write(t.Context(), sample("2")))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2)
	assert.True(t, json.Valid([]byte(lines[1])))
}

// tearing fails after half of the first write.
type tearing struct {
	bytes.Buffer
	tornOnce bool
}

func (w *tearing) Write(line []byte) (int, error) {
	if !w.tornOnce {
		w.tornOnce = true
		w.Buffer.Write(line[:10])
		return 10, errors.New("disk full")
	}
	return w.Buffer.Write(line)
}

func TestTornLineSpoilsNoOther(t *testing.T) {
	out := &tearing{}
	writer := record.NewTo(out)
	require.Error(t, writer.Write(t.Context(), sample("1")))
	require.NoError(t, writer.Write(t.Context(), sample("2")))
	require.NoError(t, writer.Write(t.Context(), sample("3")))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 3)
	assert.True(t, json.Valid([]byte(lines[1])))
	assert.True(t, json.Valid([]byte(lines[2])))
}

func BenchmarkEncode(b *testing.B) {
	entry := sample("1")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := record.Encode(entry); err != nil {
			b.Fatal(err)
		}
	}
}
