package record_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/record"
)

// secrets are texts, each with the part that must not survive.
var secrets = []struct{ text, secret string }{
	{`curl -H "Authorization: Bearer abc.def-123" https://x`, "abc.def-123"},
	{`curl -H 'Authorization: Basic dXNlcjpwYXNz'`, "dXNlcjpwYXNz"},
	{`authorization: s3cr3t`, "s3cr3t"},
	{`use bearer eyJhbGciOiJIUzI1NiJ9.e30`, "eyJhbGciOiJIUzI1NiJ9"},
	{`mysql --password=hunter2 db`, "hunter2"},
	{`mysql --password hunter2 db`, "hunter2"},
	{`deploy --api-key "k 1 2" now`, "k 1 2"},
	{`PGPASSWORD='a b' psql`, "a b"},
	{`DB_PASSWORD=pa$$w0rd make`, "pa$$w0rd"},
	{`{"token": "t0k3n-value"}`, "t0k3n-value"},
	{`GITHUB_TOKEN=abc; rest`, "abc"},
	{`client_secret=zzz&x=1`, "zzz"},
	{`export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG`, "wJalrXUtnFEMI"},
	{`aws AKIAIOSFODNN7EXAMPLE`, "AKIAIOSFODNN7EXAMPLE"},
	{`echo ghp_0123456789abcdefABCDEF0123456789abcd`, "ghp_0123456789"},
	{`echo gho_0123456789abcdefABCDEF0123456789abcd`, "gho_0123456789"},
	{`echo github_pat_11ABCDEFG0123456789_abc`, "11ABCDEFG"},
	{`echo sk-proj-abcdefghijklmnop0123`, "abcdefghijklmnop0123"},
	{`echo xoxb-1234567890-abcdef`, "1234567890-abcdef"},
	{"cat <<E\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA\n-----END OPENSSH PRIVATE KEY-----\nE", "b3BlbnNzaA"},
	{"-----BEGIN RSA PRIVATE KEY-----\nMIIEow", "MIIEow"},
	{`git clone https://user:pa55@host/x`, "pa55"},
	{`git clone https://user:pa@55@host/x`, "pa@55"},
	{`psql postgres://:pw@db/app`, ":pw@"},
}

// plain are texts that stay as they are.
var plain = []string{
	"git status", "cd src && git push origin main", "grep -rn tokenizer src", "ls -la /srv/proj", "npm run build",
	"https://example.org/a:b@c", "cat token.go", "go test ./internal/token/...", "ssh host", "a = b", "sk-", "",
	"[masked]", "mailto:user@host", "risk-averse-but-not-a-key=1",
}

func TestMaskRemovesSecrets(t *testing.T) {
	masker := record.NewMasker()
	require.NotEmpty(t, secrets)
	for _, test := range secrets {
		safe, changed := masker.Mask(test.text)
		assert.True(t, changed, test.text)
		assert.NotContains(t, safe, test.secret)
		assert.Contains(t, safe, record.Masked)
		again, changed := masker.Mask(safe)
		assert.False(t, changed, safe)
		assert.Equal(t, safe, again)
	}
}

func TestMaskKeepsWhatStandsAround(t *testing.T) {
	masker := record.NewMasker()
	safe, _ := masker.Mask(`FOO=1 mysql --password=hunter2 db && git clone https://u:p@host/x.git`)
	assert.Equal(t, `FOO=1 mysql --password=[masked] db && git clone https://[masked]@host/x.git`, safe)
}

func TestMaskLeavesPlainText(t *testing.T) {
	masker := record.NewMasker()
	for _, text := range plain {
		safe, changed := masker.Mask(text)
		assert.Equal(t, text, safe)
		assert.False(t, changed, text)
	}
}

func FuzzMask(f *testing.F) {
	for _, test := range secrets {
		f.Add(test.text)
	}
	masker := record.NewMasker()
	f.Fuzz(func(t *testing.T, text string) {
		safe, changed := masker.Mask(text)
		require.Equal(t, changed, safe != text)
		again, changed := masker.Mask(safe)
		require.Equal(t, safe, again)
		require.False(t, changed)
	})
}

func redact(t *testing.T, tool, args string) (v1.RecordCall, []string, []string) {
	t.Helper()
	call := &v1.Call{Tool: tool, Args: json.RawMessage(args), Cwd: "/srv", Session: v1.Session{ID: "s", Agent: "a"}}
	return record.NewRedactor([]string{"body"}, []string{"X_*"}).Redact(call, v1.ToolWrite)
}

func TestRedactErasesContents(t *testing.T) {
	sum := "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	for _, name := range []string{"content", "file_text", "new_string", "old_string", "new_str", "old_str", "body"} {
		kept, erased, masked := redact(t, "Write", `{"file_path":"/a","`+name+`":"hello"}`)
		assert.Equal(t, map[string]any{"bytes": 5, "sha256": sum}, kept.Args[name])
		assert.Equal(t, "/a", kept.Args["file_path"])
		assert.Equal(t, []string{"/call/args/" + name}, erased)
		assert.Empty(t, masked)
	}
}

func TestRedactErasesNestedContentsAndPatches(t *testing.T) {
	kept, erased, _ := redact(t, "MultiEdit",
		`{"edits":[{"old_string":"hush","new_string":"hush"}],"input":"*** Begin Patch\nhush","n":12345678901234567890,"content":{"a":"hush"}}`)
	line, err := json.Marshal(kept)
	require.NoError(t, err)
	assert.NotContains(t, string(line), "hush")
	assert.Contains(t, string(line), "12345678901234567890", "numbers keep their digits")
	assert.Equal(t, []string{
		"/call/args/content", "/call/args/edits/0/new_string", "/call/args/edits/0/old_string", "/call/args/input",
	}, erased)
}

func TestRedactMasksSecrets(t *testing.T) {
	kept, erased, masked := redact(t, "Bash",
		`{"command":"curl -H 'Authorization: Bearer hush' x","env":["PASSWORD=hush"],"api_key":"hush","x_hidden":"hush","a/b":"token=hush","token=hush":1}`)
	line, err := json.Marshal(kept)
	require.NoError(t, err)
	assert.NotContains(t, string(line), "hush")
	assert.Empty(t, erased)
	assert.NotNil(t, erased)
	assert.Equal(t, []string{
		"/call/args", "/call/args/api_key", "/call/args/a~1b", "/call/args/command", "/call/args/env/0", "/call/args/x_hidden",
	}, masked)
	assert.Equal(t, "s", kept.SessionID)
	assert.Equal(t, "a", kept.Agent)
}

func TestRedactIsIdempotent(t *testing.T) {
	kept, _, _ := redact(t, "Write", `{"content":"hush","command":"password=hush","edits":[{"new_str":"hush"}]}`)
	args, err := json.Marshal(kept.Args)
	require.NoError(t, err)
	again, erased, masked := redact(t, "Write", string(args))
	assert.Empty(t, erased)
	assert.Empty(t, masked)
	second, err := json.Marshal(again.Args)
	require.NoError(t, err)
	assert.JSONEq(t, string(args), string(second))
}

func TestRedactTakesNoDigestOnTrust(t *testing.T) {
	kept, erased, _ := redact(t, "Write", `{"content":{"bytes":1,"sha256":"`+strings.Repeat("hush", 16)+`"}}`)
	line, err := json.Marshal(kept)
	require.NoError(t, err)
	assert.NotContains(t, string(line), "hush")
	assert.NotEmpty(t, erased)
}

func TestRedactLeavesOutWhatItCannotRead(t *testing.T) {
	kept, erased, _ := redact(t, "Write", `[hush]`)
	assert.Equal(t, map[string]any{}, kept.Args)
	assert.Equal(t, []string{"/call/args"}, erased)
}

func TestMaskFactsMasksNamesBeforeJudgement(t *testing.T) {
	facts := v1.Facts{
		Verbs: []string{"x --token=hush"}, Names: []string{"password=hush"},
		Items: []v1.Item{{Verb: "token=hush", Form: v1.Form{{Name: "--password=hush", Kind: "unknown"}}}},
		Paths: []v1.Path{{Raw: "https://u:hush@h", Real: "/srv/token=hush"}},
	}
	record.NewRedactor(nil, nil).MaskFacts(&facts)
	line, err := json.Marshal(facts)
	require.NoError(t, err)
	assert.NotContains(t, string(line), "hush")
}

func BenchmarkRedact(b *testing.B) {
	redactor := record.NewRedactor(nil, nil)
	call := &v1.Call{Tool: "Bash", Args: json.RawMessage(`{"command":"ls -la src && cat src/main.go | head -n 5"}`), Cwd: "/srv/proj"}
	b.ReportAllocs()
	for b.Loop() {
		redactor.Redact(call, v1.ToolShell)
	}
}
