package shell

import (
	"strings"
	"testing"
)

// BenchmarkParse measures what agents write all day, long lines, and lines
// made to cost: no line may take more than a few milliseconds.
func BenchmarkParse(b *testing.B) {
	table := newTable(b)
	options := Options{Home: "/home/dev", Cwd: "/srv/proj", Plain: func(string) bool { return true }}
	for _, c := range costlyLines() {
		b.Run(c.name, func(b *testing.B) {
			line := c.line[:min(len(c.line), maxLine)]
			b.ReportAllocs()
			for b.Loop() {
				table.Parse(line, options)
			}
		})
	}
}

type namedLine struct{ name, line string }

// costlyLines are lines of every day, long ones, and lines made to cost.
func costlyLines() []namedLine {
	return []namedLine{
		{"git_status", "git status"},
		{"three_commands", "git status --short && grep -rn TODO src | head -20"},
		{"twenty_commands", strings.TrimSuffix(strings.Repeat("git status --short && ", 20), "&& ")},
		{"hostile_words", strings.Repeat("a ", maxLine/2)},
		{"hostile_brackets", strings.Repeat("$(", 16) + strings.Repeat("x", maxLine-64) + strings.Repeat(")", 16)},
		{"hostile_braces", "echo " + strings.Repeat("{a,b}", 3000)},
		{"hostile_quotes", strings.Repeat("'a'", maxLine/3)},
		{"hostile_redirections", "cat " + strings.Repeat("<a ", 5000)},
		{"hostile_loops", strings.Repeat("for a in 1 2 3 4 5 6 7 8; do ", 30) + "ls" + strings.Repeat("; done", 30)},
		{"hostile_pipes", strings.Repeat("find . | xargs cat | ", 700) + "ls"},
		{"hostile_sed", "sed '" + strings.Repeat("s/a/b/;", 2000) + "' f"},
		{"hostile_awk", "awk '" + strings.Repeat("{print 1/2} ", 1200) + "' f"},
		{"hostile_if", strings.Repeat("if ls; then ", 300) + "ls" + strings.Repeat("; fi", 300)},
		{"hostile_and", strings.Repeat("cd a && ", 1500) + "ls"},
		{"hostile_or", strings.Repeat("cd a || ", 1500) + "ls"},
		{"hostile_substitution", strings.Repeat("echo $(ls) ", 1000)},
		{"hostile_loops_of_nothing", strings.Repeat("for a in 1 2 3 4 5 6 7 8; do ", 30) + "((1))" + strings.Repeat("; done", 30)},
		{"hostile_while_variables", strings.Repeat("while x=$(ls); do ", 200) + "ls" + strings.Repeat("; done", 200)},
		{"hostile_while", strings.Repeat("while ls; do ", 200) + "ls" + strings.Repeat("; done", 200)},
	}
}

func BenchmarkNewTable(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := NewTable(); err != nil {
			b.Fatal(err)
		}
	}
}
