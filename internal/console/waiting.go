package console

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/render"
	"policyd/internal/visible"
)

// mostCards is how many questions a page shows. The others appear as these are answered.
const mostCards = 200

// undoLife is how long an answer can be undone from the page; a little longer than the page offers it.
const undoLife = 7 * time.Second

// card is a question as the page shows it: equal prompts share one card.
type card struct {
	render.Card
	// Equal identifies equal prompts, and IDs are these prompts.
	Equal string
	IDs   []string
	// Others are the sessions of the prompts except the first.
	Others []string
	// Selected is true for the card that a link opened.
	Selected bool
}

// group is the questions of one session.
type group struct {
	Agent, Session string
	Cards          []*card
}

// equal identifies the question of a prompt, independent of its session.
func equal(p *v1.Prompt) string {
	text, err := json.Marshal([]any{
		p.Title, p.Call.Tool, p.Call.Text, p.Call.Cwd, p.Call.Agent, p.Call.GrantRoot, p.Call.Paths, p.Choices, p.Warnings, p.Reasons,
	})
	if err != nil {
		return digest(p.ID)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// pending returns the prompts that wait, the newest first.
func (c *Console) pending(ctx context.Context) ([]v1.Prompt, error) {
	var all []v1.Prompt
	for after := ""; ; {
		page, next, err := c.options.Prompts.List(ctx, v1.PromptPending, "", after, 500)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if after = next; after == "" {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b v1.Prompt) int {
		if order := b.CreatedAt.Compare(a.CreatedAt); order != 0 {
			return order
		}
		if a.ID > b.ID {
			return -1
		}
		return 1
	})
	return all, nil
}

// cardsOf groups equal prompts.
func cardsOf(prompts []v1.Prompt) []*card {
	var cards []*card
	known := map[string]*card{}
	for i := range prompts {
		p := &prompts[i]
		key := equal(p)
		if first := known[key]; first != nil {
			first.IDs = append(first.IDs, p.ID)
			if session, _ := visible.Line(p.Call.SessionID); session != first.Session && !slices.Contains(first.Others, session) {
				first.Others = append(first.Others, session)
			}
			continue
		}
		made := &card{Card: render.NewCard(p), Equal: key, IDs: []string{p.ID}}
		known[key] = made
		cards = append(cards, made)
	}
	return cards
}

func groupsOf(cards []*card) []*group {
	var groups []*group
	known := map[string]*group{}
	for _, one := range cards {
		key := one.Agent + "\x00" + one.Session
		if known[key] == nil {
			known[key] = &group{Agent: one.Agent, Session: one.Session}
			groups = append(groups, known[key])
		}
		known[key].Cards = append(known[key].Cards, one)
	}
	return groups
}

// waitingData is what the page of questions shows.
type waitingData struct {
	Page   string
	Groups []*group
	// Total counts the waiting prompts, and Hidden the questions that aren't shown.
	Total, Hidden int
	// Ended is a prompt that a link opened and that waits no more; nil for none.
	Ended *card
	// Cursor is the event to go on from.
	Cursor string
}

func (c *Console) waitingData(ctx context.Context, selected string) (*waitingData, error) {
	data := &waitingData{Page: "waiting", Cursor: c.options.Events.Last()}
	if data.Cursor == "" {
		data.Cursor = "start" // no event has this id, so a reader that continues from it reads everything again
	}
	prompts, err := c.pending(ctx)
	if err != nil {
		return nil, err
	}
	data.Total = len(prompts)
	cards := cardsOf(prompts)
	found := false
	for _, one := range cards {
		one.Selected = selected != "" && slices.Contains(one.IDs, selected)
		found = found || one.Selected
	}
	if selected != "" && !found {
		prompt, err := c.options.Prompts.Get(ctx, selected)
		if err != nil {
			return nil, err
		}
		data.Ended = cardsOf([]v1.Prompt{prompt})[0]
	}
	if len(cards) > mostCards {
		data.Hidden = len(cards) - mostCards
		cards = cards[:mostCards]
	}
	data.Groups = groupsOf(cards)
	return data, nil
}

// waiting shows the questions, and opens the one that a link names.
func (c *Console) waiting(w http.ResponseWriter, r *http.Request, _ Operator) {
	data, err := c.waitingData(r.Context(), r.PathValue("id"))
	if err != nil {
		c.fail(w, r, err)
		return
	}
	c.render(w, http.StatusOK, "waiting.html", data)
}

// list shows the questions without the page around them.
func (c *Console) list(w http.ResponseWriter, r *http.Request, _ Operator) {
	data, err := c.waitingData(r.Context(), "")
	if err != nil {
		c.fail(w, r, err)
		return
	}
	c.renderPart(w, http.StatusOK, "waiting.html", "list", data)
}

// card shows one question as it is now, with the prompts that are equal to it.
func (c *Console) card(w http.ResponseWriter, r *http.Request, _ Operator) {
	prompt, err := c.options.Prompts.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		c.fail(w, r, err)
		return
	}
	same := []v1.Prompt{prompt}
	if prompt.State == v1.PromptPending {
		all, err := c.pending(r.Context())
		if err != nil {
			c.fail(w, r, err)
			return
		}
		key := equal(&prompt)
		same = slices.DeleteFunc(all, func(other v1.Prompt) bool { return equal(&other) != key })
		if len(same) == 0 {
			same = []v1.Prompt{prompt}
		}
	}
	c.renderPart(w, http.StatusOK, "waiting.html", "group", groupsOf(cardsOf(same))[0])
}

// answerRequest answers equal prompts.
type answerRequest struct {
	IDs    []string `json:"ids"`
	Choice string   `json:"choice"`
	TTL    string   `json:"ttl,omitempty"`
	// Confirmed states that the person pressed twice.
	Confirmed bool `json:"confirmed,omitempty"`
}

// answered is the result.
type answered struct {
	Resolution string `json:"resolution"`
	Decision   string `json:"decision"`
	// Answered counts the prompts that this answer ended.
	Answered int `json:"answered"`
	// Undo is the id for undoing what was remembered; empty if nothing was.
	Undo string `json:"undo,omitempty"`
}

// mostAnswers is how many prompts one press answers.
const mostAnswers = 100

func (c *Console) answer(w http.ResponseWriter, r *http.Request, who Operator) {
	request, err := read[answerRequest](r)
	if err != nil {
		c.fail(w, r, err)
		return
	}
	if len(request.IDs) == 0 || len(request.IDs) > mostAnswers {
		c.refuse(w, r, http.StatusBadRequest, "a press answers 1 to 100 prompts")
		return
	}
	if needsSecondPress(request.Choice) && !request.Confirmed {
		c.refuse(w, r, http.StatusPreconditionRequired, "this answer needs a second press")
		return
	}
	began := c.options.Clock()
	var out answered
	var given undo
	var failure error
	for _, id := range request.IDs {
		response, err := c.options.Prompts.Answer(r.Context(), id, v1.AnswerRequest{Choice: request.Choice, TTL: request.TTL, By: who.Name})
		if err != nil {
			failure = first(failure, err) // the first answer released it, or another person was quicker
			continue
		}
		if out.Answered++; out.Answered == 1 {
			out.Resolution, _ = visible.Line(response.Resolution)
			out.Decision = response.Decision.String()
		}
		given.add(&response, began)
	}
	if out.Answered == 0 {
		c.fail(w, r, failure)
		return
	}
	out.Undo = c.keepUndo(given)
	c.reply(w, http.StatusOK, out)
}

func first(before, now error) error {
	if before != nil {
		return before
	}
	return now
}

// needsSecondPress reports whether a choice widens so much that one press is too easy.
func needsSecondPress(choice string) bool {
	return choice == v1.ChoiceAlwaysAnywhere
}

// undo is the part of an answer that a person may undo.
type undo struct {
	approvals []string
	grants    []v1.Grant
	until     time.Time
}

// add notes what an answer gave that wasn't there before it.
func (u *undo) add(response *v1.AnswerResponse, began time.Time) {
	for i := range response.Saved {
		if !response.Saved[i].CreatedAt.Before(began) {
			u.approvals = append(u.approvals, response.Saved[i].ID)
		}
	}
	for i := range response.Grants {
		if !response.Grants[i].CreatedAt.Before(began) {
			u.grants = append(u.grants, response.Grants[i])
		}
	}
}

// keepUndo returns the id for undoing an answer, empty for none.
func (c *Console) keepUndo(given undo) string {
	if len(given.approvals)+len(given.grants) == 0 {
		return ""
	}
	now := c.options.Clock()
	given.until = now.Add(undoLife)
	c.mu.Lock()
	defer c.mu.Unlock()
	for name, old := range c.undos {
		if now.After(old.until) {
			delete(c.undos, name)
		}
	}
	name := secret()
	c.undos[name] = given
	return name
}

func (c *Console) undo(w http.ResponseWriter, r *http.Request, _ Operator) {
	request, err := read[struct {
		Undo string `json:"undo"`
	}](r)
	if err != nil {
		c.fail(w, r, err)
		return
	}
	c.mu.Lock()
	given, known := c.undos[request.Undo]
	delete(c.undos, request.Undo)
	c.mu.Unlock()
	if !known || c.options.Clock().After(given.until) {
		c.refuse(w, r, http.StatusGone, "it is too late to undo this here; take it back under Remembered")
		return
	}
	var failure error
	for _, id := range given.approvals {
		failure = first(failure, c.options.Approvals.Revoke(r.Context(), id))
	}
	for _, grant := range given.grants {
		failure = first(failure, c.options.Sessions.Revoke(r.Context(), v1.Holder{Session: grant.Session, Agent: grant.Agent}, grant.ID))
	}
	if failure != nil {
		c.fail(w, r, failure)
		return
	}
	c.reply(w, http.StatusOK, map[string]any{"message": "Undone: nothing is remembered. A call that has run meanwhile has run."})
}
