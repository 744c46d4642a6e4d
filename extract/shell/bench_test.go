package shell

import (
	"fmt"
	"strings"
	"testing"

	"policyd/extract/shell/guard"
	"policyd/extract/shell/host"
)

// BenchmarkParse measures what agents write all day, long lines, and lines
// made to cost: no line may take more than a few milliseconds.
func BenchmarkParse(b *testing.B) {
	table := newTable(b)
	options := host.Options{Home: "/home/dev", Cwd: "/srv/proj", Plain: func(string) bool { return true }}
	for _, c := range costlyLines() {
		b.Run(c.name, func(b *testing.B) {
			line := c.line[:min(len(c.line), guard.MaxLine)]
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
		{"hostile_words", strings.Repeat("a ", guard.MaxLine/2)},
		{"hostile_brackets", strings.Repeat("$(", 16) + strings.Repeat("x", guard.MaxLine-64) + strings.Repeat(")", 16)},
		{"hostile_braces", "echo " + strings.Repeat("{a,b}", 3000)},
		{"hostile_quotes", strings.Repeat("'a'", guard.MaxLine/3)},
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
		{"hostile_variables", numbered("v%d=1;", 2000)},
		{"hostile_arrays", "a=(x);" + strings.Repeat("a+=(x y);", 1500)},
		{"hostile_members", "a=(" + strings.Repeat("x ", 200) + ");" + strings.Repeat("echo ${a[@]};", 1000)},
		{"hostile_doubling", "x=aaaaaaaaaaaaaaaa;" + strings.Repeat("x=$x$x$x$x;", 200)},
		{"hostile_doubling_numbers", "x=$?;" + strings.Repeat("x=$x$x$x$x;", 200)},
		{"hostile_joining", "x=aaaaaaaaaaaaaaaa;" + strings.Repeat("a=($x $x $x $x);x=\"${a[*]}\";", 60)},
		{"hostile_joining_parts", "x=aaaaaaaaaaaaaaaa;a=($x);" + strings.Repeat("a=(\"${a[*]}\" \"${a[*]}\");", 120)},
		{"hostile_replacing", "x=" + strings.Repeat("a", 6000) + ";echo ${x//a/" + strings.Repeat("b", 6000) + "}"},
		{"hostile_members_doubled", "a=(b c);" + strings.Repeat("a=(${a[@]} ${a[@]});", 700)},
		{"hostile_climbing", "cd " + strings.Repeat("../", 5000)},
		{"hostile_expressions", "((" + numbered("v%d=1,", 2000) + "1))"},
		{"hostile_array", "a=(" + strings.Repeat("x ", 8000) + ")"},
		{"hostile_removal", "x=" + strings.Repeat("a", 500) + ";" + strings.Repeat("echo ${x%%*b*b*b*b};", 800)},
		{"hostile_functions", "f0(){ ls;};" + numbered("f%[2]d(){ f%[1]d;f%[1]d;f%[1]d;};", 300) + "f7"},
		{"hostile_calls", "f(){ :;};" + strings.Repeat("f;", 8000)},
		{"hostile_definitions", numbered("f%d(){ :;};", 1000)},
		{"hostile_directories", strings.Repeat("pushd a || pushd b;", 900)},
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

// numbered repeats a text with the numbers from 0 on, each with the next one.
func numbered(format string, count int) string {
	var out strings.Builder
	for i := range count {
		if strings.Contains(format, "[2]") {
			fmt.Fprintf(&out, format, i, i+1)
		} else {
			fmt.Fprintf(&out, format, i)
		}
	}
	return out.String()
}
