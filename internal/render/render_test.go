package render_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/render"
)

// asked is a prompt of ordinary shape.
func asked(change ...func(*v1.Prompt)) *v1.Prompt {
	prompt := &v1.Prompt{
		ID: "01997c1e-0000-7000-8000-000000000001", State: v1.PromptPending, Title: "Approve git push in /srv/proj?",
		Verbs: []string{"git push"}, Directory: "/srv/proj",
		Call: v1.PromptCall{Tool: "Bash", Text: "git push", Cwd: "/srv/proj", Agent: "claude-code", SessionID: "s-1"},
		Choices: []v1.Choice{
			{Key: v1.ChoiceOnce, Label: "Once", Style: "primary"},
			{Key: v1.ChoiceSession, Label: "This chat", Style: "default"},
			{Key: v1.ChoiceAlwaysHere, Label: "Always here", Style: "default"},
			{Key: v1.ChoiceAlwaysAnywhere, Label: "Always anywhere", Style: "danger"},
			{Key: v1.ChoiceDeny, Label: "Deny", Style: "danger"},
		},
		ExpiresAt: time.Date(2026, 3, 5, 5, 6, 7, 0, time.UTC),
	}
	for _, apply := range change {
		apply(prompt)
	}
	return prompt
}

// buttons are the keys that each form offers, in order, with their styles.
func buttons(prompt *v1.Prompt) (text, slack, discord []string, styles map[string][2]any) {
	styles = map[string][2]any{}
	for line := range strings.SplitSeq(render.Text(prompt), "\n") {
		if rest, found := strings.CutPrefix(line, "  choices  "); found {
			text = strings.Split(rest, ", ")
		}
	}
	for _, block := range render.Slack(prompt).Blocks {
		if block.Type != "actions" {
			continue
		}
		for _, button := range block.Elements {
			slack = append(slack, button.ActionID)
			styles[button.ActionID] = [2]any{button.Style, 0}
		}
	}
	for _, row := range render.Discord(prompt).Components {
		for _, button := range row.Components {
			key := button.CustomID[strings.LastIndex(button.CustomID, ":")+1:]
			discord = append(discord, key)
			styles[key] = [2]any{styles[key][0], button.Style}
		}
	}
	return text, slack, discord, styles
}

func offersEverywhere(t *testing.T, prompt *v1.Prompt, want ...string) {
	t.Helper()
	text, slack, discord, _ := buttons(prompt)
	assert.Equal(t, want, text, "text")
	assert.Equal(t, want, slack, "Slack")
	assert.Equal(t, want, discord, "Discord")
}

// TestDangerIsStyled checks A1.
func TestDangerIsStyled(t *testing.T) {
	offersEverywhere(t, asked(), "once", "session", "always_here", "always_anywhere", "deny")
	unstyled := asked(func(prompt *v1.Prompt) {
		for i := range prompt.Choices[3:] {
			prompt.Choices[3+i].Style = "default"
		}
	})
	for _, prompt := range []*v1.Prompt{asked(), unstyled} {
		_, _, _, styles := buttons(prompt)
		assert.Equal(t, map[string][2]any{
			"once": {"primary", 1}, "session": {"", 2}, "always_here": {"", 2}, "always_anywhere": {"danger", 4}, "deny": {"danger", 4},
		}, styles)
	}
}

// TestWhatIsNotSeenIsApprovedOnceAtMost checks A11.
func TestWhatIsNotSeenIsApprovedOnceAtMost(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	for name, change := range map[string]func(*v1.Prompt){
		"altered before": func(p *v1.Prompt) { p.Call.Altered = true },
		"a session":      func(p *v1.Prompt) { p.Call.SessionID = "s\u202e" },
		"a title":        func(p *v1.Prompt) { p.Title = "Approve\ngit push?" },
		"a path":         func(p *v1.Prompt) { p.Call.Paths = []string{"/a\x1b[2J"} },
		"a verb":         func(p *v1.Prompt) { p.Verbs = []string{"a\x00", "b"} },
		"a reason":       func(p *v1.Prompt) { p.Call.Reason = "because\u200b" },
		"what is saved":  func(p *v1.Prompt) { p.Choices[2].Saves = "git push in /srv\u202e" },
		"blank":          func(p *v1.Prompt) { p.Call.Text = "\n" },
	} {
		t.Run(name, func(t *testing.T) { offersEverywhere(t, asked(change), "once", "deny") })
	}
	for name, change := range map[string]func(*v1.Prompt){
		"command": func(p *v1.Prompt) { p.Call.Text = long },
		"title":   func(p *v1.Prompt) { p.Title = long },
		"cwd":     func(p *v1.Prompt) { p.Call.Cwd = long },
		"agent":   func(p *v1.Prompt) { p.Call.Agent = long },
		"session": func(p *v1.Prompt) { p.Call.SessionID = long },
		"reason":  func(p *v1.Prompt) { p.Call.Reason = long },
		"root":    func(p *v1.Prompt) { p.Call.GrantRoot = long },
		"paths":   func(p *v1.Prompt) { p.Call.Paths = []string{long} },
		"verbs":   func(p *v1.Prompt) { p.Verbs = []string{long, "b"} },
		"saves":   func(p *v1.Prompt) { p.Choices[2].Saves = long },
	} {
		t.Run("long "+name, func(t *testing.T) {
			prompt := asked(change)
			text, slack, discord, _ := buttons(prompt)
			assert.Len(t, text, 5, "text cuts nothing")
			assert.Equal(t, []string{"once", "deny"}, slack)
			assert.Equal(t, []string{"once", "deny"}, discord)
			for _, form := range []any{render.Slack(prompt), render.Discord(prompt)} {
				assert.Contains(t, indented(form), "the text is cut, so it can be approved once at most")
			}
			assert.Contains(t, render.Text(prompt), long)
		})
	}
}

// TestAccessThatIsNotSeenIsDeniedAtMost checks A11 for prompts that know no "once".
func TestAccessThatIsNotSeenIsDeniedAtMost(t *testing.T) {
	access := func(p *v1.Prompt) {
		p.Choices = []v1.Choice{{Key: v1.ChoiceAllow, Label: "Allow", Style: "primary"}, {Key: v1.ChoiceDeny, Label: "Deny", Style: "danger"}}
	}
	offersEverywhere(t, asked(access), "allow", "deny")
	cut := asked(access, func(p *v1.Prompt) { p.Call.Altered = true })
	offersEverywhere(t, cut, "deny")
	assert.Contains(t, render.Text(cut), "it can't be approved here")
}

func TestAnEndedPromptHasNoButtons(t *testing.T) {
	for state, says := range map[string]string{
		v1.PromptAnswered: "Saved: git push anywhere (by ada, 2026-03-04 05:10:00 UTC)", v1.PromptExpired: "Expired:",
		v1.PromptWithdrawn: "Withdrawn:", v1.PromptDelegated: "Delegated:", "unknown": "Ended",
	} {
		prompt := asked(func(p *v1.Prompt) {
			p.State = state
			if state == v1.PromptAnswered {
				p.Answer = &v1.PromptAnswer{
					Choice: v1.ChoiceAlwaysAnywhere, Decision: v1.EffectAllow, By: "ada",
					At: time.Date(2026, 3, 4, 5, 10, 0, 0, time.UTC), Resolution: "Saved: git push anywhere",
				}
			}
		})
		offersEverywhere(t, prompt)
		for _, form := range forms {
			assert.Contains(t, form(prompt), says)
		}
		assert.NotNil(t, render.Discord(prompt).Components, "an edited message loses its buttons")
	}
}

// TestChoicesThatNoButtonCanCarry checks that a button never answers something else.
func TestChoicesThatNoButtonCanCarry(t *testing.T) {
	offersEverywhere(t, asked(func(p *v1.Prompt) {
		p.Choices = []v1.Choice{
			{Key: "once"}, {Key: "once", Label: "Again"}, {Key: "a:b"}, {Key: ""}, {Key: "Deny"}, {Key: strings.Repeat("x", 33)},
		}
	}), "once")
	_, slack, discord, _ := buttons(asked(func(p *v1.Prompt) { p.ID = strings.Repeat("x", 90) }))
	assert.Len(t, slack, 5)
	assert.Empty(t, discord, "custom_id would be too long")
	many := asked(func(p *v1.Prompt) {
		p.Choices = nil
		for i := range 30 {
			p.Choices = append(p.Choices, v1.Choice{Key: "c" + strings.Repeat("x", i), Label: strings.Repeat("y", 200)})
		}
	})
	_, slack, discord, _ = buttons(many)
	assert.Len(t, slack, 25)
	assert.Len(t, discord, 25)
	require.Len(t, render.Discord(many).Components, 5)
}

// TestWhatIsSavedIsShownWithWhatIsOffered checks that every form states what each lasting choice saves, and
// says it of no choice that it doesn't offer.
func TestWhatIsSavedIsShownWithWhatIsOffered(t *testing.T) {
	saving := func(p *v1.Prompt) {
		p.Choices[1].Saves, p.Choices[2].Saves, p.Choices[3].Saves = "git push in /srv/proj", "git push in /srv/proj", "git push anywhere"
	}
	said := []string{
		`This chat: saves "git push in /srv/proj"`, `Always here: saves "git push in /srv/proj"`, `Always anywhere: saves "git push anywhere"`,
	}
	cases := []struct {
		name   string
		change func(*v1.Prompt)
		shown  int
	}{
		{"all", func(*v1.Prompt) {}, 3},
		{"two offered", func(p *v1.Prompt) { p.Choices = p.Choices[:2] }, 1},
		{"altered", func(p *v1.Prompt) { p.Call.Altered = true }, 0},
		{"expired", func(p *v1.Prompt) { p.State = v1.PromptExpired }, 0},
	}
	for _, c := range cases {
		prompt := asked(saving, c.change)
		for ending, form := range forms {
			shown := strings.ReplaceAll(form(prompt), `\"`, `"`)
			for i, want := range said {
				assert.Equal(t, i < c.shown, strings.Contains(shown, want), "%s%s: %s", c.name, ending, want)
			}
		}
	}
	full := asked(saving, func(p *v1.Prompt) { p.Call.Text = strings.Repeat("x", 2900) })
	full.Call.Reason, full.Call.Paths = strings.Repeat("y", 690), []string{strings.Repeat("z", 690)}
	full.Warnings, full.Reasons = []string{strings.Repeat("w", 690)}, []string{strings.Repeat("r", 690)}
	assert.NotContains(t, indented(render.Discord(full)), "saves", "there is no room")
	_, _, discord, _ := buttons(full)
	assert.Equal(t, []string{"once", "deny"}, discord)
}
