package render

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	v1 "policyd/api/v1"
	"policyd/internal/visible"
)

// Segment is a part of a text. Mark states why it deserves a look, empty for most parts.
type Segment struct{ Text, Mark string }

// Marks of a segment.
const (
	MarkMixed  = "letters of several scripts"
	MarkEscape = "an invisible character, written as an escape"
	MarkFold   = "blanks, folded"
	MarkCut    = "the text is cut here"
)

// Card is a prompt as a page shows it: every text is visible and without markup, but not
// escaped for any page.
type Card struct {
	ID, State, Title string
	Warnings, Verbs  []string
	Cwd              string
	// Reasons are why the policy prompts, at most two.
	Reasons []string
	// Code is the command or the path, in full.
	Code                      []Segment
	Agent, Session, Requested string
	Paths                     []string
	GrantRoot                 string
	CreatedAt, ExpiresAt      time.Time
	// Choices are the choices that are offered. Saves and Note of each are visible text.
	Choices []v1.Choice
	// Ending is the outcome of a prompt that isn't pending. Note is what the card doesn't show of a pending
	// one.
	Ending, Note string
}

// NewCard returns the card of a prompt.
func NewCard(prompt *v1.Prompt) Card {
	v := look(prompt)
	card := Card{
		ID: v.line(prompt.ID), State: v.line(prompt.State), Title: v.title,
		Warnings: v.each(prompt.Warnings), Cwd: v.line(prompt.Call.Cwd), Reasons: v.each(prompt.Reasons),
		Agent: v.line(prompt.Call.Agent), Session: v.line(prompt.Call.SessionID), Requested: v.line(prompt.Call.Reason),
		GrantRoot: v.line(prompt.Call.GrantRoot), CreatedAt: prompt.CreatedAt, ExpiresAt: prompt.ExpiresAt, Ending: v.ending,
	}
	if len(prompt.Verbs) > 1 {
		card.Verbs = v.each(prompt.Verbs)
	}
	for _, path := range prompt.Call.Paths {
		if path != prompt.Call.Text {
			card.Paths = append(card.Paths, v.line(path))
		}
	}
	card.Code = Segments(v.code, v.altered)
	card.Choices = v.offers()
	for i := range card.Choices {
		choice := &card.Choices[i]
		choice.Saves, choice.Note = v.line(choice.Saves), v.line(choice.Note)
		if dangerous(*choice) {
			choice.Style = "danger"
		}
	}
	card.Note = v.note()
	return card
}

// each makes texts visible on a line each.
func (v *view) each(texts []string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, v.line(text))
	}
	return out
}

// Segments splits a visible text at parts that need attention. Joined, the segments are the text. altered
// reports whether the text has escapes or marks of a cut.
func Segments(text string, altered bool) []Segment {
	var out []Segment
	add := func(part, mark string) {
		if part == "" {
			return
		}
		if last := len(out) - 1; last >= 0 && out[last].Mark == mark {
			out[last].Text += part
			return
		}
		out = append(out, Segment{Text: part, Mark: mark})
	}
	for text != "" {
		length, mark := segment(text, altered)
		add(text[:length], mark)
		text = text[length:]
	}
	return out
}

// segment is the length of the first part of a text, which isn't empty, and why it is marked.
func segment(text string, altered bool) (length int, mark string) {
	word := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) })
	if word < 0 {
		word = len(text)
	}
	if word > 0 {
		if len(visible.MixedWords(text[:word])) > 0 {
			return word, MarkMixed
		}
		return word, ""
	}
	for _, sign := range []string{"⏎ ×", "␠ ×"} {
		if rest, found := strings.CutPrefix(text, sign); found {
			digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
			return len(sign) + digits, MarkFold
		}
	}
	if altered && text[0] == '\\' {
		if length := escapeLength(text); length > 0 {
			return length, MarkEscape
		}
	}
	if altered && text == "…" {
		return len(text), MarkCut
	}
	_, size := utf8.DecodeRuneInString(text)
	return size, ""
}

// escapeLength is how long the escape is with which a text begins, as visible.Whole writes it;
// 0 for none.
func escapeLength(text string) int {
	if len(text) < 2 {
		return 0
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[text[1]]
	if digits == 0 {
		if strings.IndexByte("abfrv", text[1]) >= 0 {
			return 2
		}
		return 0
	}
	end := 2 + digits
	if len(text) < end || strings.Trim(text[2:end], "0123456789abcdef") != "" {
		return 0
	}
	return end
}
