package oracle

import (
	"crypto/sha256"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
	"policyd/test/decider"
	"policyd/test/oracle/lines"
	"policyd/test/project"
)

// wrapping puts a line into another that does all that the first does.
type wrapping struct {
	name string
	wrap func(line string) string
	// fits states which lines may be wrapped so; nil is all.
	fits func(line string) bool
}

// simpleLine is one simple command without anything that a shell expands.
var simpleLine = regexp.MustCompile(`^[a-z][A-Za-z0-9_.-]*( [A-Za-z0-9_./:=-]+)*$`)

var wrappings = []wrapping{
	{"subshell", func(line string) string { return "( " + line + "\n)" }, nil},
	{"block", func(line string) string { return "{ " + line + "\n}" }, nil},
	{"after true", func(line string) string { return "true && {\n" + line + "\n}" }, nil},
	{"bash -c", func(line string) string { return "bash -c " + lines.Quote(line) }, nil},
	{"bash -c twice", func(line string) string { return "bash -c " + lines.Quote("bash -c "+lines.Quote(line)) }, nil},
	{"timeout", func(line string) string { return "timeout 5 " + line }, simpleLine.MatchString},
	{"nice", func(line string) string { return "nice -n 3 " + line }, simpleLine.MatchString},
	{"if", func(line string) string { return "if true; then\n" + line + "\nfi" }, nil},
	{"loop", func(line string) string { return "for z in 1; do\n" + line + "\ndone" }, nil},
	{"then ls", func(line string) string { return line + "\nls" }, nil},
	{"then rm", func(line string) string { return line + "\nrm -rf src" }, nil},
	{"after pwd", func(line string) string { return "pwd\n" + line }, nil},
	{"pipe", func(line string) string { return "{ " + line + "\n} | cat" }, nil},
}

// rarerWrappings are more of them; each line gets a few of these when few lines are run.
var rarerWrappings = []wrapping{
	{"not", func(line string) string { return "! { " + line + "\n}" }, nil},
	{"time", func(line string) string { return "time {\n" + line + "\n}" }, nil},
	{"time -p", func(line string) string { return "time -p " + line }, simpleLine.MatchString},
	{"function", func(line string) string { return "f() {\n" + line + "\n}; f" }, withoutParameters},
	{"function keyword", func(line string) string { return "function f {\n" + line + "\n}\nf" }, withoutParameters},
	{"case", func(line string) string { return "case x in x) " + line + "\n;; esac" }, nil},
	{"case in brackets", func(line string) string { return "case x in\n(x)\n" + line + "\n;;\nesac" }, nil},
	{"subshell and true", func(line string) string { return "( " + line + "\n) && true" }, nil},
	{"else", func(line string) string { return "if false; then :; else " + line + "\nfi" }, nil},
	{"condition", func(line string) string { return "if " + line + "\nthen :; fi" }, nil},
	{"endless", func(line string) string { return "while :; do\n" + line + "\nbreak; done" }, nil},
	{"until", func(line string) string { return "until false; do " + line + "\nbreak\ndone" }, nil},
	{"counting", func(line string) string { return "for ((i = 0; i < 1; i++)); do " + line + "\ndone" }, nil},
	{"redirected", func(line string) string { return "{ " + line + "\n} 2>/dev/null" }, nil},
	{"background", func(line string) string { return "{ " + line + "\n} &" }, nil},
	{"background and wait", func(line string) string { return "( " + line + "\n) & wait" }, nil},
	{"fed", func(line string) string { return "git log | { " + line + "\n}" }, nil},
	{"or true", func(line string) string { return "{ " + line + "\n} || true" }, nil},
	{"substitution", func(line string) string { return "echo \"$( " + line + "\n)\"" }, nil},
	{"assignment", func(line string) string { return "x=$( " + line + "\n)" }, nil},
	{"process substitution", func(line string) string { return "cat <( " + line + "\n)" }, nil},
	{"after a comment", func(line string) string { return "# c\n" + line }, nil},
	{"after blanks", func(line string) string { return " \t\n" + line }, nil},
	{"sh -c", func(line string) string { return "sh -c " + lines.Quote(line) }, alikeInShells},
	{"env bash -c", func(line string) string { return "env bash -c " + lines.Quote(line) }, nil},
	{"env LC_ALL=C bash -c", func(line string) string { return "env LC_ALL=C bash -c " + lines.Quote(line) }, nil},
	{"bash -c in double quotes", func(line string) string { return "bash -c \"" + doubleQuoted.Replace(line) + "\"" }, nil},
	{"bash -c in dollar quotes", func(line string) string { return "bash -c $'" + dollarQuoted.Replace(line) + "'" }, nil},
	{"nice timeout bash -c", func(line string) string { return "nice timeout 5 bash -ec " + lines.Quote(line) }, nil},
	{"find -exec", func(line string) string { return "find . -exec sh -c " + lines.Quote(line) + " \\;" }, alikeInShells},
	{"xargs", func(line string) string { return "echo a | xargs bash -c " + lines.Quote(line) }, withoutParameters},
	{"here-document", func(line string) string { return "bash <<'END OF LINE'\n" + line + "\nEND OF LINE\n" }, nil},
	{"here-string", func(line string) string { return "bash <<< " + lines.Quote(line) }, nil},
	{"eval", func(line string) string { return "eval " + lines.Quote(line) }, nil},
	{"trap", func(line string) string { return "trap " + lines.Quote(line) + " EXIT" }, nil},
	{"coproc", func(line string) string { return "coproc { " + line + "\n}" }, nil},
	{"subscript", func(line string) string { return "a[$( " + line + "\n)]=1" }, nil},
	{"bound", func(line string) string { return "echo \"${x:$( " + line + "\n)}\"" }, nil},
	{"default", func(line string) string { return "echo \"${x:-$( " + line + "\n)}\"" }, nil},
	{"select", func(line string) string { return "select x in $( " + line + "\n); do :; done" }, nil},
	{"select's body", func(line string) string { return "select x in a; do " + line + "\ndone" }, nil},
	{"test", func(line string) string { return "[[ -n $( " + line + "\n) ]]" }, nil},
	{"pattern", func(line string) string { return "case x in \"$( " + line + "\n)\") :;; esac" }, nil},
	{"here-document's text", func(line string) string { return "cat <<END_OF_TEXT\n$( " + line + "\n)\nEND_OF_TEXT\n" }, nil},
	{"array", func(line string) string { return "a=( $( " + line + "\n) )" }, nil},
	{"declaration", func(line string) string { return "declare x=\"$( " + line + "\n)\"" }, nil},
	{"redirection", func(line string) string { return "ls > \"$( " + line + "\n)\"" }, nil},
	{"output", func(line string) string { return "ls > >( " + line + "\n)" }, nil},
	{"printed script", func(line string) string { return "printf '%s\\n' " + lines.Quote(line) + " | bash" }, nil},
	{"here-document through cat", func(line string) string { return "cat <<'END OF LINE' | sh\n" + line + "\nEND OF LINE\n" }, alikeInShells},
	{"uncalled", func(line string) string { return "f() { " + line + "\n}" }, nil},
	{"exec", func(line string) string { return "exec " + line }, simpleLine.MatchString},
	{"time --", func(line string) string { return "time -- " + line }, simpleLine.MatchString},
	{"env -", func(line string) string { return "env - " + line }, simpleLine.MatchString},
	{"sudo", func(line string) string { return "sudo " + line }, simpleLine.MatchString},
	{"command", func(line string) string { return "command " + line }, simpleLine.MatchString},
	{"env", func(line string) string { return "env " + line }, simpleLine.MatchString},
	{"env -u", func(line string) string { return "env -u A " + line }, simpleLine.MatchString},
	{"nohup setsid", func(line string) string { return "nohup setsid " + line }, simpleLine.MatchString},
	{"stdbuf", func(line string) string { return "stdbuf -oL " + line }, simpleLine.MatchString},
	{"redirection in front", func(line string) string { return "2>/dev/null " + line }, simpleLine.MatchString},
	{"not before", func(line string) string { return "! " + line }, simpleLine.MatchString},
	{"and true", func(line string) string { return line + " && true" }, simpleLine.MatchString},
	{"pipe of one", func(line string) string { return line + " | cat" }, simpleLine.MatchString},
	{"escaped", func(line string) string { return "\\" + line }, simpleLine.MatchString},
}

// alikeInShells reports that a line holds no operator that some shells called sh refuse.
func alikeInShells(line string) bool { return !bashOperators.MatchString(line) }

var bashOperators = regexp.MustCompile(`\$\{\w+(\[[^]]*\])?[/:^,]`)

// withoutParameters reports that a line doesn't ask for what it is given as parameters.
func withoutParameters(line string) bool { return !parameters.MatchString(line) }

var parameters = regexp.MustCompile(`\$\{?[!#]?[0-9@*#]|for \w+\s*(;|do|\n|\{)|shift|select`)

// How a line is written in double quotes and in dollar quotes.
var (
	doubleQuoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`")
	dollarQuoted = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\t", `\t`)
)

// TestWrappingNeverLoosens checks that a line inside another is never decided looser than alone, for the
// corpus and for generated lines.
func TestWrappingNeverLoosens(t *testing.T) {
	count, seed := number(t, linesVariable, usualLines), number(t, seedVariable, usualSeed)
	t.Logf("%s=%d %s=%d", linesVariable, count, seedVariable, seed)
	decider, tree := newEngine(t)
	seeds := readSeeds(t)
	m := &wrappers{engine: decider, all: count > usualLines, looser: map[string]string{}, effects: map[v1.Effect]int{}}
	all := slices.Concat(chosen(seeds, count), readFound(t), lines.Generate(seeds, count, seed))
	var wait sync.WaitGroup
	for part := range jails {
		wait.Go(func() {
			for i := part; i < len(all); i += jails {
				line := strings.ReplaceAll(all[i], projectDir, tree.Project)
				m.try(t, line)
			}
		})
	}
	wait.Wait()
	t.Logf("%d allowed, %d asked, %d denied", m.effects[v1.EffectAllow], m.effects[v1.EffectPrompt], m.effects[v1.EffectDeny])
	for _, effect := range []v1.Effect{v1.EffectAllow, v1.EffectPrompt, v1.EffectDeny} {
		require.Positivef(t, m.effects[effect], "no line comes out as %s, so that nothing was held", effect)
	}
	for class, text := range m.looser {
		t.Errorf("%s: %s", class, text)
	}
}

type wrappers struct {
	engine *decider.Decider
	// all is true when lines get the rarer wrappings, too.
	all bool

	mu      sync.Mutex
	looser  map[string]string
	effects map[v1.Effect]int
}

func (m *wrappers) try(t *testing.T, line string) {
	t.Helper()
	// What is no line at all is not a line in another either.
	if !utf8.ValidString(line) || strings.HasSuffix(line, `\`) || strings.ContainsRune(line, 0) {
		return
	}
	alone, err := m.engine.Decide(t.Context(), decider.Line{Command: line})
	if err != nil {
		m.note("error", err.Error())
		return
	}
	if slices.ContainsFunc(alone.Reasons, func(r v1.Reason) bool { return r.Code == gate.CodeInternal }) {
		m.note("panic", fmt.Sprintf("%q makes policyd fail", line))
	}
	m.mu.Lock()
	m.effects[alone.Effect]++
	m.mu.Unlock()
	for _, w := range m.wrappings(line) {
		if alone.Effect == v1.EffectAllow || w.fits != nil && !w.fits(line) {
			continue
		}
		around, err := m.engine.Decide(t.Context(), decider.Line{Command: w.wrap(line)})
		if err != nil {
			m.note("error", err.Error())
			return
		}
		if around.Effect <= alone.Effect || !complete(t, line) {
			continue
		}
		class := w.name + ", " + codes(alone)
		if m.known(class) {
			continue
		}
		small := m.smaller(t, line, w)
		again, err := m.engine.Decide(t.Context(), decider.Line{Command: small})
		if err != nil {
			m.note("error", err.Error())
			return
		}
		m.note(class, fmt.Sprintf("%q is %s, and inside %s it is looser: %q", small, again.Effect, w.name, w.wrap(small)))
	}
}

// known reports whether a class was noted before.
func (m *wrappers) known(class string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, known := m.looser[class]
	return known
}

// wrappings are those that a line is tried in.
func (m *wrappers) wrappings(line string) []wrapping {
	if m.all {
		return slices.Concat(wrappings, rarerWrappings)
	}
	digest := sha256.Sum256([]byte(line))
	few := slices.Clip(wrappings)
	for _, at := range digest[:rarely] {
		few = append(few, rarerWrappings[int(at)%len(rarerWrappings)])
	}
	return few
}

// rarely is how many of the rarer wrappings a line is tried in when few lines are run.
const rarely = 3

// complete reports whether bash reads the whole line as one: only such a line
// means the same inside another.
func complete(t *testing.T, line string) bool {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "bash", "--norc", "-n", "-c", line).CombinedOutput()
	return err == nil && len(out) == 0
}

func (m *wrappers) looserIn(t *testing.T, line string, w wrapping) bool {
	t.Helper()
	alone, err := m.engine.Decide(t.Context(), decider.Line{Command: line})
	if err != nil || w.fits != nil && !w.fits(line) || strings.HasSuffix(line, `\`) {
		return false
	}
	around, err := m.engine.Decide(t.Context(), decider.Line{Command: w.wrap(line)})
	return err == nil && around.Effect > alone.Effect && complete(t, line)
}

// smaller leaves out tokens as long as the line is still looser when wrapped.
func (m *wrappers) smaller(t *testing.T, line string, w wrapping) string {
	t.Helper()
	small, err := shrink(line, func(text string) (bool, error) { return m.looserIn(t, text, w), nil })
	require.NoError(t, err)
	return small
}

func (m *wrappers) note(class, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if held, known := m.looser[class]; !known || len(text) < len(held) {
		m.looser[class] = text
	}
}

func codes(decision v1.Decision) string {
	var list []string
	for _, reason := range decision.Reasons {
		if reason.Effect == decision.Effect && !slices.Contains(list, reason.Code) {
			list = append(list, reason.Code)
		}
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

func newEngine(t *testing.T) (*decider.Decider, project.Tree) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not installed")
	}
	tree, err := project.New(t.Context(), t.TempDir())
	require.NoError(t, err)
	decider, err := decider.New(t.Context(), decider.Options{
		Home: tree.Home, Project: tree.Project, StateDir: filepath.Join(t.TempDir(), "state"),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, decider.Close()) })
	return decider, tree
}
