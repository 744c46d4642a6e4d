package bundles

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// Every field counts: an input that differs anywhere has another key. A field that is
// added to the facts and not to the key fails here.
func TestTheKeyCoversTheWholeInput(t *testing.T) {
	var in v1.Input
	fillIn(t, reflect.ValueOf(&in).Elem(), new(int))
	w := &inputWriter{}
	keys := map[inputKey]string{w.key(&in): "nothing changed"}
	eachLeaf(reflect.ValueOf(&in).Elem(), "input", func(where string) {
		key := w.key(&in)
		assert.Empty(t, keys[key], "%s makes no difference", where)
		keys[key] = where
	})
	require.Greater(t, len(keys), 100, "the walk has to reach the facts")
	assert.Equal(t, "nothing changed", keys[w.key(&in)], "the walk left something behind")
}

// fillIn puts a value of its own into everything, two elements into every list.
func fillIn(t *testing.T, v reflect.Value, next *int) {
	t.Helper()
	*next++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *next))
	case reflect.Int:
		v.SetInt(int64(*next))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fillIn(t, v.Index(i), next)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fillIn(t, v.Field(i), next)
		}
	default:
		t.Fatalf("the key has no way to write a %s", v.Kind())
	}
}

// eachLeaf changes one thing after the other, calls changed and takes the change back.
func eachLeaf(v reflect.Value, where string, changed func(where string)) {
	before := reflect.New(v.Type()).Elem()
	before.Set(v)
	try := func(value reflect.Value, how string) {
		v.Set(value)
		changed(where + how)
		v.Set(before)
	}
	switch v.Kind() { //nolint:exhaustive // facts hold no other kinds, as fillIn makes sure
	case reflect.String:
		try(reflect.ValueOf(v.String()+"x").Convert(v.Type()), " longer")
		try(reflect.Zero(v.Type()), " empty")
	case reflect.Int:
		try(reflect.ValueOf(-int(v.Int())), " negative")
		try(reflect.ValueOf(int(v.Int())+1), " more")
	case reflect.Bool:
		try(reflect.ValueOf(false), " false")
	case reflect.Slice:
		if v.Len() == 0 {
			return
		}
		for i := range v.Len() {
			eachLeaf(v.Index(i), fmt.Sprintf("%s[%d]", where, i), changed)
		}
		try(v.Slice(0, 1), " without its last")
		try(v.Slice(0, 0), " without all")
		swapped := reflect.MakeSlice(v.Type(), 2, 2)
		swapped.Index(0).Set(v.Index(1))
		swapped.Index(1).Set(v.Index(0))
		try(swapped, " the other way round")
	case reflect.Struct:
		for i := range v.NumField() {
			eachLeaf(v.Field(i), where+"."+v.Type().Field(i).Name, changed)
		}
	}
}

// Nothing can move from one place to its neighbour unseen.
func TestTheKeyKeepsNeighboursApart(t *testing.T) {
	w := &inputWriter{}
	key := func(change func(*v1.Input)) inputKey {
		in := shortLine(t)
		change(in)
		return w.key(in)
	}
	assert.NotEqual(t,
		key(func(in *v1.Input) { in.About, in.Verbs = []string{"a", "b"}, []string{"c"} }),
		key(func(in *v1.Input) { in.About, in.Verbs = []string{"a"}, []string{"b", "c"} }))
	assert.NotEqual(t,
		key(func(in *v1.Input) { in.Tool.Name, in.Tool.Kind = "ab", "c" }),
		key(func(in *v1.Input) { in.Tool.Name, in.Tool.Kind = "a", "bc" }))
	assert.NotEqual(t,
		key(func(in *v1.Input) { in.Names = []string{"a", "b"} }),
		key(func(in *v1.Input) { in.Names = []string{"a\x02b"} }))
	assert.Equal(t,
		key(func(in *v1.Input) { in.Doubts = nil }),
		key(func(in *v1.Input) { in.Doubts = []string{} }), "the policy sees no difference either")
}

// FuzzInputKey checks that two inputs have one key only if their JSON is equal.
func FuzzInputKey(f *testing.F) {
	f.Add([]byte(`{"cwd":"/a","items":[{"verb":"ls","path":-1}]}`), []byte(`{"cwd":"/a","items":[{"verb":"l","path":-1}]}`))
	f.Add([]byte(`{"about":["a","b"]}`), []byte(`{"about":["a"],"verbs":["b"]}`))
	f.Add([]byte(`{"approvals":[{"id":"1","once":true}]}`), []byte(`{"approvals":[{"id":"1","once":false}]}`))
	w := &inputWriter{}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		var one, other v1.Input
		if json.Unmarshal(first, &one) != nil || json.Unmarshal(second, &other) != nil {
			return
		}
		a, err := json.Marshal(withoutNil(one))
		require.NoError(t, err)
		b, err := json.Marshal(withoutNil(other))
		require.NoError(t, err)
		assert.Equal(t, string(a) == string(b), w.key(&one) == w.key(&other), "%s\n%s", a, b)
	})
}

// withoutNil makes nil lists empty.
func withoutNil(in v1.Input) v1.Input {
	total(reflect.ValueOf(&in).Elem())
	return in
}

func total(v reflect.Value) {
	switch v.Kind() { //nolint:exhaustive // facts hold no other kinds, as fillIn makes sure
	case reflect.Slice:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			total(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			total(v.Field(i))
		}
	}
}
