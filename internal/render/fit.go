package render

import (
	"strings"
	"unicode/utf16"
)

// cutMark marks the place where a text was cut.
const cutMark = "… (cut)"

// length is the larger of the counts of Slack and Discord: UTF-16 units. A count of characters is never
// larger.
func length(text string) int {
	units := 0
	for _, r := range text {
		units += utf16.RuneLen(r)
	}
	return units
}

// fit escapes a text character by character, and cuts it before the escaped form exceeds room. It never cuts
// an escape in two.
func (v *view) fit(text string, room int, escape func(rune) string) string {
	whole := escaped(text, escape)
	if length(whole) <= room {
		return whole
	}
	v.cut = true
	left := room - length(cutMark)
	var out strings.Builder
	for _, r := range text {
		next := escape(r)
		if left -= length(next); left < 0 {
			break
		}
		out.WriteString(next)
	}
	return out.String() + cutMark
}

func escaped(text string, escape func(rune) string) string {
	var out strings.Builder
	for _, r := range text {
		out.WriteString(escape(r))
	}
	return out.String()
}

const fence = "```"

// unfence writes the backticks of a text that would end its code block as escapes,
// since there is no other way to write them.
func (v *view) unfence(text string) string {
	if !strings.Contains(text, fence) {
		return text
	}
	v.altered = true
	var out strings.Builder
	for text != "" {
		plain := strings.IndexByte(text, '`')
		if plain < 0 {
			break
		}
		out.WriteString(text[:plain])
		text = text[plain:]
		run := len(text) - len(strings.TrimLeft(text, "`"))
		if run >= len(fence) {
			out.WriteString(strings.Repeat(`\x60`, run))
		} else {
			out.WriteString(text[:run])
		}
		text = text[run:]
	}
	out.WriteString(text)
	return out.String()
}

// fences is the length that block adds.
const fences = 2 * len(fence+"\n")

// block is a text in a code block, cut to room without the fences. A blank code
// block isn't rendered as one, and its fence would begin another.
func (v *view) block(text string, room int, escape func(rune) string) string {
	if strings.TrimSpace(text) == "" {
		v.altered = true
		text = "(blank)"
	}
	return fence + "\n" + v.fit(v.unfence(text), room, escape) + "\n" + fence
}

// asItIs escapes nothing.
func asItIs(r rune) string { return string(r) }
