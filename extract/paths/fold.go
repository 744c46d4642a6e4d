package paths

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Names says when two names are one on the disks of a platform. The zero value
// tells every two spellings apart.
type Names uint8

// How platforms tell names apart.
const (
	NamesExact   Names = iota
	NamesWindows       // upper and lower case are one
	NamesDarwin        // and so are the two ways to write an accented letter
)

// NamesOf returns how a session's platform tells names apart by default.
func NamesOf(platform string) Names {
	switch platform {
	case "windows":
		return NamesWindows
	case "darwin":
		return NamesDarwin
	}
	return NamesExact
}

// key is equal for names that are one. It is narrow: where a disk might tell
// two names apart, it does, since what is one with a permitted name is permitted.
func (n Names) key(name string) string {
	if n == NamesExact {
		return name
	}
	return strings.Map(func(r rune) rune {
		// No file system turns a foreign letter into a plain one without
		// folding it wholly, as KELVIN SIGN into k.
		if lower := unicode.ToLower(r); r < utf8.RuneSelf || lower >= utf8.RuneSelf {
			return lower
		}
		return r
	}, n.Compose(name))
}

// Same reports whether two clean paths are one.
func (n Names) Same(a, b string) bool {
	if n == NamesExact || ascii(a) && ascii(b) {
		return a == b || n != NamesExact && strings.EqualFold(a, b)
	}
	return n.key(a) == n.key(b)
}

// Within is the function Within by the platform's rules.
func (n Names) Within(path, root string) bool {
	switch {
	case Within(path, root):
		return true
	case n == NamesExact:
		return false
	case ascii(path) && ascii(root):
		return foldedPrefix(path, root)
	}
	return Within(n.key(path), n.key(root))
}

// Compose writes letters as one character where the platform takes both ways
// for one.
func (n Names) Compose(name string) string {
	if n != NamesDarwin || ascii(name) {
		return name
	}
	return norm.NFC.String(name)
}

// Fold is equal for names that are one on any file system that is known: case
// folded wholly, letters composed, and without characters that have no look,
// which some file systems leave out (HFS+, ext4 with casefold). It is wide: it
// is for lists that deny or ask, on every platform, since a disk that folds
// can be mounted anywhere.
func Fold(name string) string {
	if ascii(name) {
		return strings.ToLower(name)
	}
	folded := cases.Fold().String(norm.NFD.String(name))
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if ignorable(r) {
			return -1
		}
		return r
	}, folded))
}

// FoldedWithin reports whether path is root or lies below it by Fold.
func FoldedWithin(path, root string) bool {
	if Within(path, root) {
		return true
	}
	if ascii(path) && ascii(root) {
		return foldedPrefix(path, root)
	}
	return Within(Fold(path), Fold(root))
}

// foldedPrefix is Within without regard to case, for ASCII.
func foldedPrefix(path, root string) bool {
	return len(path) >= len(root) && strings.EqualFold(path[:len(root)], root) && (len(path) == len(root) || path[len(root)] == '/')
}

func ascii(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// ignorable follows Default_Ignorable_Code_Point of the Unicode standard,
// without the ranges that hold no character.
func ignorable(r rune) bool {
	switch {
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	}
	return false
}
