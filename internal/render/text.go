package render

import (
	"strings"

	v1 "policyd/api/v1"
)

// Text renders a prompt for a terminal or a mail. Nothing is cut, each line but
// the first is indented, and the lines of the command begin with "> ".
func Text(prompt *v1.Prompt) string {
	out, offers := Lines(prompt)
	choices := make([]string, 0, len(offers))
	for _, choice := range offers {
		choices = append(choices, choice.Key)
	}
	if len(choices) > 0 {
		out = append(out, "  "+padded("choices")+strings.Join(choices, ", "))
	}
	return strings.Join(out, "\n") + "\n"
}

// Lines are the lines of Text without the choices, and the choices that may be
// offered with them.
func Lines(prompt *v1.Prompt) (lines []string, offers []v1.Choice) {
	v := look(prompt)
	lines = append([]string{v.line(prompt.ID) + "  " + v.line(prompt.State), "  " + v.title}, factLines(v.before)...)
	if v.code != "" {
		for line := range strings.SplitSeq(v.code, "\n") {
			lines = append(lines, "  > "+line)
		}
	}
	lines = append(lines, factLines(v.facts)...)
	lines = append(lines, factLines(v.saves())...)
	if v.ending != "" {
		lines = append(lines, "  "+v.ending)
	}
	if note := v.note(); note != "" {
		lines = append(lines, "  "+note)
	}
	return lines, v.offers()
}

func factLines(facts []fact) []string {
	var lines []string
	for _, about := range facts {
		for value := range strings.SplitSeq(about.value, "\n") {
			lines = append(lines, "  "+padded(about.name)+value)
		}
	}
	return lines
}

func padded(name string) string { return name + strings.Repeat(" ", max(1, 9-len(name))) }
