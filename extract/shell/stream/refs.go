package stream

import (
	"strings"

	"policyd/extract/shell/lexical"
	"policyd/extract/value"
)

// IsObjectOfRef reports whether a text is the name of a ref and a literal path in it. If there is no
// name, git reads the same path in its index.
func IsObjectOfRef(text string) bool {
	path, ok := strings.CutPrefix(text, RefText+":")
	return ok && lexical.IsOneWord(path, "") && path[0] != '/' && path[0] != ':' && !strings.Contains(path, "..")
}

// IsRevisionOfRef reports whether a text with a number of names of refs in it is a name and steps
// back from it, or a range between two of them.
func IsRevisionOfRef(text string, names int) bool {
	if strings.Count(text, RefText) != names {
		return false
	}
	text = strings.ReplaceAll(text, RefText, "h")
	from, to, isRange := strings.Cut(text, "..")
	if !isRange {
		return stepsFrom(text, "h")
	}
	return isRangeEnd(from) && isRangeEnd(strings.TrimPrefix(to, "."))
}

func isRangeEnd(side string) bool {
	name := side[:len(side)-len(strings.TrimLeft(side, value.NameBytes+"./-"))]
	return side == "" || isRefName(name) && stepsFrom(side, name)
}

// stepsFrom reports whether nothing follows a name but steps back.
func stepsFrom(text, name string) bool {
	steps, ok := strings.CutPrefix(text, name)
	return ok && strings.Trim(steps, "~^0123456789") == ""
}

// isRefName reports whether git accepts each part of a name in a ref, and none is an option.
func isRefName(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] == '.' || part[0] == '-' || strings.Contains(part, "..") {
			return false
		}
	}
	return true
}

// IsOneRevision reports whether a text is one word and no option, since git prints what it can't
// resolve as it stands.
func IsOneRevision(text string) bool {
	text = strings.ReplaceAll(text, HashText, "h")
	return text != "" && text[0] != '-' && strings.Trim(text, value.NameBytes+"./@^~{}-") == ""
}
