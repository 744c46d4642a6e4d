package lists

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/git/history"
	"policyd/extract/paths"
)

// PathClass is a class of paths that an operator names. Recursion, patterns and git's readers are looked
// through for it as they are for secrets.
type PathClass struct {
	paths.Class
	// Past is what commits hold of it.
	Past *history.Past
	// Judged is false if no definition of the class has an effect, so that only rules of a site read it.
	Judged bool
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
func newClasses(config, settings classData) ([]PathClass, error) {
	var out []PathClass
	names := slices.Concat(slices.Collect(maps.Keys(config)), slices.Collect(maps.Keys(settings)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		switch {
		case slices.Contains(v1.ReservedClasses(), name):
			return nil, fmt.Errorf("read path class %s: the name is one of policyd's own", name)
		case name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_-") != "":
			return nil, fmt.Errorf("read path class %q: the name holds small letters, digits, _ and - alone", name)
		}
		class, err := paths.NewClass(name, Concat(config[name].Paths, settings[name].Paths))
		if err != nil {
			return nil, err
		}
		out = append(out, PathClass{Class: class, Past: history.NewPast(class.MayMatch), Judged: config.judges(name) || settings.judges(name)})
	}
	return out, nil
}
