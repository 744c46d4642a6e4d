package extract

import (
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/shell"
	"policyd/extract/value"
)

// anyReading adds every path that a word of an unknown role may hold. A word with more marks
// than are looked at, or with prose that mentions a restricted path, makes it unknown what the
// command touches.
func (e *extraction) anyReading(t *touched, item *v1.Item, a *shell.Access, base string) {
	readings, known := e.x.lines.PathReadings(a.Text)
	for i := range readings {
		text := readings[i].Text
		switch {
		case !e.counts(&readings[i], base):
		case readings[i].Certainty == shell.IfMentioned:
			known = known && !e.restricted(t, text, a.Op, base)
		default:
			e.reading(t, item, a, text, base)
		}
	}
	if !known {
		item.Caveats.Add("opaque_word")
	}
}

// counts reports whether a part of a word has to count as a path.
func (e *extraction) counts(reading *shell.PathReading, base string) bool {
	text := reading.Text
	if e.view.Windows {
		return e.windowsCouldBePath(text)
	}
	if reading.Certainty != shell.IfThere {
		return e.couldBePath(text, base)
	}
	if e.listed(text) {
		return true
	}
	first := text
	if slash := strings.IndexByte(text[1:], '/'); slash >= 0 {
		first = text[:slash+1]
	}
	full := e.view.Absolute(first, base)
	return full != "" && (e.view.Exists(full) || len(e.aliasTargets(full)) > 0)
}

// listed reports whether a name is that of a secret, or of a protected file.
func (e *extraction) listed(text string) bool {
	name := "/" + text
	if e.x.lists.Secrets.File(name) != "" {
		return true
	}
	var class v1.Form
	e.x.lists.Protected.Class(name, &class)
	return len(class) > 0
}

// reading adds one path, and what a directory holds.
func (e *extraction) reading(t *touched, item *v1.Item, a *shell.Access, text, base string) {
	one := *a
	one.Text = text
	if e.view.Windows {
		one.Reading, one.Maybe = value.AsPath, false
		e.windowsAccess(t, item, &one, base)
		return
	}
	p := e.touch(t, text, base, a.Op)
	if p.Caveats.Has("directory") {
		e.below(t, item, p.Real, &one, base)
	}
	e.belowAll(t, item, []string{e.view.Absolute(text, base)}, &one, base)
}

// restricted reports whether a path leads out, to what is on a list, or to a directory above such. It leaves no facts.
func (e *extraction) restricted(t *touched, text, op, base string) bool {
	index := len(e.facts.Paths)
	scratch := touched{item: t.item}
	p := e.touch(&scratch, text, base, op)
	restricted := len(p.Class) > 0 || !isOwn(p.Space) && p.Space != v1.SpaceNone
	if !restricted && p.Caveats.Has("directory") {
		restricted = e.tree(treeWalk{root: p.Real}, nil) != reachesNone
	}
	e.facts.Paths = e.facts.Paths[:index]
	return restricted
}
