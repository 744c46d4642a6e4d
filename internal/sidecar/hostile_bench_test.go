package sidecar

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

// longestLine is the longest line that is looked into.
const longestLine = 16 << 10

// hostileLines are made to cost: each fills a whole line with one thing.
func hostileLines() map[string]string {
	fill := func(part string) string { return strings.Repeat(part, longestLine/len(part)) }
	wrap := func(depth int, begin, inner, end string) string {
		return strings.Repeat(begin, depth) + inner + strings.Repeat(end, depth)
	}
	count := func(format string) string {
		var line strings.Builder
		for i := 0; line.Len() < longestLine-64; i++ {
			fmt.Fprintf(&line, format, i)
		}
		return line.String()
	}
	return map[string]string{
		"arrays":        "a=(x);" + fill("a+=(x y);"),
		"braces":        "echo " + fill("{a,b}"),
		"commands":      count("wc -l src/f%04d.go;"),
		"directories":   fill("pushd a || pushd b;"),
		"expansions":    "x=" + strings.Repeat("a", 500) + ";" + fill("echo ${x%%*b*b*b*b};"),
		"functions":     count("f%d(){ ls;};"),
		"loops":         wrap(300, "for a in 1 2 3 4 5 6 7 8; do ", "ls", "; done"),
		"names":         "cat " + count("src/f%04d.go "),
		"paths":         "cat " + fill("a/../"),
		"patterns":      "cat " + fill("*/src/[a-z]*?.go "),
		"pipes":         fill("find . | xargs cat | ") + "ls",
		"quotes":        fill(`'a'"b"`),
		"redirections":  "cat " + fill("<a "),
		"substitutions": wrap(16, "$(", fill("x"), ")"),
		"variables":     count("v%d=$v;"),
		"words":         fill("a "),
	}
}

// decideHostile decides lines that are made to cost, for an unattended session: a prompt isn't part of the
// cost.
func decideHostile(b *testing.B, decider *Sidecar, tree project.Tree) {
	b.Helper()
	for name, line := range hostileLines() {
		session := benchmarkSession(tree, "hostile")
		session.Interactive = new(false)
		line = line[:min(len(line), longestLine)]
		body := bodyOf(b, v1.Call{Tool: "Bash", Args: []byte(arguments(b, line)), Cwd: tree.Project, Session: session})
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := wholeWay(b.Context(), decider, body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// parseHostile parses the same lines with the parser that policyd has, and does nothing
// else with them.
func parseHostile(b *testing.B) {
	b.Helper()
	for name, line := range hostileLines() {
		line = line[:min(len(line), longestLine)]
		parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = parser.Parse(strings.NewReader(line), "") // what was cut off in the middle is an error
			}
		})
	}
}

// arguments are those of a shell tool.
func arguments(b *testing.B, line string) string {
	b.Helper()
	text, err := json.Marshal(map[string]string{"command": line})
	require.NoError(b, err)
	return string(text)
}
