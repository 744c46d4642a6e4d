package gate

import (
	"slices"
	"strconv"
	"strings"

	v1 "policyd/api/v1"
	"policyd/internal/visible"
)

// Limits of what a title lists.
const (
	titleVerbs = 5
	titlePaths = 2
)

// matter is what a question is about: the verbs of commands, methods and tools, and
// what would happen to which paths, each once.
type matter struct {
	verbs []string
	paths []touchedPath
}

type touchedPath struct{ op, name string }

func (e *evaluation) subjectOf(items []int, shown *exposure) *matter {
	out := &matter{}
	for _, index := range items {
		item := &e.input.Items[index]
		if item.Kind == v1.ItemPath {
			if path := (touchedPath{shown.line(item.Verb), shown.line(e.place(item))}); path.name != "" && !slices.Contains(out.paths, path) {
				out.paths = append(out.paths, path)
				continue
			}
		}
		if verb := shown.line(item.Verb); item.Kind != v1.ItemPath && !slices.Contains(out.verbs, verb) {
			out.verbs = append(out.verbs, verb)
		}
	}
	return out
}

// title is the one-line question (A2). place is the directory that it is about, empty
// if that isn't known. Paths are named: a question about one outside the directory
// isn't about the directory.
func (m *matter) title(place string) string {
	where := ""
	if place != "" {
		where = " in " + place
	}
	switch {
	case len(m.verbs) == 0 && len(m.paths) == 0 && place == "":
		return "Approve this call?"
	case len(m.verbs) == 0 && len(m.paths) == 0:
		return "Approve this call" + where + "?"
	case len(m.verbs) == 0:
		return "Approve " + m.pathList(" of ") + "?"
	case len(m.paths) == 0 && len(m.verbs) == 1:
		return "Approve " + m.verbs[0] + where + "?"
	case len(m.verbs) == 1:
		list := m.pathList(" ")
		return strings.ToUpper(list[:1]) + list[1:] + " with " + m.verbs[0] + "?"
	}
	text := "Approve" + where + "? " + some(m.verbs, titleVerbs)
	if where == "" {
		text = "Approve several commands? " + some(m.verbs, titleVerbs)
	}
	if len(m.paths) > 0 {
		text += "; " + m.pathList(" ")
	}
	return text
}

// pathList names what happens to the first paths.
func (m *matter) pathList(between string) string {
	var out []string
	before := ""
	for _, path := range m.paths {
		if path.op == before {
			out = append(out, path.name)
			continue
		}
		out, before = append(out, path.op+between+path.name), path.op
	}
	return some(out, titlePaths)
}

// some lists the first texts, and how many others there are.
func some(texts []string, most int) string {
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return strings.Join(texts[:most], ", ") + " and " + strconv.Itoa(len(texts)-most) + " more"
}

// mostReasons is how many reasons a person is shown.
const mostReasons = 2

// why are the distinct messages of the rules that prompt. A message of a site rule precedes "isn't approved".
func (e *evaluation) why(shown *exposure) []string {
	var specific, usual []string
	for i := range e.result.Reasons {
		reason := &e.result.Reasons[i]
		if reason.Effect != v1.EffectPrompt || reason.Message == "" {
			continue
		}
		list := &specific
		if reason.Code == codeApprovalRequired {
			list = &usual
		}
		if message := shown.line(reason.Message); !slices.Contains(*list, message) {
			*list = append(*list, message)
		}
	}
	all := append(append(make([]string, 0, mostReasons), specific...), usual...)
	return all[:min(len(all), mostReasons)]
}

// codeApprovalRequired is the code of the rule approvals/required.
const codeApprovalRequired = "approval_required"

// lookalikes are the confusable parts of a call: words that mix scripts, and verbs and hosts with letters
// that aren't Latin.
func lookalikes(text string, verbs []string) []string {
	out := visible.MixedWords(text)
	for _, name := range append(visible.Hosts(text), strings.Fields(strings.Join(verbs, " "))...) {
		warning := visible.ForeignName(name)
		known := func(other string) bool { return other == warning || strings.HasPrefix(other, strconv.Quote(name)) }
		if warning != "" && !slices.ContainsFunc(out, known) {
			out = append(out, warning)
		}
	}
	if out == nil {
		return []string{}
	}
	const most = 5
	return out[:min(len(out), most)]
}
