package extract

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/git/history"
	"policyd/extract/paths"
)

// pathClass is a class of paths that an operator names. Recursion, patterns and git's readers are looked
// through for it as they are for secrets.
type pathClass struct {
	paths.Class
	// past is what commits hold of it.
	past *history.Past
	// judged is false if no definition of the class has an effect, so that only rules of a site read it.
	judged bool
}

// classData is how policy data and settings name the paths of classes.
type classData map[string]struct {
	Paths  []string
	Effect string
}

// judges reports whether a class has a definition here whose effect isn't none.
func (d classData) judges(name string) bool {
	class, found := d[name]
	return found && class.Effect != "none"
}

// newClasses joins the classes of a policy with those of the settings.
func newClasses(config, settings classData) ([]pathClass, error) {
	var out []pathClass
	names := slices.Concat(slices.Collect(maps.Keys(config)), slices.Collect(maps.Keys(settings)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		switch {
		case slices.Contains(v1.ReservedClasses(), name):
			return nil, fmt.Errorf("read path class %s: the name is one of policyd's own", name)
		case name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "":
			return nil, fmt.Errorf("read path class %q: the name holds small letters, digits, _ and - alone", name)
		}
		class, err := paths.NewClass(name, concat(config[name].Paths, settings[name].Paths))
		if err != nil {
			return nil, err
		}
		out = append(out, pathClass{Class: class, past: history.NewPast(class.MayMatch), judged: config.judges(name) || settings.judges(name)})
	}
	return out, nil
}

// inClass is the entry by which a path is in a class, by the agent's name or by the sidecar's.
func (e *extraction) inClass(class *pathClass, real string) string {
	projects := e.projects()
	if entry := class.Match(real, e.home, projects); entry != "" {
		return entry
	}
	if disk, other := e.otherName(real); other {
		return class.Match(disk, e.home, projects)
	}
	return ""
}

// classed reports whether a path is in any class.
func (e *extraction) classed(real string) bool {
	return slices.ContainsFunc(e.x.lists.classes, func(class pathClass) bool { return e.inClass(&class, real) != "" })
}

// classPlaces are the directories that classes name.
func (e *extraction) classPlaces() []string {
	var out []string
	for i := range e.x.lists.classes {
		out = append(out, e.x.lists.classes[i].Places(e.home, e.projects())...)
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
	for i := range e.x.lists.classes {
		class := &e.x.lists.classes[i]
		e.sought = class
		if look() == reachesSecret {
			item.Reaches.Add(class.Name)
		}
		e.sought = nil
	}
}

// past is what commits hold of what is sought.
func (e *extraction) past() *history.Past {
	if e.sought != nil {
		return e.sought.past
	}
	return e.x.past
}
