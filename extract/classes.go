package extract

import (
	"slices"

	v1 "policyd/api/v1"
	"policyd/extract/git"
	"policyd/extract/lists"
)

// inClass is the entry by which a path is in a class, by the agent's name or by the sidecar's.
func (e *extraction) inClass(class *lists.PathClass, real string) string {
	projects := e.projects()
	if entry := class.Match(real, e.view.Home, projects); entry != "" {
		return entry
	}
	if disk, other := e.view.OtherName(real); other {
		return class.Match(disk, e.view.Home, projects)
	}
	return ""
}

// classed reports whether a path is in any class.
func (e *extraction) classed(real string) bool {
	return slices.ContainsFunc(e.x.lists.Classes, func(class lists.PathClass) bool { return e.inClass(&class, real) != "" })
}

// classPlaces are the directories that classes name.
func (e *extraction) classPlaces() []string {
	var out []string
	for i := range e.x.lists.Classes {
		out = append(out, e.x.lists.Classes[i].Places(e.view.Home, e.projects())...)
	}
	return out
}

// projects are the project directories of the session.
func (e *extraction) projects() []string {
	var out []string
	for i := range e.roots {
		if e.roots[i].Space == v1.SpaceProject {
			out = append(out, e.roots[i].Real)
		}
	}
	return out
}

// reach adds what a look reaches to an item: the caveat of its answer, and each class that the look finds
// if it searches for the class instead of secrets.
func (e *extraction) reach(item *v1.Item, look func() string) {
	if answer := look(); answer != reachesNone {
		item.Caveats.Add(answer)
	}
	for i := range e.x.lists.Classes {
		class := &e.x.lists.Classes[i]
		e.sought = class
		if look() == reachesSecret {
			item.Reaches.Add(class.Name)
		}
		e.sought = nil
	}
}

// past is what commits hold of what is sought.
func (e *extraction) past() *git.Past {
	if e.sought != nil {
		return e.sought.Past
	}
	return e.x.past
}
