package explain

import (
	"fmt"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/internal/visible"
)

// line makes text of an agent's fit for one line.
func line(text string) string {
	shown, _ := visible.Line(text)
	return shown
}

// facts are the call in words.
func facts(in *v1.Input) []string {
	session := &in.Session
	attended := "nobody is there to ask"
	if session.Interactive {
		attended = "a person is there to ask"
	}
	agent := session.Agent
	if agent == "" {
		agent = "an agent without a name"
	}
	told := []string{
		fmt.Sprintf("%s uses %s, a tool of kind %s%s", line(agent), line(in.Tool.Name), in.Tool.Kind, unknownTool(in)),
		fmt.Sprintf("session %s: audience %s, %s", line(session.ID), session.Audience, attended),
		directory("project", session.ProjectDir), directory("working directory", in.Cwd),
	}
	if in.Messy {
		told = append(told, "the command line could not be fully explained"+because(in.Doubts))
	}
	if !in.Complete {
		told = append(told, "not everything that the call does is known"+because(in.Doubts))
	}
	for i := range in.Paths {
		if text := pathText(&in.Paths[i]); text != "" && !slices.Contains(told, text) {
			told = append(told, text)
		}
	}
	return told
}

func unknownTool(in *v1.Input) string {
	if in.Tool.Known {
		return ""
	}
	return ", which the catalog does not have"
}

func directory(what, path string) string {
	if path == "" {
		return what + ": not known"
	}
	return what + ": " + line(path)
}

func because(doubts []string) string {
	if len(doubts) == 0 {
		return ""
	}
	return " (" + strings.Join(doubts, ", ") + ")"
}

// pathText describes a special path: one that resolves elsewhere, is outside, or is on a list. There are too
// many others.
func pathText(path *v1.Path) string {
	var notes []string
	if path.Real != path.Raw && len(path.Links) > 0 {
		notes = append(notes, "leads to "+line(path.Real))
	}
	switch path.Space {
	case v1.SpaceOutside:
		notes = append(notes, "lies outside this session's directories")
	case v1.SpaceUnknown:
		notes = append(notes, "leads to where is not known")
	case v1.SpaceGrantRead:
		notes = append(notes, "lies under a grant to read")
	}
	for _, class := range path.Class {
		notes = append(notes, fmt.Sprintf("is on the list %s (%s)", class.Name, line(class.Kind)))
	}
	if len(notes) == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%s) %s", line(shownPath(path)), path.Op, strings.Join(notes, ", "))
}

func shownPath(path *v1.Path) string {
	if path.Raw != "" {
		return path.Raw
	}
	return path.Real
}

// itemText names an item as its prompt would.
func itemText(in *v1.Input, index int) string {
	item := &in.Items[index]
	if item.Kind == v1.ItemPath && item.Path >= 0 && item.Path < len(in.Paths) {
		path := &in.Paths[item.Path]
		if path.Real != "" {
			return item.Verb + " of " + line(path.Real)
		}
		return item.Verb + " of " + line(path.Raw)
	}
	verb := item.Verb
	if verb == "" {
		verb = "a command without a name"
	}
	if item.Directory == "" {
		return line(verb)
	}
	return line(verb) + " in " + line(item.Directory)
}
