package extract

import (
	"path"
	"strings"
	"unicode"

	v1 "policyd/api/v1"
	"policyd/extract/paths"
)

// altered reports whether a client might open another path than the one it
// was given: many trim blanks, drop a file: or @ in front, or normalize. Some hand
// it to a program that may take a dash in front for the beginning of an option.
func altered(raw string) bool {
	if raw != strings.TrimFunc(raw, blank) || strings.IndexFunc(raw, invisibleRune) >= 0 {
		return true
	}
	return strings.HasPrefix(raw, "file:") || strings.HasPrefix(raw, "@") || strings.HasPrefix(raw, "$") || strings.HasPrefix(raw, "-") ||
		strings.ContainsAny(raw, "\"`") || strings.HasPrefix(raw, "'")
}

func blank(r rune) bool { return unicode.IsSpace(r) || invisibleRune(r) }

func invisibleRune(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
		unicode.Is(unicode.Mn, r) || r == unicode.ReplacementChar || unicode.IsSpace(r) && r != ' '
}

// alteredPath makes a path that a client might alter one that lies nowhere that
// is known, and looks at what it would be without what a client might remove.
// A file that is there under the very name is that file, where nothing else
// that its name could lead to is worse.
func (e *extraction) alteredPath(p *v1.Path, raw string) {
	raw = e.view.Resolver.Names.Compose(raw)
	if !altered(raw) {
		return
	}
	plain := strings.TrimFunc(strings.Map(func(r rune) rune {
		if invisibleRune(r) {
			return -1
		}
		return r
	}, raw), unicode.IsSpace)
	plain = strings.Trim(strings.TrimPrefix(strings.TrimPrefix(plain, "file://"), "@"), "\"'`")
	if there := !p.Caveats.Has("missing") && !p.Caveats.Has("unseen") && p.Space != v1.SpaceUnknown; there &&
		e.noWorse(p, plain) && e.noWorse(p, paths.NamesDarwin.Compose(raw)) && e.meant(p, raw) {
		return
	}
	p.Space = v1.SpaceUnknown
	p.Caveats.Add("ambiguous")
	if full := e.view.Absolute(plain, e.facts.Cwd); full != "" {
		if resolved, err := e.view.Resolve(full); err == nil {
			e.classify(p, resolved.Real)
		}
		e.classify(p, path.Clean(full))
	}
}

// meant reports whether nothing is odd about a name but what names do have: an @
// or a $ in front, and marks on letters, as systems that decompose write them. A
// $ may begin a variable, by custom in capitals, that is empty.
func (e *extraction) meant(p *v1.Path, raw string) bool {
	var bare strings.Builder
	previous := ' '
	for _, r := range raw {
		if !unicode.Is(unicode.Mn, r) || !unicode.IsLetter(previous) && !unicode.Is(unicode.Mn, previous) {
			bare.WriteRune(r)
		}
		previous = r
	}
	name := strings.TrimPrefix(bare.String(), "@")
	if variable, ok := strings.CutPrefix(name, "$"); ok {
		end := strings.IndexFunc(variable, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if end <= 0 || strings.ToUpper(variable[:end]) == variable[:end] || climbing(raw) || !e.noWorse(p, variable[end:]) {
			return false
		}
		name = variable
	}
	return !altered(name)
}

// noWorse reports whether another reading of a path lies in the same space and
// is on no list.
func (e *extraction) noWorse(p *v1.Path, reading string) bool {
	full := e.view.Absolute(reading, e.facts.Cwd)
	if full == "" {
		return false
	}
	resolved, err := e.view.Resolve(full)
	if err != nil || e.spaceFor(p.Op, &resolved) != p.Space {
		return false
	}
	other := v1.Path{Op: p.Op}
	e.classify(&other, resolved.Real)
	e.classify(&other, path.Clean(full))
	return len(other.Class) == 0
}
