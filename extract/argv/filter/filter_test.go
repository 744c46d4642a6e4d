package filter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "policyd/api/v1"
)

func TestMatchesBare(t *testing.T) {
	for _, args := range [][]string{
		{"-o", "[a-z]*"}, {"-oE", "[0-9]+(x|y)?"}, {"-ohE", "v[0-9]{1,3}", "src/a.txt"}, {"-oF", "a.b"}, {"-om1", "TODO"}, {"-o", `\.go`}, {"-oE", "^a"}, {"-o", `a\+`},
	} {
		assert.True(t, MatchesBare(args), "%q", args)
	}
	for _, args := range [][]string{
		{"[a-z]*"},
		{"-o", "a.*"},
		{"-o", "-v"},
		{"-oE", "+a"},
		{"-oE", "a|*"},
		{"-oE", "(?i)a"},
		{"-oE", "{2}a"},
		{"-o", "[^a]"},
		{"-o", ""},
		{"-o3", "a"},
		{"-on", "a"},
		{"-o", "a", "b", "c"},
		{"-o", "a", "$x"},
		{"-o", `a\`},
		{"-oE", `\(`},
		{"-o", "*a"},
		{"-oF", "a-b"},
		{"-oE", "a{x}"},
	} {
		assert.False(t, MatchesBare(args), "%q", args)
	}
}

func TestKeepsBare(t *testing.T) {
	for line, want := range map[string]bool{
		"head -n": true, "sort -u": true, "sort -k": false, "uniq -c": false, "grep -v": false,
		"tr -d x": true, "tr a b": false, "cut -d: -f1": true, "cut -f 2": true, "cut -d: -f1-2": false, "cut -c1": false,
		"awk {print $2}": true, "awk {print $NF}": true, "awk {print}": false,
	} {
		verb, rest, _ := strings.Cut(line, " ")
		form, args := v1.Form{}, strings.Fields(rest)
		if strings.HasPrefix(rest, "-") {
			form.Put(args[0], "none")
		}
		if verb == "awk" {
			args = []string{rest}
		}
		assert.Equal(t, want, KeepsBare(verb, form, args), line)
	}
}

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
