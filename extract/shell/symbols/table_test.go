package symbols

import (
	"maps"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// contents reads a table by its names, since nothing else lists them.
func (t Table[V]) contents(keys []string) map[string]V {
	out := map[string]V{}
	for _, name := range keys {
		if value, found := t.Get(name); found {
			out[name] = value
		}
	}
	return out
}

// Each version of a table stays what it was, whatever is made of it, and two versions
// differ by what comparing all of them says.
func TestTablesAreImmutable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	keys := make([]string, 60)
	for i := range keys {
		keys[i] = "v" + strconv.Itoa(i)
	}
	versions, plain := []Table[int]{{}}, []map[string]int{{}}
	for range 800 {
		from := random.IntN(len(versions))
		name, value := keys[random.IntN(len(keys))], random.IntN(4)
		made, want := versions[from].With(name, value), maps.Clone(plain[from])
		want[name] = value
		if random.IntN(4) == 0 {
			made = versions[from].Without(name)
			delete(want, name)
		}
		versions, plain = append(versions, made), append(plain, want)
	}
	for i := range versions {
		require.Equal(t, plain[i], versions[i].contents(keys))
		require.Equal(t, len(plain[i]), versions[i].Len())
	}
	for range 4000 {
		i, j := random.IntN(len(versions)), random.IntN(len(versions))
		require.Equal(t, maps.Equal(plain[i], plain[j]), versions[i].Equal(versions[j]))
		differing := map[string]int{}
		assert.True(t, versions[i].Differing(versions[j], func(name string, value int) bool {
			differing[name] = value
			return true
		}))
		for name, value := range plain[i] {
			if other, found := plain[j][name]; found && other == value {
				continue
			}
			require.Contains(t, differing, name)
		}
		for name, value := range differing {
			require.Equal(t, plain[i][name], value)
		}
	}
	assert.False(t, versions[len(versions)-1].Differing(Table[int]{}, func(string, int) bool { return false }), "stops")
}

// A version shares with the one before all but the way to what is new.
func TestTablesShareNodes(t *testing.T) {
	var all Table[int]
	for i := range 4096 {
		all = all.With(strconv.Itoa(i), i)
	}
	next := all.With("0", -1)
	visited := 0
	next.Differing(all, func(string, int) bool { visited++; return true })
	assert.Less(t, visited, 40)
	assert.Less(t, testing.AllocsPerRun(100, func() { all.With("0", -1) }), 40.0)
	assert.Zero(t, testing.AllocsPerRun(100, func() { all.With("0", 0) }), "nothing changes")
}
