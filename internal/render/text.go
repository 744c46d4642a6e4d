package render

import (
	"strings"

	v1 "policyd/api/v1"
)

// Text renders a prompt for a terminal or a mail. Nothing is cut, each line but
// the first is indented, and the lines of the command begin with "> ".
func Text(prompt *v1.Prompt) string {
	v := look(prompt)
	out := []string{v.line(prompt.ID) + "  " + v.line(prompt.State), "  " + v.title}
	if v.code != "" {
		for line := range strings.SplitSeq(v.code, "\n") {
			out = append(out, "  > "+line)
		}
	}
	for _, about := range v.facts {
		for value := range strings.SplitSeq(about.value, "\n") {
			out = append(out, "  "+padded(about.name)+value)
		}
	}
	if v.ending != "" {
		out = append(out, "  "+v.ending)
	}
	if note := v.note(); note != "" {
		out = append(out, "  "+note)
	}
	var choices []string
	for _, choice := range v.offers() {
		choices = append(choices, choice.Key)
	}
	if len(choices) > 0 {
		out = append(out, "  "+padded("choices")+strings.Join(choices, ", "))
	}
	return strings.Join(out, "\n") + "\n"
}

func padded(name string) string { return name + strings.Repeat(" ", max(1, 9-len(name))) }
