package gate_test

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/gate"
	"policyd/internal/prompts"
	"policyd/internal/visible"
)

func ask(t *testing.T, h *house, call *v1.Call) *v1.Prompt {
	t.Helper()
	decision := h.Decide(t.Context(), call, gate.DecideOptions{})
	require.Equal(t, v1.EffectPrompt, decision.Effect, decision.Reasons)
	require.NotNil(t, decision.Prompt)
	assert.Equal(t, decision.Prompt.ID, h.log.last(t).Result.PromptID)
	return decision.Prompt
}

func keys(prompt *v1.Prompt) []string {
	out := []string{}
	for _, choice := range prompt.Choices {
		out = append(out, choice.Key)
	}
	return out
}

func TestPromptOfTheContractsExample(t *testing.T) {
	policy := asked(command("cd", "/srv/proj/src"), command("git push", "/srv/proj/src"))
	policy.result.Uncovered = []int{1}
	policy.result.Covered = []v1.Cover{{Item: 0, Rule: "side_effects/none"}}
	policy.result.Reasons[0].Item, policy.result.Reasons[0].Message = 1, "git push is not approved"
	h := build(t, policy)
	prompt := ask(t, h, bash("cd src && git push origin main"))
	want := &v1.Prompt{
		ID: "id-2", State: "pending", Title: "Approve git push in /srv/proj/src?", Verbs: []string{"git push"},
		Directory: "/srv/proj/src", Reasons: []string{"git push is not approved"}, Warnings: []string{},
		Call: v1.PromptCall{
			Tool: "Bash", Text: "cd src && git push origin main", Cwd: "/srv/proj", Agent: "claude-code", SessionID: "s-1", Paths: []string{},
		},
		Choices: []v1.Choice{
			{Key: "once", Label: "Once", Style: "primary"},
			{Key: "session", Label: "This chat", Style: "default", Saves: "git push in /srv/proj/src"},
			{Key: "always_here", Label: "Always here", Style: "default", Saves: "git push in /srv/proj/src"},
			{Key: "always_anywhere", Label: "Always anywhere", Style: "danger", Saves: "git push anywhere"},
			{Key: "deny", Label: "Deny", Style: "danger"},
		},
		CreatedAt: h.now, ExpiresAt: h.now.Add(24 * time.Hour),
	}
	assert.Equal(t, want, prompt)
	kept, err := h.book.Get(t.Context(), prompt.ID)
	require.NoError(t, err)
	assert.Equal(t, *want, kept)
}

// TestTitles checks A2.
func TestTitles(t *testing.T) {
	path := func(index int, verb string) v1.Item { return v1.Item{Kind: v1.ItemPath, Verb: verb, Path: index} }
	tests := []struct {
		name, want string
		directory  string
		change     func(*v1.Facts)
		items      []v1.Item
	}{
		{name: "one verb", items: []v1.Item{command("git status", "/repo")}, want: "Approve git status in /repo?", directory: "/repo"},
		{name: "one verb twice", items: []v1.Item{command("rm", "/a"), command("rm", "/a")}, want: "Approve rm in /a?", directory: "/a"},
		{name: "one verb in two places", items: []v1.Item{command("rm", "/a"), command("rm", "/b")}, want: "Approve rm in /srv/proj?", directory: "/srv/proj"},
		{name: "two verbs", items: []v1.Item{command("rm", "/a"), command("mv", "/b")}, want: "Approve in /srv/proj? rm, mv", directory: "/srv/proj"},
		{
			name: "six verbs", want: "Approve in /srv/proj? a, b, c, d, e and 1 more", directory: "/srv/proj",
			items: []v1.Item{command("a", "/a"), command("b", "/b"), command("c", "/b"), command("d", "/b"), command("e", "/b"), command("f", "/b")},
		},
		{name: "no directory", items: []v1.Item{{Kind: v1.ItemTool, Verb: "mcp:a/b", Path: -1}}, want: "Approve mcp:a/b?"},
		{name: "a path", items: []v1.Item{path(0, "read")}, want: "Approve read of /etc/hosts?", directory: "/etc/hosts"},
		{name: "two paths", items: []v1.Item{path(0, "read"), path(1, "read")}, want: "Approve read of /etc/hosts, /etc/motd?", directory: "/srv/proj"},
		{name: "a command that reads outside", items: []v1.Item{command("cat", "/etc"), path(0, "read")}, want: "Read /etc/hosts with cat?", directory: "/srv/proj"},
		{
			name: "a command that reads and writes outside", items: []v1.Item{command("cp", "/etc"), path(0, "read"), path(1, "write")},
			want: "Read /etc/hosts, write /etc/motd with cp?", directory: "/srv/proj",
		},
		{
			name: "two commands and a path outside", items: []v1.Item{command("cat", "/etc"), path(0, "read"), command("make", "/srv/proj")},
			want: "Approve in /srv/proj? cat, make; read /etc/hosts", directory: "/srv/proj",
		},
		{name: "nothing known", change: func(f *v1.Facts) { f.Cwd = "" }, want: "Approve this call?"},
		{
			name: "messy", items: []v1.Item{command("x", "/a")}, change: func(f *v1.Facts) { f.Messy = true },
			want: "Approve x in /a? complex command: only one-shot approval available", directory: "/a",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			policy := asked(test.items...)
			policy.facts.Paths = []v1.Path{{Real: "/etc/hosts"}, {Real: "/etc/motd"}}
			if test.change != nil {
				test.change(&policy.facts)
			}
			prompt := ask(t, build(t, policy), bash("x"))
			assert.Equal(t, test.want, prompt.Title)
			assert.Equal(t, test.directory, prompt.Directory)
			assert.NotNil(t, prompt.Verbs)
			if policy.facts.Messy {
				assert.Equal(t, []string{"once", "deny"}, keys(prompt))
			}
		})
	}
}

// TestPromptNamesWhatARuleAsksAboutAlthoughCovered checks that a finding on a covered item is part of the
// question.
func TestPromptNamesWhatARuleAsksAboutAlthoughCovered(t *testing.T) {
	policy := asked(command("ls", "/a"), command("tee", "/b"))
	policy.result.Uncovered = nil
	policy.result.Covered = []v1.Cover{{Item: 0, Rule: "x"}, {Item: 1, Rule: "x"}}
	policy.result.Reasons[0].Item = 1
	assert.Equal(t, "Approve tee in /b?", ask(t, build(t, policy), bash("x")).Title)
}

// TestThePersonGetsTheReasons checks that the messages of rules reach the person who is asked, two at most, and
// that what a site's rule says comes first.
func TestThePersonGetsTheReasons(t *testing.T) {
	policy := asked(command("make", "/a/b"))
	required := v1.Reason{Rule: "approvals/required", Code: "approval_required", Effect: v1.EffectPrompt, Message: "make is not approved"}
	site := v1.Reason{Rule: "site/tickets", Code: "ticket", Effect: v1.EffectPrompt, Message: "production needs\na ticket"}
	policy.result.Reasons = []v1.Reason{
		required,
		{Rule: "x", Code: "covered", Effect: v1.EffectAllow, Message: "covered"},
		site, site,
		{Rule: "y", Code: "other", Effect: v1.EffectPrompt, Message: "third"},
	}
	assert.Equal(t, []string{`production needs\na ticket`, "third"}, ask(t, build(t, policy), bash("make")).Reasons)
	policy.result.Reasons = []v1.Reason{required}
	assert.Equal(t, []string{"make is not approved"}, ask(t, build(t, policy), bash("make")).Reasons)
}

// TestLookalikesAreNamed checks that letters which pose as others are named, in text, verbs and hosts, and
// that such a call can be approved once at most.
func TestLookalikesAreNamed(t *testing.T) {
	for _, test := range []struct {
		text, verb string
		want       []string
	}{
		{"git push", "git push", []string{}},
		{"git рush", "git рush", []string{`"рush" mixes Cyrillic and Latin letters: р is U+0440`}},
		{"x", "fetch еxample.org", []string{"the host еxample.org is xn--xample-2of.org"}},
		{"git commit -m 'über 漢字'", "git commit", []string{}},
	} {
		prompt := ask(t, build(t, asked(command(test.verb, "/a/b"))), bash(test.text))
		assert.Equal(t, test.want, prompt.Warnings)
		if len(test.want) > 0 {
			assert.Equal(t, []string{"once", "deny"}, keys(prompt))
		}
	}
}

// TestHiddenTextIsShown checks A11.
func TestHiddenTextIsShown(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"plain", "ls\n\tcat é 日本 🙂", "ls\n\tcat é 日本 🙂"},
		{"escape", "ls \x1b[2K", `ls \x1b[2K`},
		{"carriage return", "rm -rf /\rls", `rm -rf /\rls`},
		{"direction", "ls \u202egnp", `ls \u202egnp`},
		{"zero width", "l\u200bs", `l\u200bs`},
		{"no-break space", "l\u00a0s", `l\u00a0s`},
		{"line separator", "a\u2028b", `a\u2028b`},
		{"blank letter", "a\u3164b", `a\u3164b`},
		{"tag", "a\U000e0041", `a\U000e0041`},
		{"bell", "a\ab", `a\ab`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			prompt := ask(t, build(t, asked(command("ls", "/a/b"))), bash(test.text))
			assert.Equal(t, test.want, prompt.Call.Text)
			assert.Equal(t, test.text != test.want, prompt.Call.Altered)
			if prompt.Call.Altered {
				assert.Equal(t, []string{"once", "deny"}, keys(prompt))
			} else {
				assert.Len(t, prompt.Choices, 5)
			}
		})
	}
}

func TestHiddenDirectoryIsShown(t *testing.T) {
	prompt := ask(t, build(t, asked(command("ls", "/a\u202e"))), bash("ls"))
	assert.Equal(t, `Approve ls in /a\u202e?`, prompt.Title)
	assert.True(t, prompt.Call.Altered)
}

func TestLongTextIsCut(t *testing.T) {
	prompt := ask(t, build(t, asked(command("ls", "/a/b"))), bash(long(visible.MaxShown)))
	assert.False(t, prompt.Call.Altered)
	prompt = ask(t, build(t, asked(command("ls", "/a/b"))), bash(long(visible.MaxShown+1)))
	assert.True(t, prompt.Call.Altered)
	assert.Equal(t, long(visible.MaxShown)+"…", prompt.Call.Text)
	assert.Equal(t, []string{"once", "deny"}, keys(prompt))
}

func TestOtherArgumentsAreShown(t *testing.T) {
	call := bash("ls")
	call.Args = json.RawMessage(`{"workdir":"/x", "command":"ls"}`)
	assert.Equal(t, "ls\n{\"workdir\":\"/x\"}", ask(t, build(t, asked(command("ls", "/a"))), call).Call.Text)
	call.Args = json.RawMessage(`{"command": ["ls", "-l"]}`)
	//nolint:testifylint // the text itself is shown, so the same value in another form is not enough
	assert.Equal(t, `{"command":["ls","-l"]}`, ask(t, build(t, asked(command("ls", "/a"))), call).Call.Text)
}

func TestDenyIsAlwaysOffered(t *testing.T) {
	policy := asked(command("ls", "/a"))
	policy.result.Choices = nil
	assert.Equal(t, []string{"deny"}, keys(ask(t, build(t, policy), bash("ls"))))
}

// TestSameCallJoinsItsPrompt checks A10.
func TestSameCallJoinsItsPrompt(t *testing.T) {
	h := build(t, asked(command("ls", "/a")))
	first := ask(t, h, bash("ls"))
	assert.Equal(t, first.ID, ask(t, h, bash("ls")).ID)

	other := bash("ls")
	other.Session.ID = "s-2"
	assert.NotEqual(t, first.ID, ask(t, h, other).ID, "another session")
	other = bash("ls")
	h.policy.facts.Cwd = "/elsewhere"
	assert.NotEqual(t, first.ID, ask(t, h, other).ID, "another directory")
	h.policy.facts.Cwd = "/srv/proj"
	assert.NotEqual(t, first.ID, ask(t, h, bash("ls -l")).ID, "other arguments")
	other = bash("ls")
	other.Tool = "Shell"
	assert.NotEqual(t, first.ID, ask(t, h, other).ID, "another tool")
	other = bash("ls")
	other.Args = json.RawMessage(`{"description": "look around", "command": "ls"}`)
	h.policy.facts.Items[0].Caveats = v1.Set{"a"}
	assert.NotEqual(t, first.ID, ask(t, h, bash("ls")).ID, "other facts")
}

// TestInertArgumentsAskNothingNew checks A10.
func TestInertArgumentsAskNothingNew(t *testing.T) {
	h := build(t, asked(command("ls", "/a")))
	described := func(text string) *v1.Call {
		call := bash("ls")
		call.Args = json.RawMessage(`{"description": "` + text + `", "command": "ls"}`)
		return call
	}
	first := ask(t, h, described("one"))
	assert.Equal(t, first.ID, ask(t, h, described("two")).ID)
}

// TestPartsOfACallDontRunTogether checks that moving a letter from one field to the next makes another call:
// both prompts stay open.
func TestPartsOfACallDontRunTogether(t *testing.T) {
	h := build(t, asked(command("ls", "/a")))
	first := ask(t, h, bash("ls"))
	shifted := bash("ls")
	shifted.Session.ID, shifted.Session.Agent = "s-", "1claude-code"
	assert.NotEqual(t, first.ID, ask(t, h, shifted).ID)
	_, err := h.book.Get(t.Context(), first.ID)
	assert.NoError(t, err)
}

func TestChangedQuestionIsAskedAnew(t *testing.T) {
	policy := asked(command("ls", "/a"), command("rm", "/a"))
	h := build(t, policy)
	first := ask(t, h, bash("ls"))
	policy.result.Uncovered = []int{1} // the other was approved meanwhile
	policy.result.Covered = []v1.Cover{{Item: 0, Rule: "x"}}
	second := ask(t, h, bash("ls"))
	assert.NotEqual(t, first.ID, second.ID)
	kept, err := h.book.Get(t.Context(), first.ID)
	require.NoError(t, err)
	assert.Equal(t, v1.PromptWithdrawn, kept.State)
}

func TestExpiredPromptIsNotJoined(t *testing.T) {
	h := build(t, asked(command("ls", "/a")), func(h *house, _ *gate.Options) { h.asking.Expiry = time.Minute })
	first := ask(t, h, bash("ls"))
	h.now = h.now.Add(time.Minute)
	kept, err := h.book.Get(t.Context(), first.ID)
	require.NoError(t, err)
	assert.Equal(t, v1.PromptExpired, kept.State)
	assert.NotEqual(t, first.ID, ask(t, h, bash("ls")).ID)
}

func TestOpenPromptsAreBounded(t *testing.T) {
	h := build(t, asked(command("ls", "/a")), func(h *house, _ *gate.Options) { h.asking.PerSession, h.asking.Most = 2, 3 })
	session := func(id, text string) *v1.Call {
		call := bash(text)
		call.Session.ID = id
		return call
	}
	ask(t, h, session("a", "1"))
	ask(t, h, session("a", "2"))
	assertFault(t, h, h.Decide(t.Context(), session("a", "3"), gate.DecideOptions{}), prompts.CodeFull, "approval_required")
	ask(t, h, session("a", "1")) // joining opens nothing
	ask(t, h, session("b", "1"))
	assertFault(t, h, h.Decide(t.Context(), session("c", "1"), gate.DecideOptions{}), prompts.CodeFull, "approval_required")
	h.now = h.now.Add(25 * time.Hour)
	ask(t, h, session("a", "3")) // what expired makes room
}

func TestKeptPromptCannotBeChangedFromOutside(t *testing.T) {
	h := build(t, asked(command("ls", "/a")))
	prompt := ask(t, h, bash("ls"))
	prompt.Choices[0].Key, prompt.Verbs[0] = "always_anywhere", "x"
	kept, err := h.book.Get(t.Context(), prompt.ID)
	require.NoError(t, err)
	assert.Equal(t, "once", kept.Choices[0].Key)
	assert.Equal(t, "ls", kept.Verbs[0])
}

func TestConcurrentCallsShareOnePrompt(t *testing.T) {
	h := build(t, asked(command("ls", "/a")))
	var group sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]bool{}
	for range 16 {
		group.Go(func() {
			decision := h.Decide(t.Context(), bash("ls"), gate.DecideOptions{})
			mu.Lock()
			defer mu.Unlock()
			seen[decision.Prompt.ID] = true
		})
	}
	group.Wait()
	assert.Len(t, seen, 1)
}

// TestDelegate checks A9: an unheld prompt can be handed to the host's own dialog, a held one can't, and the
// record names the prompt in both cases.
func TestDelegate(t *testing.T) {
	h := build(t, asked(command("git push", "/srv/proj")))
	decision := h.Decide(t.Context(), bash("git push"), gate.DecideOptions{Delegate: true})
	require.Equal(t, v1.EffectPrompt, decision.Effect)
	require.NotNil(t, decision.Prompt)
	assert.Equal(t, v1.PromptDelegated, decision.Prompt.State)
	assert.Equal(t, decision.Prompt.ID, h.log.last(t).Result.PromptID)
	_, err := h.book.Answer(t.Context(), decision.Prompt.ID, v1.AnswerRequest{Choice: v1.ChoiceOnce})
	require.Error(t, err)

	held := h.Decide(t.Context(), bash("git push"), gate.DecideOptions{Delegate: true, Wait: time.Millisecond})
	assert.Equal(t, v1.PromptPending, held.Prompt.State, "a held prompt is answered here")
}

// TestAChoiceThatWouldAskAgainIsNotOffered checks A13 where a policy offers what does not hold.
func TestAChoiceThatWouldAskAgainIsNotOffered(t *testing.T) {
	policy := asked(command("git push", "/srv/proj/src"))
	var faults []string
	h := build(t, policy, func(_ *house, options *gate.Options) {
		options.VerifyChoices = true
		options.Fault = func(code string, err error) { faults = append(faults, code+": "+err.Error()) }
	})
	prompt := ask(t, h, bash("git push"))
	assert.Equal(t, []string{"once", "deny"}, keys(prompt))
	assert.Len(t, faults, 3)
	for _, fault := range faults {
		assert.Contains(t, fault, "approval_ineffective: choice ")
	}
	assert.EqualValues(t, 3, h.Ineffective())
}
