package bundles

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/policies"
)

// The rules test a whole line at once if they can, and the entrypoint has a fast path for allowed calls. Both
// must give the same effect, reasons, covers and hints as testing each command. Commands are tested one by
// one if the input has no line, and if the engine doesn't know which sets of operators exist.
func TestShortcutsComeToTheSame(t *testing.T) {
	finding := `{"rule": "site/team", "code": "frozen", "message": "no", "item": i}`
	deny := "deny contains " + finding + ` if { some i, item in input.items; item.verb == "git log"; item.caveats.shallow }` + "\n"
	prompt := "prompt contains " + finding + ` if { some i, item in input.items; item.verb == "find"; item.touches["read.session"] }` + "\n"
	cover := `cover contains [i, "site/team"] if { some i, item in input.items; item.verb == "npm test" }` + "\n"
	for name, rules := range map[string]string{
		"no operators": "", "denials": deny, "questions": prompt, "denials and questions": deny + prompt,
		"covers": cover, "all": deny + prompt + cover,
	} {
		t.Run(name, func(t *testing.T) {
			direct, oneByOne := operatorsEngine(t, rules, ""), operatorsEngine(t, rules, "found := {}\n")
			calls := newCaller(t, 7)
			seen := map[string]int{}
			for range 500 {
				in := calls.input()
				got, gotErr := direct.Current().Judge(t.Context(), in)
				want, wantErr := judgeOneByOne(t, oneByOne.Current(), in)
				require.Equal(t, wantErr, gotErr)
				want.Covered, got.Covered = withoutSpare(want.Covered), withoutSpare(got.Covered)
				require.Equal(t, want, got, "%+v", in)
				seen[fmt.Sprintf("%v, line told: %v", got.Effect, lineByMaps(in.Items).Told)]++
			}
			t.Log(seen)
			for _, told := range []bool{true, false} {
				for _, effect := range []v1.Effect{v1.EffectAllow, v1.EffectPrompt, v1.EffectDeny} {
					require.Greater(t, seen[fmt.Sprintf("%v, line told: %v", effect, told)], 10, "%v, told: %v", effect, told)
				}
			}
		})
	}
}

// withoutSpare leaves out the cover "no side effect" of a safe verb: it is only evaluated for lines that
// aren't safe as a whole.
func withoutSpare(covers []v1.Cover) []v1.Cover {
	return slices.DeleteFunc(covers, func(cover v1.Cover) bool {
		return cover.Rule == "side_effects/none" && slices.Contains(covers, v1.Cover{Item: cover.Item, Rule: "safe_verbs/read"})
	})
}

// operatorsEngine holds the built-in policy and a package of operators; beside is what the
// package site itself holds.
func operatorsEngine(t *testing.T, rules, beside string) *Engine {
	t.Helper()
	if rules == "" && beside == "" {
		return newEngine(t, Options{FS: policies.FS, Deadline: time.Minute})
	}
	root := t.TempDir()
	writeTree(t, root, map[string]string{
		".manifest":           `{"roots": ["site"]}`,
		"site/team/team.rego": "package site.team\n\n" + rules,
		"site/site.rego":      "package site\n\n" + beside,
	})
	return newEngine(t, Options{FS: policies.FS, Source: root, Deadline: time.Minute})
}

// judgeOneByOne judges the input as a record has it, without the line.
func judgeOneByOne(t *testing.T, s *Snapshot, in *v1.Input) (v1.Judgement, error) {
	t.Helper()
	result, err := s.evaluate(t.Context(), ast.NewTerm(jsonValue(t, in)))
	if err != nil {
		return v1.Judgement{}, err
	}
	return s.words.judgement(result, in)
}

// caller makes calls of what the built-in lists name, most of them ordinary.
type caller struct {
	*rand.Rand
	in    *v1.Input
	safe  map[string]map[string][]safeForm
	verbs []string
}

type safeForm struct{ Form, Needs v1.Form }

func newCaller(t *testing.T, seed uint64) *caller {
	t.Helper()
	c := &caller{Rand: rand.New(rand.NewPCG(seed, seed)), in: shortLine(t)}
	text, err := fs.ReadFile(policies.FS, "policyd/config/safe_verbs/data.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &c.safe))
	c.verbs = slices.Sorted(maps.Keys(c.safe["linux"]))
	return c
}

func oneOf[T any](c *caller, values ...T) T { return values[c.IntN(len(values))] }

// seldom is true once in so many times.
func (c *caller) seldom(times int) bool { return c.IntN(times) == 0 }

func (c *caller) input() *v1.Input {
	in := *c.in
	in.Items, in.Paths, in.Approvals, in.About = []v1.Item{}, []v1.Path{}, []v1.Approval{}, nil
	in.Session.Audience = oneOf(c, v1.AudiencePersonal, v1.AudiencePersonal, v1.AudienceTeam, v1.AudiencePublic)
	in.Session.Interactive = !c.seldom(4)
	in.Session.Platform = oneOf(c, "linux", "linux", "linux", "darwin", "windows", "none")
	if c.seldom(15) {
		in.Tool.Kind = oneOf(c, v1.ToolACP, v1.ToolMCP, v1.ToolRead)
	}
	in.Tool.Act, in.Method.Peers = in.Tool.Kind, []v1.PeerFacts{}
	in.Complete, in.Messy = !c.seldom(30), c.seldom(20)
	for range c.IntN(5) {
		c.item(&in)
	}
	if c.seldom(12) {
		approval := v1.Approval{ID: "a", Tool: v1.ToolShell, Verb: "npm test", Directory: "/srv", Anywhere: c.seldom(2)}
		approval.Once = c.seldom(3)
		in.Approvals = append(in.Approvals, approval)
	}
	c.index(&in)
	return &in
}

func (c *caller) item(in *v1.Input) {
	item := v1.Item{
		Kind: v1.ItemCommand, Verb: c.verb(), Directory: "/srv/proj", Touches: v1.Set{}, Caveats: v1.Set{},
		Within: v1.Set{"/srv/proj", "/srv"}, Path: -1,
	}
	item.Form = c.form(in.Session.Platform, item.Verb)
	for range c.IntN(3) {
		item.Touches.Add(oneOf(c, "read.project", "list.project", "read.session", "list.read_also"))
	}
	if c.seldom(12) {
		item.Touches.Add(oneOf(c, operations()...) + "." + oneOf(c, spaces()...))
	}
	if c.seldom(6) {
		item.Caveats.Add(oneOf(c, "shallow", "output_word", "control_flow", "unseen"))
	}
	if c.seldom(20) {
		item.Caveats.Add(oneOf(c, "network", "runs_anything", "cwd_unknown", "own_program", "reaches_secret", "never_heard_of"))
	}
	if c.seldom(10) {
		item.Kind = oneOf(c, v1.ItemPath, v1.ItemTool, v1.ItemFetch, v1.ItemMethod)
	}
	if item.Kind == v1.ItemPath {
		item.Path = len(in.Paths)
		in.Paths = append(in.Paths, v1.Path{
			Raw: "a", Real: "/srv/proj/a", Op: oneOf(c, v1.OpRead, v1.OpWrite), Space: v1.SpaceProject, Item: len(in.Items),
			Class: v1.Form{}, Links: []string{}, Caveats: v1.Set{},
		})
	}
	in.Items = append(in.Items, item)
}

func (c *caller) verb() string {
	switch c.IntN(10) {
	case 0:
		return oneOf(c, "npm test", "git push", "")
	case 1, 2:
		return oneOf(c, "cd", "echo", "true", "pwd")
	case 3, 4:
		return oneOf(c, c.verbs...)
	}
	return oneOf(c, "ls", "cat", "git status", "git log", "git branch", "git config", "find", "grep", "sed", "git diff")
}

// form is some of a safe form, and seldom of none.
func (c *caller) form(platform, verb string) v1.Form {
	form := v1.Form{}
	if safe := c.safe[platform][verb]; len(safe) > 0 {
		one := oneOf(c, safe...)
		for _, entry := range one.Needs {
			if !c.seldom(10) {
				form.Put(entry.Name, entry.Kind)
			}
		}
		for range min(c.IntN(4), len(one.Form)) {
			entry := oneOf(c, one.Form...)
			form.Put(entry.Name, entry.Kind)
		}
	}
	if c.seldom(15) {
		form.Put(oneOf(c, "<path>", "-l", "--never-heard-of"), oneOf(c, "none", "value", "unknown", "read"))
	}
	return form
}

// index gives the facts the keys that the engine asks for.
func (c *caller) index(in *v1.Input) {
	in.Verbs = []string{}
	keys := v1.Set{in.Tool.Kind}
	for i := range in.Items {
		item := &in.Items[i]
		in.Verbs = append(in.Verbs, item.Verb)
		keys.Add(item.Kind)
		for _, caveat := range item.Caveats {
			if key := caveatKey(caveat); key != "" {
				keys.Add(key)
			}
		}
	}
	for i := range in.Paths {
		keys.Add(in.Paths[i].Op)
	}
	if len(in.Items) == 0 && in.Complete && c.seldom(2) {
		keys.Add("nothing")
	}
	in.About = keys
}
