package record

import (
	"path"
	"strings"
)

// nameGlob is a glob over names, in lower case.
type nameGlob struct {
	glob string
	// compare compares a name without a slash with core, the text between the stars at both
	// ends. It is nil for a glob that holds other special characters.
	core    string
	compare func(name, core string) bool
}

func newNameGlob(glob string) nameGlob {
	g := nameGlob{glob: strings.ToLower(glob)}
	core, before := strings.CutPrefix(g.glob, "*")
	core, after := strings.CutSuffix(core, "*")
	if strings.ContainsAny(core, `*?[\`) {
		return g
	}
	g.core = core
	switch {
	case before && after:
		g.compare = strings.Contains
	case before:
		g.compare = strings.HasSuffix
	case after:
		g.compare = strings.HasPrefix
	default:
		g.compare = func(name, core string) bool { return name == core }
	}
	return g
}

// matches is path.Match. A glob that can't be parsed matches nothing.
func (g *nameGlob) matches(name string) bool {
	if g.compare != nil && !strings.Contains(name, "/") {
		return g.compare(name, g.core)
	}
	matched, err := path.Match(g.glob, name)
	return err == nil && matched
}
