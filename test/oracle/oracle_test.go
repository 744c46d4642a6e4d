// Package oracle holds command-line extraction against a real bash: what bash
// starts, the facts name; and against itself: what is put around a line never
// makes its decision looser.
package oracle

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"policyd/extract/shell"
	"policyd/extract/shell/host"
	"policyd/test/jsonl"
	"policyd/test/oracle/lines"
)

// The environment states how many lines are written, and from which seed.
const (
	linesVariable = "ORACLE_LINES"
	seedVariable  = "ORACLE_SEED"
	usualLines    = 200
	// usualShare is one in how many lines of the corpora are run with so few lines.
	usualShare = 10
	usualSeed  = 1
	jails      = 2
)

// TestBashStartsNothingThatTheFactsDoNotName runs lines in a real bash, inside
// a jail, and holds every start against the facts: program, directory, options
// and operands. Lines that once failed are kept in testdata/found.
func TestBashStartsNothingThatTheFactsDoNotName(t *testing.T) {
	count, seed := number(t, linesVariable, usualLines), number(t, seedVariable, usualSeed)
	t.Logf("%s=%d %s=%d", linesVariable, count, seedVariable, seed)
	table, err := shell.NewTable()
	require.NoError(t, err)
	seeds := readSeeds(t)
	all := slices.Concat(chosen(seeds, count), readFound(t), lines.Generate(seeds, count, seed))
	h := &hunt{table: table, classes: map[string]kept{}}
	var wait sync.WaitGroup
	for part := range jails {
		j := newJail(t)
		wait.Go(func() {
			for i := part; i < len(all); i += jails {
				if err := h.try(j, all[i]); err != nil {
					h.broken(err)
					return
				}
			}
		})
	}
	wait.Wait()
	require.NoError(t, h.err)
	h.report(t)
}

// hunt gathers findings from several jails.
type hunt struct {
	table *shell.Table

	mu      sync.Mutex
	err     error
	run     int
	clear   int
	starts  int
	overran int
	classes map[string]kept
}

func (h *hunt) broken(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.err = err
}

// try runs one line and keeps what was found, as small as it gets.
func (h *hunt) try(j *jail, line string) error {
	if reachesOut(line) || strings.Contains(line, jailFunction) {
		return nil
	}
	mode := int(sha256.Sum256([]byte(line))[0]) % 3
	got, err := j.run(line, mode)
	if err != nil {
		return fmt.Errorf("run %q: %w", line, err)
	}
	findings := judge(h.table, j.surroundings(), line, got)
	clear := explained(h.table, j.surroundings(), line)
	h.mu.Lock()
	h.run++
	h.starts += len(got.Started)
	if got.Overran {
		h.overran++
	}
	if clear {
		h.clear++
	}
	h.mu.Unlock()
	for _, f := range findings {
		if err := h.keep(j, line, mode, f); err != nil {
			return err
		}
	}
	return nil
}

// kept is one line of a class of findings, and what is wrong with it.
type kept struct{ line, text string }

// keep keeps the first line of a class, as small as it gets.
func (h *hunt) keep(j *jail, line string, mode int, f finding) error {
	h.mu.Lock()
	_, known := h.classes[f.class]
	if !known {
		h.classes[f.class] = kept{line, f.text}
	}
	h.mu.Unlock()
	if known {
		return nil
	}
	small, err := h.smaller(j, line, mode, f.class)
	if err != nil {
		return err
	}
	got, err := j.run(small, mode)
	if err != nil {
		return err
	}
	for _, again := range judge(h.table, j.surroundings(), small, got) {
		if again.class == f.class {
			f.text = again.text
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.classes[f.class] = kept{small, f.text}
	return nil
}

// smaller leaves out tokens as long as the same class is found.
func (h *hunt) smaller(j *jail, line string, mode int, class string) (string, error) {
	return shrink(line, func(text string) (bool, error) {
		if reachesOut(text) {
			return false, nil
		}
		got, err := j.run(text, mode)
		if err != nil {
			return false, fmt.Errorf("run %q: %w", text, err)
		}
		return found(judge(h.table, j.surroundings(), text, got), class), nil
	})
}

// mostTries bounds how often a line is tried again to make it smaller.
const mostTries = 400

// shrink leaves out tokens, many and then few, as long as holds does.
func shrink(line string, holds func(text string) (bool, error)) (string, error) {
	list := lines.Tokens(line)
	tries := 0
	for size := max(1, len(list)/2); size > 0; size /= 2 {
		for at := 0; at+size <= len(list) && tries < mostTries; tries++ {
			shorter := slices.Delete(slices.Clone(list), at, at+size)
			still, err := holds(strings.Join(shorter, ""))
			if err != nil {
				return "", err
			}
			if still {
				list = shorter
			} else {
				at++
			}
		}
	}
	return strings.Join(list, ""), nil
}

// explained reports whether the facts claim to say all; a panic says nothing.
func explained(table *shell.Table, options host.Options, line string) (whole bool) {
	defer func() { whole = recover() == nil && whole }()
	return len(table.Parse(line, options).Messy) == 0
}

func found(findings []finding, class string) bool {
	for _, f := range findings {
		if f.class == class {
			return true
		}
	}
	return false
}

// report fails for every class, and keeps its line as test data.
func (h *hunt) report(t *testing.T) {
	t.Helper()
	t.Logf("%d lines run, %d of them explained, %d programs started, %d lines cut off", h.run, h.clear, h.starts, h.overran)
	require.Positive(t, h.clear, "every line was messy, so that nothing was held")
	require.Positive(t, h.starts, "no line started anything")
	for class, small := range h.classes {
		t.Errorf("%s: %q\n\t%s", class, small.line, small.text)
		digest := sha256.Sum256([]byte(small.line))
		name := fmt.Sprintf("testdata/found/%x.sh", digest[:6])
		require.NoError(t, os.WriteFile(name, []byte(small.line), 0o644))
	}
}

// jailFunction is what the jail itself defines: a line that calls it runs what no user's
// shell would.
const jailFunction = "command_not_found_handle"

var notLetters = regexp.MustCompile(`[^a-z]+`)

// reachesOut reports a line that could open a connection from the shell itself, in any spelling of the name;
// without namespaces it could leave.
func reachesOut(line string) bool {
	letters := notLetters.ReplaceAllString(line, "")
	return strings.Contains(letters, "devtcp") || strings.Contains(letters, "devudp")
}

// chosen are the lines of the corpora that are run: all of them at night, a fixed share
// when few lines are run. What was found before is always run.
func chosen(seeds []string, count int) []string {
	if count > usualLines {
		return slices.Clone(seeds)
	}
	var share []string
	for _, line := range seeds {
		if sha256.Sum256([]byte(line))[1]%usualShare == 0 {
			share = append(share, line)
		}
	}
	return share
}

// readSeeds reads the corpora, the lines that must never pass, and what was
// found before.
func readSeeds(t *testing.T) []string {
	t.Helper()
	var seeds []string
	for _, pattern := range []string{"../testdata/corpus/*.jsonl", "testdata/*.jsonl"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, name := range files {
			lines, err := jsonl.Read[struct {
				Command string  `json:"command"`
				Shell   *string `json:"shell"`
			}](name)
			require.NoError(t, err)
			for _, c := range lines {
				if c.Shell == nil { // else it is not bash's
					seeds = append(seeds, c.Command)
				}
			}
		}
	}
	return append(seeds, readFound(t)...)
}

// readFound reads the lines that once failed.
func readFound(t *testing.T) []string {
	t.Helper()
	kept, err := filepath.Glob("testdata/found/*.sh")
	require.NoError(t, err)
	lines := make([]string, 0, len(kept))
	for _, name := range kept {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		lines = append(lines, string(text))
	}
	return lines
}

func number(t *testing.T, variable string, usual int) int {
	t.Helper()
	text, set := os.LookupEnv(variable)
	if !set {
		return usual
	}
	value, err := strconv.Atoi(text)
	require.NoErrorf(t, err, "%s is no number", variable)
	return value
}
