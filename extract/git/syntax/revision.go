package syntax

import (
	"strconv"
	"strings"
)

// maxSteps bounds how many parents one step of a revision goes back.
const maxSteps = 1000

// Range is a word between whose ends dots stand: from..to, or from...to if it is Symmetric.
type Range struct {
	From, To  string
	Symmetric bool
}

// CutRange reads a range. An end that is left out is HEAD.
func CutRange(word string) (r Range, ok bool) {
	r.From, r.To, ok = strings.Cut(word, "..")
	r.To, r.Symmetric = strings.CutPrefix(r.To, ".")
	for _, end := range []*string{&r.From, &r.To} {
		if *end == "" {
			*end = "HEAD"
		}
	}
	return r, ok
}

// Excludes reports whether a word leaves out commits: then git walks from all others that are
// named.
func Excludes(word string) bool {
	return strings.HasPrefix(word, "^") || strings.Contains(word, "..") || strings.Contains(word, "^!") || strings.Contains(word, "^-")
}

// Step is a way back in the history: over Count first parents, or to the parent of that
// number if ToParent is true.
type Step struct {
	ToParent bool
	Count    int
}

// CutSteps cuts a revision into a name and steps. ok is false if a part of it is no step, or
// leads back too far.
func CutSteps(text string) (name string, steps []Step, ok bool) {
	end := strings.IndexAny(text, "~^")
	if end < 0 {
		return text, nil, true
	}
	name, text = text[:end], text[end:]
	for text != "" {
		behind := strings.TrimLeft(text[1:], "0123456789")
		digits := text[1 : len(text)-len(behind)]
		next := Step{ToParent: text[0] == '^', Count: 1}
		if digits != "" {
			var err error
			if next.Count, err = strconv.Atoi(digits); err != nil || next.Count > maxSteps {
				return "", nil, false
			}
		}
		if text[0] != '~' && text[0] != '^' {
			return "", nil, false
		}
		steps, text = append(steps, next), behind
	}
	return name, steps, true
}

// RefPlaces lists the refs that a name may mean, in the order in which git looks for them
// (gitrevisions(7)).
func RefPlaces(name string) []string {
	return []string{name, "refs/" + name, "refs/tags/" + name, "refs/heads/" + name, "refs/remotes/" + name, "refs/remotes/" + name + "/HEAD"}
}

// IsRefName reports whether git takes a name for that of a ref, and no shell or pattern gives
// another meaning to its characters.
func IsRefName(name string) bool {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+-") != "" || strings.Contains(name, "..") {
		return false
	}
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "" || segment[0] == '.' || segment[0] == '-' || strings.HasSuffix(segment, ".") || strings.HasSuffix(segment, ".lock") {
			return false
		}
	}
	return true
}

// IsRefWord reports whether the name of a ref is one word wherever it is printed, and no
// option: it may have characters beyond those of IsRefName that no shell expands.
func IsRefWord(name string) bool {
	return IsRefName(strings.Map(func(r rune) rune {
		if strings.ContainsRune("@#=,", r) {
			return '_'
		}
		return r
	}, name))
}
