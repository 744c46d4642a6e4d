package gates

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/jsonrpc"
	"policyd/internal/pdp"
	"policyd/internal/stdio"
)

// nobody is a sidecar that is away.
type nobody struct{}

func (nobody) Do(context.Context, string, string, url.Values, []byte) (*pdp.Answer, error) {
	return nil, errors.New("away")
}

// lineEnds are what some readers take for the end of a line.
var lineEnds = regexp.MustCompile("[\n\r\v\f\u0085\u2028\u2029]")

// methodsOf are the methods that some reader could see in the output: the value of any key that equals
// "method" in any case, the first or the last of them, in each value of each piece of the line, with or
// without trimmed names.
func methodsOf(passed []byte) []string {
	methods := []string{}
	text := bytes.TrimPrefix(passed, []byte("\ufeff"))
	for _, piece := range append(lineEnds.Split(string(text), -1), string(text)) {
		decoder := json.NewDecoder(strings.NewReader(piece))
		for {
			var value json.RawMessage
			if decoder.Decode(&value) != nil {
				break
			}
			var elements []json.RawMessage
			if json.Unmarshal(value, &elements) != nil {
				elements = []json.RawMessage{value}
			}
			for _, element := range elements {
				methods = append(methods, methodMembers(element)...)
			}
		}
	}
	return methods
}

func methodMembers(object []byte) []string {
	methods := []string{}
	decoder := json.NewDecoder(bytes.NewReader(object))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			break
		}
		var value any
		if decoder.Decode(&value) != nil {
			break
		}
		name, _ := key.(string)
		if text, ok := value.(string); ok && jsonrpc.Fold(name) == jsonrpc.Fold("method") {
			text, _, _ = strings.Cut(text, "\x00") // some end a text here
			methods = append(methods, text)
		}
	}
	return methods
}

// feed hands lines to a side of a gate and checks that what passes is what came, byte for byte, and that what
// is answered is JSON. It returns what passed.
func feed(t *testing.T, text []byte, take func(ctx context.Context, line []byte) error, passed, answers *bytes.Buffer) []byte {
	t.Helper()
	lines := stdio.NewLines(bytes.NewReader(text), 1<<16)
	expected := []byte{}
	for {
		line, whole, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.True(t, whole || len(line) == 1<<16)
		if !whole {
			continue
		}
		line = clone(line)
		before := passed.Len()
		require.NoError(t, take(t.Context(), line))
		if passed.Len() > before {
			expected = append(expected, line...)
		}
	}
	require.Equal(t, string(expected), passed.String())
	for answer := range strings.Lines(answers.String()) {
		require.True(t, json.Valid([]byte(answer)), answer)
	}
	return expected
}

// FuzzMCPGatesEveryCall checks that nothing passes undecided that any reader could take for a call: the
// sidecar is away, so no call may pass at all.
func FuzzMCPGatesEveryCall(f *testing.F) {
	for _, seed := range seeds("tools/call") {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		gate, err := NewMCP(MCPOptions{Client: nobody{}, Server: "s", Note: func(string) {}})
		require.NoError(t, err)
		var passed, answers bytes.Buffer
		gate.toChild, gate.toHost = stdio.NewLineWriter(&passed), stdio.NewLineWriter(&answers)
		for _, method := range methodsOf(feed(t, text, gate.take, &passed, &answers)) {
			require.NotEqual(t, foldedCall, jsonrpc.Fold(method), "%q", passed.String())
		}
	})
}

// FuzzACPGatesEveryRequest checks the same for what an agent may ask its client.
func FuzzACPGatesEveryRequest(f *testing.F) {
	for _, method := range []string{"fs/read_text_file", "terminal/create", "session/request_permission"} {
		for _, seed := range seeds(method) {
			f.Add([]byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		gate, err := NewACP(ACPOptions{Client: nobody{}, Session: v1.Session{ID: "r"}, Note: func(string) {}})
		require.NoError(t, err)
		gate.sessions["s"] = &own{sidecar: gate.sidecar, session: v1.Session{ID: "r:s"}, note: gate.note}
		var passed, answers bytes.Buffer
		gate.toHost, gate.toChild = stdio.NewLineWriter(&passed), stdio.NewLineWriter(&answers)
		for _, method := range methodsOf(feed(t, text, gate.takeFromAgent, &passed, &answers)) {
			folded := jsonrpc.Fold(method)
			namespace, _, _ := strings.Cut(folded, "/")
			require.NotContains(t, []string{jsonrpc.Fold("fs"), jsonrpc.Fold("terminal")}, namespace, "%q", passed.String())
			require.NotEqual(t, jsonrpc.Fold("session/request_permission"), folded, "%q", passed.String())
		}
	})
}

// seeds are lines by which a method could get past a careless gate.
func seeds(method string) []string {
	upper := strings.ToUpper(method)
	return []string{
		`{"id":1,"method":"` + method + `","params":{"name":"a","arguments":{},"sessionId":"s"}}`,
		`{"id":1,"method":"ping","Method":"` + method + `","params":{"name":"a"}}`, `{"id":1,"method":"ping","\u004dethod":"` + method + `"}`,
		`{"id":1,"method":"ping","params":` + "\r" + `{"id":2,"method":"` + method + `","params":{"name":"a"}}` + "\r}",
		`[{"id":1,"method":"ping"},{"id":2,"method":"` + method + `","params":{"name":"a"}}]`,
		`{"id":1,"method":"ping"} {"id":2,"method":"` + method + `"}`, `{"id":1,"method":"` + method + `\u0000"}`,
		`{"id":1,"method":"` + strings.ReplaceAll(method, "s", "\u017f") + `"}`, `{"id":1,"method":"` + upper + `"}`, `{"method":"` + method + `"}`,
		"{\"id\":1,\"method\":\"" + method + "\xff\"}", "\ufeff" + `{"id":1,"method":"` + method + `"}`,
		`{"id":1,"result":{},"method":"` + method + `"}`, `{"id":1,"method":"ping","params":{"method":"` + method + `"}}`,
		`{"id":1,"method":"notifications/cancelled","params":{"requestId":1}}`, " \t", `{"id":1,"result":{"sessionId":"s"}}`,
	}
}
