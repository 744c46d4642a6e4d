package value_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/value"
)

// draws is how many strings a property is checked with.
const draws = 2000

// drawing draws classes, and strings of them.
type drawing struct{ *rand.Rand }

func newDrawing(seed uint64) drawing { return drawing{rand.New(rand.NewPCG(seed, 1))} }

// class draws a class that isn't empty.
func (d drawing) class() value.Class {
	first, empty := d.set(), d.IntN(2) == 0
	if first == (value.ByteSet{}) {
		empty = true
	}
	return value.Strings(first, d.set(), empty)
}

func (d drawing) set() value.ByteSet {
	sets := []value.ByteSet{{}, value.Digits, value.Hex, value.Letters, value.Blanks, value.Patterns, value.Bytes("-"), value.AnyByte}
	out := sets[d.IntN(len(sets))]
	for range d.IntN(4) {
		out = out.Union(value.Bytes(string([]byte{byte(1 + d.IntN(255))})))
	}
	return out
}

// text draws a string of a class.
func (d drawing) text(c *value.Class) string {
	first := members(c.First())
	if len(first) == 0 || c.MayBeEmpty() && d.IntN(4) == 0 {
		return ""
	}
	out := []byte{first[d.IntN(len(first))]}
	if rest := members(c.Rest()); len(rest) > 0 {
		for range d.IntN(5) {
			out = append(out, rest[d.IntN(len(rest))])
		}
	}
	return string(out)
}

// members are those of a set, without the byte that no string of a shell can hold.
func members(s value.ByteSet) []byte {
	var out []byte
	for b := 1; b < 256; b++ {
		if s.Has(byte(b)) {
			out = append(out, byte(b))
		}
	}
	return out
}

func TestAClassContainsItsStrings(t *testing.T) {
	d := newDrawing(2)
	for range draws {
		a, b := d.class(), d.class()
		x, y := d.text(&a), d.text(&b)
		assert.True(t, a.Contains(x), "%q", x)
		one := value.Of(x)
		assert.True(t, a.In(&a) && a.In(&value.Class{}), "the zero value excludes nothing")
		assert.True(t, one.In(&a), "%q", x)
		assert.Equal(t, a.Contains(y), contained(y, &a), "%q", y)
		both, other := a.Concat(&b), value.Of(y)
		assert.True(t, both.Contains(x+y))
		assert.Equal(t, value.Of(x+y), one.Concat(&other))
		appended, byByte := a, a
		appended.Append(y)
		for i := range len(y) {
			byByte.AppendByte(y[i])
		}
		assert.Equal(t, a.Concat(&other), appended)
		assert.Equal(t, appended, byByte)
		present := a.Present()
		assert.Equal(t, x != "", present.Contains(x))
		if one.In(&b) {
			assert.True(t, b.Contains(x))
		}
	}
}

// contained is Contains, byte by byte.
func contained(text string, c *value.Class) bool {
	if text == "" {
		return c.MayBeEmpty()
	}
	first, rest := c.First(), c.Rest()
	ok := first.Has(text[0])
	for i := 1; i < len(text); i++ {
		ok = ok && rest.Has(text[i])
	}
	return ok
}

// operation is what bash does with the variables x, y, from and length, and the class of what
// comes out.
type operation struct {
	script string
	result func(x, y *value.Class) value.Class
}

var operations = []operation{
	{`"$x$y"`, func(x, y *value.Class) value.Class { return x.Concat(y) }},
	{`"$y"x"$x"`, func(x, y *value.Class) value.Class { out := *y; out.Append("x"); return out.Concat(x) }},
	{`"${x+$y}"`, func(_, y *value.Class) value.Class { return y.OrEmpty() }},
	{`"${x:from:length}"`, func(x, _ *value.Class) value.Class { return x.Slice() }},
	{`"${x:from}"`, func(x, _ *value.Class) value.Class { return x.Slice() }},
}

func TestOperationsAreSoundInBash(t *testing.T) {
	for _, locale := range []string{"C", "C.UTF-8"} {
		d := newDrawing(3)
		var script strings.Builder
		var expected []value.Class
		for i := range draws * 2 {
			a, b := d.class(), d.class()
			x, y := d.text(&a), d.text(&b)
			op := operations[i%len(operations)]
			expected = append(expected, op.result(&a, &b))
			fmt.Fprintf(&script, "x=%s y=%s from=%d length=%d; printf '%%s\\0' %s\n", quote(x), quote(y), d.IntN(9)-4, d.IntN(4), op.script)
		}
		for i, got := range runBash(t, locale, script.String(), len(expected)) {
			require.True(t, expected[i].Contains(got), "%s: %q of %s", locale, got, strings.Split(script.String(), "\n")[i])
		}
	}
}

func TestNumbersAreSoundInBash(t *testing.T) {
	d := newDrawing(4)
	var script strings.Builder
	var expected []*value.Class
	for range draws / 4 {
		a, b := d.IntN(1<<20)-1<<19, d.IntN(1<<20)-1<<19
		for _, op := range []string{"+", "-", "*", "<", "&", "|", "<<"} {
			expected = append(expected, &value.SignedNumber)
			fmt.Fprintf(&script, "printf '%%s\\0' $(((%d) %s (%d)))\n", a, op, b)
		}
		for _, text := range []string{"$?", "$#", "$$", "$UID", "${#x}", "$((" + strconv.Itoa(max(a, 0)) + " + " + strconv.Itoa(max(b, 0)) + "))"} {
			expected = append(expected, &value.Number)
			fmt.Fprintf(&script, "x=%s; printf '%%s\\0' %s\n", quote(d.text(&value.NonEmpty)), text)
		}
	}
	for i, got := range runBash(t, "C", script.String(), len(expected)) {
		require.True(t, expected[i].Contains(got), "%q of %s", got, strings.Split(script.String(), "\n")[i])
	}
}

// quote writes text as a quoted word of bash on one line.
func quote(text string) string {
	var out strings.Builder
	out.WriteString("$'")
	for i := range len(text) {
		fmt.Fprintf(&out, `\%03o`, text[i])
	}
	return out.String() + "'"
}

// runBash runs a script in one process, and returns the texts that it prints, each with NUL behind it.
func runBash(t *testing.T, locale, script string, count int) []string {
	t.Helper()
	path, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed") // make needs bash itself, so that this is go test alone
	}
	if exec.CommandContext(t.Context(), path, "-c", "((BASH_VERSINFO[0] > 4))").Run() != nil {
		t.Skip("bash is older than 5.0") // as on macOS, whose case conversion differs
	}
	file := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(file, []byte(script), 0o600))
	cmd := exec.CommandContext(t.Context(), path, file)
	cmd.Env = []string{"LC_ALL=" + locale}
	printed, err := cmd.Output()
	require.NoError(t, err)
	texts := strings.Split(string(printed), "\x00")
	require.Len(t, texts, count+1)
	return texts[:count]
}
