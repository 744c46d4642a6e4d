package filter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLeavesNumber(t *testing.T) {
	colon, blank, tab, end := Line{Behind: ':'}, Line{Behind: ' ', Padded: true}, Line{Behind: '\t'}, Line{}
	for _, test := range []struct {
		verb string
		args []string
		line Line
		want bool
	}{
		{"cut", []string{"-d:", "-f1"}, colon, true},
		{"cut", []string{"-d", ":", "-f", "1"}, colon, true},
		{"cut", []string{"-f1"}, tab, true},
		{"cut", []string{"-d:", "-f2"}, colon, false},
		{"cut", []string{"-d:", "-f1"}, tab, false},
		{"cut", []string{"-d:", "-f1", "-s"}, colon, false},
		{"cut", []string{"-d:", "-f1"}, Line{Behind: ':', Padded: true}, false},
		{"cut", []string{"-f"}, tab, false},
		{"awk", []string{"{print $1}"}, blank, true},
		{"awk", []string{"-F:", "{ print $1 }"}, colon, true},
		{"awk", []string{"{print $1}"}, colon, false},
		{"awk", []string{"{print $2}"}, blank, false},
		{"sed", []string{"s/:.*//"}, colon, true},
		{"sed", []string{"s/:.*//"}, blank, false},
		{"tr", []string{"-d", " "}, end, true},
		{"tr", []string{"-d", "[:space:]"}, end, false},
		{"tr", []string{"-d", "[:space:]"}, Line{One: true}, true},
		{"tr", []string{"-d", " "}, colon, false},
		{"perl", nil, end, false},
	} {
		assert.Equal(t, test.want, LeavesNumber(test.verb, test.args, test.line), "%s %q", test.verb, test.args)
	}
}

func TestPrintsStatistic(t *testing.T) {
	for line, want := range map[string]bool{
		"-c%s a": true, "-c %Y a b": true, "--format=%i a": true, "-c%n a": false, "-c%s -L": false, "%s a": false, "-c%s": false,
	} {
		assert.Equal(t, want, PrintsStatistic(strings.Fields(line)), line)
	}
}
