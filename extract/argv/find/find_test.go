package find

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/argv"
)

// parse returns the expression of words, and the leaf of its -exec.
func parse(words string, operandsBehind bool) (*Expression, *Node) {
	var x Expression
	var exec *Node
	fields := strings.Fields(words)
	for i := 0; i < len(fields); i++ {
		var operand argv.Argument
		switch fields[i] {
		case "-name", "-type", "-path", "-mindepth":
			operand = argv.Argument{Text: fields[i+1], Class: argv.Literal}
			if strings.HasPrefix(operand.Text, "$") {
				operand.Class = argv.AnyText
			}
		}
		leaf := x.Add(fields[i], operand)
		if operand.Text != "" {
			i++
		}
		if leaf.name == "-exec" {
			exec = leaf
		}
	}
	x.Resolve(operandsBehind)
	return &x, exec
}

func TestPrintedFiles(t *testing.T) {
	for words, want := range map[string]string{
		"":                                 "",
		"-type f -name *.go":               "*.go f",
		"-name a -o -name b":               "a b",
		"-name a -print , -name b -print":  "a b",
		"! -name a -type f":                "f",
		"-name $x":                         "",
		"-name v -prune -o -name a -print": "a -v",
		"-depth -name v -prune -o -name a -print": "a",
		"( -name a":         "",
		"-name v -o -prune": "",
	} {
		x, _ := parse(words, false)
		walk := x.Printed()
		got := strings.Join(walk.Include, " ")
		if !walk.Follow {
			got += " f"
		}
		if len(walk.ExcludeDir) > 0 {
			got += " -" + strings.Join(walk.ExcludeDir, " -")
		}
		assert.Equal(t, want, strings.TrimSpace(got), words)
	}
}

func TestFilesOfAnAction(t *testing.T) {
	x, exec := parse("-type f -name a -exec -o -name b -print", false)
	assert.Equal(t, []string{"a"}, x.Reaching(exec).Include)
	assert.True(t, exec.OnlyFiles())
	assert.True(t, x.Prints())
	assert.False(t, x.Mixed())

	x, exec = parse("-type f -name a -exec", true)
	assert.Empty(t, x.Reaching(exec).Include, "operands behind the expression")
	assert.False(t, exec.OnlyFiles())
}

func TestBegun(t *testing.T) {
	options, _ := parse("-L -O2", false)
	assert.False(t, options.Begun())
	tests, _ := parse("-L -name a", false)
	assert.True(t, tests.Begun())
}
