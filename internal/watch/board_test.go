package watch

import (
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// asked is a pending prompt that offers everything.
func asked(id string, change ...func(*v1.Prompt)) v1.Prompt {
	prompt := v1.Prompt{
		ID: id, State: v1.PromptPending, Title: "Approve git push in /srv/proj?", Verbs: []string{"git push"},
		Call: v1.PromptCall{Text: "git push " + id, Cwd: "/srv/proj", Agent: "claude-code", SessionID: "s-1"},
	}
	for _, key := range []string{"once", "session", "always_here", "always_anywhere", "deny"} {
		prompt.Choices = append(prompt.Choices, v1.Choice{Key: key, Label: key})
	}
	for _, apply := range change {
		apply(&prompt)
	}
	return prompt
}

func newBoard(prompts ...v1.Prompt) *board {
	b := &board{width: 80, height: 24, answered: map[string]bool{}}
	b.update(Update{Prompts: prompts}, noon)
	return b
}

func text(b *board) string {
	var lines []string
	for _, row := range b.layout().rows {
		lines = append(lines, row.text)
	}
	return strings.Join(lines, "\n")
}

func TestKeysAnswerWithWhatIsOffered(t *testing.T) {
	for key, choice := range map[Key]string{'o': "once", 's': "session", 'h': "always_here", 'd': "deny"} {
		b := newBoard(asked("p1"))
		assert.Equal(t, action{id: "p1", choice: choice}, b.press(key, noon))
		assert.Equal(t, action{}, b.press(key, noon), "one answer at a time")
	}
	b := newBoard(asked("p1"))
	assert.Equal(t, action{}, b.press('y', noon), "it offers no allow")
	assert.Equal(t, action{}, b.press('x', noon))
	access := newBoard(asked("p1", func(p *v1.Prompt) { p.Choices = []v1.Choice{{Key: "allow"}, {Key: "deny"}} }))
	assert.Equal(t, action{}, access.press('o', noon))
	assert.Equal(t, action{id: "p1", choice: "allow"}, access.press('y', noon))
	assert.Equal(t, action{}, newBoard().press('o', noon), "nothing is pending")
	assert.Equal(t, action{quit: true}, newBoard().press('q', noon))
}

func TestDangerIsAskedTwice(t *testing.T) {
	b := newBoard(asked("p1"), asked("p2"))
	assert.Equal(t, action{}, b.press('a', noon))
	assert.Contains(t, text(b), "Press a again")
	assert.Equal(t, action{id: "p1", choice: "always_anywhere"}, b.press('a', noon))

	for name, between := range map[string]func(*board){
		"another key":    func(b *board) { b.press('x', noon) },
		"another prompt": func(b *board) { b.press('n', noon); b.press('p', noon) },
		"it has ended":   func(b *board) { b.update(Update{Prompts: []v1.Prompt{asked("p2")}}, noon) },
	} {
		b := newBoard(asked("p1"), asked("p2"))
		b.press('a', noon)
		between(b)
		assert.Equal(t, action{}, b.press('a', noon.Add(time.Hour)), name)
	}
}

// TestAKeyAnswersWhatIsSeen checks that a prompt that moves up in place of another one takes no key that was
// meant for that one.
func TestAKeyAnswersWhatIsSeen(t *testing.T) {
	b := newBoard(asked("p1"), asked("p2"), asked("p3"))
	b.press('n', noon)
	require.Equal(t, "p2", b.selected)
	b.update(Update{Prompts: []v1.Prompt{asked("p0"), asked("p1"), asked("p2"), asked("p3")}}, noon)
	assert.Equal(t, "p2", b.selected, "a new one changes nothing")
	b.update(Update{Prompts: []v1.Prompt{asked("p0"), asked("p1"), asked("p3")}}, noon)
	assert.Equal(t, "p3", b.selected)
	assert.Contains(t, text(b), "The prompt has ended")
	assert.Equal(t, action{}, b.press('o', noon.Add(settling-1)))
	assert.Contains(t, text(b), "press again")
	assert.Equal(t, action{id: "p3", choice: "once"}, b.press('o', noon.Add(settling)))

	chosen := newBoard(asked("p1"), asked("p2"), asked("p3"))
	chosen.update(Update{Prompts: []v1.Prompt{asked("p2"), asked("p3")}}, noon)
	chosen.press('n', noon)
	assert.Equal(t, action{id: "p3", choice: "once"}, chosen.press('o', noon), "the person asked for it")

	first := newBoard()
	first.update(Update{Prompts: []v1.Prompt{asked("p1")}}, noon)
	assert.Equal(t, action{id: "p1", choice: "once"}, first.press('o', noon), "there was no other one")
}

func TestAnAnswerMovesOn(t *testing.T) {
	b := newBoard(asked("p1"), asked("p2"))
	b.press('o', noon)
	b.result("p1", "Approved (no save)", nil, noon)
	assert.Equal(t, "p2", b.selected)
	assert.Contains(t, text(b), "Approved (no save)")
	b.update(Update{Prompts: []v1.Prompt{asked("p1"), asked("p2")}}, noon)
	assert.Contains(t, text(b), "Prompt 1 of 1", "it is listed for a moment longer")
	b.update(Update{Prompts: []v1.Prompt{asked("p2")}}, noon)
	assert.Empty(t, b.answered)

	b.press('o', noon.Add(time.Hour))
	b.result("p2", "", errors.New("the prompt is answered already\x1b[2J"), noon)
	assert.Equal(t, "p2", b.selected)
	assert.Contains(t, text(b), `Not answered: the prompt is answered already\x1b[2J`)
	assert.Equal(t, action{id: "p2", choice: "deny"}, b.press('d', noon.Add(time.Hour)), "it can be tried again")
}

// TestWhatAnAnswerSavesIsShown checks that the view states what each lasting key saves, and offers none that
// it has no room to describe.
func TestWhatAnAnswerSavesIsShown(t *testing.T) {
	b := newBoard(asked("p1", func(p *v1.Prompt) { p.Choices[2].Saves = "git push in /srv/proj" }))
	assert.Contains(t, text(b), `always_here: saves "git push in /srv/proj"`)
	b.height = leastHeight
	assert.NotContains(t, text(b), "saves")
	assert.Equal(t, action{}, b.press('h', noon))
	assert.Contains(t, text(b), "This prompt doesn't offer that")
}

func TestMovingGoesAround(t *testing.T) {
	b := newBoard(asked("p1"), asked("p2"), asked("p3"))
	for _, step := range []struct {
		key  Key
		want string
	}{{'n', "p2"}, {KeyNext, "p3"}, {'n', "p1"}, {'p', "p3"}, {KeyPrevious, "p2"}} {
		b.press(step.key, noon)
		assert.Equal(t, step.want, b.selected)
	}
}

func TestTroubleIsShownAndEnds(t *testing.T) {
	b := newBoard(asked("p1"))
	b.update(Update{Err: errors.New("connection refused")}, noon)
	assert.Contains(t, text(b), "connection refused")
	assert.Contains(t, text(b), "git push p1", "what was known is kept")
	b.update(Update{Prompts: []v1.Prompt{asked("p1")}}, noon)
	assert.NotContains(t, text(b), "connection refused")
}

// TestTheViewFits checks that no row is wider than the terminal and none is missing or too many, and that
// what is cut offers once and deny at most (A11).
func TestTheViewFits(t *testing.T) {
	long := asked("p1", func(p *v1.Prompt) { p.Call.Text = strings.Repeat("漢字\tand more\n", 30) + strings.Repeat("x", 500) })
	for width := 1; width <= 130; width += 3 {
		for height := 1; height <= 120; height += 7 {
			for _, prompt := range []v1.Prompt{long, asked("p1")} {
				b := newBoard(prompt)
				b.width, b.height = width, height
				shown := b.layout()
				require.LessOrEqual(t, len(shown.rows), height)
				for _, row := range shown.rows {
					columns := 0
					for _, r := range row.text {
						columns++
						if r >= 0x80 {
							columns++
						}
					}
					require.LessOrEqualf(t, columns, width, "%q at %dx%d", row.text, width, height)
				}
				holdsOffers(t, b, shown)
			}
		}
	}
}

// holdsOffers checks that every offer is shown, and that the whole prompt is shown if there are more than
// two.
func holdsOffers(t *testing.T, b *board, shown screen) {
	t.Helper()
	all := text(b)
	cut := strings.Contains(all, "cut by the window")
	for _, offer := range shown.offers {
		require.Contains(t, all, "] "+offer.Key)
	}
	if cut || b.width < leastWidth || b.height < leastHeight {
		require.LessOrEqual(t, len(shown.offers), 2)
		return
	}
	require.Len(t, shown.offers, 5)
}

// FuzzBoard checks that nothing of a prompt but visible characters reaches the terminal.
func FuzzBoard(f *testing.F) {
	for _, seed := range []string{"git push", "\x1b[2J\x1b]0;x\x07", "\u202e\r\n\n", "\u009b31m", strings.Repeat("x\n", 100), "\xff"} {
		f.Add(seed, seed, 80, 24)
	}
	f.Fuzz(func(t *testing.T, command, name string, width, height int) {
		b := newBoard(asked(name, func(p *v1.Prompt) {
			p.Title, p.Call.Text, p.Call.Cwd, p.Call.Agent, p.Call.SessionID, p.Call.Reason = name, command, name, name, name, name
			p.Choices = append(p.Choices, v1.Choice{Key: "allow", Label: name})
		}))
		b.width, b.height = width, height
		b.message = shownLine(name)
		b.trouble = shownLine(command)
		for _, row := range b.layout().rows {
			for _, r := range row.text {
				require.Truef(t, unicode.IsPrint(r), "%q in %q", r, row.text)
			}
		}
	})
}
