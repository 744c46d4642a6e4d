package paths

import (
	"path"
	"strings"
)

// plainTexts are extensions of names that hold program text or prose. A name
// such as id_rsa.go is on a list of secrets for its beginning only; a pattern
// that says no more than "*.go" is not read as naming it.
const plainTexts = " c cc cpp cs csproj css fs go h hpp java js jsx kt lua md php ps1 psm1 py rb rs rst sln sql swift ts tsx vb vue "

// Overlaps reports whether a glob over one segment could match a name that p
// holds. What can't be told counts as yes.
func (p *Pattern) Overlaps(glob string) bool {
	glob = strings.ToLower(glob)
	if strings.ContainsAny(glob, "[]{}`\\") || len(p.globs) > 0 {
		return true
	}
	for name := range p.exact {
		if ok, err := path.Match(glob, name); err != nil || ok {
			return true
		}
	}
	first, last := strings.IndexAny(glob, "*?"), strings.LastIndexAny(glob, "*?")
	if first < 0 {
		return p.Match(glob) != ""
	}
	head, tail := glob[:first], glob[last+1:]
	for _, suffix := range p.suffixes {
		if strings.HasSuffix(tail, suffix) || strings.HasSuffix(suffix, tail) {
			return true
		}
	}
	for _, prefix := range p.prefixes {
		if strings.HasPrefix(head, prefix) || strings.HasPrefix(prefix, head) && (head != "" || !PlainText(tail)) {
			return true
		}
	}
	return false
}

// PlainText reports whether a name ends in the extension of a source text.
func PlainText(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	return dot >= 0 && dot < len(name)-1 && strings.Contains(plainTexts, " "+strings.ToLower(name[dot+1:])+" ")
}
