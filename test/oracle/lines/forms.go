package lines

import "strings"

// Forms are the ways of writing commands that the grammar of generator has no rule for. The text between «
// and » is generated anew wherever it is:
//
//	list, simple, verb, word, words, assign, redirection, directory   as generator writes them
//	quoted, double, within   a list in single quotes, in double quotes, as an argument of eval
//	text                     a line of a here-document
const (
	opening = "«"
	closing = "»"
)

// oddWords are words that shells read in more than one step.
var oddWords = []string{
	`$'\x72\x6d'`, `$'a\'b'`, `$'\cA'`, `$'\0x'`, `$'\e'`, `$'\u00e9'`, `$'a\nb'`, `$'\'`, `"a\` + "\n" + `b"`, "a\\\nb", "'a\\\nb'", "\\\n", `"\` + "`" + `ls"`,
	`"$(echo ")")"`, `"$(echo ')')"`, `"${x:-"a b"}"`, `${x:-'a b'}`, `"${x:-'a b'}"`, `"${x#'a'}"`, `${x:+$(«simple»)}`, `"${x:=$(«simple»)}"`, `${x:?m}`, "${x?}",
	"${x@Q}", "${x@U}", "${x@a}", "${!x*}", `"${!x@}"`, "${x^^[a-z]}", "${@:2}", `"${@:1:1}"`, "${*%a}", "${#@}", "$[1+2]", "$[x]", "$((x=1))", "$((a[0]))", "$((0x1F))",
	"$((2#101))", "$(( $(ls) ))", "$((${x:-1}))", "$(<a.txt)", "$(< a.txt)", "`<a.txt`", "$(cat <<E\nx\nE\n)", "`echo \\`ls\\``", "\"`echo \\\"a\\\"`\"", "`echo '$x'`", "`echo \\$x`",
	"$(case x in x) ls;; esac)", "$(case x in (x) ls;; esac)", "$(# c\nls)", "$(ls # c )\n)", "$( (ls) )", "$((ls) )", "$( { ls; } )", "${ ls; }", "${|ls;}", "$()", "$(\n)", "$(ls;)",
	"$(ls\n)", "$(ls | cat)", "$(cd src && pwd)", `"$(cd "$(dirname "$0")" && pwd)"`, "$(ls &)", "$(! ls)", "$(«list»)", `"$(«list»)"`, "`«simple»`", "$(«verb» <<<«word»)",
	`{a,"b c"}`, `{a,'b,c'}`, `{a,\,b}`, "{a..e..2}", "{01..03}", "{3..1}", "{a,b}{c,d}", "x{a,$x}", "{$x,b}", `{"a",b}`, `"{a,b}"`, "a{,b}", "{,}", "{}", "{a}", "${x}{a,b}", "{a,b}$x", "{-n,--}",
	`{a\,b}`, "{a,b}.{txt,md}", "{a,{b,c}", "{{a,b},c}", "{a,b}}", "{x,$(ls)}", "$x{a,b}", "{~,src}", "{*,src}", `\{a,b}`, "{a,b\\}", "{1..$x}", "{a..}", "{..a}", "{a,b}/../c",
	`~/"a"`, `~"/a"`, `"~"`, "a:~", "--x=~/a", "~$USER", `\~`, "~root", "~nosuch/x", "x:~/a", "~/*", "~/{a,b}", "~a/b", "'~'/a", "~\\/a", "${x:-~}", `"${x:-~}"`,
	"[[:alpha:]]*", "[]a]*", "[^a]*", "[a-b].txt", "[!!]", `[\]]`, "[a", "a]", "**", "**/*.go", "*/", ".*", "?", "????", "src/*.g[o]", "*[.]txt", "./*", ".?*", `"*".txt`, `*".txt"`, `*\.txt`, "$x*", `"$x"*`,
	"!!", "!$", "!ls", "!-1", "^a^b", "a!b", `"!x"`, "!?a", "%1", "%+", "@(a.txt|b.txt)", "!(a.txt)", "*(?)", "a@(b)", "a+(b)c",
	"a=b", "a[0]=b", "a+=b", "=a", "a=", "-a=b", "'a'=b", "a=(b)", "a=b=c", "$x=1", "a\tb", `a\	b`, "'a\tb'", "a\vb", "a\fb", "\u00a0", "é", "\u200b", "\xff", "a\xe9b", "\x7f", "\x01",
	"$0", "${0}", "$_", "$-", "${1}", "${10}", "$10", `"${1+"$@"}"`, "${@}", "$@$@", `a"$@"b`, `"$@"b`, "${x}$y", "$x$", "$", "$ ", `"$"`, "$%", "${#}", "${##}", "${#-}", "${-}", "${?}", "${!#}", `"${!x}"`, "${x[0]}", "${x[@]}",
}

// forms are commands.
var forms = []string{
	// Words in front.
	"time «list»", "time -p «simple»", "time -- «simple»", "! ! «simple»", "time ! «simple»", "! time «simple»", "! { «list»; }", "time { «list»; }", "time ( «list» )", "time\n«simple»",
	"«assign» «assign» «simple»", "«assign» «redirection» «simple»", "«redirection» «assign» «simple»", "«redirection»\n«simple»", "«redirection» «redirection» «simple»", "«simple» «redirection» «word»",
	"exec «simple»", "exec «redirection»; «list»", "exec -a «word» «simple»", "exec -c «simple»", "exec 3< a.txt; cat <&3; «simple» 3<&-", "exec 3>&1; «simple» >&3", "exec {fd}< a.txt; cat <&$fd",
	"( exec «simple» )", "command exec «simple»", "exec < <(«simple»); «list»",
	// Wrappers.
	"command «simple»", "command -p «simple»", "command -- «simple»", "command -v «verb»", "command -V «verb»", "builtin «simple»", "command command «simple»", "command builtin cd «directory»; «list»",
	"env «simple»", "env -i «simple»", "env -u x «simple»", "env - «simple»", "env -- «simple»", "env «assign» «simple»", "env -i «assign» «simple»", "env -C src «simple»", "env -S «quoted»", "env --unset=x «simple»",
	"nice «simple»", "nice -5 «simple»", "nice -n 5 «simple»", "nice --adjustment=5 «simple»", "nice -n5 «simple»", "nohup «simple»", "nohup -- «simple»", "setsid «simple»", "setsid -w «simple»", "setsid --wait «simple»",
	"timeout 5 «simple»", "timeout -k 1 5 «simple»", "timeout -s KILL 5s «simple»", "timeout --signal=KILL 5 «simple»", "timeout --foreground 5 «simple»", "timeout -v 5 «simple»", "timeout «word» «simple»",
	"stdbuf -oL «simple»", "stdbuf -o0 -eL «simple»", "stdbuf -i 0 «simple»", "stdbuf --output=L «simple»", "timeout 5 env nice «simple»", "env nice timeout 5 «simple»", "command env bash -c «quoted»", "nice bash -c «quoted»",
	"timeout 5 bash -c «quoted»", "sudo «simple»", "sudo -u dev «simple»", "sudo -n -- «simple»", "sudo A=b «simple»", "sudo -E env «simple»", "doas «simple»", "time env «simple»", "! timeout 5 «simple»", "ionice -c 3 «simple»", "strace -f «simple»",
	"bash -c «quoted»", "bash -ec «quoted»", "bash -lc «quoted»", "bash -c «double»", "bash -c «quoted» a b.txt", "bash -c 'ls \"$0\" \"$1\"' «words»", "bash -c '\"$@\"' _ «simple»", "bash -c -- «quoted»", "bash +x -c «quoted»",
	"bash -o pipefail -c «quoted»", "bash --norc -c «quoted»", "bash -xc «quoted»", "bash -c «quoted» «redirection»", "bash -c ls$x", "bash -c $'ls\\nrm x'", "bash -c \"«simple»\"", "bash -c 'cd src && '«quoted»", "bash -uc «quoted»", "bash -c «word»",
	"sh -c «quoted»", "sh -ec «quoted»", "dash -c «quoted»", "bash -c \"bash -c «quoted»\"", "bash <<< «quoted»", "echo «quoted» | bash", "echo «quoted» | sh -s", "bash -s «words» <<'EOF'\n«list»\nEOF\n", "bash <<'EOF'\n«list»\nEOF\n", "bash <<EOF\n«list»\nEOF\n",
	"bash run.sh", "bash < run.sh", "bash ./run.sh «words»", ". ./run.sh", "source run.sh", "sh run.sh", "cat run.sh | bash", "bash <(echo «quoted»)", "eval «within»", "eval «word»", "eval ls", "eval \"$(«simple»)\"", "x='«simple»'; $x", "x='«verb»'; eval \"$x\"",
	"«simple» | xargs «simple»", "«simple» | xargs -r «verb»", "«simple» | xargs -n1 «simple»", "«simple» | xargs -d '\\n' «simple»", "«simple» | xargs -L1 «verb»", "«simple» | xargs -P2 -I% sh -c 'ls %'", "«simple» | xargs -I% «verb» %", "«simple» | xargs -I {} «verb» {}/x",
	"xargs -a a.txt «simple»", "xargs < a.txt «verb»", "xargs <<< «words»", "echo «words» | xargs bash -c 'ls \"$@\"' _", "echo «words» | xargs -0 «verb»", "echo «words» | xargs env «simple»", "echo «word» | xargs -t «simple»", "echo «quoted» | xargs -I{} bash -c {}", "echo «words» | xargs -n1 timeout 5 «verb»",
	"find . -exec «simple» {} \\;", "find . -exec «verb» {} +", "find src -execdir «verb» {} \\;", "find . -ok «verb» {} \\;", "find . -exec sh -c 'ls \"$1\"' _ {} \\;", "find . -exec bash -c «quoted» \\;", "find . -exec ls {} + -exec cat {} \\;", "find . \\( -exec «verb» {} \\; -o -print \\)",
	"find . -name '*.txt' -delete", "find . -exec env nice «verb» {} +", "find . -exec timeout 5 «verb» {} \\;", "find «words» -exec «verb» {} ';'", "find . -fprint out", "find . -type f -print0 | xargs -0 «verb»", "find . -exec «verb» {}x {} \\;", "find src -name «word» | xargs «verb»", "find . -exec {} \\;",
	// Compound commands.
	"if «list»; then «list»; elif «list»; then «list»; fi", "if ! «simple»; then «list»; fi", "if [ «word» = «word» ]; then «list»; fi", "if [[ «word» ]]; then «list»; fi", "if (( «word» )); then «list»; fi", "if\n«list»\nthen\n«list»\nfi",
	"for f; do «list»; done", "for f do «list»; done", "for f in «words»; { «list»; }", "for f in «words»\ndo «list»\ndone", "for f in «words»; do «verb» \"$f\"; done > out", "for f in *.txt; do «verb» \"$f\" \"${f%.txt}.md\"; done", "for f in; do «list»; done", "for f in # c\ndo «list»; done",
	"for ((i=0;i<2;i++)); do «list»; done", "for ((;;)) { «list»; break; }", "for ((i=0;i<2;i++)); do «verb» $i; done", "for ((i=$(ls);i<1;i++)); do «list»; done", "for (( ; i < 1; i++ )) do «list»; done",
	"while «simple»; do «list»; break; done < a.txt", "while read -r f; do «verb» \"$f\"; done < a.txt", "while IFS= read -r f; do «verb» $f; done <<< «word»", "while :; do «list»; break; done", "until «simple»; do «list»; done & «simple»", "while read -r a b; do «verb» $b; done <<'EOF'\n«text»EOF\n",
	"while ! «simple»; do «list»; break; done", "while («list»); do «list»; break; done", "select f in «words»; do «list»; break; done < a.txt", "select f; do «list»; done <<< 1",
	"case «word» in («word») «list»;; esac", "case «word» in «word»|«word») «list»;& *) «list»;; esac", "case «word» in «word») «list»;;& *) «list»; esac", "case $x in esac; «list»", "case in in in) «list»;; esac", "case «word» in\n«word»)\n«list»\n;;\nesac", "case x in x) ;; esac; «list»",
	"case «word» in # c\n«word») «list» ;; esac", "case esac in (esac) «list»;; esac", "case «word» in \"«verb»\") «list»;; esac", "case $(«list») in *) «list»;; esac",
	"{ «list»; } «redirection»", "( «list» ) «redirection»", "{ «list»\n}", "{\n«list»; }", "(«list»)", "((«simple») | cat)", "((«simple»); «simple»)", "( («list») )", "{ { «list»; }; }", "{ «list»; } | { «list»; }", "( «list» ) | ( «list» )", "( «list» ) && { «list»; }", "{ «list»; } &", "{«list»; }", "( «list» ) «word»",
	"coproc «simple»", "coproc X { «list»; }", "coproc { «list»; }; «simple»", "coproc X ( «list» )",
	"[[ «word» && «word» ]]", "[[ ! «word» ]] || «list»", "[[ $(«list») ]]", "[[ «word» =~ ^(x|y)$ ]] && «list»", "[[ -f a.txt || ( -d «word» && -e b ) ]]", "[[ $x -nt «word» ]]", "[[ -v x ]]", "[[ -v «word» ]]", "[[ «word» = «word»* ]]", "[[ $x == @(a|b) ]]", "[[ a -lt «word» ]]", "[[ -n $(«simple») && -z «word» ]]",
	"(( $(«simple») ))", "(( a[$(«simple»)] ))", "(( x ? 1 : 2 ))", "(( x++ )) || «list»", "((x=1)); «list»", "(( «word» ))", "let «word»", "let x=«word»", "let 'x = 1' && «list»", "(( 1 )) «redirection»",
	"test «word» -a «word»", "[ «word» -o «word» ]", "[ -n «word» ] && «list»", "[ ! -e «word» ] || «list»", "[ «word» -eq «word» ]", "test -v «word»", "[ -z \"$(«simple»)\" ]",
	// Functions and aliases.
	"function f { «list»; }; f", "function f() ( «list» ); f «words»", "f() if «list»; then «list»; fi; f", "f() ( «list» ); f", "f() { «list»; } > out; f", "f() { «list»; } «redirection»\nf", "ls() { «list»; }; ls", "a-b() { «list»; }; a-b", "f(){ \"$@\"; }; f «simple»", "f() { $1 x; }; f «verb»",
	"f() { «verb» \"$@\"; }; f «words»", "f() { «verb» \"$1\" \"${2:-b.txt}\"; }; f «words»; f", "f() { local x=$1; shift; «verb» \"$x\" \"$@\"; }; f «words»", "f() { «list»; }; g() { f; }; g", "f() { «list»; }; unset -f f; f", "f() { «list»; }; export -f f; bash -c f", "f() { «list»; }; ( f ); f | cat",
	"if «simple»; then f() { «list»; }; fi; f", "( f() { «list»; } ); f", "f() { f() { «list»; }; }; f; f", "f()\n{\n«list»\n}\nf", "f () { «list»; }; f & wait", "f() { return 1; «list»; }; f || «list»", "f() { cd «directory»; }; f; «simple»", "f() { x=«word»; }; f; «verb» $x", "f() { «list»; }; f «redirection»", "f() { «list»; }; x=1 f",
	"f() { cat; }; «simple» | f", "f() { «list»; }; timeout 5 f", "f() { «list»; }; command f", "f() { «list»; }; \\f", "f() { «list»; }; env f", "f() { «list»; }; $(echo f)", "f() { echo «word»; }; «verb» $(f)", "f() { «list»; }; xargs f", "f() { local -r x=«word»; «verb» \"$x\"; }; f", "function f { «list» }; f",
	"alias ls='rm x'; ls", "shopt -s expand_aliases\nalias ls='rm x'\nls", "shopt -s expand_aliases\nalias x='«simple»'\nx «words»", "unalias ls; ls", "alias", "alias x=«quoted»\nx",
	// Builtins.
	"type «verb»", "hash «verb»", "hash -r; «simple»", "enable -n cd; «list»", "mapfile -t a < a.txt; «verb» \"${a[@]}\"", "mapfile -t a < <(«simple»); «verb» \"${a[0]}\"", "readarray -t a <<< «word»; «verb» \"${a[@]}\"", "read -r x < a.txt; «verb» $x", "read x y <<< «word»; «verb» \"$x\"", "read -p a -r x <<< «word»; «verb» \"$x\"",
	"read -ra a <<< «quoted»; «verb» \"${a[@]}\"", "IFS=, read -r x y <<< «word»; «verb» \"$y\"", "IFS=: read -ra a <<< \"$PATH\"; «verb» \"${a[0]}\"", "read; «verb» \"$REPLY\"", "printf -v x '%s' «word»; «verb» \"$x\"", "printf '%s\\n' «words» | while read -r f; do «verb» \"$f\"; done", "getopts a: x «words»; «verb» $OPTARG",
	"local x=«word»; «list»", "declare -n x=y; y=«word»; «verb» $x", "declare -f; «list»", "declare -p x", "declare -i x=«word»; «verb» $x", "declare -u x=«word»; «verb» $x", "declare -l x=A.TXT; «verb» $x", "declare -x x=«word»; «simple»", "declare -r x=«word»; «verb» \"$x\"", "declare «assign»; «list»", "declare -g x=«word»; «verb» $x",
	"export -n x; «list»", "export x; «simple»", "export x=«word» y=«word»; «verb» $x $y", "export -p", "readonly x=«word»; x=b; «verb» $x", "unset x; «verb» $x", "unset 'a[0]'; «verb» \"${a[0]}\"", "unset -v x y; «verb» «word»", "set -- «words»; «verb» \"$1\"", "set -- «words»; «verb» \"$@\"", "set -- «words»; shift; «verb» \"$@\"", "set «words»; «verb» $1",
	"set -f; «simple»", "set -u; «simple»", "set -eu -o pipefail; «list»", "set -x; «list»", "set -n; «list»", "set -k; «simple»", "set -o noglob; «simple»", "set +o posix; «simple»", "set -a; x=1; «simple»", "set -C; «simple» > out", "shopt -s nullglob; «simple»", "shopt -s dotglob globstar; «simple»", "shopt -s extglob\n«simple»", "shopt -s failglob; «list»",
	"shopt -s extglob; «verb» !(a.txt)", "shopt -s lastpipe; «simple» | read x; «verb» $x", "shopt -u sourcepath; «simple»", "umask 077; «simple»", "wait; «simple»", "«simple» & wait $!; «simple»", "jobs; «list»", "jobs -p", "kill %1", "times", "dirs; «simple»", "pushd src; «simple»; popd; «simple»", "pushd src && pushd ../docs; popd; «simple»", "pushd; «simple»", "pushd -n src; «simple»", "pushd +1; «simple»", "popd; «simple»",
	"history; «simple»", "fc -l", "bind -x x", "complete -C «verb» x", "compgen -c", "ulimit -c 0; «simple»", "trap «quoted» EXIT; «list»", "trap - INT; «simple»", "trap '' INT; «simple»", "trap «quoted» DEBUG; «simple»", "trap «quoted» ERR; false", "return; «simple»", "exit; «simple»", "exit «word»; «simple»", ": «words»; «simple»", ": > out; «simple»", ": ${x:=«word»}; «verb» $x", ": \"${x:=«word»}\"; «verb» \"$x\"",
	"cd «directory» > out; «simple»", "cd «directory» || exit; «simple»", "cd «directory» || return 1; «simple»", "(cd «directory»; «simple»); «simple»", "cd src; cd ..; «simple»", "cd src && cd - && «simple»", "CDPATH=src cd «directory»; «simple»", "cd \"$(pwd)\" && «simple»", "cd -P src; «simple»", "cd src; cd \"$OLDPWD\"; «simple»", "cd a b; «simple»", "cd «word» && «simple»", "cd src & «simple»", "cd src | «simple»", "! cd src; «simple»", "cd src; PWD=/x; «simple»",
	"OLDPWD=src; cd -; «simple»", "x=src; cd $x && «simple»", "x=src; cd \"$x\"/..; «simple»", "for d in src docs; do cd $d; «simple»; cd ..; done", "for d in src docs; do (cd \"$d\" && «simple»); done", "while cd ..; do «simple»; break; done", "if cd src; then «simple»; fi; «simple»", "cd src\n«simple»\ncd ..\n«simple»", "case x in x) cd src;; esac; «simple»", "[[ -d src ]] && cd src; «simple»", "f() { cd src; «simple»; }; (f); «simple»",
	// Here-documents and here-strings.
	"«verb» <<A <<B\n«text»A\n«text»B\n", "«verb» <<-EOF\n\t«text»\tEOF\n«simple»", "«verb» <<\"E F\"\n«text»E F\n«simple»", "«verb» <<''\n«text»\n«simple»", "«verb» <<E\\ F\n«text»E F\n«simple»", "«verb» <<$x\n«text»$x\n«simple»", "«verb» <<$(a)\n«text»$(a)\n«simple»", "«verb» <<$'E'\n«text»E\n«simple»", "«verb» <<$\"E\"\n«text»E\n«simple»",
	"while read -r f; do «verb» \"$f\"; done <<EOF\n«text»EOF\n«simple»", "«verb» 3<<EOF <&3\n«text»EOF\n«simple»", "«verb» <<EOF | «simple»\n«text»EOF\n«simple»", "«verb» <<EOF && «simple»\n«text»EOF\n", "x=$(cat <<EOF\n«text»EOF\n); «verb» $x", "f() { cat <<EOF\n«text»EOF\n}; f", "{ cat <<EOF\n«text»EOF\n}; «simple»", "( cat <<'EOF'\n«text»EOF\n)\n«simple»",
	"«verb» <<EOF\n«text»", "«verb» <<EOF\n«text»EOF", "cat <<EOF > out\n«text»EOF\n«simple»", "cat > out <<'EOF'\n«text»EOF\n«simple»", "cat <<EOF; «simple»\n«text»EOF\n", "cat <<EOF # c\n«text»EOF\n«simple»", "cat <<EOF \\\n«words»\n«text»EOF\n«simple»", "if cat <<EOF; then\n«text»EOF\n«list»; fi", "cat <<EOF &\n«text»EOF\n«simple»", "cat << 'EOF' «words»\n«text»EOF\n",
	"«verb» <<<«word»", "«verb» <<< «word» «word»", "«verb» <<<$(«simple»)", "«verb» <<<\"$(«list»)\"", "«verb» <<<'a\nb'", "«verb» <<< «word» <<< «word»", "diff <(cat <<A\n«text»A\n) b.txt", "cat <<\\EOF\n«text»EOF\n«simple»", "cat <<EO\\\nF\n«text»EOF\n«simple»", "cat <<EOF\n«text»EO\\\nF\nEOF\n«simple»", "cat <<EOF\n«text»EOF \nEOF\n«simple»", "cat <<EOF ; cat <<EOF\n«text»EOF\n«text»EOF\n«simple»", "cat <<EOF)\n«text»EOF\n",
	// Process substitutions.
	"diff <(«simple») <(«simple»)", "«simple» | tee >(«simple») > out", "«verb» < <(«list»)", "«simple» > >(«simple»)", "«simple» 2> >(«simple» >&2)", "«verb» <(«list») «words»", "while read -r f; do «verb» \"$f\"; done < <(«simple»)", "«verb» =(«simple»)", "«verb» a<(«simple»)", "x=<(«simple»); cat $x", "cat <(cat <(«simple»))", "comm <(sort a.txt) <(sort b.txt)",
	// Comments, continuations, blanks.
	"«simple» # «simple»", "«simple» #«simple»\n«simple»", "«simple» # c\\\n«simple»", "«simple»;#c\n«simple»", "( # c\n«list» )", "{ # }\n«list»; }", "«simple» '#' #\n«simple»", "# c\n«simple»", "«simple» \\# «word»", "«simple» && # c\n«simple»", "«simple» | # c\n«simple»", "\\\n«simple»", "«simple» \\\n«words»", "«simple» &\\\n& «simple»", "«simple» |\\\n| «simple»", "«simple»\\\n«words»",
	"«simple» \\\n# c\n«simple»", "«simple» <\\\n<EOF\n«text»EOF\n", "l\\\ns «words»", "\t«simple»\t«word»\t", "\n\n«simple»\n\n", "«simple» \\", "«simple» ;", "«simple» &", "«simple»\r\n«simple»", "«simple» \v«word»", "«simple»\f«word»", ";«simple»", "&& «simple»", "«simple» ;; «simple»", "«simple» ; ; «simple»", "«simple»  &&  «simple»", "«simple»&«simple»", "«simple» && ! «simple» || «simple»",
	"«simple» | ! «simple»", "«simple» |& «simple» |& «simple»", "«simple» | time «simple»", "«simple» && («list») || { «list»; }", "«simple» & «simple» & wait", "«simple» || «simple» && «simple»", "«simple» | «simple» | «simple» > out", "true || «list»; «simple»", "false && «list»; «simple»",
	"# c \\\n«simple»", "#\n", ":", "«simple» # c '\n«simple» # '\n«simple»", "echo a#b; «simple»", "echo ${x#a} # c\n«simple»", "echo $# «word»", "«simple» #{\n«simple»",
	// History.
	"set -H; !!", "!!", "^a^b", "«simple» !$", "set -o history; «simple»; !!", "! ls", "!ls",
	// Values that are commands.
	"x=«verb»; $x «words»", "x=(«simple»); \"${x[@]}\"", "x='«verb» a.txt'; $x", "$(echo «verb») «words»", "`echo «verb»` a", "${x:-«verb»} «words»", "\"$x\" «words»", "$'\\x6cs' «words»", "{«verb»,«word»}", "{ls,a.txt}", "l''s «words»", "\"ls\" «words»", "\\ls «words»", "'l's «words»", "l$()s «words»", "$x«verb» «words»", "*", "./*", "src/*.go «words»", "~/ls", "? «words»", "./ls «words»", "b/ls", "../proj/ls",
	"x=a y=$x; «verb» $y", "x=$x$x; «verb» $x", "x=«word» «verb» $x", "x+=b; «verb» \"$x\"", "x[1]=«word»; «verb» \"${x[1]}\"", "x=([2]=«word» b); «verb» \"${x[2]}\" \"${x[3]}\"", "x=(«words»); for f in \"${x[@]}\"; do «verb» \"$f\"; done", "x=(«words»); x+=(b.txt); «verb» \"${x[@]}\"", "x=(*.txt); «verb» \"${x[@]}\"", "x=(); «verb» \"${x[@]}\" a.txt", "x=(a b); «verb» \"${x[-1]}\"", "x=({a,b}.txt); «verb» \"${x[@]:1}\"",
	"IFS=,; x=a,b; «verb» $x", "x='a  b'; «verb» $x", "x='*.txt'; «verb» $x", "x='-n 1'; «verb» $x a.txt", "x=~; «verb» $x", "x='~'; «verb» $x", "x='$(ls)'; «verb» $x", "x={a,b}; «verb» $x", "x=$'a\\nb'; «verb» $x", "x=a.txt; x=${x%.txt}.md; «verb» $x", "x=; «verb» $x a.txt", "x=src/main.go; «verb» \"${x##*/}\" \"${x%/*}\"", "x=a; y=x; «verb» ${!y}", "_=a; «verb» $_", "«simple»; «verb» $_", "x=$?; «verb» $x", "RANDOM=1; «verb» $RANDOM", "SECONDS=«word»; «simple»",
	// Redirections.
	"«simple» «redirection» «redirection»", "> out «simple»", "> out; «simple»", ">out 2>&1 «simple»", "2>&1 >out «simple»", "«simple» 2>«word»", "«simple» > «word»", "«simple» >> «word»", "«simple» < «word»", "«simple» >| «word»", "«simple» <> «word»", "«simple» &> «word»", "«simple» >& «word»", "«simple» 3> out >&3", "«simple» {fd}> out", "«simple» > out > out2", "«simple» >a.txt<b.txt", "«simple»>out", "«simple»2>out", "«simple» 2 >out", "«simple» 10>out", "«simple» > out&", "«simple» >&-", "«simple» <&0",
	"{ «list»; } > out 2>&1", "( «list» ) >> out", "for f in «words»; do «list»; done > out", "if «simple»; then «list»; fi 2> out", "while «simple»; do break; done < a.txt > out", "case x in x) «list»;; esac > out", "[[ a ]] > out", "x=1 > out", "> a.txt", "< a.txt", "< «word»", "> $(«simple»)", "> «word» «word» «simple»", "exec 2> out; «simple»", "exec > «word»", "«simple» > /dev/stdout", "«simple» > /dev/fd/2", "«simple» 2> /dev/null > out", "cat < /dev/stdin", "«simple» > *.txt", "«simple» > {a,b}", "«simple» > ''", "«simple» > \"$x\"", "«simple» > ~/x",
}

// fill writes a form: it generates the text between its marks.
func (g *generator) fill(form string, depth int) string {
	var out strings.Builder
	for {
		before, rest, marked := strings.Cut(form, opening)
		out.WriteString(before)
		if !marked {
			return out.String()
		}
		name, behind, _ := strings.Cut(rest, closing)
		out.WriteString(g.part(name, depth))
		form = behind
	}
}

// part generates the text of a mark in a form.
func (g *generator) part(name string, depth int) string {
	inner := func() string { return g.list(depth - 1) }
	switch name {
	case "simple":
		return g.simple()
	case "verb":
		return g.pick(verbs)
	case "word":
		return g.word()
	case "words":
		return g.operands()
	case "assign":
		return g.pick(assigns)
	case "redirection":
		return g.pick(redirections)
	case "directory":
		return g.pick(directories)
	case "quoted":
		return Quote(inner())
	case "within":
		return g.pick([]string{inner(), Quote(inner()), doubled(inner())})
	case "double":
		return doubled(inner())
	case "text":
		return g.pick(texts)
	}
	return inner()
}

// texts are lines of here-documents.
var texts = []string{
	"x\n", "", "a.txt\nb.txt\n", "$x\n", "$(ls)\n", "`ls`\n", "${x:-a}\n", "\\$x\n", "'\n", "\"\n", "a\\\n", "\\\\\n", "#\n", "rm x\n", "$((1+1))\n", "a b\tc\n", "EOF x\n", "\tEOF\n", ")\n", "}\n", "-n\n", "*\n", "$\n", "\\\n", "$(cat <<E\nx\nE\n)\n",
	"ls src\n", "${x\n", "$(\n", "`\n", "${x:-'}'}\n", "$'a'\n", "\\`ls\\`\n",
}

// doubled writes a text in double quotes, in which some of it is expanded.
func doubled(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }
