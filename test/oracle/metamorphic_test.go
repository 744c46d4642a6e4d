package oracle

import (
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
	"policyd/test/corpus/engine"
	"policyd/test/project"
)

// wrapping puts a line into another that does all that the first does.
type wrapping struct {
	name string
	wrap func(line string) string
	// fits says which lines may be wrapped so; nil is all.
	fits func(line string) bool
}

// simpleLine is one simple command without anything that a shell expands.
var simpleLine = regexp.MustCompile(`^[a-z][A-Za-z0-9_.-]*( [A-Za-z0-9_./:=-]+)*$`)

var wrappings = []wrapping{
	{"subshell", func(line string) string { return "( " + line + "\n)" }, nil},
	{"block", func(line string) string { return "{ " + line + "\n}" }, nil},
	{"after true", func(line string) string { return "true && {\n" + line + "\n}" }, nil},
	{"bash -c", func(line string) string { return "bash -c " + quote(line) }, nil},
	{"bash -c twice", func(line string) string { return "bash -c " + quote("bash -c "+quote(line)) }, nil},
	{"timeout", func(line string) string { return "timeout 5 " + line }, simpleLine.MatchString},
	{"nice", func(line string) string { return "nice -n 3 " + line }, simpleLine.MatchString},
	{"if", func(line string) string { return "if true; then\n" + line + "\nfi" }, nil},
	{"loop", func(line string) string { return "for z in 1; do\n" + line + "\ndone" }, nil},
	{"then ls", func(line string) string { return line + "\nls" }, nil},
	{"then rm", func(line string) string { return line + "\nrm -rf src" }, nil},
	{"after pwd", func(line string) string { return "pwd\n" + line }, nil},
	{"pipe", func(line string) string { return "{ " + line + "\n} | cat" }, nil},
}

// TestWrappingNeverLoosens holds that a line inside another is never decided
// looser than alone, for the corpus and for generated lines.
func TestWrappingNeverLoosens(t *testing.T) {
	count, seed := number(t, linesVariable, usualLines), number(t, seedVariable, usualSeed)
	t.Logf("%s=%d %s=%d", linesVariable, count, seedVariable, seed)
	decider, tree := newEngine(t)
	seeds := readSeeds(t)
	m := &wrappers{engine: decider, looser: map[string]string{}, effects: map[v1.Effect]int{}}
	all := append(append([]string{}, seeds...), generated(seeds, count, seed)...)
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
	engine *engine.Engine

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
	alone, err := m.engine.Decide(t.Context(), engine.Line{Command: line})
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
	for _, w := range wrappings {
		if alone.Effect == v1.EffectAllow || w.fits != nil && !w.fits(line) {
			continue
		}
		around, err := m.engine.Decide(t.Context(), engine.Line{Command: w.wrap(line)})
		if err != nil {
			m.note("error", err.Error())
			return
		}
		if around.Effect <= alone.Effect || !complete(t, line) {
			continue
		}
		small := m.smaller(t, line, w)
		again, err := m.engine.Decide(t.Context(), engine.Line{Command: small})
		if err != nil {
			m.note("error", err.Error())
			return
		}
		m.note(codes(again), fmt.Sprintf("%q is %s, and inside %s it is looser: %q", small, again.Effect, w.name, w.wrap(small)))
	}
}

// complete reports whether bash reads the whole line as one: only such a line
// means the same inside another.
func complete(t *testing.T, line string) bool {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "bash", "--norc", "-n", "-c", line).CombinedOutput()
	return err == nil && len(out) == 0
}

func (m *wrappers) looserIn(t *testing.T, line string, w wrapping) bool {
	t.Helper()
	alone, err := m.engine.Decide(t.Context(), engine.Line{Command: line})
	if err != nil || w.fits != nil && !w.fits(line) || strings.HasSuffix(line, `\`) {
		return false
	}
	around, err := m.engine.Decide(t.Context(), engine.Line{Command: w.wrap(line)})
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

func newEngine(t *testing.T) (*engine.Engine, project.Tree) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("skipped: git is not installed")
	}
	tree, err := project.New(t.Context(), t.TempDir())
	require.NoError(t, err)
	decider, err := engine.New(t.Context(), engine.Options{
		Home: tree.Home, Project: tree.Project, StateDir: filepath.Join(t.TempDir(), "state"),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, decider.Close()) })
	return decider, tree
}
