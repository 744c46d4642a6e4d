package watch

import (
	"slices"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/render"
	"policyd/internal/visible"
)

// settling is how long a prompt that replaced another one by itself accepts no answer: the key may have been
// meant for the other one.
const settling = 300 * time.Millisecond

// choiceKeys are the keys of answers.
func choiceKeys() map[Key]string {
	return map[Key]string{
		'o': v1.ChoiceOnce, 's': v1.ChoiceSession, 'h': v1.ChoiceAlwaysHere, 'a': v1.ChoiceAlwaysAnywhere,
		't': v1.ChoiceProject, 'c': v1.ChoiceReadChat, 'r': v1.ChoiceReadHere,
		'y': v1.ChoiceAllow, 'd': v1.ChoiceDeny,
	}
}

// action is the request of a key, except for another view. The zero value is nothing.
type action struct {
	quit bool
	// id and choice are an answer to send.
	id, choice string
}

// board is what the view shows.
type board struct {
	width, height int

	prompts []v1.Prompt
	// selected is the id of the prompt before the person, empty for none.
	selected string
	// settled is when the selected prompt begins to accept an answer.
	settled time.Time
	// armed is a dangerous choice that was pressed once.
	armed string
	// answering is the prompt whose answer is being sent, empty for none.
	answering string
	// answered are prompts that are still listed as pending for a moment.
	answered map[string]bool
	message  string
	trouble  string
}

// update replaces the pending prompts. The selected prompt stays selected wherever it is; if it is gone, the
// next one is selected.
func (b *board) update(news Update, now time.Time) {
	if news.Err != nil {
		b.trouble = "What is pending is not known: " + shownLine(news.Err.Error())
		return
	}
	b.trouble = ""
	listed := map[string]bool{}
	kept := make([]v1.Prompt, 0, len(news.Prompts))
	for i := range news.Prompts {
		listed[news.Prompts[i].ID] = true
		if !b.answered[news.Prompts[i].ID] {
			kept = append(kept, news.Prompts[i])
		}
	}
	for id := range b.answered {
		if !listed[id] {
			delete(b.answered, id)
		}
	}
	gone := b.selected != "" && !listed[b.selected] && b.selected != b.answering
	b.replace(kept, now)
	if gone {
		b.message = "The prompt has ended: it was answered elsewhere, expired or was withdrawn"
	}
}

// replace shows other prompts.
func (b *board) replace(prompts []v1.Prompt, now time.Time) {
	at := b.index()
	b.prompts = prompts
	if b.index() >= 0 {
		return
	}
	before := b.selected
	b.armed, b.selected = "", ""
	if len(prompts) == 0 {
		return
	}
	b.selected = prompts[min(max(at, 0), len(prompts)-1)].ID
	if before != "" {
		b.settled = now.Add(settling)
	}
}

// index is the position of the selected prompt, -1 for none.
func (b *board) index() int {
	return slices.IndexFunc(b.prompts, func(prompt v1.Prompt) bool { return prompt.ID == b.selected })
}

// press handles a key.
func (b *board) press(key Key, now time.Time) action {
	armed := b.armed
	b.armed, b.message = "", ""
	switch key {
	case KeyQuit, 'q':
		return action{quit: true}
	case KeyNext, 'n':
		b.move(1)
		return action{}
	case KeyPrevious, 'p':
		b.move(-1)
		return action{}
	default:
	}
	choice, isAnswer := choiceKeys()[key]
	at := b.index()
	if !isAnswer || at < 0 {
		return action{}
	}
	switch {
	case b.answering != "":
		b.message = "An answer is on its way"
	case !slices.ContainsFunc(b.layout().offers, func(offer v1.Choice) bool { return offer.Key == choice }):
		b.message = "This prompt doesn't offer that"
	case now.Before(b.settled):
		b.message = "Key dropped: this prompt has just come up. Look at it and press again"
	case choice == v1.ChoiceAlwaysAnywhere && armed != choice:
		b.armed = choice
		b.message = "This holds in every directory, for good. Press a again to approve it anywhere"
	default:
		b.answering = b.selected
		return action{id: b.selected, choice: choice}
	}
	return action{}
}

// move selects another prompt.
func (b *board) move(by int) {
	if at := b.index(); at >= 0 {
		b.selected = b.prompts[(at+by+len(b.prompts))%len(b.prompts)].ID
		b.settled = time.Time{} // the person requested it
	}
}

// result handles the result of an answer.
func (b *board) result(id, resolution string, err error, now time.Time) {
	b.answering = ""
	if err != nil {
		b.message = "Not answered: " + shownLine(err.Error())
		return
	}
	b.message = shownLine(resolution)
	b.answered[id] = true
	b.replace(slices.DeleteFunc(slices.Clone(b.prompts), func(prompt v1.Prompt) bool { return prompt.ID == id }), now)
}

func shownLine(text string) string {
	shown, _ := visible.Line(text)
	return shown
}

// offersOf are the choices for the selected prompt that a key represents; few returns only those that are
// left if not everything is shown.
func offersOf(prompt *v1.Prompt, few bool) []v1.Choice {
	_, offers := render.Lines(prompt)
	known := choiceKeys()
	return slices.DeleteFunc(offers, func(choice v1.Choice) bool {
		if few && choice.Key != v1.ChoiceOnce && choice.Key != v1.ChoiceDeny {
			return true
		}
		for _, key := range known {
			if key == choice.Key {
				return false
			}
		}
		return true
	})
}
