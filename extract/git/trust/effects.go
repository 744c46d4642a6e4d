package trust

import (
	"slices"
	"strings"

	"policyd/extract/git/syntax"
)

// Effects are what settings change of what git does, beyond what its options say. Whichever of
// several settings counts in the end, each has its effect.
type Effects uint16

const (
	// LazyFetch is of a partial clone: reading a missing object makes git
	// fetch it from the network.
	LazyFetch Effects = 1 << iota
	// MapsPushes is of settings by which a push goes elsewhere than to the branch of the same
	// name, or changes more, and of files of settings that were not read.
	MapsPushes
	// Recurses is of settings with which what prints contents goes on into a submodule that is
	// there.
	Recurses
	// ShowsStash is of settings with which git stash show prints contents.
	ShowsStash
	// ShowsUntracked is of settings with which git stash show prints files, too, that were stashed
	// without being tracked: ignored ones, secrets among them, with git stash --all.
	ShowsUntracked
	// Follows is of settings with which git log of one file goes on with what that began as a copy
	// of.
	Follows
	// AltersNames is of settings with which git prints names in colors into a pipe, or
	// otherwise than they count from where it runs, or lines where options ask for none.
	AltersNames
	// ChecksSignatures is of settings with which whatever prints commits runs gpg to verify their
	// signatures.
	ChecksSignatures
)

// Has reports whether one of some effects is there.
func (e Effects) Has(some Effects) bool { return e&some != 0 }

// effect is what a setting changes with some values.
type effect struct {
	is   Effects
	with func(s syntax.Setting) bool
}

// effects are those of settings, by patterns as in keyTable.
var effects = map[string]effect{
	"submodule.recurse": {Recurses, isOn},
	"diff.submodule":    {Recurses, isOneOf("diff")},

	"color.ui":               {AltersNames, isOneOf("always")},
	"color.grep":             {AltersNames, isOneOf("always")},
	"color.diff":             {AltersNames, isOneOf("always")},
	"column.*":               {AltersNames, func(s syntax.Setting) bool { return strings.Contains(strings.ToLower(s.Value), "always") }},
	"grep.fullname":          {AltersNames, isOn},
	"log.showsignature":      {AltersNames | ChecksSignatures, isOn}, // gpg prints lines between the names
	"log.date":               {AltersNames, func(s syntax.Setting) bool { return !syntax.PrintsOneLine(s.Value) }},
	"i18n.logoutputencoding": {AltersNames, breaksLines},
	"i18n.commitencoding":    {AltersNames, breaksLines},
	// Other refs may be called anything.
	"extensions.refstorage": {AltersNames, isNot("files", "reftable")},

	"log.follow":                 {Follows, isOn},
	"stash.showpatch":            {ShowsStash, isOn},
	"stash.showincludeuntracked": {ShowsUntracked, isOn},

	"push.default":    {MapsPushes, isNot("simple", "current", "nothing")},
	"remote.*.push":   {MapsPushes, isNot()},
	"remote.*.mirror": {MapsPushes, isNot("false")},
}

// EffectsOf are the effects of some settings.
func EffectsOf(settings []syntax.Setting) (all Effects) {
	for _, s := range settings {
		key, any := patterns(s)
		for _, pattern := range []string{key, any} {
			if found, ok := effects[pattern]; ok && found.with(s) {
				all |= found.is
			}
		}
	}
	return all
}

func isOn(s syntax.Setting) bool { return !s.HasValue || !isFalse(s.Value) }

func isOneOf(values ...string) func(syntax.Setting) bool {
	return func(s syntax.Setting) bool { return slices.Contains(values, strings.ToLower(s.Value)) }
}

func isNot(values ...string) func(syntax.Setting) bool {
	return func(s syntax.Setting) bool { return !slices.Contains(values, strings.ToLower(s.Value)) }
}

// breaksLines reports whether an encoding isn't one of those in which the bytes of ASCII
// stand for nothing but ASCII as far as lines and blanks are concerned. In others a character
// of a message is printed as the end of a line.
func breaksLines(s syntax.Setting) bool {
	encoding := strings.ToLower(s.Value)
	if strings.Contains(encoding, "/") {
		return true // what it lacks is written with other characters
	}
	known := []string{"utf-8", "utf8", "iso-8859-", "iso8859-", "latin", "windows-125", "cp125", "gb", "big5", "euc-", "koi8-", "ascii", "us-ascii", "shift_jis", "shift-jis", "sjis", "cp932"}
	return encoding != "" && !slices.ContainsFunc(known, func(prefix string) bool { return strings.HasPrefix(encoding, prefix) })
}
