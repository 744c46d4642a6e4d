package watch

import (
	"fmt"
	"strings"

	v1 "policyd/api/v1"
	"policyd/internal/render"
)

// Styles of a line, as terminal escape codes.
const (
	styleNone   = ""
	styleStrong = "\x1b[1m"
	styleDanger = "\x1b[31m"
	styleEnd    = "\x1b[0m"
)

// row is a line of the view. Its text has only visible characters.
type row struct{ text, style string }

// screen is a view as it fits the terminal.
type screen struct {
	rows []row
	// offers are the choices with a key.
	offers []v1.Choice
}

// Least size in which a prompt is shown: there is room for every choice and for
// some lines of the prompt.
const (
	leastWidth  = 20
	leastHeight = 14
)

// layout makes the view. A prompt that has no room is cut, and then offers once and
// deny at most.
func (b *board) layout() screen {
	if b.width < leastWidth || b.height < leastHeight {
		return screen{rows: wrap(row{text: "Too small"}, max(b.width, 1))[:1]}
	}
	at := b.index()
	if at < 0 {
		return screen{rows: b.fill([]row{{text: "Nothing is pending", style: styleStrong}}, nil, nil)}
	}
	prompt := &b.prompts[at]
	head := []row{{text: fmt.Sprintf("Prompt %d of %d", at+1, len(b.prompts)), style: styleStrong}}
	var body []row
	lines, _ := render.Lines(prompt)
	for i, line := range lines {
		style := styleNone
		if i == 1 {
			style = styleStrong
		}
		body = append(body, wrap(row{text: line, style: style}, b.width)...)
	}
	offers := offersOf(prompt, false)
	room := b.height - len(head) - len(b.choices(offers)) - len(b.foot())
	if len(body) > room {
		body = append(body[:room-1:room-1], row{text: "… cut by the window", style: styleStrong})
		offers = offersOf(prompt, true)
	}
	return screen{rows: b.fill(head, body, b.choices(offers)), offers: offers}
}

// choices are the keys that answer.
func (b *board) choices(offers []v1.Choice) []row {
	rows := []row{{}}
	for _, offer := range offers {
		for key, choice := range choiceKeys() {
			if choice != offer.Key {
				continue
			}
			style := styleNone
			if offer.Style == "danger" {
				style = styleDanger
			}
			rows = append(rows, wrap(row{text: fmt.Sprintf("  [%c] %s", key, offer.Label), style: style}, b.width)[0])
		}
	}
	return rows
}

// foot is below the choices: messages, and the other keys.
func (b *board) foot() []row {
	said := b.message
	if b.trouble != "" {
		said = b.trouble
	}
	if b.answering != "" {
		said = "…"
	}
	return []row{
		{},
		wrap(row{text: said, style: styleStrong}, b.width)[0],
		wrap(row{text: "n next, p previous, q quit"}, b.width)[0],
	}
}

// fill puts the foot at the end of the terminal.
func (b *board) fill(head, body, choices []row) []row {
	rows := append(append(append([]row{}, head...), body...), choices...)
	foot := b.foot()
	for len(rows) < b.height-len(foot) {
		rows = append(rows, row{})
	}
	return append(rows, foot...)
}

// tabWidth is how many blanks a tab is shown as.
const tabWidth = 4

// wrap breaks a line into rows of at most width columns, at least one. The width of a character beyond ASCII
// differs among terminals, and is never more than two columns.
func wrap(line row, width int) []row {
	const hanging = "    "
	var rows []row
	var out strings.Builder
	used := 0
	for _, r := range strings.ReplaceAll(line.text, "\t", strings.Repeat(" ", tabWidth)) {
		columns := 1
		if r >= 0x80 {
			columns = 2
		}
		if used+columns > width && used > 0 {
			rows = append(rows, row{text: out.String(), style: line.style})
			out.Reset()
			used = 0
			if width > 2*len(hanging) {
				out.WriteString(hanging)
				used = len(hanging)
			}
		}
		out.WriteRune(r)
		used += columns
	}
	return append(rows, row{text: out.String(), style: line.style})
}
