package git

import (
	"strings"

	"policyd/extract/git/syntax"
)

// shows is what settings in force make readers print beyond what their options say.
type shows struct {
	// submodules is true where grep and diff go on into submodules.
	submodules bool
	// stash is true where `git stash show` prints contents.
	stash bool
	// untracked is true where it prints the files, too, that were stashed without being
	// tracked: ignored ones, secrets among them, with `git stash --all`.
	untracked bool
	// follows is true where log goes on behind the name that it is given.
	follows bool
	// names is true where lines are printed otherwise than options say: names in colors,
	// from the top of the work tree or next to each other, and what stands behind a hash
	// on lines of its own.
	names bool
	// status is true when git status prints more lines than names, or colors, where it is brief.
	status bool
}

// note takes what the settings of one file say. Whichever counts in the end: only
// "false" and its like are taken for none.
func (s *shows) note(settings []syntax.Setting) {
	for _, set := range settings {
		if set.HasSubsection {
			continue
		}
		s.names = s.names || breaksLines(set)
		value := strings.ToLower(set.Value)
		on := !set.HasValue || value != "false" && value != "no" && value != "off" && value != "0" && value != ""
		switch set.Section + "." + set.Key {
		case "submodule.recurse":
			s.submodules = s.submodules || on
		case "diff.submodule":
			s.submodules = s.submodules || value == "diff"
		case "color.ui", "color.grep", "color.diff":
			s.names = s.names || value == "always"
		case "color.status":
			s.status = s.status || value == "always"
		case "status.branch":
			s.status = s.status || on
		case "grep.fullname", "log.showsignature": // what gpg says stands among the names
			s.names = s.names || on
		case "log.follow":
			s.follows = s.follows || on
		case "stash.showpatch":
			s.stash = s.stash || on
		case "stash.showincludeuntracked":
			s.untracked = s.untracked || on
		}
	}
}

// breaksLines reports whether a setting may put more than one line, or more than one name
// in a line, where options ask for one.
func breaksLines(set syntax.Setting) bool {
	value := strings.ToLower(set.Value)
	switch set.Section {
	case "column":
		return strings.Contains(value, "always")
	case "extensions":
		return set.Key == "refstorage" && value != "files" && value != "reftable" // refs that lie elsewhere
	case "log":
		return set.Key == "date" && !syntax.PrintsOneLine(set.Value)
	case "i18n":
		return strings.HasSuffix(set.Key, "outputencoding") && !oneByteLines(value) || set.Key == "commitencoding" && !oneByteLines(value)
	}
	return false
}

// oneByteLines reports whether an encoding is one of those in which the bytes of ASCII
// stand for nothing but ASCII where lines and blanks are concerned. In others a character
// of a message is printed as the end of a line.
func oneByteLines(encoding string) bool {
	if strings.Contains(encoding, "/") {
		return false // what it lacks is written with other characters
	}
	for _, prefix := range []string{"utf-8", "utf8", "iso-8859-", "iso8859-", "latin", "windows-125", "cp125", "gb", "big5", "euc-", "koi8-", "ascii", "us-ascii", "shift_jis", "shift-jis", "sjis", "cp932"} {
		if strings.HasPrefix(encoding, prefix) {
			return true
		}
	}
	return encoding == ""
}
