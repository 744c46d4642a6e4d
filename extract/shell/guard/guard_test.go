package guard_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"policyd/extract/shell/guard"
	"policyd/extract/value"
	"policyd/test/jsonl"
)

func TestBytes(t *testing.T) {
	for line, code := range map[string]string{
		"ls -l\tx\ny":                            "",
		"echo grüße 日本":                          "",
		"":                                       "",
		strings.Repeat("a", guard.MaxLine):       "",
		strings.Repeat("a", guard.MaxLine+1):     guard.MessyTooLong,
		"ls \x00":                                guard.MessyControlByte,
		"ls \x1b[2J":                             guard.MessyControlByte,
		"ls\r\n":                                 guard.MessyControlByte,
		"ls \x7f":                                guard.MessyControlByte,
		"ls \u0085":                              guard.MessyControlByte,
		"ls \xff":                                guard.MessyEncoding,
		"ls \xc3":                                guard.MessyEncoding,
		"ls \u00a0.env":                          guard.MessyInvisible,
		"ls \u202efdp":                           guard.MessyInvisible,
		"ls a\u200bb":                            guard.MessyInvisible,
		"ls \ufeff":                              guard.MessyInvisible,
		strings.Repeat("(", guard.MaxBrackets):   "",
		strings.Repeat("(", guard.MaxBrackets+1): guard.MessyNesting,
		strings.Repeat("$(", 20) + strings.Repeat("{", 13): guard.MessyNesting,
		strings.Repeat("()", 1000):                         "",
	} {
		assert.Equalf(t, code, guard.Bytes(line), "%.40q", line)
	}
}

// What is left of a line by VisibleOnly can always be parsed: the gate finds nothing in it but
// brackets. A line without anything to refuse stays as it is.
func FuzzVisibleOnly(f *testing.F) {
	for _, seed := range []string{"ls", "ls \x00\u202e\xff\r", "a\u00a0b", strings.Repeat("é", guard.MaxLine), "\xf0\x9f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		visible := guard.VisibleOnly(line)
		code := guard.Bytes(visible)
		tooLong := len(line) > guard.MaxLine // what replaces half a letter may be longer
		assert.Truef(t, code == "" || code == guard.MessyNesting || tooLong && code == guard.MessyTooLong, "%s in %q", code, visible)
		if guard.Bytes(line) == "" {
			assert.Equal(t, line, visible)
		}
	})
}

type corpusLine struct{ Command, Shell, Platform string }

// corpusLines are the lines that bash would run.
func corpusLines(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../../test/testdata/corpus/*.jsonl")
	require.NoError(t, err)
	var lines []string
	for _, file := range files {
		read, err := jsonl.Read[corpusLine](file)
		require.NoError(t, err)
		for _, line := range read {
			if (line.Shell == "" || line.Shell == "bash") && line.Platform != "windows" {
				lines = append(lines, line.Command)
			}
		}
	}
	require.Greater(t, len(lines), 3000)
	return lines
}

func parse(line string) *syntax.File {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(line), "")
	if err != nil {
		return nil
	}
	return file
}

// The lexer agrees with the parser about the lines that people and agents write.
func TestTheLexerAgreesWithTheParser(t *testing.T) {
	parsed, differ := 0, 0
	for _, line := range corpusLines(t) {
		if guard.Bytes(line) != "" {
			continue
		}
		if file := parse(line); file != nil {
			parsed++
			if guard.CrossCheck(line, file) != "" {
				differ++
			}
		}
	}
	require.Greater(t, parsed, 3000)
	assert.Less(t, differ*20, parsed, "%d of %d lines are read differently", differ, parsed)
}

// A tree that isn't the line's is found out: one that reads two words as one, a word more, or an
// operator less.
func TestTheLexerFindsAnotherReading(t *testing.T) {
	changes := []struct{ from, to string }{{" ", "_"}, {" | ", " x "}, {" ; ", " x "}, {" > ", " x "}, {"$(", "x("}, {" && ", " -a "}}
	tried := make([]int, len(changes))
	for _, line := range corpusLines(t) {
		if guard.Bytes(line) != "" || strings.ContainsAny(line, "'\"\\#\n`") || strings.Contains(line, "<<") || strings.Contains(line, "((") {
			continue // where a change may stand in text
		}
		for i, change := range changes {
			other := strings.Replace(line, change.from, change.to, 1)
			file := parse(other)
			if other == line || file == nil || parse(line) == nil || len(other) != len(line) && change.from != " && " {
				continue
			}
			tried[i]++
			assert.NotEmptyf(t, guard.CrossCheck(line, file), "%q read as %q", line, other)
		}
	}
	for i, n := range tried[:4] {
		assert.Positivef(t, n, "%q", changes[i].from)
	}
}

func TestNames(t *testing.T) {
	for name, is := range map[string]bool{"a": true, "_": true, "A1": true, "1a": false, "": false, "a-b": false, "é": false, "a b": false} {
		assert.Equal(t, is, value.IsName(name), name)
	}
}

func TestZshOnly(t *testing.T) {
	for line, only := range map[string]bool{"echo $x": false, "echo ${x}": false, "echo $x[1]": true, "echo ${(f)x}": true, "ls <1-9>": true} {
		assert.Equal(t, only, guard.ZshOnly(line), line)
	}
}
