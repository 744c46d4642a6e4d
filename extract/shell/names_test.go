package shell

import (
	"maps"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// contents reads a map by its names, since nothing else lists them.
func (n names[V]) contents(keys []string) map[string]V {
	out := map[string]V{}
	for _, name := range keys {
		if value, found := n.get(name); found {
			out[name] = value
		}
	}
	return out
}

// Each version of a map stays what it was, whatever is made of it, and two versions
// differ by what comparing all of them says.
func TestNamesAreMapsThatNobodyChanges(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	keys := make([]string, 60)
	for i := range keys {
		keys[i] = "v" + strconv.Itoa(i)
	}
	versions, plain := []names[int]{{}}, []map[string]int{{}}
	for range 800 {
		from := random.IntN(len(versions))
		name, value := keys[random.IntN(len(keys))], random.IntN(4)
		made, want := versions[from].with(name, value), maps.Clone(plain[from])
		want[name] = value
		if random.IntN(4) == 0 {
			made = versions[from].without(name)
			delete(want, name)
		}
		versions, plain = append(versions, made), append(plain, want)
	}
	for i := range versions {
		require.Equal(t, plain[i], versions[i].contents(keys))
		require.Equal(t, len(plain[i]), versions[i].count)
	}
	for range 4000 {
		i, j := random.IntN(len(versions)), random.IntN(len(versions))
		require.Equal(t, maps.Equal(plain[i], plain[j]), versions[i].same(versions[j]))
		apart := map[string]int{}
		assert.True(t, versions[i].apart(versions[j], func(name string, value int) bool {
			apart[name] = value
			return true
		}))
		for name, value := range plain[i] {
			if other, found := plain[j][name]; found && other == value {
				continue
			}
			require.Contains(t, apart, name)
		}
		for name, value := range apart {
			require.Equal(t, plain[i][name], value)
		}
	}
	assert.False(t, versions[len(versions)-1].apart(names[int]{}, func(string, int) bool { return false }), "stops")
}

// A version shares with the one before all but the way to what is new.
func TestNamesShareWhatDoesNotChange(t *testing.T) {
	var all names[int]
	for i := range 4096 {
		all = all.with(strconv.Itoa(i), i)
	}
	next := all.with("0", -1)
	visited := 0
	next.apart(all, func(string, int) bool { visited++; return true })
	assert.Less(t, visited, 40)
	assert.Less(t, testing.AllocsPerRun(100, func() { all.with("0", -1) }), 40.0)
	assert.Zero(t, testing.AllocsPerRun(100, func() { all.with("0", 0) }), "nothing changes")
}
