package record

import (
	"path"
	"strings"
)

// nameGlob is a glob over names, in lower case.
type nameGlob struct {
	glob string
	// Most are a text with or without stars around it: core is the text, and simple means that there is
	// nothing else.
	core          string
	before, after bool
	simple        bool
}

func newNameGlob(glob string) nameGlob {
	g := nameGlob{glob: strings.ToLower(glob)}
	g.core, g.before = strings.CutPrefix(g.glob, "*")
	g.core, g.after = strings.CutSuffix(g.core, "*")
	g.simple = !strings.ContainsAny(g.core, `*?[\`)
	return g
}

// matches is path.Match. A glob that can't be read matches nothing.
func (g *nameGlob) matches(name string) bool {
	switch {
	case !g.simple || strings.IndexByte(name, '/') >= 0: // which no star represents
		matched, err := path.Match(g.glob, name)
		return err == nil && matched
	case g.before && g.after:
		return strings.Contains(name, g.core)
	case g.before:
		return strings.HasSuffix(name, g.core)
	case g.after:
		return strings.HasPrefix(name, g.core)
	}
	return name == g.core
}
