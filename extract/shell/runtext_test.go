package shell

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
	"policyd/extract/shell/guard"
)

// commandPlaces are places in a line where bash runs a command, env among them.
var commandPlaces = []string{
	`echo "${x:$(env)}"`,
	`echo "${x:1:$(env)}"`,
	`echo "${x[$(env)]}"`,
	`echo "${x[$(env)]:-a}"`,
	`echo "${!x[$(env)]}"`,
	`echo "${#x[$(env)]}"`,
	`echo "${x/$(env)}"`,
	`echo "${x/a/$(env)}"`,
	`echo "${x//$(env)/b}"`,
	`echo "${x#$(env)}"`,
	`echo "${x%%$(env)}"`,
	`echo "${x^$(env)}"`,
	`echo "${x,,$(env)}"`,
	`echo "${x:=$(env)}"`,
	`echo "${x:?$(env)}"`,
	`echo "${x:+$(env)}"`,
	`echo "${@:$(env)}"`,
	`echo "${x:-${y:-$(env)}}"`,
	`echo "${x:-"$(env)"}"`,
	"echo \"${x:-`env`}\"",
	`echo $((a[$(env)]))`,
	`echo $((1 ? $(env) : 2))`,
	`echo $(( $(env) + 1 ))`,
	`echo $[ $(env) ]`,
	`a[$(env)]=1`,
	`a[$(env)]+=1`,
	`a[$(env)]=1 ls`,
	`a=([$(env)]=1)`,
	`a=([0]=$(env))`,
	`a+=($(env))`,
	`declare -A m=([$(env)]=x)`,
	`declare -A m=([k]=$(env))`,
	`declare a[$(env)]=1`,
	`declare -i x=$(env)`,
	`declare "x=$(env)"`,
	`export "X=$(env)"`,
	`local x=$(env)`,
	`let "x=$(env)"`,
	`let x=$(env)`,
	`let x[$(env)]=1`,
	`(( x = $(env) ))`,
	`(( a[$(env)]++ ))`,
	`for ((i=$(env);;)); do ls; done`,
	`for ((i=0;i<$(env);)); do ls; done`,
	`for ((i=0;;i+=$(env))); do ls; done`,
	`for f in $(env); do ls; done`,
	`select f in $(env); do ls; done`,
	`case x in $(env)) ls;; esac`,
	`case $(env) in x) ls;; esac`,
	`[[ x == $(env) ]]`,
	`[[ x =~ $(env) ]]`,
	`[[ -f $(env) ]]`,
	`[[ -v a[$(env)] ]]`,
	`[[ a -eq $(env) ]]`,
	`[ -f $(env) ]`,
	`test $(env) -eq 1`,
	`ls > $(env)`,
	`ls >& $(env)`,
	`ls 2> "$(env)"`,
	`ls <&$(env)`,
	`ls {fd}> $(env)`,
	`{ ls; } > $(env)`,
	`ls <<< $(env)`,
	`{ ls; } <<< "$(env)"`,
	"cat <<EOF\n$(env)\nEOF",
	"cat <<EOF\n`env`\nEOF",
	"cat <<-EOF\n\t${x:-$(env)}\nEOF",
	"cat <<EOF\n$(( $(env) ))\nEOF",
	"cat <<EOF\n${x:$(env)}\nEOF",
	"{ cat; } <<EOF\n$(env)\nEOF",
	"bash <<EOF\n$(env)\nEOF",
	`$(env) x`,
	`"$(env)" x`,
	`x$(env) y`,
	`$x $(env)`,
	`coproc X { env; }`,
	`coproc X ( env )`,
	`coproc ls $(env)`,
	`function f { ls $(env); }`,
	`f() ( env )`,
	`f() { env; } > out`,
	`f() if env; then ls; fi`,
	`f() { ls; } > $(env)`,
	`time -- env`,
	`trap "$(env)" EXIT`,
	`eval "$(env)"`,
	`eval ls $(env)`,
	`exec $(env)`,
	`source $(env)`,
	`read -p "$(env)" x`,
	`mapfile -t a < <(env)`,
	`set -- $(env)`,
	`shift $(env)`,
	`exit $(env)`,
	`return $(env)`,
	`unset "$(env)"`,
	`cd $(env)`,
	`pushd $(env)`,
	`ls ~$(env)`,
	`ls {a,$(env)}`,
	`ls [$(env)]`,
	`ls @(a|$(env))`,
	`ls !($(env))`,
	`ls +($(env))`,
	`ls $"a $(env)"`,
	`ls <(env)`,
	`ls > >(env)`,
	`ls < <(env)`,
	`ls =(env)`,
	`x=<(env)`,
	`timeout $(env) ls`,
	`nice -n $(env) ls`,
	`env A=$(env) ls`,
	`env -u $(env) ls`,
	`env -C $(env) ls`,
	`sudo -u $(env) ls`,
	`xargs -I $(env) ls`,
	`find . -name $(env)`,
	`find . -exec ls $(env) \;`,
	`bash -c "ls $(env)"`,
	`bash -c 'ls $(env)'`,
	`bash -c "$(env)" x`,
	"sh -c 'ls `env`'",
	`sh -c 'x=($(env))'`,
	`bash --rcfile $(env) -c ls`,
	`command -v $(env)`,
	`python -c "$(env)"`,
	`awk "$(env)" f`,
	`sed "$(env)" f`,
	`git commit -m "$(env)"`,
	`git -c "$(env)" log`,
	`curl -d "$(env)" x`,
	`printf -v x "$(env)"`,
	`printf "$(env)"`,
	`echo "${x@Q}$(env)"`,
	`echo "${x@$(env)}"`,
	`nosuch --a=$(env)`,
	`./run $(env)`,
	`if $(env); then ls; fi`,
	`while $(env); do ls; done`,
	`! ls $(env)`,
	`ls & env`,
	`ls | env`,
	`env | ls`,
	`ls |& env`,
	`ls && env`,
	`ls || env`,
	`(env)`,
	`((env) | cat)`,
	`((env); ls)`,
	`( ( env ) )`,
	`{ { env; }; }`,
	`exec env`,
	`exec -a x env`,
	`exec -c env`,
	`exec 3>&1 env`,
	`command exec env`,
	`builtin exec env`,
	`command eval env`,
	`builtin eval env`,
	`eval env`,
	`eval 'env'`,
	`eval "en"v`,
	`eval ls ';' env`,
	`trap env EXIT`,
	`trap 'env' 0`,
	`trap -- 'ls; env' INT`,
	`bash <<< env`,
	"bash <<'EOF'\nenv\nEOF",
	"bash -s <<'EOF'\nenv\nEOF",
	"bash -s a b <<'EOF'\nenv\nEOF",
	"sh <<EOF\nenv\nEOF",
	`echo env | bash`,
	`printf '%s\n' env | sh`,
	"cat <<'EOF' | bash\nenv\nEOF",
	`{ bash; } <<< env`,
	`nice bash <<< env`,
	`sudo bash <<< env`,
	`source /dev/stdin <<< env`,
	". /dev/stdin <<'EOF'\nenv\nEOF",
	`mapfile -C env -c 1 a < a.txt`,
	`compgen -C env`,
	`compgen -W '$(env)'`,
	`complete -C env x`,
	`jobs -x env`,
	`env - env`,
	`env -i env`,
	`env A=b env`,
	`env -S 'env'`,
	`env -S env`,
	`env -vS 'printenv'`,
	`env --split-string='env'`,
	`timeout 5 env`,
	"sudo env --", "sudo -- env --", "kubectl exec pod -- env", "printf 'ls\\nenv\\n' | bash", `echo -e "ls\nenv" | bash`, "printf '%s\\n' ls env | sh",
	"select x in a; do env; done", "for f; do env; cd ..; done",
}

// Wherever bash runs a command, deny rules see it, however messy the line is.
func TestCommandsInAllPlaces(t *testing.T) {
	for _, line := range commandPlaces {
		for _, whole := range []string{line, "{ " + line + "\n}", "f() {\n" + line + "\n}; f"} {
			parsed := parse(t, whole)
			assert.Truef(t, slices.ContainsFunc(parsed.Commands, func(c command.Command) bool { return c.Caveats.Has("reads_environment") }), "%q: %s", whole, verbs(parsed))
		}
	}
	// What is only text stays text.
	for _, line := range []string{"cat <<'EOF'\nenv\nEOF", "cat <<< env", "echo env | cat", "eval", "trap - EXIT", "exec -a", "trap", "jobs -x", "exec", "echo '$(env)'", "complete -F env x", ": <<EOF\nenv\nEOF"} {
		parsed := parse(t, line)
		assert.Falsef(t, slices.ContainsFunc(parsed.Commands, func(c command.Command) bool { return c.Caveats.Has("reads_environment") }), "%q: %s", line, verbs(parsed))
	}
	deep := parse(t, "eval "+strings.Repeat("eval ", 2*maxDepth)+"ls")
	assert.Contains(t, deep.Messy, guard.MessyNesting)
}

// What another round of a loop is not known to do the first one does all the same, and
// what only some shells called sh do counts as well.
func TestWhatOnlySomeRoundsAndShellsDo(t *testing.T) {
	for _, line := range []string{
		"until false; do cat .env; cd ..; done", `sh -c 'a=(.env); cat "${a[@]}"'`, `sh -c 'a=(x .env); cat "${a[1]}"'`, `dash -c 'a=(.env); cat $a'`,
		`sh -c 'declare x=.env; cat $x'`, `sh -c 'f() { local x=.env; cat $x; }; f'`,
	} {
		parsed := parse(t, line)
		assert.NotEmpty(t, parsed.Messy, line)
		assert.Truef(t, slices.ContainsFunc(parsed.Commands, func(c command.Command) bool {
			return !c.Cwd.Others && slices.ContainsFunc(c.Accesses, func(a command.Access) bool { return a.Op == v1.OpRead && a.Text == ".env" })
		}), "%q: %+v", line, parsed.Commands)
	}
}

// A script that is printed is read as it is printed, in the directory where it runs.
func TestPrintedScriptsAreWalked(t *testing.T) {
	for _, line := range []string{
		`printf '%s\n' 'printf "%s\n" .env | xargs cat' | bash`, "f() { find .env -exec cat {} \\; ; }", "select x in a; do find .env -exec cat {} \\; ; done",
		"echo \"${x:$(find .env -exec cat {} \\;)}\"", "sudo cat .env -- x", "bash <<EOF\nfind .env -exec cat {} \\\\;\nEOF",
	} {
		assert.Truef(t, slices.ContainsFunc(parse(t, line).Commands, func(c command.Command) bool {
			return slices.ContainsFunc(c.Accesses, func(a command.Access) bool {
				return a.Op == v1.OpRead && a.Text == ".env" && a.Naming != command.Unnamed
			})
		}), "%q", line)
	}
}
