package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheReportIsWritten writes every part of the report, and every plot, of the
// committed run.
func TestTheReportIsWritten(t *testing.T) {
	committed, err := readFigures("../../" + figuresFile)
	require.NoError(t, err)
	taken := newSamples()
	for name, f := range committed.Figures {
		taken.add(name, f.Median)
	}
	var text bytes.Buffer
	reportHead(&text, committed.Machine, taken)
	reportBars(&text, taken)
	for _, e := range allSuites() {
		made := e.make()
		if s, is := made.(*stages); is {
			s.cedar, err = newCedarCase()
			require.NoError(t, err)
		}
		made.report(&text, taken)
	}
	assert.NotContains(t, text.String(), "NaN")
	assert.NotContains(t, text.String(), "%!")
	dir := t.TempDir()
	require.NoError(t, draw(dir, taken))
	plots, err := filepath.Glob(filepath.Join(dir, "*.svg"))
	require.NoError(t, err)
	require.NotEmpty(t, plots)
	for _, plot := range plots {
		assert.Contains(t, text.String(), "]("+filepath.Base(plot)+")", "a plot that the report doesn't show")
		assert.FileExists(t, filepath.Join("../../docs", filepath.Base(plot)))
	}
	assert.NotContains(t, readmeTable(taken), "%!")
}

// Innermost functions are counted by their package.
func TestPackagesAreNamedByTheirPath(t *testing.T) {
	for function, want := range map[string]string{
		"policyd/cmd/policyd.wholeWay":                              "policyd/cmd/policyd",
		"github.com/open-policy-agent/opa/v1/topdown.(*eval).unify": "github.com/open-policy-agent/opa/v1/topdown",
		"indexbytebody":    "assembly",
		"runtime.mallocgc": "runtime",
		"gopkg.in/natefinch/lumberjack%2ev2.(*Logger).Write":         "gopkg.in/natefinch/lumberjack%2ev2",
		"policyd/bundles.(*vocabulary).inputTerm.func1.(*memo).find": "policyd/bundles",
	} {
		assert.Equal(t, want, packageOf(function))
	}
}

func TestTheReadmeKeepsWhatIsNotAFigure(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile(readmeFile, []byte("before\n"+figuresBegin+"old\n"+figuresEnd+"after\n"), 0o600))
	require.NoError(t, updateReadme(newSamples()))
	text, err := os.ReadFile(readmeFile)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "old")
	assert.Regexp(t, `(?s)^before\n`+figuresBegin+`.*`+figuresEnd+`after\n$`, string(text))
	require.NoError(t, os.WriteFile(readmeFile, []byte("no place\n"), 0o600))
	require.ErrorContains(t, updateReadme(newSamples()), "no place for the figures")
}
