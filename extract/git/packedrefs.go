package git

import "strings"

// packedRef is a ref that stands with others in one file.
type packedRef struct{ name, id string }

// packedRefs are all of them, where they are known.
type packedRefs struct {
	refs  []packedRef
	known bool
}

// packedRefs reads what is written down of refs together (packed-refs). It reports false
// where a line is not as git writes it: what git takes for the end of an id, and which
// lines its search comes by, is not followed here.
func (v *Verdict) packedRefs() ([]packedRef, bool) {
	if v.packed == nil {
		refs, known := v.readPackedRefs()
		v.packed = &packedRefs{refs: refs, known: known}
	}
	return v.packed.refs, v.packed.known
}

func (v *Verdict) readPackedRefs() ([]packedRef, bool) {
	packed, known := v.read("packed-refs", maxPackedRefs)
	if !known {
		return nil, false
	}
	var refs []packedRef
	for line := range strings.Lines(string(packed)) {
		line, ended := strings.CutSuffix(line, "\n")
		value, name, _ := strings.Cut(line, " ")
		peeled, isPeeled := strings.CutPrefix(line, "^")
		switch _, isID := v.id(value); {
		case !ended:
			return nil, false
		case strings.HasPrefix(line, "# pack-refs with:") && len(refs) == 0:
		case isPeeled && len(refs) > 0:
			if _, ok := v.id(peeled); !ok {
				return nil, false
			}
		case !isID || !strings.HasPrefix(name, "refs/") || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f }):
			return nil, false
		default:
			refs = append(refs, packedRef{name: name, id: value})
		}
	}
	return refs, true
}
