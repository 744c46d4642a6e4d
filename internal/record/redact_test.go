package record_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

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
	{`curl -u user:hunter2 https://x`, "hunter2"},
	{`curl 'https://x/?a=1&b=2' -sSu "user:hun ter2"`, "ter2"},
	{`curl -uuser:hunter2 --proxy-user=p:hunter2 x`, "hunter2"},
	{`mysql -h db -phunter2 app`, "hunter2"},
	{`mysqldump -p'hunter2' app`, "hunter2"},
	{`sshpass -p hunter2 ssh host`, "hunter2"},
	{`docker login -u me -p hunter2 reg.io`, "hunter2"},
	{`redis-cli -a hunter2 ping`, "hunter2"},
	{`DB_PASS=hunter2 make`, "hunter2"},
	{`PASS=hunter2 make`, "hunter2"},
	{`openssl rsa -passin pass:hunter2`, "hunter2"},
	{`curl -H 'X-Auth-Key: hunter2' x`, "hunter2"},
	{`curl -H 'Cookie: sid=hunter2; b=hunter2' x`, "hunter2"},
	{`curl --cookie "sid=hunter2" x`, "hunter2"},
	{`curl "https://x/?a=1&api_key=hunter2"`, "hunter2"},
	{`aws configure set aws_secret_access_key hunter2 --profile x`, "hunter2"},
	{`npm config set //registry.npmjs.org/:_authToken hunter2`, "hunter2"},
	{`TOKEN=$(echo hunter2) make`, "hunter2"},
	{`TOKEN=$(echo $(cat x) hunter2) make`, "hunter2"},
	{"TOKEN=`echo hunter2` make", "hunter2"},
	{`TOKEN=hun\ hunter2 make`, "hunter2"},
	{`git clone https://hunter2@host/x`, "hunter2"},
	{`pip install git+https://hunter2@host/x`, "hunter2"},
	{`curl -d "{\"token\":\"hunter2\"}" x`, "hunter2"},
	{`{"password": "a\"hunter2"}`, "hunter2"},
	{`x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl y`, "eyJzdWIiOiIxIn0"},
	{`//registry.npmjs.org/ npm_0123456789abcdefghijABCDEFGHIJ012345`, "npm_0123456789"},
}

// plain are texts that stay as they are.
var plain = []string{
	"git status", "cd src && git push origin main", "grep -rn tokenizer src", "ls -la /srv/proj", "npm run build",
	"https://example.org/a:b@c", "cat token.go", "go test ./internal/token/...", "ssh host", "a = b", "sk-", "",
	"[masked]", "mailto:user@host", "risk-averse-but-not-a-key=1", "ssh://git@host/x", "mkdir -p build/login", "vim login.go; mkdir -p x",
	"docker run -u 1000:1000 alpine", "git push -u origin main", "bypass: 3", "--- a/token.go", "make COOKIES", "curl -u user https://x",
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

func TestMaskKeepsTheTextAround(t *testing.T) {
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

func redact(t *testing.T, tool, args string) (*v1.RecordCall, []string, []string) {
	t.Helper()
	call := &v1.Call{Tool: tool, Args: json.RawMessage(args), Cwd: "/srv", Session: v1.Session{ID: "s", Agent: "a"}}
	return record.NewRedactor([]string{"body"}, []string{"X_*"}).Redact(call, v1.ToolWrite, nil)
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
	assert.Equal(t, []string{"/call/args/content", "/call/args/edits", "/call/args/input"}, erased)
	assert.IsType(t, map[string]any{}, kept.Args["input"], "a patch is digested as a whole, whatever its argument is called")
}

// JSON sets no bound to a number: what no program computes with is kept as its digest,
// and the record stays one that can be read.
func TestRedactErasesNumbersWithoutEnd(t *testing.T) {
	endless, digits := strings.Repeat("7", 65), strings.Repeat("8", 64)
	many := strings.TrimSuffix(strings.Repeat("9,", 5000), ",")
	args := `{"n":` + endless + `,"m":` + digits + `,"nested":{"list":[1e` + endless + `,2]},"many":[` + many + `],"limit":4096}`
	kept, erased, _ := redact(t, "Write", args)
	line, err := json.Marshal(kept)
	require.NoError(t, err)
	assert.Equal(t, []string{"/call/args/many", "/call/args/n", "/call/args/nested/list/0"}, erased)
	assert.NotContains(t, string(line), endless)
	assert.Contains(t, string(line), digits)
	assert.Contains(t, string(line), `"limit":4096`)
	assert.Less(t, len(line), 1000)
	var read v1.RecordCall
	require.NoError(t, json.Unmarshal(line, &read))

	claimed := `{"content":{"bytes":` + endless + `,"sha256":"` + strings.Repeat("a", 64) + `"}}`
	kept, erased, _ = redact(t, "Write", claimed)
	line, err = json.Marshal(kept)
	require.NoError(t, err)
	assert.NotContains(t, string(line), endless, "what looks like a digest is bounded, too")
	assert.NotEmpty(t, erased)
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

// leaked are calls whose "hush" must not survive, each with its tool's kind.
var leaked = []struct{ name, kind, args string }{
	{"code_edit", v1.ToolEdit, `{"code_edit":"hush"}`},
	{"texts", v1.ToolEdit, `{"old_text":"hush","new_text":"hush","newText":"hush","old-text":"hush"}`},
	{"edits of a list", v1.ToolMCP, `{"edits":[{"oldText":"hush","newText":"hush"}]}`},
	{"edits as text", v1.ToolEdit, `{"edits":"[{hush}]"}`},
	{"diff", v1.ToolEdit, `{"diff":"hush"}`},
	{"named by the catalog", v1.ToolEdit, `{"instruction":"hush","text":"hush"}`},
	{"nested body", v1.ToolMCP, `{"request":{"body":"hush","data":["hush"],"content":[{"text":"hush"}]}}`},
	{"patch that is none", v1.ToolEdit, `{"patch":"hush","patchText":"hush"}`},
	{"patch as a command", v1.ToolEdit, `{"command":"hush"}`},
	{"patch as a list", v1.ToolShell, `{"command":["apply_patch","*** Begin Patch\n*** Add File: a\n+hush\n*** End Patch"]}`},
	{"malformed patch", v1.ToolOther, `{"x":"***begin patch\n+hush"}`},
	{"patch without a beginning", v1.ToolOther, `{"x":"*** Update File: a\n+hush"}`},
	{"unified diff", v1.ToolOther, `{"x":"--- a/x\n+++ b/x\n+hush"}`},
	{"patch in a command", v1.ToolShell, `{"command":"apply_patch '*** Begin Patch\n*** Add File: a\n+hush\n*** End Patch'"}`},
	{"here-document", v1.ToolShell, `{"command":"cat > a <<'EOF' && ls\nhush\nEOF\nls"}`},
	{"here-document that is not closed", v1.ToolShell, `{"command":"cat <<EOF\nhush\n EOF\nhush"}`},
	{"here-document with tabs", v1.ToolShell, `{"command":"cat <<-EOF\n\thush\n\tEOF\nls"}`},
	{"two here-documents", v1.ToolShell, `{"command":"cat <<A <<\"B C\"\nhush\nA\nhush\nB C\nls"}`},
	{"patch in a here-document", v1.ToolShell, `{"command":"apply_patch <<EOF\nbroken\n+hush\nEOF"}`},
	{"here-document in a list", v1.ToolShell, `{"command":["bash","-lc","cat <<\\E\nhush\nE"]}`},
	{"long text", v1.ToolMCP, `{"x":"hush ` + strings.Repeat("a", 4096) + `"}`},
	{"long list", v1.ToolOther, `{"lines":["hush","` + strings.Repeat("a", 4096) + `"]}`},
	{"long list of numbers", v1.ToolOther, `{"lines":["hush",` + strings.TrimSuffix(strings.Repeat("12,", 2049), ",") + `]}`},
	{"nested secret", v1.ToolMCP, `{"token":{"a":"hush"},"secrets":["hush",{"b":"hush"}]}`},
}

func TestRedactKeepsNoContent(t *testing.T) {
	redactor := record.NewRedactor([]string{"instruction", "text"}, nil)
	for _, test := range leaked {
		t.Run(test.name, func(t *testing.T) {
			require.Contains(t, test.args, "hush")
			kept, erased, masked := redactor.Redact(&v1.Call{Tool: "t", Args: json.RawMessage(test.args)}, test.kind, nil)
			line, err := json.Marshal(kept.Args)
			require.NoError(t, err)
			assert.NotContains(t, string(line), "hush")
			assert.NotEmpty(t, append(erased, masked...), "the record says that something is missing")
			again, erased, masked := redactor.Redact(&v1.Call{Tool: "t", Args: line}, test.kind, nil)
			assert.Empty(t, erased)
			assert.Empty(t, masked)
			second, err := json.Marshal(again.Args)
			require.NoError(t, err)
			assert.Equal(t, string(line), string(second))
		})
	}
}

func TestRedactKeepsCommandsAroundContents(t *testing.T) {
	kept, _, _ := redact(t, "Bash", `{"command":"cat > a <<EOF && make\nhello\nEOF\ngit push"}`)
	assert.Equal(t, "cat > a <<EOF && make\n"+
		"[6 bytes, sha256 5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03]\nEOF\ngit push", kept.Args["command"])
	for _, command := range []string{"wc <<< a\nls", "echo $((1 << n))\nls", "cat <<EOF\nEOF\nls", "grep '<<<<<<<' a\nls", "ls --- a"} {
		args, err := json.Marshal(map[string]string{"command": command})
		require.NoError(t, err)
		kept, erased, _ := redact(t, "Bash", string(args))
		assert.Equal(t, command, kept.Args["command"])
		assert.Empty(t, erased)
	}
	kept, erased, _ := record.NewRedactor(nil, nil).Redact(&v1.Call{Args: json.RawMessage(
		`{"command":"ls ` + strings.Repeat("a", 5000) + `","max_tokens":100}`)}, v1.ToolShell, nil)
	assert.Len(t, kept.Args["command"], 5003, "a command line is no content")
	assert.Equal(t, json.Number("100"), kept.Args["max_tokens"])
	assert.Empty(t, erased)
}

func TestPolicyNamesSecretVariables(t *testing.T) {
	redactor := record.NewRedactor(nil, []string{"*_DSN", "[", "HUSHED"})
	call := &v1.Call{Args: json.RawMessage(`{"command":"APP_DSN=hush hushed='hu sh' A=kept make","app_dsn":"hush"}`)}
	kept, _, _ := redactor.Redact(call, v1.ToolShell, nil)
	assert.Equal(t, map[string]any{"command": "APP_DSN=[masked] hushed=[masked] A=kept make", "app_dsn": record.Masked}, kept.Args)
	redactor.SetSecretNames(nil)
	kept, _, _ = redactor.Redact(call, v1.ToolShell, nil)
	assert.Equal(t, "hush", kept.Args["app_dsn"], "the globs belong to the policy in force")
}

func TestMaskFactsMasksEveryTextBeforeJudgement(t *testing.T) {
	const place = "/srv/token=hush/p"
	shared := v1.Form{{Name: "--password=hush", Kind: "unknown"}, {Name: "-phush", Kind: "unknown"}}
	facts := v1.Facts{
		Tool:    v1.ToolFacts{Name: "token=hush", Protocol: "token=hush"},
		Session: v1.SessionFacts{ID: "token=hush", Agent: "token=hush", ProjectDir: place, SessionDir: place, Tools: v1.Set{"token=hush"}},
		Cwd:     place, Verbs: []string{"x --token=hush"}, Names: []string{"password=hush"},
		Items: []v1.Item{
			{Verb: "mysql", Directory: place, Form: shared, Within: v1.Set{"/", "/srv", place}},
			{Verb: "token=hush"},
		},
		Paths: []v1.Path{{Raw: "https://u:hush@h", Real: place, Links: []string{"/a", place}}},
	}
	record.NewRedactor(nil, nil).MaskFacts(&facts)
	line, err := json.Marshal(facts)
	require.NoError(t, err)
	assert.NotContains(t, string(line), "hush")
	masked := facts.Paths[0].Real
	assert.Equal(t, []string{masked, masked, masked}, []string{facts.Cwd, facts.Session.ProjectDir, facts.Items[0].Directory},
		"what was equal stays equal")
	assert.Equal(t, v1.Set{"/", "/srv"}, facts.Items[0].Within, "no approval matches a directory that could be another")
	assert.Equal(t, "-phush", shared[1].Name, "tables are left alone")
	assert.Equal(t, v1.Form{{Name: "--password=[masked]", Kind: "unknown"}, {Name: "-p[masked]", Kind: "unknown"}}, facts.Items[0].Form)
}

// Cached parts of a call are used for that call alone, never for one with a secret, and only until the names
// of secrets change.
func TestWhatIsKnownOfACallIsThatCalls(t *testing.T) {
	redactor, known := record.NewRedactor(nil, nil), &v1.Known{}
	plain := func() *v1.Call {
		return &v1.Call{
			Tool: "Bash", Protocol: "p", Args: json.RawMessage(`{"command":"APP_DSN=hush make"}`), Cwd: "/srv",
			Session: v1.Session{ID: "s", Agent: "a"},
		}
	}
	kept, erased, masked := redactor.Redact(plain(), v1.ToolShell, known)
	again, _, _ := redactor.Redact(plain(), v1.ToolShell, known)
	assert.Equal(t, kept, again)
	assert.Equal(t, [][]string{{}, {}}, [][]string{erased, masked})
	third, _, _ := redactor.Redact(plain(), v1.ToolShell, known)
	assert.Same(t, again, third)
	for name, change := range map[string]func(call *v1.Call){
		"tool":     func(call *v1.Call) { call.Tool = "other" },
		"protocol": func(call *v1.Call) { call.Protocol = "other" },
		"args":     func(call *v1.Call) { call.Args = json.RawMessage(`{"command":"other"}`) },
		"cwd":      func(call *v1.Call) { call.Cwd = "/other" },
		"session":  func(call *v1.Call) { call.Session.ID = "other" },
		"agent":    func(call *v1.Call) { call.Session.Agent = "other" },
	} {
		known, call := &v1.Known{}, plain()
		redactor.Redact(plain(), v1.ToolShell, known)
		change(call)
		want, _, _ := redactor.Redact(call, v1.ToolShell, nil)
		got, _, _ := redactor.Redact(call, v1.ToolShell, known)
		assert.Equal(t, want, got, name)
	}
	content := &v1.Call{Args: json.RawMessage(`{"command":"x"}`)}
	redactor.Redact(content, v1.ToolShell, known)
	_, erased, _ = redactor.Redact(content, v1.ToolEdit, known)
	assert.NotEmpty(t, erased, "the kind says what contents are")
	redactor.Redact(plain(), v1.ToolShell, known)
	redactor.SetSecretNames([]string{"*_DSN"})
	kept, _, masked = redactor.Redact(plain(), v1.ToolShell, known)
	assert.NotEmpty(t, masked)
	assert.Equal(t, "APP_DSN=[masked] make", kept.Args["command"])
	for _, args := range []string{`{"password":"hush"}`, `{"command":"` + strings.Repeat("x", 5000) + `"}`} {
		none := &v1.Known{}
		redactor.Redact(&v1.Call{Args: json.RawMessage(args)}, v1.ToolShell, none)
		assert.Nil(t, none.Load(v1.UseCall), "secrets and long texts don't stay in memory")
	}
}

func FuzzRedact(f *testing.F) {
	for _, test := range leaked {
		f.Add(test.args)
	}
	f.Add(`{"command":"cat <<A\n[1 bytes, sha256 x]\nA"}`)
	redactor := record.NewRedactor(nil, []string{"*_KEY"})
	f.Fuzz(func(t *testing.T, args string) {
		call, known := &v1.Call{Args: json.RawMessage(args)}, &v1.Known{}
		kept, _, _ := redactor.Redact(call, v1.ToolShell, known)
		line, err := json.Marshal(kept.Args)
		require.NoError(t, err)
		repeat, _, _ := redactor.Redact(call, v1.ToolShell, known)
		require.Equal(t, kept, repeat)
		again, erased, _ := redactor.Redact(&v1.Call{Args: line}, v1.ToolShell, nil)
		second, err := json.Marshal(again.Args)
		require.NoError(t, err)
		require.Equal(t, string(line), string(second))
		require.Empty(t, erased)
	})
}

func BenchmarkMaskFacts(b *testing.B) {
	redactor := record.NewRedactor(nil, []string{"*_KEY", "*TOKEN*"})
	facts := sample("1").Input.Facts
	b.ReportAllocs()
	for b.Loop() {
		redactor.MaskFacts(&facts)
	}
}

func BenchmarkRedact(b *testing.B) {
	redactor := record.NewRedactor(nil, nil)
	call := &v1.Call{Tool: "Bash", Args: json.RawMessage(`{"command":"ls -la src && cat src/main.go | head -n 5"}`), Cwd: "/srv/proj"}
	b.ReportAllocs()
	for b.Loop() {
		redactor.Redact(call, v1.ToolShell, nil)
	}
}

// A cached result for a name is valid only for the globs that it was computed with.
func TestSecretNamesFollowTheGlobs(t *testing.T) {
	masker := record.NewMasker()
	for range 2 {
		assert.False(t, masker.SecretName("x_hidden"))
		assert.True(t, masker.SecretName("API_TOKEN"))
	}
	masker.SetVariables([]string{"X_*"})
	for range 2 {
		assert.True(t, masker.SecretName("x_hidden"))
		assert.True(t, masker.SecretName("API_TOKEN"))
		assert.False(t, masker.SecretName("file_path"))
	}
	masker.SetVariables(nil)
	assert.False(t, masker.SecretName("x_hidden"))
	for i := range 2000 {
		name := "name_" + strconv.Itoa(i)
		assert.False(t, masker.SecretName(name))
		assert.True(t, masker.SecretName(name+"_token"))
	}
	assert.True(t, masker.SecretName("API_TOKEN"), "also when many names came in between")
}

// FuzzAssigned checks that looking at names first masks what the pattern alone would, and that no text is
// passed over in which something is to be masked.
func FuzzAssigned(f *testing.F) {
	for _, text := range []string{
		"X_KEY=1 make", "=1 x_key=2", "9x_key=a", "a=b_key=c", `a="x"b_key=c`, "a=$(b (x_key=1", "é_key=1", "x_key=", "x_key= y_key=z",
		"x_KEY=1", "a=(x)b_key=(y", "a='b'c_key='d", "a=\\\"x\\\"b_key=1",
	} {
		for _, glob := range []string{"*_key", "*KEY*", "x_*", "b_key", "[bc]_key", "*", "", "**y", "*[", "k?y", "Key*"} {
			f.Add(text, glob)
		}
	}
	plain, masker := record.NewMasker(), record.NewMasker()
	f.Fuzz(func(t *testing.T, text, glob string) {
		globs := []string{"*_DSN", glob}
		masker.SetVariables(globs)
		masked, suspicious := masker.Assigned(text)
		assert.Equal(t, masker.AssignedByPattern(text, globs), masked)
		assert.True(t, suspicious || masked == text, "passed over")
		for name := range strings.FieldsSeq(text) {
			assert.Equal(t, record.GlobMatches("*_DSN", name) || record.GlobMatches(glob, name) || plain.SecretName(name),
				masker.SecretName(name), name)
		}
	})
}

// No text costs more than its length is worth, however many here-documents it
// announces.
func TestHereDocumentsAreFoundInOnePass(t *testing.T) {
	assert.Equal(t, 2, record.Announced("cat <<a; ((1<<a)); ((1<<b; )) cat <<c"))
	line := strings.Repeat("((<<a ", 1<<18)
	start := time.Now()
	assert.Zero(t, record.Announced(line))
	assert.Less(t, time.Since(start), 5*time.Second)
}

// FuzzFindPatch checks that the look before the search passes over no patch.
func FuzzFindPatch(f *testing.F) {
	for _, text := range []string{
		"ls", "a\n**begin patch", " *** Update File: x", "diff --git a b", "--- a\n+++ b", "-- a", "** x", "--- a\r\n+++ b\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		assert.Equal(t, record.PatchLine.FindStringIndex(text), record.FindPatch(text))
	})
}
