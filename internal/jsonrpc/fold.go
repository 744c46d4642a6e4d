package jsonrpc

import (
	"strings"
	"unicode"
)

// Fold maps names that a careless reader could confuse to one name: they differ by case, by white space, by
// "_" and "-", or by slashes at their ends.
func Fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return -1
		}
		return foldRune(r)
	}, strings.Trim(strings.TrimFunc(name, unicode.IsSpace), "/"))
}

// foldRune is the least of the runes that are r in another case.
func foldRune(r rune) rune {
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}
