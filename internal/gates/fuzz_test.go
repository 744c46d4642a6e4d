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

// methodsOf are the methods that some reader could find in what passed: whatever
// key of any case it takes for "method", be it the first or the last, in each
// value of each piece of the line, and whether it tidies names up or not.
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

// FuzzMCPGatesEveryCall holds that nothing passes undecided that any reader could
// take for a call: the sidecar is away, so no call may pass at all. What passes
// is what came, byte for byte.
func FuzzMCPGatesEveryCall(f *testing.F) {
	for _, seed := range []string{
		`{"id":1,"method":"tools/call","params":{"name":"a","arguments":{}}}`,
		`{"id":1,"method":"ping","Method":"tools/call","params":{"name":"a"}}`,
		`{"id":1,"method":"ping","\u004dethod":"tools/call"}`,
		`{"id":1,"method":"ping","params":` + "\r" + `{"id":2,"method":"tools/call","params":{"name":"a"}}` + "\r}",
		`[{"id":1,"method":"ping"},{"id":2,"method":"tools/call","params":{"name":"a"}}]`,
		`{"id":1,"method":"ping"} {"id":2,"method":"tools/call"}`,
		`{"id":1,"method":"tools/call\u0000"}`, `{"id":1,"method":"tool\u017f/call"}`, "{\"id\":1,\"method\":\"tools/call\xff\"}",
		"\ufeff" + `{"id":1,"method":"tools/call"}`, `{"id":1,"result":{},"method":"tools/call"}`,
		`{"id":1,"method":"notifications/cancelled","params":{"requestId":1}}`, " \t", `{"id":1,"method":"ping","params":{"method":"tools/call"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		gate, err := NewMCP(MCPOptions{Client: nobody{}, Server: "s", Note: func(string) {}, Limit: 1 << 16})
		require.NoError(t, err)
		var passed, answers bytes.Buffer
		gate.toChild, gate.toHost = stdio.NewLineWriter(&passed), stdio.NewLineWriter(&answers)
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
			before := passed.Len()
			require.NoError(t, gate.take(t.Context(), line))
			if passed.Len() > before {
				expected = append(expected, line...)
			}
		}
		require.Equal(t, string(expected), passed.String())
		for _, method := range methodsOf(passed.Bytes()) {
			require.NotEqual(t, foldedCall, jsonrpc.Fold(method), "%q", passed.String())
		}
		for answer := range strings.Lines(answers.String()) {
			require.True(t, json.Valid([]byte(answer)), answer)
		}
	})
}
