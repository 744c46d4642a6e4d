package lines

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes command lines that bash reads in all its ways.
type generator struct {
	*rand.Rand
	// known are the lines to mutate.
	known []string
	// digests are those of known; nil picks among known by position.
	digests []uint64
}

// verbs are commands of the kinds that the facts treat differently.
var verbs = []string{
	"ls", "ls -la", "cat", "grep -n x", "grep -rn x", "head -n 3", "wc -l", "git status", "git log --oneline -3", "git diff",
	"git -C src log", "rm -rf", "rm", "mv", "cp", "echo", "printf '%s\\n'", "find .", "find src -name '*.go'", "sort", "sort -u",
	"uniq", "sed -n 1p", "sed 's/a/b/'", "awk '{print $1}'", "cut -d: -f1", "tr a b", "tee", "diff", "stat", "xargs ls",
	"xargs -n1 rm", "python -c x", "make", "npm run build", "go test", "touch", "mkdir -p", "curl", "evil", "nosuch", "./ls",
	"/bin/ls", "/usr/bin/rm -r", "true", "false", "test -f", "[ -f a.txt ]", "jq .a", "rg -n x", "basename", "dirname", "env",
	"date", "pwd", "which", "tree", "file", "du -sh", "seq 3", "sleep 0",
}

// words are operands: plain, quoted, expanded.
var words = []string{
	"a.txt", "b.txt", "README.md", "src", "src/main.go", "docs", "./a.txt", "../proj", "'a b'", `"a b"`, `a\ b`, `"$HOME"`, "~",
	"~/x", "~dev", "~+", "~-", "*", "*.txt", "src/*", "s?c", "[ab].txt", "{a,b}.txt", "{a,b{c,d}}", "{1..3}", "{a..c}x", "$x",
	`"$x"`, "${x}", "${x:-y}", "$(pwd)", `"$(ls)"`, "`ls`", "$((1+2))", "$'a\\x62'", `$"a"`, "-n", "--", "-", "x=1", "''",
	`""`, `a""b`, `a'b'c`, `\a`, `"\$x"`, `'$x'`, "/etc/passwd", "/dev/null", "a#b", "#c", `\#`, "=", "!", "a!", "1", "-rf",
	"$PWD", "$OLDPWD", "$1", "$@", `"$@"`, "$*", "$#", "$?", "$$", "$!", "$-", "${#x}", "${x%.*}", "${x/a/b}", "${!x}",
	"${x@P}", "a,b", "{a", "a}", "{a,b", "%s", "@", "+(a)", "!(a)", "?(a)", "@(a|b)", "*(a)", "['a'b].txt", `["a"].txt`, "[!'x'].txt", "[$x].txt", "[\\a].txt", "*''.txt", "<(ls)", ">(cat)", "^", "a^b",
}

var (
	redirections = []string{
		"> out", ">> out", "< a.txt", "2>/dev/null", "2>&1", "&> out", ">& out", "&>> out", ">| out", "<> a.txt", "1<> a.txt",
		"<<< x", `<<< "$x"`, "3< a.txt", "2>&-", "> $x", "> ~/x", `> "a b"`, "{fd}> out", "<&0", ">&2", ">&1 2>&1", "< <(ls)",
		"> *.log", "<&-", "1>&2-", "> 'a'b", "> {a,b}",
	}
	assigns = []string{
		"x=1", "x='a b'", "LC_ALL=C", "PATH=./b", "x=$(ls)", "x+=a", "x=(a b)", "x[0]=1", "GIT_PAGER=cat", "x=~", "x=*",
		"x=", "x=-la", "f=a.txt", "IFS=:", "HOME=/tmp", "x={a,b}", "x=rm", "GIT_DIR=b", "a=ls",
	}
	separators = []string{
		"; ", " && ", " || ", " | ", " |& ", " & ", "\n", ";", "&&", "||", "|", " ;\n", " &&\n", " |\n", "&", " & \n", "\n\n",
		" \\\n && ", " # c\n", "; # c\n", " #c \\\n",
	}
	directories = []string{"src", "docs", "..", "-", "~", "/tmp", "$x", "'src'", "src/..", "nosuch", "", "-P src", "-- src", "."}
)

func (g *generator) pick(from []string) string { return from[g.IntN(len(from))] }

// chance is true once in n times.
func (g *generator) chance(n int) bool { return g.IntN(n) == 0 }

// line writes one line: built by grammar, or a seed, mutated or not.
func (g *generator) line() string {
	var text string
	switch {
	case g.chance(3):
		text = g.knownLine()
	default:
		text = g.list(3)
	}
	if g.chance(4) {
		text = g.wrapped(text)
	}
	for g.chance(3) {
		text = g.mutated(text)
	}
	return text
}

// list writes commands with separators between them.
func (g *generator) list(depth int) string {
	out := g.command(depth)
	for g.chance(2) {
		out += g.pick(separators) + g.command(depth)
	}
	return out
}

// compounds make a compound command about the list that inner makes. A seed depends on their
// order.
func (g *generator) compounds(inner func() string) []func() string {
	return []func() string{
		func() string { return "( " + inner() + " )" },
		func() string { return "{ " + inner() + "; }" },
		func() string { return "if " + inner() + "; then " + inner() + "; else " + inner() + "; fi" },
		func() string { return "for f in " + g.operands() + "; do " + inner() + "; done" },
		func() string { return "for f in a.txt b.txt; do cat \"$f\"; " + inner() + "; done" },
		func() string { return "while " + inner() + "; do " + inner() + "; break; done" },
		func() string {
			return "case " + g.pick(words) + " in " + g.pick(words) + ") " + inner() + ";; *) " + inner() + ";; esac"
		},
		func() string { return "bash -c " + Quote(inner()) },
		func() string {
			return g.pick([]string{"timeout 5 ", "nice ", "nohup ", "env ", "env A=b ", "command ", "time ", "! ", "exec ", "setsid ", "stdbuf -oL "}) + g.simple()
		},
		func() string { return "cd " + g.pick(directories) + g.pick(separators) + inner() },
		func() string { return g.hereDocument() },
		func() string {
			return "find . -name " + Quote("*.go") + g.pick([]string{" -exec ", " -execdir "}) + g.simple() + g.pick([]string{` \;`, " {} +", ` {} \;`, ` ';'`})
		},
		func() string {
			return g.simple() + " | xargs " + g.pick([]string{"", "-0 ", "-n 1 ", "-I{} "}) + g.simple()
		},
		func() string { return "echo \"$(" + inner() + ")\"" },
		func() string { return "x=" + g.pick(words) + g.pick(separators) + g.simple() + " $x" },
		func() string {
			return "[[ " + g.pick(words) + g.pick([]string{" == ", " =~ ", " -eq ", " < "}) + g.pick(words) + " ]] && " + inner()
		},
		func() string {
			return "cd " + g.pick(directories) + " && " + inner() + "; cd " + g.pick(directories) + "; " + inner()
		},
		func() string { return "until " + inner() + "; do " + inner() + "; break; done" },
		func() string {
			return g.pick([]string{"export ", "declare ", "readonly ", "local ", "typeset -x "}) + g.pick(assigns) + "; " + inner()
		},
		func() string { return "f() { " + inner() + "; }; f" },
		func() string { return "echo `" + g.simple() + "`" },
		func() string {
			return g.pick([]string{"pushd src; ", "(( x = 1 )); ", "let x=1; ", "select f in a; do ", "eval ", "set -f; ", "set -e; ", "trap 'ls' EXIT; "}) + inner()
		},
	}
}

// command writes a simple or a compound command.
func (g *generator) command(depth int) string {
	if depth <= 0 || g.IntN(10) < 6 {
		return g.simple()
	}
	inner := func() string { return g.list(depth - 1) }
	switch g.IntN(6) {
	case 0:
		return g.stateful(depth)
	case 1:
		return g.retold(depth)
	case 2, 3:
		return g.fill(g.pick(forms), depth)
	}
	kinds := g.compounds(inner)
	return kinds[g.IntN(len(kinds))]()
}

// members are words that name parts of arrays and parameters, and what
// operators make of them.
var members = []string{
	`"${a[@]}"`, "${a[@]}", `"${a[*]}"`, `"${a[0]}"`, "${a[1]}", `"${a[-1]}"`, `"${#a[@]}"`, `"${!a[@]}"`, "$a", `"$a"`, `"${a[i]}"`,
	`"${a[$i]}"`, `"${m[k]}"`, `"${m[$x]}"`, `"${!m[@]}"`, `"${a[@]:1}"`, `"$1"`, "$1", `"$2"`, `"$@"`, "$@", `"$*"`, "$#", `"${1:-src}"`,
	`"${x%.*}"`, `"${x##*/}"`, `"${x/a/b}"`, `"${x//./_}"`, `"${x:0:3}"`, `"${x:1}"`, `"${x^^}"`, `"${x,,}"`, `"${#x}"`, `"${x:-b.txt}"`,
	"${x%%t*}", "${x#*.}", `"x${a[@]}y"`, `"${a[0]%.txt}"`, "$((i + 1))", "$((i / j))", "$((08))", "$((1 - 5))", `"$f"`,
}

// stateful writes commands that change what later ones mean: arrays,
// functions, directories that are left and come back to, and bodies and lines
// that end early.
func (g *generator) stateful(depth int) string {
	inner := func() string { return g.list(depth - 1) }
	uses := func() string { return g.pick(verbs) + " " + g.pick(members) }
	array := func() string { return g.pick([]string{"", "", "+"}) + "=(" + g.operands() + ")" }
	ends := g.pick([]string{"break", "continue", "break 2", "return", "exit 1", "x=$((1/0))", "false && break", "[ -f a.txt ] && continue"})
	switch g.IntN(14) {
	case 0:
		return "a" + array() + g.pick(separators) + uses() + "; " + inner()
	case 1:
		return "a" + array() + "; a" + array() + "\nfor f in " + g.pick(members) + "; do " + g.pick(verbs) + ` "$f"; ` + inner() + "; done"
	case 2:
		return "declare -A m=([k]=" + g.pick(words) + " [j]=b.txt); x=" + g.pick([]string{"k", "j", "z", "*"}) + "; " + uses()
	case 3:
		return "declare -a a=(" + g.operands() + "); i=" + g.pick([]string{"0", "1", "9", "x"}) + "; " + uses()
	case 4:
		return "f() { " + uses() + "; " + inner() + "; }; f " + g.operands() + g.pick(separators) + uses()
	case 5:
		return "g() { local x=" + g.pick(words) + "; x=" + g.pick(words) + "; cd " + g.pick(directories) + "; " + ends + "; " + uses() + "; }\nx=a.txt; g " + g.operands() + "; " + uses()
	case 6:
		return "h() ( cd " + g.pick(directories) + "; " + uses() + " ); h " + g.pick(words) + "; " + inner()
	case 7:
		return "pushd " + g.pick(directories) + g.pick(separators) + inner() + g.pick(separators) + "popd" + g.pick(separators) + inner()
	case 8:
		return "cd " + g.pick(directories) + g.pick(separators) + "cd " + g.pick(directories) + g.pick(separators) + "cd -" + g.pick(separators) + g.simple()
	case 9:
		return "x=a.txt; for f in 1 2; do x=src; " + ends + "; x=b.txt; done; " + g.pick(verbs) + " $x"
	case 10:
		return "x=" + g.pick(words) + "; y=$((" + g.pick([]string{"1/0", "08", "5 - $n", "i/j", "1+2"}) + ")); x=b.txt\n" + g.pick(verbs) + ` "$x"`
	case 11:
		return "x=" + g.pick([]string{"src/app.py", "a.txt", "'a b'", "-la", "a*"}) + "; i=1; j=0; " + uses()
	case 12:
		return g.pick([]string{"ls *.txt", "printf '%s\\n' *.txt", "echo a.txt b.txt", "ls -d */", "printf '%s\\n' 'a b' -n", "echo -n a.txt"}) +
			g.pick([]string{" | xargs ", " | xargs -n1 ", " | xargs -I{} "}) + g.pick(verbs)
	}
	return g.pick([]string{"ls *.txt", "printf '%s\\n' *.txt src/*", "echo a.txt"}) + " | while read -r f; do " + g.pick(verbs) + ` "$f"; ` + inner() + "; done"
}

var (
	// holders are variables, those among them that shells set by themselves.
	holders = []string{"x", "y", "f", "_", "i", "a", "REPLY", "IFS"}
	// held are what a variable may be given.
	held = []string{
		"a.txt", "b.txt", "src", "src/main.go", "..", "-n", "08", "0", "7", "''", `"a b"`, `"*.txt"`, "$x", `"$y"`, "${f%.*}", `"$1"`, "$_", "$?", "$#",
		"$i$i", "0$i", "$?8", "0$((7 + 1))", "$((i + 1))", `"${a[0]}"`, `"$(echo b.txt)"`, "$(wc -l < a.txt)", `"$PWD"`, "${x:-b.txt}", "x=1",
	}
	// insideShell are the words in front of a builtin that leave it in this shell, or don't.
	insideShell = []string{"", "", "command ", "builtin ", "command -p ", "command command ", "time ", "! ", "nice ", "env ", "x=1 ", "LC_ALL=C ", "\\"}
	// failing are redirections that may keep what they belong to from running.
	failing = []string{"< nosuch", "<&9", "2>&1", "< a.txt", ">&-", "<&-", "2>/dev/null", "> src", "< $(echo a.txt)", "<<< x"}
)

// retold writes a variable, a directory or the parameters that are set one way and then another, where
// something is in between that the second may not get over, and a command that depends on it.
func (g *generator) retold(depth int) string {
	name := g.pick(holders)
	set := func() string {
		switch g.IntN(9) {
		case 0:
			return g.pick(insideShell) + "read -r " + name + g.pick([]string{"", " y"}) + " <<< " + g.pick(held)
		case 1:
			return g.pick([]string{"declare ", "local ", "typeset ", "command declare ", "declare -a "}) + name + "=" + g.pick(held)
		case 2:
			return name + "=(" + g.pick(held) + " " + g.pick(held) + ")"
		case 3:
			return "((" + name + g.pick([]string{" = 1", "++", " += i", " = 08", " = 1 / i"}) + "))"
		case 4:
			return g.pick(insideShell) + "cd " + g.pick([]string{"", "-- ", "-- -L ", "-P -- ", "-L -P ", "-- -- "}) + g.pick(directories)
		case 5:
			return g.pick(insideShell) + "shift" + g.pick([]string{"", " 1", " 2", " $i", " 0"})
		}
		return name + "=" + g.pick(held)
	}
	use := func() string {
		return g.pick(verbs) + " " + g.pick([]string{`"$` + name + `"`, "$" + name, "${" + name + "%.*}", `"${` + name + `[0]}"`, `"${` + name + `[1]}"`, `"$1"`, `"$@"`, "../a.txt", "$((" + name + "))"})
	}
	between := g.pick([]string{
		"", "true; ", "y=$(($" + name + ")); ", "y=$((" + name + ")); ", "m[$y]=x; ", "ls b.txt; ", "echo \"${a[$i]}\"; ", "[ -f a.txt ] && ", "[[ -f nosuch ]] || ",
		"true && ", "false || ", "break; ", "return; ", ": $((1/i)); ", "g() { " + set() + "; }; g; ", "( " + set() + " ); ", set() + " | true; ", set() + " & ",
	})
	redirected := g.pick([]string{"", "", " " + g.pick(failing)})
	switch g.IntN(9) {
	case 0:
		return set() + "; " + between + "{ " + set() + "; }" + redirected + "\n" + use()
	case 1:
		return "g() { " + set() + "; " + between + set() + redirected + "; " + use() + "; }; " + set() + "; g " + g.operands() + "; " + use()
	case 2:
		return "for " + name + " in " + g.pick(held) + " b.txt; do " + between + set() + "; " + use() + "; done; " + use()
	case 3:
		return "case " + g.pick(held) + " in " + g.pick([]string{"a.txt", "*", "[ab]*", "$x"}) + ") " + set() + ";; *) " + between + set() + ";; esac; " + use()
	case 4:
		return "while read -r " + name + " y; do " + between + use() + "; " + set() + "; done " + g.pick([]string{"< a.txt", "< <(ls *.txt)", "<<< b.txt", "< nosuch"}) + "; " + use()
	case 5:
		return "declare -A m; " + set() + "; " + between + "m[$" + name + "]=b.txt; " + set() + "\n" + use() + `; cat "${m[$` + name + `]}"`
	case 6:
		return set() + "; x=$(" + set() + "; " + between + use() + "); " + use() + ` "$x"`
	}
	return set() + redirected + "; " + between + set() + g.pick([]string{"\n", "; ", " && "}) + use() + "; " + g.list(depth-1)
}

// simple writes a simple command.
func (g *generator) simple() string {
	var out strings.Builder
	for g.chance(8) {
		out.WriteString(g.pick(assigns) + " ")
	}
	for g.chance(20) {
		out.WriteString(g.pick(redirections) + " ")
	}
	out.WriteString(g.pick(verbs))
	if g.IntN(3) > 0 {
		out.WriteString(" " + g.operands())
	}
	for g.chance(5) {
		out.WriteString(" " + g.pick(redirections))
	}
	return out.String()
}

// word writes one word, as a rule.
func (g *generator) word() string {
	if g.chance(4) {
		return g.fill(g.pick(oddWords), 1)
	}
	return g.pick(words)
}

func (g *generator) operands() string {
	out := g.word()
	for g.chance(2) {
		out += g.pick(blanks) + g.word()
	}
	return out
}

// blanks are between words.
var blanks = []string{" ", " ", " ", " ", " ", " ", "  ", "\t", " \\\n", " \t "}

func (g *generator) hereDocument() string {
	delimiter := g.pick([]string{"EOF", "'EOF'", `"EOF"`, `\EOF`, "E'O'F"})
	body := g.pick([]string{
		"x\n", "$x\n", "$(ls)\n", "`ls`\n", "\\\nEOF\n", "${x:-\n", "'\n", "\"\n", "EOF \n", "\tEOF\n", " \\\\\n", "a\\\n", "(\n", "",
	})
	if g.IntN(2) == 0 { // expansions that end in their line, or nearly do
		body += g.pick([]string{
			"$(" + g.simple() + ")\n", "a $(" + g.simple() + ") \"$x\" b\n", "$(" + g.simple() + ") $(" + g.simple() + ")\n", "${x} $HOME\n", "$(ls '\nEOF\n')\n",
			"$(ls \"\nEOF\nls\n\")\n", "$(ls # )\nEOF\nls )\n", "$(cat <<E\nEOF\nE\n)\n", "$(ls) ' $(" + g.simple() + ") '\n", "$((x))\n", "${x:-$(ls)}\n", "$[x]\n", "\\$(ls)\n",
			"$(ls\n", "$(case x in x) ls;; esac)\n", "${x'\nEOF\nls '}\n", "$(ls ${x:-)\nEOF\n)\n",
		})
	}
	operator := g.pick([]string{"<<", "<<-", "<< "})
	return fmt.Sprintf("%s %s%s%s\n%sEOF\n%s", g.pick(verbs), operator, delimiter,
		g.pick([]string{"", "", " | cat", " && ls", "; ls", " > out"}), body, g.simple())
}

// wrapped puts a line into another.
func (g *generator) wrapped(text string) string {
	switch g.IntN(8) {
	case 0:
		return "( " + text + "\n)"
	case 1:
		return "{ " + text + "\n}"
	case 2:
		return "true && { " + text + "\n}"
	case 3:
		return "bash -c " + Quote(text)
	case 4:
		return "sh -c " + Quote(text)
	case 5:
		return text + "\n" + g.simple()
	case 6:
		return "env bash -c " + Quote(text)
	}
	return g.simple() + " && " + text
}
