package disk

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	// characterClass is one by name, as in [[:punct:]].
	characterClass = regexp.MustCompile(`\[.*\[[:.=].*[:.=]\]`)
	// innerGroup is braces, a group or a bracket expression with none of them inside.
	innerGroup = regexp.MustCompile(`\{[^{}()[\]]*\}|\([^{}()[\]]*\)|\[[^{}()[\]]*\]`)
	sequence   = regexp.MustCompile(`\{[^{},]*\.\.[^{},]*\}`)
	// plainSequence counts through letters or digits; {+..0} counts through the dot and the slash, too.
	plainSequence = regexp.MustCompile(`\{[0-9A-Za-z]+\.\.[0-9A-Za-z]+(\.\.[0-9]+)?\}`)
	// aWildcard begins with a star or a question mark that is not of a group. Neither matches a dot in front.
	aWildcard    = regexp.MustCompile(`^[*?]([^(]|$)`)
	oneCharacter = regexp.MustCompile(`^\[[^\]]*\]+$`)
	// aName is a group of words that begin with a letter or digit each, perhaps behind a dot.
	aName = regexp.MustCompile(`^\.?([@+]?\(\w[\w.-]*(\|\w[\w.-]*)*\)|\{\w[\w.-]*(,\w[\w.-]*)*\})$`)
)

// Climbs reports whether a segment of a glob could stand for "..", or for
// nothing and so for the beginning of an absolute path. Globs are matched with
// names that a directory lists, which ".." is not among: it takes braces or
// groups that spell it. Where a pattern isn't plainly read it climbs.
func Climbs(segment string) bool {
	around := segment
	for innerGroup.MatchString(around) {
		around = innerGroup.ReplaceAllString(around, "")
	}
	switch {
	case segment == "..", strings.ContainsAny(around, "{}()[]"), strings.Contains(segment, `\`), characterClass.MatchString(segment),
		strings.Contains(segment, "{") && strings.ContainsAny(segment, "~:"),
		sequence.MatchString(plainSequence.ReplaceAllString(segment, "{}")):
		return true
	case around == segment, aWildcard.MatchString(segment), oneCharacter.MatchString(segment), aName.MatchString(segment):
		return false
	}
	return !strings.ContainsFunc(around, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
