package bundles

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/util"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// generator makes inputs of any shape from a seed. Now and then it takes words from the
// vocabulary, and text with characters that JSON has to escape.
type generator struct {
	*rand.Rand
	words []string
}

func newGenerator(seed uint64) *generator {
	return &generator{
		Rand:  rand.New(rand.NewPCG(seed, seed)),
		words: append(commonWords(), "é", "\u2028", "\"", "\\", "<&>", "\x00\x1b", "日本", "/srv/a b", "-1", "true"),
	}
}

func (g *generator) text() string {
	if g.IntN(3) == 0 {
		return g.words[g.IntN(len(g.words))] + fmt.Sprint(g.IntN(1000))
	}
	return g.words[g.IntN(len(g.words))]
}

func (g *generator) set() v1.Set {
	set := v1.Set{}
	for range g.size() {
		set.Add(g.text())
	}
	return set
}

func (g *generator) form() v1.Form {
	form := v1.Form{}
	for range g.size() {
		form.Put(g.text(), g.text())
	}
	return form
}

// size is small, and sometimes beyond what repeated compares pair by pair.
func (g *generator) size() int {
	if g.IntN(20) == 0 {
		return 60
	}
	return g.IntN(5)
}

func (g *generator) flag() bool { return g.IntN(2) == 0 }

// input fills every field, so that one that is added to the contract is written as well.
func (g *generator) input() *v1.Input {
	in := &v1.Input{}
	g.fill(reflect.ValueOf(in).Elem())
	in.Schema, in.Tool.Act = v1.FactsSchema, "act"+in.Tool.Act
	paths := min(len(in.Items), 1) * g.size()
	if paths > 0 && g.IntN(20) == 0 {
		paths = 600 // more than OPA has numbers ready for
	}
	for i := range in.Items {
		in.Items[i].Path = g.IntN(paths+1) - 1
		if g.flag() {
			in.Items[i].Values = nil // or it isn't kept
		}
		if g.flag() {
			g.likeBefore(in.Items[:i+1])
		}
	}
	in.Paths = make([]v1.Path, paths)
	for i := range in.Paths {
		g.fill(reflect.ValueOf(&in.Paths[i]).Elem())
		in.Paths[i].Item = g.IntN(len(in.Items))
	}
	return in
}

func (g *generator) fill(v reflect.Value) {
	switch field := v.Addr().Interface().(type) {
	case *v1.Set:
		*field = g.set()
		return
	case *v1.Form:
		*field = g.form()
		return
	case *v1.Values:
		for _, name := range g.set() {
			field.Add(name, g.text())
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(g.text())
	case reflect.Int:
		v.SetInt(int64(g.IntN(1000)))
	case reflect.Bool:
		v.SetBool(g.flag())
	case reflect.Slice:
		count := g.IntN(6)
		v.Set(reflect.MakeSlice(v.Type(), count, count))
		for i := range count {
			g.fill(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			g.fill(v.Field(i))
		}
	default:
		panic("no way to fill a " + v.Type().String())
	}
}

// likeBefore makes the last item a command, sometimes with the first one's verb and some of its form, so that
// they can be summarized, or can't.
func (g *generator) likeBefore(items []v1.Item) {
	item, first := &items[len(items)-1], &items[0]
	item.Kind = v1.ItemCommand
	if g.flag() {
		return
	}
	item.Verb = first.Verb
	for _, entry := range first.Form {
		switch g.IntN(8) {
		case 0:
			item.Form.Put(entry.Name, g.text())
		case 1, 2, 3:
			item.Form.Put(entry.Name, entry.Kind)
		}
	}
}

// viaJSON is the term of what rules read, written by others.
func viaJSON(tb testing.TB, in *v1.Input) ast.Value {
	tb.Helper()
	return jsonValue(tb, v1.Judged{Input: *in, Line: lineByMaps(in.Items)})
}

// lineByMaps says in other words what the commands have together.
func lineByMaps(items []v1.Item) v1.LineFacts {
	untold := v1.LineFacts{Forms: map[string]v1.Form{}}
	told := v1.LineFacts{Touches: v1.Set{}, Caveats: v1.Set{}, Forms: map[string]v1.Form{}}
	commands := 0
	for _, item := range items {
		if item.Kind != v1.ItemCommand {
			continue
		}
		commands++
		for _, touch := range item.Touches {
			told.Touches.Add(touch)
		}
		for _, caveat := range item.Caveats {
			told.Caveats.Add(caveat)
		}
		form := told.Forms[item.Verb]
		for _, entry := range item.Form {
			if before, known := form.Get(entry.Name); known && before != entry.Kind {
				return untold
			}
			form.Put(entry.Name, entry.Kind)
		}
		told.Forms[item.Verb] = form
	}
	if commands < 2 {
		return untold
	}
	told.Told = true
	return told
}

func jsonValue(tb testing.TB, in any) ast.Value {
	tb.Helper()
	content, err := json.Marshal(in)
	require.NoError(tb, err)
	var plain any
	require.NoError(tb, util.UnmarshalJSON(content, &plain))
	value, err := ast.InterfaceToValue(plain)
	require.NoError(tb, err)
	return value
}

func requireSameAsJSON(tb testing.TB, words *vocabulary, in *v1.Input) {
	tb.Helper()
	require.NoError(tb, checkFacts(in))
	built, err := words.inputTerm(in)
	require.NoError(tb, err)
	want := viaJSON(tb, in)
	require.Equal(tb, want.String(), built.Value.String())
	require.Zero(tb, want.Compare(built.Value))
	require.Equal(tb, want.Hash(), built.Value.Hash())
	require.True(tb, built.IsGround())
}

func TestInputIsWhatJSONWouldGive(t *testing.T) {
	// One vocabulary for all: what was kept of the inputs before must not show.
	words := newVocabulary()
	requireSameAsJSON(t, words, threeCommands())
	for seed := range uint64(100) {
		in := newGenerator(seed).input()
		requireSameAsJSON(t, words, in)
		// The input is its owner's again.
		for i := range in.Items {
			for j := range in.Items[i].Touches {
				in.Items[i].Touches[j] += "!"
			}
			for j := range in.Items[i].Form {
				in.Items[i].Form[j].Kind += "!"
			}
		}
		for j := range in.Session.Tools {
			in.Session.Tools[j] += "!"
		}
		in.Tool.Known, in.Session.Interactive = !in.Tool.Known, !in.Session.Interactive
		requireSameAsJSON(t, words, in)
	}
}

// An item that was written before represents one that is the same in everything.
func TestOnlyTheSameItemIsWrittenOnce(t *testing.T) {
	var item v1.Item
	fillIn(t, reflect.ValueOf(&item).Elem(), new(int))
	item.Values = nil
	builder := &inputBuilder{vocabulary: newVocabulary()}
	first := builder.item(&item)
	require.Same(t, first, builder.item(&item))
	changes := 0
	compare := func(where string) {
		changes++
		want := (&inputBuilder{vocabulary: newVocabulary()}).item(&item)
		if !strings.HasSuffix(where, "the other way round") { // a set has no order
			require.NotEqual(t, first.String(), want.String(), where)
		}
		assert.Equal(t, want.String(), builder.item(&item).String(), where)
	}
	eachLeaf(reflect.ValueOf(&item).Elem(), "item", compare)
	item.Values = v1.Values{{Name: "<target>", Texts: []string{"lint"}}}
	compare("values")
	require.Greater(t, changes, 2*reflect.TypeFor[v1.Item]().NumField())
}

func FuzzInputIsWhatJSONWouldGive(f *testing.F) {
	f.Add(uint64(1), "git push", "/srv/proj")
	f.Add(uint64(2), "\u2028</script>", "é")
	f.Fuzz(func(t *testing.T, seed uint64, verb, directory string) {
		g := newGenerator(seed)
		g.words = append(g.words, strings.ToValidUTF8(verb, "?"), strings.ToValidUTF8(directory, "?"))
		requireSameAsJSON(t, newVocabulary(), g.input())
	})
}

func TestInputHasEmptyListsForNilOnes(t *testing.T) {
	empty := nothing()
	empty.About, empty.Verbs, empty.Names, empty.Doubts = []string{}, []string{}, []string{}, []string{}
	empty.Method.Peers, empty.Tool.Act = []v1.PeerFacts{}, empty.Tool.Kind
	empty.Items, empty.Paths, empty.Approvals = []v1.Item{}, []v1.Path{}, []v1.Approval{}
	built, err := newVocabulary().inputTerm(nothing())
	require.NoError(t, err)
	require.Zero(t, viaJSON(t, empty).Compare(built.Value), built.String())
}

func TestInputThatCannotBeRecordedIsRefused(t *testing.T) {
	e := newEngine(t, Options{Source: "testdata/small"})
	for name, spoil := range map[string]func(*v1.Input){
		"no input":                nil,
		"another schema":          func(in *v1.Input) { in.Schema = 2 },
		"zero schema":             func(in *v1.Input) { in.Schema = 0 },
		"item with a late path":   func(in *v1.Input) { in.Items[0].Path = 1 },
		"item with an early path": func(in *v1.Input) { in.Items[0].Path = -2 },
		"secret path, no key": func(in *v1.Input) {
			in.Paths[0].Class = v1.Form{{Name: "secret_directory", Kind: ".ssh"}}
		},
		"protected path, no key": func(in *v1.Input) { in.Paths[0].Class = v1.Form{{Name: "protected_always", Kind: ".git"}} },
		"own path, no key":       func(in *v1.Input) { in.Paths[0].Class = v1.Form{{Name: "own", Kind: "state"}} },
		"operation without key":  func(in *v1.Input) { in.Paths[0].Op = v1.OpDelete },
		"path outside, no key":   func(in *v1.Input) { in.Paths[0].Space = v1.SpaceOutside },
		"read-only path, no key": func(in *v1.Input) {
			in.About = append(in.About, v1.OpWrite)
			in.Paths[0].Op, in.Paths[0].Space = v1.OpWrite, v1.SpaceGrantRead
		},
		"device without key":     func(in *v1.Input) { in.Paths[0].Caveats = v1.Set{"network"} },
		"kind without key":       func(in *v1.Input) { in.Items[1].Kind = v1.ItemTool },
		"environment, no key":    func(in *v1.Input) { in.Items[1].Caveats = v1.Set{"shallow", "secret_variable"} },
		"own program, no key":    func(in *v1.Input) { in.Items[1].Caveats = v1.Set{"own_program"} },
		"secret reached, no key": func(in *v1.Input) { in.Items[1].Caveats = v1.Set{"reaches_outside"} },
		"namespace of a shell":   func(in *v1.Input) { in.Tool.Namespace = "fs" },
		"path with a late item":  func(in *v1.Input) { in.Paths[0].Item = 3 },
		"path with no item":      func(in *v1.Input) { in.Paths[0].Item = -1 },
		"name twice in a set":    func(in *v1.Input) { in.Items[0].Within = v1.Set{"/a", "/a"} },
		"name twice in a form": func(in *v1.Input) {
			in.Items[0].Form = v1.Form{{Name: "-n", Kind: "none"}, {Name: "-n", Kind: "value"}}
		},
		"name twice in a large set": func(in *v1.Input) {
			in.Items[0].Within = append(newLargeSet(), "name-59")
		},
		"text that is not UTF-8": func(in *v1.Input) { in.Paths[0].Raw = "a\xffb" },
	} {
		t.Run(name, func(t *testing.T) {
			var in *v1.Input
			if spoil != nil {
				in = threeCommands()
				spoil(in)
			}
			judgement, err := e.Current().Judge(t.Context(), in)
			requireCode(t, err, CodeFactsInvalid)
			require.Equal(t, v1.Judgement{}, judgement)
			_, err = e.Current().Judge(t.Context(), in)
			requireCode(t, err, CodeFactsInvalid)
		})
	}
}

func newLargeSet() v1.Set {
	set := v1.Set{}
	for i := range 60 {
		set.Add(fmt.Sprintf("name-%d", i))
	}
	return set
}

// What a builder keeps of the inputs before must not keep the inputs: they are in the same memory, and may be
// pieces of large requests.
func TestInputsAreNotKept(t *testing.T) {
	// A pool would let go of its builders while this one measures.
	builder := &inputBuilder{vocabulary: newVocabulary()}
	build := func(i int) {
		in := shortLine(t)
		for item := range in.Items {
			in.Items[item].Verb = fmt.Sprintf("program-%d-%d", i, item)
			in.Items[item].Form = v1.Form{{Name: fmt.Sprintf("--%d", i), Kind: "none"}}
			in.Items[item].Within = v1.Set{fmt.Sprintf("/srv/%d", i), "/srv"}
		}
		large := strings.Repeat("x", 64<<10) + fmt.Sprint(i)
		in.Cwd, in.Names = large[:32<<10], []string{large[len(large)-8:]}
		builder.judged(in)
		require.NoError(t, builder.err)
	}
	build(0)
	before := liveBytes()
	for i := range 400 {
		build(i)
	}
	grown := int64(liveBytes()) - int64(before)
	t.Logf("%d bytes are kept", grown)
	assert.Less(t, grown, int64(3<<20), "of some 30 MB, that of the inputs which share the latest piece of memory")
	runtime.KeepAlive(builder)
}

// liveBytes is what is in use when all that can go has gone: what was allocated during a
// collection goes with a later one.
func liveBytes() uint64 {
	for range 3 {
		runtime.GC()
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
