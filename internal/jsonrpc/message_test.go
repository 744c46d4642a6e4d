package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/jsonrpc"
)

func TestReadDistinguishesMessages(t *testing.T) {
	tests := []struct {
		name, line   string
		kind         jsonrpc.Kind
		method, id   string
		params, rest string
	}{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"a/b","params":{"x":1}}`, jsonrpc.Request, "a/b", "1", `{"x":1}`, ""},
		{"request with a text for an id", `{"id":"é\u0031","method":"m"}`, jsonrpc.Request, "m", `"é\u0031"`, "", ""},
		{"request whose id is null", `{"id":null,"method":"m"}`, jsonrpc.Request, "m", `null`, "", ""},
		{"request with an odd number", `{"id":-1.50e2,"method":"m"}`, jsonrpc.Request, "m", `-1.50e2`, "", ""},
		{"escaped method", `{"id":1,"method":"tools\/\u0063all"}`, jsonrpc.Request, "tools/call", "1", "", ""},
		{"notification", `{"method":"m","params":[1]}`, jsonrpc.Notification, "m", "", `[1]`, ""},
		{"answer", `{"id":1,"result":{"a":[]}}`, jsonrpc.Response, "", "1", "", `{"a":[]}`},
		{"white space", " {\t\"id\" : 1 , \"method\":\"m\" } \r\n", jsonrpc.Request, "m", "1", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			messages, batch, err := jsonrpc.Read([]byte(test.line))
			require.NoError(t, err)
			require.Len(t, messages, 1)
			m := messages[0]
			assert.False(t, batch)
			assert.Equal(t, test.kind, m.Kind)
			assert.Equal(t, test.method, m.Method)
			assert.Equal(t, test.id, string(m.ID))
			assert.Equal(t, test.params, string(m.Params))
			assert.Equal(t, test.rest, string(m.Result))
			assert.Equal(t, test.params, test.line[m.At:m.At+len(m.Params)], "where params stand")
			assert.Equal(t, strings.TrimSpace(test.line), string(m.Raw))
		})
	}
	for _, blank := range []string{"", "\n", "\r\n", " \t\n"} {
		messages, _, err := jsonrpc.Read([]byte(blank))
		require.NoErrorf(t, err, "%q", blank)
		assert.Emptyf(t, messages, "%q", blank)
	}
}

// What two readers could take differently is refused.
func TestReadRefusesWhatIsNotOneMessage(t *testing.T) {
	tests := map[string]struct {
		line string
		code int
	}{
		"a key twice":                {`{"id":1,"method":"ping","method":"tools/call"}`, jsonrpc.CodeParse},
		"a key twice, escaped":       {`{"id":1,"method":"ping","\u006dethod":"tools/call"}`, jsonrpc.CodeParse},
		"a key twice, deep":          {`{"id":1,"method":"m","params":{"a":[{"b":1,"\u0062":2}]}}`, jsonrpc.CodeParse},
		"a key in other case":        {`{"id":1,"method":"ping","Method":"tools/call"}`, jsonrpc.CodeInvalidRequest},
		"a key with a sign":          {`{"id":1,"method":"ping","me_thod":"tools/call"}`, jsonrpc.CodeInvalidRequest},
		"a key with the long s":      {`{"id":1,"method":"ping","paramſ":{}}`, jsonrpc.CodeInvalidRequest},
		"a key for prototypes":       {`{"id":1,"method":"ping","__proto__":{"method":"tools/call"}}`, jsonrpc.CodeInvalidRequest},
		"no UTF-8":                   {"{\"id\":1,\"method\":\"a\xff\"}", jsonrpc.CodeParse},
		"half of a pair":             {`{"id":1,"method":"a\ud800"}`, jsonrpc.CodeParse},
		"two on a line":              {`{"id":1,"method":"a"}{"id":2,"method":"b"}`, jsonrpc.CodeParse},
		"something behind":           {`{"id":1,"method":"a"} x`, jsonrpc.CodeParse},
		"a byte order mark":          {"\ufeff" + `{"id":1,"method":"a"}`, jsonrpc.CodeParse},
		"a carriage return":          {"{\"method\":\"ping\",\"id\":1,\"params\":\r{\"method\":\"tools/call\",\"id\":2}\r}", jsonrpc.CodeParse},
		"cut off":                    {`{"id":1,"method":"a"`, jsonrpc.CodeParse},
		"single quotes":              {`{'id':1,'method':'a'}`, jsonrpc.CodeParse},
		"a comment":                  {`{"id":1,/**/"method":"a"}`, jsonrpc.CodeParse},
		"no number":                  {`{"id":NaN,"method":"a"}`, jsonrpc.CodeParse},
		"a text":                     {`"tools/call"`, jsonrpc.CodeInvalidRequest},
		"null":                       {`null`, jsonrpc.CodeInvalidRequest},
		"no method":                  {`{"id":1}`, jsonrpc.CodeInvalidRequest},
		"a method that is no text":   {`{"id":1,"method":["tools/call"]}`, jsonrpc.CodeInvalidRequest},
		"an empty method":            {`{"id":1,"method":""}`, jsonrpc.CodeInvalidRequest},
		"a method that ends early":   {`{"id":1,"method":"tools/call\u0000x"}`, jsonrpc.CodeInvalidRequest},
		"an object for an id":        {`{"id":{},"method":"a"}`, jsonrpc.CodeInvalidRequest},
		"true for an id":             {`{"id":true,"method":"a"}`, jsonrpc.CodeInvalidRequest},
		"a request and an answer":    {`{"id":1,"method":"a","result":{}}`, jsonrpc.CodeInvalidRequest},
		"two answers":                {`{"id":1,"error":{},"result":{}}`, jsonrpc.CodeInvalidRequest},
		"an answer to nobody":        {`{"result":{}}`, jsonrpc.CodeInvalidRequest},
		"an empty batch":             {`[]`, jsonrpc.CodeInvalidRequest},
		"a batch within a batch":     {`[[{"id":1,"method":"a"}]]`, jsonrpc.CodeInvalidRequest},
		"a batch of something else":  {`[1]`, jsonrpc.CodeInvalidRequest},
		"a batch that is too long":   {"[" + strings.Repeat(`{"method":"a"},`, 100) + `{"method":"a"}]`, jsonrpc.CodeInvalidRequest},
		"a batch with one bad piece": {`[{"id":1,"method":"a"},{"id":2}]`, jsonrpc.CodeInvalidRequest},
		"deep":                       {`{"id":1,"method":"a","params":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, jsonrpc.CodeParse},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			messages, _, err := jsonrpc.Read([]byte(test.line + "\n"))
			var fault *jsonrpc.FaultError
			require.ErrorAs(t, err, &fault)
			assert.Equal(t, test.code, fault.Code)
			assert.NotEmpty(t, fault.Message)
			assert.Empty(t, messages)
		})
	}
}

func TestReadKeepsTheIDOfWhatItRefuses(t *testing.T) {
	for line, id := range map[string]string{
		`{"id":7,"method":"m","extra":1}`:         `7`,
		`{"extra":1,"id":"a","method":"m"}`:       `"a"`,
		`{"id":1,"method":"m","id":2}`:            ``,
		`{"id":1,"method":"m","extra":1,"id":2}`:  ``,
		`{"id":1,"method":"ping"`:                 ``,
		`[{"id":3,"method":"m","result":{}}]`:     `3`,
		`{"id":[1],"method":"m"}`:                 ``,
		`{"method":"m","params":{"id":9},"x":""}`: ``,
	} {
		_, _, err := jsonrpc.Read([]byte(line))
		var fault *jsonrpc.FaultError
		require.ErrorAs(t, err, &fault, line)
		assert.Equal(t, id, string(fault.ID), line)
	}
	assert.Equal(t, "5", string(jsonrpc.BeginningID([]byte(`{"jsonrpc":"2.0","id":5,"params":{"a":"bbbb`))))
	assert.Nil(t, jsonrpc.BeginningID([]byte(`{"jsonrpc":"2.0","params":{"id":5,"a":"bbbb`)))
	assert.Nil(t, jsonrpc.BeginningID([]byte(`[{"id":5`)))
	assert.Nil(t, jsonrpc.BeginningID([]byte(`{"id":5`)), "it may go on")
}

func TestFold(t *testing.T) {
	for _, same := range []string{
		"tools/call", "Tools/Call", "TOOLS/CALL", " tools/call", "/tools/call/", "tool_s/ca-ll", "toolſ/call", "tools/call\n", "too\u200bls/call",
	} {
		assert.Equal(t, jsonrpc.Fold("tools/call"), jsonrpc.Fold(same), same)
	}
	assert.NotEqual(t, jsonrpc.Fold("tools/call"), jsonrpc.Fold("tools/list"))
	assert.Equal(t, jsonrpc.Fold("k"), jsonrpc.Fold("\u212a"), "the sign of the kelvin")
}

// FuzzRead checks that a message that passes is the same to every reader: to the standard library's, which
// takes the last of equal keys and keys in any case, and to one that takes the first.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"b":1}}}`,
		`{"id":1,"method":"ping","Method":"tools/call"}`, `{"id":1,"method":"ping","\u006dethod":"tools/call"}`,
		`[{"id":1,"method":"a"},{"method":"b"}]`, `{"id":null,"result":{}}`, "{\"id\":1,\r\"method\":\"a\"}\r\n", " ", `{"id":1e5,"error":{}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.IndexByte(line, '\n') >= 0 {
			return // it would be two lines
		}
		messages, batch, err := jsonrpc.Read(line)
		if err != nil {
			var fault *jsonrpc.FaultError
			require.ErrorAs(t, err, &fault)
			require.Empty(t, messages)
			return
		}
		if len(messages) == 0 {
			require.Empty(t, strings.TrimSpace(string(line)))
			return
		}
		raws := []json.RawMessage{line}
		if batch {
			raws = nil
			require.NoError(t, json.Unmarshal(line, &raws))
		}
		require.Len(t, messages, len(raws))
		for i, raw := range raws {
			assertSameToAll(t, &messages[i], raw)
		}
	})
}

func assertSameToAll(t *testing.T, m *jsonrpc.Message, raw []byte) {
	t.Helper()
	var last struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
		Result json.RawMessage `json:"result"`
	}
	require.NoError(t, json.Unmarshal(raw, &last))
	require.Equal(t, last.Method, m.Method)
	require.Equal(t, string(last.ID), string(m.ID))
	require.Equal(t, string(last.Params), string(m.Params))
	require.Equal(t, string(last.Result), string(m.Result))
	first := map[string]string{}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	_, err := decoder.Token()
	require.NoError(t, err)
	for decoder.More() {
		key, err := decoder.Token()
		require.NoError(t, err)
		var value json.RawMessage
		require.NoError(t, decoder.Decode(&value))
		name, _ := key.(string)
		if _, there := first[jsonrpc.Fold(name)]; !there {
			first[jsonrpc.Fold(name)] = string(value)
		}
	}
	require.Equal(t, first[jsonrpc.Fold("id")], string(m.ID))
	require.Equal(t, first[jsonrpc.Fold("params")], string(m.Params))
}
