package shell

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"policyd/extract/shell/command"
	"policyd/extract/shell/guard"
	"policyd/extract/value"
)

// shell.md section 6: the command of find -exec and of xargs stands as an item
// of its own if its input is known, and else stays inside.
func TestCommandsThatXargsAndFindRun(t *testing.T) {
	for line, want := range map[string]string{
		"find . -name '*.go' -exec grep -l x {} +":                                "find, grep",
		"find src docs -type f -exec wc -l {} \\;":                                "find, wc",
		"find . -type f | xargs wc -l":                                            "find, xargs, wc",
		"git ls-files | grep -v vendor | xargs head -3":                           "git ls-files, grep, xargs, head",
		"rg -l x src | sort -u | xargs -n 1 cat":                                  "rg, sort, xargs, cat",
		"find . | xargs -I{} stat {}":                                             "find, xargs, stat",
		"fd -e go -x wc -l":                                                       "fd, wc",
		"fd . src -X head -1 {}":                                                  "fd, head",
		"find . -print0 | sort -z | xargs -0 cat":                                 "find, sort, xargs, cat",
		"git grep -l x | xargs wc -l":                                             "git grep, xargs, wc",
		"git log --oneline -5 | awk '{print $1}' | xargs -I{} git show --stat {}": "git log, awk, xargs, git show",
		"git log --oneline | cut -d ' ' -f1 | xargs -n1 git show --stat":          "git log, cut, xargs, git show",
		"git log --oneline | cut -d: -f1 | xargs -n1 git show --stat":             "git log, cut, xargs",
		"git log --oneline | awk '{print $2}' | xargs -n1 git show --stat":        "git log, awk, xargs",
		"git log --oneline | awk -F: '{print $1}' | xargs git show":               "git log, awk, xargs",
		"git log --oneline | awk '{print $1}' f | xargs git show":                 "git log, awk, xargs",
		"git log --oneline | awk '{print $1}' <<< --output=x | xargs git show":    "git log, awk, xargs",
		"git log --format=%h,%s | awk '{print $1}' | xargs git show":              "git log, awk, xargs",
		"git ls-files | awk '{print $1}' | xargs cat":                             "git ls-files, awk, xargs",
		"ls -t *.log 2>/dev/null | head -1 | xargs tail":                          "ls, head, xargs, tail",
		"git ls-files '*.go' | xargs gofmt -l":                                    "git ls-files, xargs, gofmt",
		// Some of the names, as they are.
		"find . | xargs grep -l x | xargs cat":                  "find, xargs, grep, xargs, cat",
		"git ls-files | xargs grep -L x | xargs wc -l":          "git ls-files, xargs, grep, xargs, wc",
		"find . -exec grep -l x {} + | xargs cat":               "find, grep, xargs, cat",
		"find . | rg -v x | xargs cat":                          "find, rg, xargs, cat",
		"find . | xargs grep x | xargs cat":                     "find, xargs, grep, xargs",
		"find . | xargs grep -c x | xargs cat":                  "find, xargs, grep, xargs",
		"find . | xargs grep -rl x | xargs cat":                 "find, xargs, grep, xargs",
		"find . | xargs grep -l x ../y | xargs cat":             "find, xargs, grep, xargs",
		"find . | xargs -P2 grep -l x | xargs cat":              "find, xargs, grep, xargs",
		"find . | xargs grep -lZ x | xargs cat":                 "find, xargs, grep, xargs",
		"find . -exec grep -l x {} + -print | xargs cat":        "find, grep, xargs",
		"find . -exec grep -l x {} + -ls | xargs cat":           "find, grep, xargs",
		"find . -exec grep -l x {} + -exec wc {} + | xargs cat": "find, grep, wc, xargs",
		"find . | rg -o x | xargs cat":                          "find, rg, xargs",
		"find . | rg -n x | xargs cat":                          "find, rg, xargs",
		// Lines by their numbers.
		"find . | sed -n 2p | xargs cat":             "find, sed, xargs, cat",
		"git ls-files | sed -n '2,5p' | xargs wc -l": "git ls-files, sed, xargs, wc",
		"ls *.go | sed -n '2,$p' | xargs head -1":    "ls, sed, xargs, head",
		"find . | sed -n 's/a/b/p' | xargs cat":      "find, sed, xargs",
		"find . | sed -n /x/p | xargs cat":           "find, sed, xargs",
		"find . | sed -n 2p list | xargs cat":        "find, sed, xargs",
		"find . | sed -n '2,5p;s/a/b/' | xargs cat":  "find, sed, xargs",
		"find . | sed -n 2P | xargs cat":             "find, sed, xargs",
		"find . -print0 | sed -n 2p | xargs -0 cat":  "find, sed, xargs",
		"find . | sed -n -e 2p | xargs cat":          "find, sed, xargs",
		"find . | sed -n \"$x\" | xargs cat":         "find, sed, xargs",
		// A script among its words is read.
		"find . | xargs sh -c 'rm x'":                      "find, xargs, rm",
		"find . -exec sh -c 'wc -l \"$1\" | cat' _ {} \\;": "find, wc, cat",
		"git ls-files | xargs -n1 sh -c 'head -1 \"$0\"'":  "git ls-files, xargs, head",
		"fd -x sh -c id": "fd, id",
		// A loop that names no words goes over all of them.
		"find . -exec sh -c 'for f; do head -1 \"$f\"; done' _ {} +": "find, head",
		"find . | xargs sh -c 'for d do wc -l \"$d\"; done; pwd' _":  "find, xargs, wc, pwd",
		"f() { for x; do cat \"$x\"; done; }; f a":                   "cat",
		// What is read is not known, or more than a name.
		"fd -x cat {.}":                        "fd",
		"fd -x cat {} ';' -x rm {}":            "fd",
		"fd -L -x cat":                         "fd, cat",
		"find . -print0 | xargs cat":           "find, xargs",
		"find . | xargs -0 cat":                "find, xargs",
		"find . -print0 | sort | xargs -0 cat": "find, sort, xargs",
		"ls -a | xargs grep -r x":              "ls, xargs",
		"ls *.log 2>&1 | xargs tail":           "ls, xargs",
		"git ls-files -o :/ | xargs cat":       "git ls-files, xargs",
		"git grep -l x HEAD | xargs cat":       "git grep, xargs",
		"cat list | xargs cat":                 "cat, xargs",
		"find . | sed s/x/y/ | xargs cat":      "find, sed, xargs",
		"find . | head -c 5 | xargs cat":       "find, head, xargs",
		"find . -printf '%p x' | xargs cat":    "find, xargs",
		"find . | xargs cat <<< /etc/passwd":   "find, xargs",
		"find . | xargs cat < list":            "find, xargs",
		"find . 2>&1 | xargs cat":              "find, xargs",
		"find . |& xargs cat":                  "find, xargs",
		"find . | xargs -a list cat":           "find, xargs",
		"find . | xargs -d x cat":              "find, xargs",
		"find . | (cd /etc && xargs cat)":      "find, cd, xargs",
		"find . | xargs sh x":                  "find, xargs",
		// Programs that print their operands may get a name in the middle of one, and what they print is none.
		"find . -exec echo \"== {}\" \\; -exec cat {} \\;":          "find, echo, cat",
		"find . -exec pwd \\;":                                      "find, pwd",
		"find . -exec basename a{} \\;":                             "find, basename",
		"find . -execdir pwd \\;":                                   "find",
		"find . -exec echo \"/etc/{}\" \\; | xargs cat":             "find, echo, xargs",
		"find . -exec echo {} \\; -exec echo ../{} \\; | xargs cat": "find, echo, echo, xargs",
		"find . -exec echo ../{} \\; -exec echo {} \\; | xargs cat": "find, echo, echo, xargs",
		"find . -execdir echo {} \\; | xargs cat":                   "find, xargs",
		"find . -ok echo a{} \\;":                                   "find",
		"find . -execdir ./pwd \\;":                                 "find",
		"lsof -ti:3030 | xargs kill -9":                             "lsof, xargs, kill",
		"lsof -ti:3030 | xargs -r -I{} kill {}":                     "lsof, xargs, kill",
		"lsof -ti:3030 | xargs rm":                                  "lsof, xargs",
		"find . -exec env echo a{} \\;":                             "find",
		// A name that becomes a part of a script may be any script.
		"find . -exec sh -c 'rm {}' \\;":               "find",
		"git ls-files | xargs -I% sh -c 'wc -l %'":     "git ls-files, xargs",
		"find . -exec sh -c 'cat {}' +":                "find",
		"find . -execdir cat {} \\;":                   "find",
		"find . -exec timeout 5 cat {} \\;":            "find",
		"find . -exec cp {} x{} \\;":                   "find",
		"echo a | xargs cat":                           "echo, xargs, cat",
		"echo 'a b' | xargs cat":                       "echo, xargs",
		"echo -e a | xargs cat":                        "echo, xargs",
		"echo a b | xargs -I{} cat {}":                 "echo, xargs",
		"echo a b | xargs -n1 cat":                     "echo, xargs, cat",
		"echo $x | xargs cat":                          "echo, xargs",
		"printf '%s\\n' a b | xargs cat":               "printf, xargs, cat",
		"printf '%s\\n' -n | xargs cat":                "printf, xargs",
		"printf 'x %s\\n' a | xargs cat":               "printf, xargs",
		"ls *.go | xargs cat":                          "ls, xargs, cat",
		"f() { ls *.go; }; f | xargs cat":              "ls, xargs",
		"{ ls *.go 2>&1; } | xargs cat":                "ls, xargs",
		"git log --format=%h | xargs git show":         "git log, xargs, git show",
		"git log --format=%s | xargs git show":         "git log, xargs",
		"git log --graph --format=%h | xargs git show": "git log, xargs",
		"find . | xargs -I{} cat x{}":                  "find, xargs",
		"(find .; echo /etc/passwd) | xargs cat":       "find, echo, xargs",
		"{ echo /etc/passwd; } | grep e | xargs cat":   "echo, grep, xargs",
		"git ls-files --full-name | xargs cat":         "git ls-files, xargs",
		"grep -l --label=/etc/passwd x - | xargs cat":  "grep, xargs",
	} {
		assert.Equal(t, want, verbs(parse(t, line)), line)
	}
}

// The item holds everything below the roots; a second operand role is not safe
// for several names.
func TestAccessesToNames(t *testing.T) {
	assert.Equal(t, "list ., read ./**", accesses(t, "find . -type f | xargs cat"))
	assert.Equal(t, "list src, read src/**", accesses(t, "find src -exec cat {} +"))
	assert.Contains(t, caveats(t, "find . | xargs uniq"), "dynamic_option", "the second name would be written")
	assert.Contains(t, caveats(t, "find . | xargs grep"), "dynamic_option", "the first name would be the pattern")
}

// Where nothing is found, GNU's xargs has grep read its standard input, and grep
// names that.
func TestNamesOfStandardInput(t *testing.T) {
	commands := parse(t, "find src -name x | xargs grep -l x | xargs cat").Commands
	names := ""
	for _, a := range commands[len(commands)-1].Accesses {
		if a.Presence == command.IfExists {
			names += a.Text + ";"
		}
	}
	assert.Equal(t, "(standard;input);(standard input);", names)
}

// Names that a substitution, a loop or read takes from a known stream.
func TestWordsOfNames(t *testing.T) {
	for line, want := range map[string]string{
		"cat $(git ls-files)": "read ./**",
		"while read -r f; do cat \"$f\"; done <<'E'\na.go\nE": "read a.go",
		"xargs cat <<'E'\na.go\nsrc/b\nE":                     "read a.go, read src/b",
		"for f in $(find src -type f); do cat \"$f\"; done":   "list src, read src/**",
		"find src | while read -r f; do cat \"$f\"; done":     "list src, read src/**",
		"diff <(sort a) b":                   "read a, read b/**",
		"cat \"$(dirname src/a.go)/b\"":      "read src/b",
		"cd \"$(pwd)\" && cat x":             "read x",
		"git show \"$(git rev-parse HEAD)\"": "read HEAD",
	} {
		got := parse(t, line)
		assert.Empty(t, got.Messy, line)
		assert.Equal(t, want, accesses(t, line), line)
		for _, c := range got.Commands {
			assert.NotContains(t, []string(c.Caveats), "dynamic_word", line)
		}
	}
	for _, line := range []string{
		"cat $(cat list)", "for f in $(cat list); do cat $f; done", "cat list | while read f; do cat $f; done",
		"find . | while read f; do cat x$f; done", "find . | while read f; do cat $f; done < list",
		"while read -r f; do cat \"$f\"; done <<'E'\na.go\n$x\nE", "while read -r f; do cat \"$f\"; done <<'E'\na b\nE", "while read -r f; do cat \"$f\"; done <<E\n$x\nE",
		"find . | while read a b; do cat $b; done", "cat \"$(find .)/x\"", "cat \"$(dirname $x)\"",
	} {
		got := parse(t, line)
		last := got.Commands[len(got.Commands)-1]
		dynamic := slices.ContainsFunc(last.Accesses, func(a command.Access) bool { return a.Naming == command.Unnamed })
		assert.True(t, dynamic || len(got.Messy) > 0, line)
	}
}

// V8: what a command complains of may be thrown away, and nothing else may become of it.
func TestWordsWithoutErrors(t *testing.T) {
	for line, known := range map[string]bool{
		`cat $(git ls-files 2>/dev/null)`: true, `cat $(git ls-files 2>>/dev/null)`: true, `for f in $(find d -type f 2>/dev/null || true); do cat "$f"; done`: true,
		`git show "$(git rev-parse HEAD 2>/dev/null)"`: true, `git diff --stat $(git merge-base a b 2> /dev/null)`: true, `cat $(git ls-files 2>&1)`: false,
		`cat "$(git rev-parse --show-toplevel 2>/dev/null)/x"`: true, `cat $(git ls-files 2>e)`: false, `cat $(git ls-files 2>/dev/stdout)`: false,
		`cat $(git ls-files 2>/dev/null 2>&1)`: false, `cat $(git ls-files 2>/dev/null >list)`: false, `cat $(git ls-files 2>/dev/null <list)`: false,
		`cat $(git ls-files 3>/dev/null)`: false, `cat $(git ls-files &>/dev/null)`: false, `cat $(git ls-files 2<>/dev/null)`: false,
		`cat $(git ls-files {x}>/dev/null)`: false, `cat $(git ls-files 2>"$x")`: false, `cat $(ls 2>/dev/null; echo /etc/passwd)`: false,
		`git show "$(git rev-parse HEAD x 2>/dev/null)"`: false, `cat $(cat list 2>/dev/null)`: false,
	} {
		got := newTable(t).Parse(line, textual)
		run := got.Commands[len(got.Commands)-1]
		dynamic := slices.ContainsFunc(run.Accesses, func(a command.Access) bool { return a.Naming == command.Unnamed })
		assert.Equal(t, known, !dynamic && len(got.Messy) == 0, "%s: %+v", line, run)
	}
}

// S2: what else may be among names: what grep says of names that are no text in the
// locale, and the mark that BSD's xargs leaves where a name is long.
func TestWordsBesidesNames(t *testing.T) {
	named := func(line, platform, word string) bool {
		options := textual
		options.Platform = platform
		got := newTable(t).Parse(line, options)
		return slices.ContainsFunc(got.Commands[len(got.Commands)-1].Accesses, func(a command.Access) bool { return a.Presence == command.IfExists && a.Text == word })
	}
	assert.True(t, named("find d -type f | grep x | xargs cat", "linux", "matches"))
	assert.True(t, named(`find d -type f | grep x | while read -r f; do cat "$f"; done`, "linux", "Binary file (standard input) matches"))
	assert.False(t, named("find d -type f | grep -a x | xargs cat", "linux", "matches"))
	assert.True(t, named("find d -type f | xargs -I{} cat {}", "darwin", "{}"))
	assert.False(t, named("find d -type f | xargs -I{} cat {}", "linux", "{}"))
	assert.False(t, named("find d -type f | xargs -I -i cat -i", "darwin", "-i"))
}

// V8: the bash that macOS brings has no mapfile, and leaves the array as it was. So does
// any other where there is nothing to read.
func TestArraysThatNothingFills(t *testing.T) {
	for line, known := range map[string]bool{
		`mapfile -t a < <(git ls-files); cat "${a[@]}"`:                  true,
		`a=(/etc/passwd); mapfile -t a < <(git ls-files); cat "${a[@]}"`: false,
		`a=/etc/passwd; mapfile -t a < <(git ls-files); cat "${a[@]}"`:   false,
	} {
		assert.Equal(t, known, len(newTable(t).Parse(line, textual).Messy) == 0, line)
	}
}

// V8: zsh reads a file and the pipe in front, one after the other.
func TestStreamsThatZshJoins(t *testing.T) {
	for _, line := range []string{
		"cat f | while read -r n; do echo $((n)); done < <(seq 3)", "cat f | xargs cat < <(git ls-files)", "cat f | wc -l < g",
	} {
		options := textual
		assert.Empty(t, newTable(t).Parse(line, options).Messy, line)
		options.Shell = "zsh"
		assert.Contains(t, newTable(t).Parse(line, options).Messy, guard.MessyRedirection, line)
	}
}

// S2: errors among names, over a name that standard output has, and the name that
// programs give standard input, are no names.
func TestWordsAmongNames(t *testing.T) {
	for line, named := range map[string]bool{
		"find d -type f 2>/dev/null | xargs cat": true, "find d -type f 2>/dev/stdout | xargs cat": false, "find d -type f 2>>/dev/fd/1 | xargs cat": false,
		"find d -type f 1<>/dev/stdout 2<>/dev/stdout | xargs cat": false, "find d -type f 2>e | xargs cat": false,
		"grep -rl x d | xargs cat": true, "cat f | grep -l x d - | xargs cat": false, "cat f | rg -l x d - | xargs cat": false,
	} {
		got := newTable(t).Parse(line, textual)
		run := got.Commands[len(got.Commands)-1]
		assert.Equal(t, named, run.Verb == "cat" && len(run.Accesses) > 0 && run.Accesses[0].FromStream, "%s: %+v", line, run)
	}
	assert.Empty(t, newTable(t).Parse("n=$(cat f | wc -l 2>/dev/null); echo $((n))", textual).Messy)
	assert.NotEmpty(t, newTable(t).Parse("n=$(cat f | wc -l 2>/dev/stdout); echo $((n))", textual).Messy)
}

// S3: where there may be no name, a program looks everywhere.
func TestNamesThatMayBeNone(t *testing.T) {
	for line, all := range map[string]bool{
		`find d -type f -exec sh -c 'rg x "$@"' {} +`:     true,
		`find d -type f -exec sh -c 'rg x "$@"' {} \;`:    true,
		`git ls-files d | xargs -r -n1 sh -c 'rg x "$@"'`: true,
		`git ls-files d | xargs sh -c 'rg x "$@"' sh`:     true,
		`find d -type f -exec sh -c 'rg x "$@"' sh {} +`:  false,
		`find d -type f -exec sh -c 'rg x "$1"' sh {} \;`: false,
		`git ls-files d | xargs -r sh -c 'rg x "$@"' sh`:  false,
	} {
		accesses := newTable(t).Parse(line, textual).Commands
		found := slices.ContainsFunc(accesses[len(accesses)-1].Accesses, func(a command.Access) bool { return a.Text == "." && a.Below == command.Tree && !a.FromStream })
		assert.Equal(t, all, found, line)
	}
}

// S3: a name that awk takes for an assignment is no file to it.
func TestNamesThatAssign(t *testing.T) {
	for _, program := range []string{"awk", "gawk", "mawk", "nawk"} {
		assert.Equal(t, value.AsInput, last(t, program+" 1 *").Accesses[0].Reading, program)
	}
}
