package render

import (
	"slices"

	v1 "policyd/api/v1"
)

// Limits of Discord's messages, in characters.
const (
	discordTotal       = 6000 // all texts of an embed
	discordDescription = 4096
	discordFact        = 400
	discordLongFact    = 700 // so that all facts together leave room for a command
	discordButton      = 80
	discordCustomID    = 100
	discordRow         = 5
	discordRows        = 5
)

// Kinds of components and styles of buttons, as Discord numbers them.
const (
	discordActionRow = 1
	discordButtonOne = 2

	discordPrimary   = 1
	discordSecondary = 2
	discordDanger    = 4
)

// DiscordMessage is a message with components. It mentions nobody. Components is empty, and not left out, if
// nothing can be answered: an edited message loses its buttons only by that.
type DiscordMessage struct {
	Embeds          []DiscordEmbed     `json:"embeds"`
	Components      []DiscordComponent `json:"components"`
	AllowedMentions DiscordMentions    `json:"allowed_mentions"`
}

// DiscordEmbed is the question. Every text of the prompt is in a code block of its own, in which Discord
// knows neither markup nor links nor mentions.
type DiscordEmbed struct {
	Title       string         `json:"title"`
	Description string         `json:"description,omitempty"`
	Fields      []DiscordField `json:"fields,omitempty"`
}

// DiscordField is one fact.
type DiscordField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// DiscordComponent is a row of buttons or a button.
type DiscordComponent struct {
	Type       int                `json:"type"`
	Components []DiscordComponent `json:"components,omitempty"`
	Style      int                `json:"style,omitempty"`
	Label      string             `json:"label,omitempty"`
	CustomID   string             `json:"custom_id,omitempty"`
}

// DiscordMentions lists what in a message may mention somebody: nothing.
type DiscordMentions struct {
	Parse []string `json:"parse"`
}

// Discord renders a prompt. A button's custom_id is "policyd:<prompt>:<choice>".
func Discord(prompt *v1.Prompt) DiscordMessage {
	v := look(prompt)
	embed := DiscordEmbed{Title: v.discordTitle(), Fields: []DiscordField{{Name: "question", Value: v.block(v.title, discordFact, asItIs)}}}
	for _, about := range slices.Concat(v.before, v.facts) {
		room := discordFact
		if about.long {
			room = discordLongFact
		}
		embed.Fields = append(embed.Fields, DiscordField{Name: about.name, Value: v.block(about.value, room, asItIs)})
	}
	if v.ending != "" {
		embed.Fields = append(embed.Fields, DiscordField{Name: "result", Value: v.block(v.ending, discordLongFact, asItIs)})
	}
	if v.code != "" {
		// The command has what room is left, except for a note.
		left := discordTotal - embed.length() - length(noteName) - longestNote
		embed.Description = v.block(v.code, min(left, discordDescription)-fences, asItIs)
	}
	for _, about := range v.saves() {
		field := DiscordField{Name: about.name, Value: v.block(about.value, discordLongFact, asItIs)}
		if embed.length()+length(field.Name)+length(field.Value)+length(noteName)+longestNote > discordTotal {
			v.cut = true
		}
		if !v.cut {
			embed.Fields = append(embed.Fields, field)
		}
	}
	rows := v.discordRows()
	if note := v.note(); note != "" {
		embed.Fields = append(embed.Fields, DiscordField{Name: noteName, Value: note})
	}
	return DiscordMessage{Embeds: []DiscordEmbed{embed}, Components: rows, AllowedMentions: DiscordMentions{Parse: []string{}}}
}

const (
	noteName    = "note"
	longestNote = 200
)

func (v *view) discordTitle() string {
	switch v.prompt.State {
	case v1.PromptPending:
		return "Approval needed"
	case v1.PromptExpired:
		return "Expired"
	case v1.PromptWithdrawn:
		return "Withdrawn"
	case v1.PromptDelegated:
		return "Delegated"
	}
	if v.prompt.Answer != nil && v.prompt.Answer.Decision == v1.EffectAllow {
		return "Approved"
	}
	return "Denied"
}

func (e *DiscordEmbed) length() int {
	total := length(e.Title) + length(e.Description)
	for _, field := range e.Fields {
		total += length(field.Name) + length(field.Value)
	}
	return total
}

// discordRows are the buttons, five in a row.
func (v *view) discordRows() []DiscordComponent {
	rows := []DiscordComponent{}
	for _, choice := range v.offers() {
		id := "policyd:" + v.prompt.ID + ":" + choice.Key
		if length(id) > discordCustomID {
			continue // nothing to cut: policyd answers by the whole id
		}
		if len(rows) == 0 || len(rows[len(rows)-1].Components) == discordRow {
			if len(rows) == discordRows {
				break
			}
			rows = append(rows, DiscordComponent{Type: discordActionRow})
		}
		row := &rows[len(rows)-1]
		row.Components = append(row.Components, DiscordComponent{
			Type: discordButtonOne, Style: discordStyle(choice), CustomID: id,
			Label: label(choice.Label, discordButton, asItIs),
		})
	}
	return rows
}

func discordStyle(choice v1.Choice) int {
	switch {
	case dangerous(choice):
		return discordDanger
	case choice.Style == "primary":
		return discordPrimary
	}
	return discordSecondary
}
