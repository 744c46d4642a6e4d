package git

import "strings"

// shows is what settings in force make readers print beyond what their options say.
type shows struct {
	// submodules is true where grep and diff go on into submodules.
	submodules bool
	// stash is true where `git stash show` prints contents.
	stash bool
	// names is true where names are printed otherwise than they are, from where git runs:
	// in colors, or from the top of the work tree.
	names bool
}

// note takes what the settings of one file say. Whichever counts in the end: only
// "false" and its like are taken for none.
func (s *shows) note(settings []setting) {
	for _, set := range settings {
		if set.hasSubsection {
			continue
		}
		value := strings.ToLower(set.value)
		on := !set.hasValue || value != "false" && value != "no" && value != "off" && value != "0" && value != ""
		switch set.section + "." + set.key {
		case "submodule.recurse":
			s.submodules = s.submodules || on
		case "diff.submodule":
			s.submodules = s.submodules || value == "diff"
		case "color.ui", "color.grep", "color.diff":
			s.names = s.names || value == "always"
		case "grep.fullname", "log.showsignature": // what gpg says stands among the names
			s.names = s.names || on
		case "stash.showpatch":
			s.stash = s.stash || on
		}
	}
}
