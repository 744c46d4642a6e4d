package render

import v1 "policyd/api/v1"

// Limits of Slack's Block Kit, in characters, and what of them is used so that a
// message as a whole stays below Slack's bound.
const (
	slackSection  = 3000
	slackTitle    = 1000
	slackFact     = 600
	slackLongFact = 2500
	slackButton   = 75
	slackValue    = 2000
	slackButtons  = 25
)

// SlackMessage is the part of a Slack message that is shown.
type SlackMessage struct {
	Blocks []SlackBlock `json:"blocks"`
}

// SlackBlock is a section, which has a text, or a context or actions block, which
// have elements.
type SlackBlock struct {
	Type     string         `json:"type"`
	Text     *SlackText     `json:"text,omitempty"`
	Elements []SlackElement `json:"elements,omitempty"`
}

// SlackText is a text object. Plain text is never markup; Verbatim keeps Slack from
// making links and mentions of what looks like one.
type SlackText struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Emoji    *bool  `json:"emoji,omitempty"`
	Verbatim bool   `json:"verbatim,omitempty"`
}

// SlackElement is a text in a context block, or a button, whose Text is a SlackText.
type SlackElement struct {
	Type     string `json:"type"`
	Text     any    `json:"text"`
	Emoji    *bool  `json:"emoji,omitempty"`
	ActionID string `json:"action_id,omitempty"`
	Value    string `json:"value,omitempty"`
	Style    string `json:"style,omitempty"`
}

// Slack renders a prompt. A button's action_id is the key of the choice, and its
// value the id of the prompt. Only the command is in Slack's own markup, as a code
// block; all else is plain text.
func Slack(prompt *v1.Prompt) SlackMessage {
	v := look(prompt)
	blocks := []SlackBlock{section(plainText(v.fit(v.title, slackTitle, slackEscape)))}
	if before := v.slackContext(v.before); len(before) > 0 {
		blocks = append(blocks, SlackBlock{Type: "context", Elements: before})
	}
	if v.code != "" {
		code := v.block(v.code, slackSection-fences, slackEscape)
		blocks = append(blocks, section(&SlackText{Type: "mrkdwn", Text: code, Verbatim: true}))
	}
	if about := v.slackContext(v.facts); len(about) > 0 {
		blocks = append(blocks, SlackBlock{Type: "context", Elements: about})
	}
	if v.ending != "" {
		blocks = append(blocks, section(plainText(v.fit(v.ending, slackTitle, slackEscape))))
	}
	if saved := v.slackContext(v.saves()); len(saved) > 0 && !v.cut {
		blocks = append(blocks, SlackBlock{Type: "context", Elements: saved})
	}
	buttons := v.slackButtons()
	if note := v.note(); note != "" {
		blocks = append(blocks, section(plainText(note)))
	}
	if len(buttons) > 0 {
		blocks = append(blocks, SlackBlock{Type: "actions", Elements: buttons})
	}
	return SlackMessage{Blocks: blocks}
}

func section(text *SlackText) SlackBlock { return SlackBlock{Type: "section", Text: text} }

func plainText(text string) *SlackText {
	return &SlackText{Type: "plain_text", Text: text, Emoji: new(bool)}
}

// slackEscape writes the three characters that begin and end Slack's own markup.
func slackEscape(r rune) string {
	switch r {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	}
	return string(r)
}

func (v *view) slackContext(facts []fact) []SlackElement {
	var elements []SlackElement
	for _, about := range facts {
		room := slackFact
		if about.long {
			room = slackLongFact
		}
		text := about.name + ": " + about.value
		elements = append(elements, SlackElement{Type: "plain_text", Text: v.fit(text, room, slackEscape), Emoji: new(bool)})
	}
	return elements
}

func (v *view) slackButtons() []SlackElement {
	if length(v.prompt.ID) > slackValue {
		return nil
	}
	var buttons []SlackElement
	for _, choice := range v.offers() {
		button := SlackElement{
			Type: "button", Text: plainText(label(choice.Label, slackButton, slackEscape)), ActionID: choice.Key, Value: v.prompt.ID,
		}
		switch {
		case dangerous(choice):
			button.Style = "danger"
		case choice.Style == "primary":
			button.Style = "primary"
		}
		buttons = append(buttons, button)
	}
	return buttons[:min(len(buttons), slackButtons)]
}

// label is a choice's label, cut to the length of a button. It is policyd's own text, so cutting it hides
// nothing of the question.
func label(text string, room int, escape func(rune) string) string {
	return new(view).fit(text, room, escape)
}
