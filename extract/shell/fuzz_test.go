package shell

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"policyd/extract/shell/command"
	"policyd/extract/shell/host"
)

// FuzzParse holds that no line makes the walk panic or slow, that reading is
// deterministic, and that wrapping a line hides nothing: every command of the
// line is still there, or the wrapped line is messy.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"ls -la", "git -C a log --format=%h -- x | head -20", "for f in a b; do wc \"$f\"; done", "cat <<'E'\nx\nE",
		"x=1; echo $x ${x} $(pwd) $((1+2))", "find . -exec grep x {} +", "timeout 5 env A=b bash -c 'ls; pwd'",
		"[[ -f a && b == c ]] || ! test -d x", "ls # x \\\nrm", "a\r#;b", "cd a || cd b; ls", "a=(x *.go); for f in \"${a[@]}\"; do cat $f; done", "f() { cat \"${1:-x}\"; }; f a; f b",
		"pushd a; ls; popd", "x=a.b; cat ${x%.*} ${x//a/b}", "while read -r f; do break; done < <(find a)", "x=$((1/0)); y=1\nls $y", "sort -oF --outp=x {a,b}*",
	} {
		f.Add(seed)
	}
	table, err := NewTable()
	require.NoError(f, err)
	options := host.Options{Home: "/h", Cwd: "/p", Plain: func(string) bool { return true }}
	f.Fuzz(func(t *testing.T, text string) {
		start := time.Now()
		var line command.Line
		if bytes := allocated(func() { line = table.Parse(text, options) }); bytes > mostBytes {
			t.Fatalf("allocated %d bytes", bytes)
		}
		if took := time.Since(start); took > time.Second {
			t.Fatalf("took %v", took)
		}
		again := table.Parse(text, options)
		if !slices.Equal(verbList(line), verbList(again)) || !slices.Equal(line.Messy, again.Messy) {
			t.Fatal("two readings of one line differ")
		}
		if len(line.Messy) > 0 || len(text) > 4096 || strings.HasSuffix(text, `\`) {
			return
		}
		for _, wrapped := range []string{"( " + text + "\n)", "{ " + text + "\n}", "true && {\n" + text + "\n}", text + "\n pwd"} {
			outer := table.Parse(wrapped, options)
			if len(outer.Messy) > 0 {
				continue
			}
			for _, verb := range verbList(line) {
				if !slices.Contains(verbList(outer), verb) {
					t.Fatalf("%q names %q, and %q doesn't", text, verb, wrapped)
				}
			}
		}
	})
}

func verbList(line command.Line) []string {
	var out []string
	for _, c := range line.Commands {
		out = append(out, c.Verb)
	}
	return out
}
