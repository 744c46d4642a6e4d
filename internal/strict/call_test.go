package strict_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/strict"
)

const whole = `{
  "tool": "Bash", "protocol": "",
  "args": {"command": "cd src && git push origin main"},
  "cwd": "/srv/proj",
  "session": {
    "id": "s-1", "agent": "claude-code", "parent_id": "", "audience": "personal",
    "project_dir": "/srv/proj", "extra_dirs": [], "session_dir": "/var/agent/s-1",
    "interactive": true, "platform": "linux", "home": "/home/dev", "shell": "bash",
    "tools": ["set_working_directory"],
    "peers": [{"id": "p1", "capabilities": ["fs", "terminal"]}]
  }
}`

func TestDecodeCallReadsTheContractsExample(t *testing.T) {
	call, err := strict.DecodeCall([]byte(whole))
	require.NoError(t, err)
	assert.Equal(t, "Bash", call.Tool)
	assert.JSONEq(t, `{"command": "cd src && git push origin main"}`, string(call.Args))
	assert.Equal(t, v1.AudiencePersonal, call.Session.Audience)
	assert.True(t, call.Session.Attended())
	assert.Equal(t, []v1.Peer{{ID: "p1", Capabilities: []string{"fs", "terminal"}}}, call.Session.Peers)
}

func TestDecodeCallLeavesArgsToTheTool(t *testing.T) {
	call, err := strict.DecodeCall([]byte(`{"tool":"t","args":{"Any":null,"args":{"x":[null]},"any":1},"session":{"id":"s"}}`))
	require.NoError(t, err)
	assert.JSONEq(t, `{"Any":null,"args":{"x":[null]},"any":1}`, string(call.Args))
}

// refusals are request bodies with the code, the key and, where it matters,
// the byte that the error has to name.
var refusals = []struct {
	name, body string
	code       strict.Code
	pointer    string
	offset     int64
}{
	{"empty body", ``, strict.CodeSyntax, "", 0},
	{"only space", "  \n", strict.CodeSyntax, "", -1},
	{"not JSON", `tool=Bash`, strict.CodeSyntax, "", -1},
	{"byte order mark", "\xef\xbb\xbf" + `{"tool":"t","args":{},"session":{"id":"s"}}`, strict.CodeSyntax, "", 0},
	{"array", `[]`, strict.CodeType, "", 0},
	{"null body", `null`, strict.CodeNull, "", 0},
	{"cut short", `{"tool":"t"`, strict.CodeSyntax, "", -1},
	{"trailing text", `{"tool":"t","args":{},"session":{"id":"s"}} x`, strict.CodeTrailing, "", 44},
	{"second object", `{"tool":"t","args":{},"session":{"id":"s"}}{}`, strict.CodeTrailing, "", 43},
	{"duplicate key", `{"tool":"t","tool":"u","args":{},"session":{"id":"s"}}`, strict.CodeDuplicate, "/tool", 12},
	{"duplicate key, escaped", `{"tool":"t","t\u006fol":"u","args":{},"session":{"id":"s"}}`, strict.CodeDuplicate, "/tool", 12},
	{"duplicate key in args", `{"tool":"t","args":{"a":1,"\u0061":2},"session":{"id":"s"}}`, strict.CodeDuplicate, "/args/a", 26},
	{"duplicate key deep in args", `{"tool":"t","args":{"a":[{"b":1,"b":2}]},"session":{"id":"s"}}`, strict.CodeDuplicate, "/args/a/0/b", -1},
	{"other case", `{"Tool":"t","args":{},"session":{"id":"s"}}`, strict.CodeUnknown, "/Tool", 1},
	{"other case beside it", `{"tool":"t","TOOL":"u","args":{},"session":{"id":"s"}}`, strict.CodeUnknown, "/TOOL", 12},
	{"unknown key", `{"tool":"t","args":{},"x":1,"session":{"id":"s"}}`, strict.CodeUnknown, "/x", 22},
	{"unknown session key", `{"tool":"t","args":{},"session":{"id":"s","role":1}}`, strict.CodeUnknown, "/session/role", -1},
	{"unknown peer key", `{"tool":"t","args":{},"session":{"id":"s","peers":[{"id":"p","x":1}]}}`, strict.CodeUnknown, "/session/peers/0/x", -1},
	{"tool is a number", `{"tool":1,"args":{},"session":{"id":"s"}}`, strict.CodeType, "/tool", -1},
	{"session is a string", `{"tool":"t","args":{},"session":"s"}`, strict.CodeType, "/session", -1},
	{"interactive is text", `{"tool":"t","args":{},"session":{"id":"s","interactive":"yes"}}`, strict.CodeType, "/session/interactive", -1},
	{"extra_dirs is text", `{"tool":"t","args":{},"session":{"id":"s","extra_dirs":"/"}}`, strict.CodeType, "/session/extra_dirs", -1},
	{"args is an array", `{"tool":"t","args":[],"session":{"id":"s"}}`, strict.CodeType, "/args", 19},
	{"args is text", `{"tool":"t","args":"{}","session":{"id":"s"}}`, strict.CodeType, "/args", 19},
	{"args is null", `{"tool":"t","args":null,"session":{"id":"s"}}`, strict.CodeNull, "/args", 19},
	{"tool is null", `{"tool":null,"args":{},"session":{"id":"s"}}`, strict.CodeNull, "/tool", 8},
	{"optional key is null", `{"tool":"t","args":{},"cwd":null,"session":{"id":"s"}}`, strict.CodeNull, "/cwd", 28},
	{"optional session key is null", `{"tool":"t","args":{},"session":{"id":"s","tools":null}}`, strict.CodeNull, "/session/tools", -1},
	{"element is null", `{"tool":"t","args":{},"session":{"id":"s","tools":[null]}}`, strict.CodeNull, "/session/tools/0", -1},
	{"session is null", `{"tool":"t","args":{},"session":null}`, strict.CodeNull, "/session", -1},
	{"no tool", `{"args":{},"session":{"id":"s"}}`, strict.CodeMissing, "/tool", 0},
	{"empty tool", `{"tool":"","args":{},"session":{"id":"s"}}`, strict.CodeMissing, "/tool", 8},
	{"no args", `{"tool":"t","session":{"id":"s"}}`, strict.CodeMissing, "/args", 0},
	{"no session", `{"tool":"t","args":{}}`, strict.CodeMissing, "/session/id", 0},
	{"no session id", `{"tool":"t","args":{},"session":{}}`, strict.CodeMissing, "/session/id", 32},
	{"unknown protocol", `{"tool":"t","protocol":"ACP","args":{},"session":{"id":"s"}}`, strict.CodeInvalid, "/protocol", 23},
	{"slash in id", `{"tool":"t","args":{},"session":{"id":"a/b"}}`, strict.CodeInvalid, "/session/id", -1},
	{"backslash in id", `{"tool":"t","args":{},"session":{"id":"a\\b"}}`, strict.CodeInvalid, "/session/id", -1},
	{"space in id", `{"tool":"t","args":{},"session":{"id":"a b"}}`, strict.CodeInvalid, "/session/id", -1},
	{"control in id", `{"tool":"t","args":{},"session":{"id":"a\u0007"}}`, strict.CodeInvalid, "/session/id", -1},
	{"direction override in id", `{"tool":"t","args":{},"session":{"id":"a\u202e"}}`, strict.CodeInvalid, "/session/id", -1},
	{"long id", `{"tool":"t","args":{},"session":{"id":"` + strings.Repeat("a", 129) + `"}}`, strict.CodeInvalid, "/session/id", -1},
	{"slash in parent id", `{"tool":"t","args":{},"session":{"id":"s","parent_id":"../s"}}`, strict.CodeInvalid, "/session/parent_id", -1},
	{"NUL in cwd", `{"tool":"t","args":{},"cwd":"/a\u0000b","session":{"id":"s"}}`, strict.CodeInvalid, "/cwd", -1},
	{"NUL in project", `{"tool":"t","args":{},"session":{"id":"s","project_dir":"\u0000"}}`, strict.CodeInvalid, "/session/project_dir", -1},
	{"NUL in extra dir", `{"tool":"t","args":{},"session":{"id":"s","extra_dirs":["/a","/\u0000"]}}`, strict.CodeInvalid, "/session/extra_dirs/1", -1},
	{"NUL in peer", `{"tool":"t","args":{},"session":{"id":"s","peers":[{"id":"\u0000"}]}}`, strict.CodeInvalid, "/session/peers/0", -1},
	{"invalid UTF-8", "{\"tool\":\"\xff\",\"args\":{},\"session\":{\"id\":\"s\"}}", strict.CodeInvalidUTF8, "/tool", -1},
	{"invalid UTF-8 in args", "{\"tool\":\"t\",\"args\":{\"a\":\"\xc0\xaf\"},\"session\":{\"id\":\"s\"}}", strict.CodeInvalidUTF8, "/args/a", -1},
	{"lone surrogate", `{"tool":"\ud800","args":{},"session":{"id":"s"}}`, strict.CodeInvalidUTF8, "/tool", -1},
	{"lone surrogate in args", `{"tool":"t","args":{"a":"\udc00x"},"session":{"id":"s"}}`, strict.CodeInvalidUTF8, "/args/a", -1},
	{"too deep", strings.Repeat("[", 65), strict.CodeTooDeep, "", 64},
	{
		"too deep in args", `{"tool":"t","args":{"a":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + `},"session":{"id":"s"}}`,
		strict.CodeTooDeep, "", 86,
	},
}

func TestDecodeCallRefuses(t *testing.T) {
	require.NotEmpty(t, refusals)
	for _, test := range refusals {
		t.Run(test.name, func(t *testing.T) {
			call, err := strict.DecodeCall([]byte(test.body))
			require.Error(t, err)
			assert.Nil(t, call)
			var refused *strict.Error
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, test.code, refused.Code, refused.Error())
			assert.Equal(t, test.pointer, refused.Pointer, refused.Error())
			if test.offset >= 0 {
				assert.Equal(t, test.offset, refused.Offset, refused.Error())
			}
			assert.Contains(t, refused.Error(), "(byte ")
			assert.Contains(t, refused.Error(), refused.Pointer)
		})
	}
}

func TestDecodeCallTakesSixtyFourLevels(t *testing.T) {
	body := `{"tool":"t","args":{"a":` + strings.Repeat("[", 62) + strings.Repeat("]", 62) + `},"session":{"id":"s"}}`
	_, err := strict.DecodeCall([]byte(body))
	require.NoError(t, err)
}

func TestDecodeCallTakesBracketsInText(t *testing.T) {
	body := `{"tool":"t","args":{"a":"` + strings.Repeat(`[{\"`, 100) + `"},"session":{"id":"s"}}`
	_, err := strict.DecodeCall([]byte(body))
	require.NoError(t, err)
}

func TestDecodeBatch(t *testing.T) {
	call := `{"tool":"t","args":{"a":null},"session":{"id":"s"}}`
	batch, err := strict.DecodeBatch([]byte(`{"calls":[` + call + `,` + call + `]}`))
	require.NoError(t, err)
	assert.Len(t, batch.Calls, 2)

	tests := []struct {
		name, body string
		code       strict.Code
		pointer    string
	}{
		{"no calls", `{}`, strict.CodeMissing, "/calls"},
		{"empty", `{"calls":[]}`, strict.CodeMissing, "/calls"},
		{"null", `{"calls":null}`, strict.CodeNull, "/calls"},
		{"null call", `{"calls":[null]}`, strict.CodeNull, "/calls/0"},
		{"101", `{"calls":[` + strings.Repeat(call+",", 100) + call + `]}`, strict.CodeTooManyCalls, "/calls"},
		{"second without tool", `{"calls":[` + call + `,{"args":{},"session":{"id":"s"}}]}`, strict.CodeMissing, "/calls/1/tool"},
		{"null field", `{"calls":[{"tool":"t","args":{},"cwd":null,"session":{"id":"s"}}]}`, strict.CodeNull, "/calls/0/cwd"},
		{"unknown key", `{"calls":[],"more":1}`, strict.CodeUnknown, "/more"},
		{"a call alone", call, strict.CodeUnknown, "/tool"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := strict.DecodeBatch([]byte(test.body))
			var refused *strict.Error
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, test.code, refused.Code, refused.Error())
			assert.Equal(t, test.pointer, refused.Pointer, refused.Error())
		})
	}
	full, err := strict.DecodeBatch([]byte(`{"calls":[` + strings.Repeat(call+",", 99) + call + `]}`))
	require.NoError(t, err)
	assert.Len(t, full.Calls, 100)
}

func TestDecodeCallSharesNoMemoryWithTheBody(t *testing.T) {
	body := []byte(whole)
	call, err := strict.DecodeCall(body)
	require.NoError(t, err)
	for i := range body {
		body[i] = 'x'
	}
	assert.Equal(t, "Bash", call.Tool)
	assert.JSONEq(t, `{"command": "cd src && git push origin main"}`, string(call.Args))
}

// FuzzDecodeCall checks that what decodes is written back and decodes to the same, that what the strict
// decoder takes the standard one takes, and that both see the same tool and session.
func FuzzDecodeCall(f *testing.F) {
	f.Add([]byte(whole))
	for _, test := range refusals {
		f.Add([]byte(test.body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		call, err := strict.DecodeCall(body)
		if err != nil {
			var refused *strict.Error
			require.ErrorAs(t, err, &refused)
			require.LessOrEqual(t, refused.Offset, int64(len(body)))
			return
		}
		var loose v1.Call
		require.NoError(t, json.Unmarshal(body, &loose))
		require.Equal(t, loose.Tool, call.Tool)
		require.Equal(t, loose.Session, call.Session)
		again, err := json.Marshal(call)
		require.NoError(t, err)
		second, err := strict.DecodeCall(again)
		require.NoError(t, err)
		require.JSONEq(t, string(call.Args), string(second.Args))
		second.Args = call.Args
		require.Equal(t, normal(call), normal(second))
	})
}

// normal drops the difference between an empty and an absent list.
func normal(call *v1.Call) *v1.Call {
	session := &call.Session
	session.ExtraDirs = append([]string(nil), session.ExtraDirs...)
	session.Tools = append([]string(nil), session.Tools...)
	session.Peers = append([]v1.Peer(nil), session.Peers...)
	for i := range session.Peers {
		session.Peers[i].Capabilities = append([]string(nil), session.Peers[i].Capabilities...)
	}
	return call
}

func BenchmarkDecodeCall(b *testing.B) {
	for _, test := range []struct{ name, body string }{
		{"whole", whole},
		{"small", `{"tool":"Bash","args":{"command":"git status"},"cwd":"/srv/proj","session":{"id":"s-1","agent":"claude-code"}}`},
	} {
		body := []byte(test.body)
		b.Run(test.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := strict.DecodeCall(body); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
