package wire_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	fast "github.com/goccy/go-json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/wire"
)

// texts are those that are written in different ways, or have looked as if they were.
var texts = []string{
	"", "a", "git status", "/srv/proj/src", "a\"b", `a\b`, "a\tb", "\x00", "\x1f", " ", "!", "~", "\x7f", "é", "\xff", "\u2028", "😀",
	"<file>", "a&b", "<\"", "<\x7f>", "1234567\"", "12345678\"", "1234567\\9abcdef", "123456789abcdef\x01", "12345\x80789", "\ufffd",
	"command", "a b", "a.b", "a-b", "A", "timer_gate_ns", "[]", "null",
}

// filler fills values with anything, deeper and deeper.
type filler struct {
	*rand.Rand
	extra string
}

func (f *filler) text() string {
	if f.extra != "" && f.IntN(3) == 0 {
		return f.extra
	}
	return texts[f.IntN(len(texts))]
}

func (f *filler) fill(t *testing.T, v reflect.Value) {
	t.Helper()
	if at, is := v.Addr().Interface().(*time.Time); is {
		*at = time.Unix(f.Int64N(1<<33), f.Int64N(1e9)).In(time.FixedZone("", f.IntN(20000)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text())
	case reflect.Int, reflect.Int64:
		v.SetInt(f.Int64() >> f.IntN(64) * int64(1-2*f.IntN(2)))
	case reflect.Uint8:
		v.SetUint(uint64(f.IntN(4)))
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Pointer:
		if f.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(t, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				f.fill(t, v.Field(i))
			}
		}
	case reflect.Interface:
		v.Set(reflect.ValueOf(f.argument(t)))
	case reflect.Slice, reflect.Map:
		f.fillMany(t, v)
	default:
		t.Fatalf("there is no way to fill a %s", v.Kind())
	}
}

// fillMany leaves a list or a map nil, empty, or with up to twelve elements.
func (f *filler) fillMany(t *testing.T, v reflect.Value) {
	t.Helper()
	count := f.IntN(4) - 1
	if f.IntN(20) == 0 {
		count = 12
	}
	switch {
	case count < 0:
		v.SetZero()
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), count, count))
		for i := range count {
			f.fill(t, v.Index(i))
		}
	default:
		v.Set(reflect.MakeMap(v.Type()))
		for range count {
			element := reflect.New(v.Type().Elem()).Elem()
			f.fill(t, element)
			v.SetMapIndex(reflect.ValueOf(f.text()), element)
		}
	}
}

// argument is a value as it is in the arguments of a redacted call.
func (f *filler) argument(t *testing.T) any {
	t.Helper()
	switch f.IntN(8) {
	case 0:
		return json.Number(fmt.Sprint(f.Float64()))
	case 1:
		return f.IntN(2) == 0
	case 2:
		return f.IntN(1000)
	case 3:
		return []any{f.text(), nil, json.Number("1e400")}
	case 4:
		return map[string]any{f.text(): f.text(), f.text(): nil}
	}
	return f.text()
}

// require that both ways of writing agree.
func compare[T any](t *testing.T, value *T, append func([]byte, *T) ([]byte, error)) {
	t.Helper()
	want, wantErr := fast.MarshalWithOption(value, fast.DisableHTMLEscape())
	got, err := append([]byte("before"), value)
	if wantErr != nil {
		require.Error(t, err)
		require.Equal(t, "before", string(got))
		return
	}
	require.NoError(t, err)
	require.Equal(t, "before"+string(want), string(got))
}

// differential fills a record and a decision and compares.
func differential(t *testing.T, seed uint64, extra string) {
	t.Helper()
	f := &filler{rand.New(rand.NewPCG(seed, 1)), extra}
	var record v1.Record
	f.fill(t, reflect.ValueOf(&record).Elem())
	compare(t, &record, wire.AppendRecord)
	record.Known = &v1.Known{}
	for range 2 { // the second time with the text that the first one kept
		compare(t, &record, wire.AppendRecord)
	}
	record.Input = nil
	compare(t, &record, wire.AppendRecord)
	var decision v1.Decision
	f.fill(t, reflect.ValueOf(&decision).Elem())
	compare(t, &decision, wire.AppendDecision)
}

// TestWhatIsWrittenIsWhatTheJSONPackageWrites goes through records and decisions with
// anything in any field, so that a field which is left out fails.
func TestWhatIsWrittenIsWhatTheJSONPackageWrites(t *testing.T) {
	for seed := range uint64(5000) {
		differential(t, seed, "")
	}
}

func FuzzWire(f *testing.F) {
	for i, text := range texts {
		f.Add(uint64(i), text)
	}
	f.Fuzz(differential)
}

// TestWhatCannotBeWrittenIsAnError checks that nothing is left behind of it.
func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	late := v1.Record{Timestamp: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}
	compare(t, &late, wire.AppendRecord)
	odd := v1.Record{Call: &v1.RecordCall{Args: map[string]any{"a": func() {}}}}
	compare(t, &odd, wire.AppendRecord)
	_, err := wire.AppendRecord(nil, &odd)
	require.Error(t, err)
}

// TestWhatIsKnownIsWrittenOnce checks that texts are kept if possible.
func TestWhatIsKnownIsWrittenOnce(t *testing.T) {
	record := v1.Record{
		Input: &v1.Input{Facts: v1.Facts{Cwd: "/srv"}}, Known: &v1.Known{}, Call: &v1.RecordCall{Tool: "Bash"},
		Result: v1.RecordResult{Reasons: []v1.Reason{{Rule: "r"}}, Items: []v1.DecisionItem{{Verb: "v"}}},
	}
	first, err := wire.AppendRecord(nil, &record)
	require.NoError(t, err)
	require.Contains(t, string(first), `,"input":`+string(record.Known.Load(v1.UseInput).([]byte))+`,"call":`)
	// Neither may change once it was written, which shows where the text is from.
	record.Input.Cwd, record.Call.Tool = "/other", "Other"
	again, err := wire.AppendRecord(nil, &record)
	require.NoError(t, err)
	assert.Equal(t, string(first), string(again))
	record.Input.Cwd, record.Call.Tool = "/srv", "Bash"
	for _, change := range []func(record *v1.Record){
		func(record *v1.Record) { record.Call = &v1.RecordCall{Tool: "Other"} },
		func(record *v1.Record) { record.Call = nil },
		func(record *v1.Record) { record.Result.Decision = v1.EffectAllow },
		func(record *v1.Record) { record.Result.Reasons = []v1.Reason{{Rule: "s"}} },
		func(record *v1.Record) { record.Result.Reasons = nil },
		func(record *v1.Record) { record.Result.Items = []v1.DecisionItem{{Verb: "w"}} },
		func(record *v1.Record) { record.Result.Items = []v1.DecisionItem{} },
		func(record *v1.Record) { record.Result.PromptID = "p" },
		func(record *v1.Record) { record.Input = nil },
		func(record *v1.Record) { record.Known = nil },
	} {
		changed := record
		change(&changed)
		compare(t, &changed, wire.AppendRecord)
		compare(t, &record, wire.AppendRecord)
	}
	long := v1.Record{Input: &v1.Input{Facts: v1.Facts{Cwd: strings.Repeat("x", 5000)}}, Known: &v1.Known{}}
	_, err = wire.AppendRecord(nil, &long)
	require.NoError(t, err)
	assert.Nil(t, long.Known.Load(v1.UseInput), "memory is bounded")
}

// TestNothingIsAllocatedForPlainText checks what this is there for.
func TestNothingIsAllocatedForPlainText(t *testing.T) {
	record := v1.Record{
		DecisionID: "1", Timestamp: time.Now(), Labels: map[string]string{"version": "1"},
		Input: &v1.Input{Facts: v1.Facts{
			Items: []v1.Item{{Verb: "git status", Form: v1.Form{{Name: "<file>", Kind: "read"}}, Within: v1.Set{"/srv", "/"}}},
			Paths: []v1.Path{{Real: "/srv/a", Caveats: v1.Set{"missing"}, Links: []string{"/srv"}}},
		}},
		Call:    &v1.RecordCall{Tool: "Bash", Args: map[string]any{"command": "git status", "b": "c"}},
		Result:  v1.RecordResult{Reasons: []v1.Reason{{Rule: "r"}}, Items: []v1.DecisionItem{{Verb: "v"}}},
		Metrics: v1.RecordMetrics{Extract: 1, Evaluate: 2, Gate: 3},
	}
	decision := v1.Decision{ID: "1", Reasons: record.Result.Reasons, Items: record.Result.Items}
	out := make([]byte, 0, 4096)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_, _ = wire.AppendRecord(out, &record)
		_, _ = wire.AppendDecision(out, &decision)
	}))
}

func BenchmarkRecord(b *testing.B) {
	f := &filler{rand.New(rand.NewPCG(1, 1)), ""}
	texts = []string{"git status", "/srv/proj/src", "command", "safe_verbs/read"}
	record := v1.Record{Timestamp: time.Now(), Input: &v1.Input{}}
	f.fill(&testing.T{}, reflect.ValueOf(&record.Input.Facts).Elem())
	out := make([]byte, 0, 16<<10)
	b.Run("wire", func(b *testing.B) {
		for b.Loop() {
			_, _ = wire.AppendRecord(out, &record)
		}
	})
	b.Run("json", func(b *testing.B) {
		for b.Loop() {
			_, _ = fast.MarshalWithOption(&record, fast.DisableHTMLEscape())
		}
	})
}
