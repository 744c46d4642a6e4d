package effect

import (
	"slices"
	"strings"

	"policyd/extract/shell/expansion"
	"policyd/extract/shell/lexical"
	"policyd/extract/value"
)

// treeSelection is which files of a directory tree options select.
type treeSelection struct {
	// takesIn is true if an option names files to read, takesAll if others are
	// read, too, and leavesOut if one names files not to read.
	takesIn, takesAll, leavesOut bool
}

// filter adds an option that filters a walk, by the kind of filter. A glob over more than base names isn't
// followed: the walk is then wider.
func (s *treeSelection) filter(walk *value.Walk, kind string, word expansion.Word, darwin bool) {
	followed := word.Kind == expansion.Literal && !strings.ContainsAny(word.Text, "/{")
	switch kind {
	case "glob":
		s.glob(walk, word, followed)
	case "include":
		s.takesAll = s.takesAll || s.leavesOut // if leaving out comes first, some programs read what no option names
		s.include(walk, word.Text, namesNoDirectory(word))
		walk.Across = walk.Across || darwin
	case "extension":
		s.include(walk, "*."+strings.TrimLeft(word.Text, "."), followed && plainExtension(word.Text)) // fd takes all dots away
	case "exclude":
		s.leavesOut = true
		if followed {
			walk.Exclude = append(walk.Exclude, word.Text)
		}
	case "exclude_dir":
		// Some of BSD's greps take the name for the pattern: only one that is spelled out is left out.
		if followed && (!darwin || !lexical.HasWildcard(word.Text)) {
			walk.ExcludeDir = append(walk.ExcludeDir, word.Text)
		}
	case "type":
		walk.Types = append(walk.Types, typeName(word))
	}
}

// glob adds a glob that includes files, or excludes them behind "!".
func (s *treeSelection) glob(walk *value.Walk, word expansion.Word, followed bool) {
	name, not := strings.CutPrefix(word.Text, "!")
	switch {
	case !not || word.Kind != expansion.Literal:
		s.include(walk, word.Text, word.Kind == expansion.Literal && value.RuleAsWritten(word.Text))
	case followed:
		walk.Exclude, walk.ExcludeDir = append(walk.Exclude, name), append(walk.ExcludeDir, name)
	}
}

// namesNoDirectory reports whether a word is a glob over base names alone, be it one with braces, which some programs read.
func namesNoDirectory(word expansion.Word) bool {
	return word.Kind == expansion.Literal && !strings.Contains(word.Text, "/")
}

// plainExtension reports whether fd takes an extension as it is written.
func plainExtension(text string) bool {
	return !lexical.HasWildcard(text) && !strings.Contains(text, `\\`)
}

// include adds a glob that includes files, by what it leaves of their base names.
func (s *treeSelection) include(walk *value.Walk, pattern string, followed bool) {
	names := []string{pattern}
	if followed && strings.ContainsAny(pattern, "/{") {
		names, followed = value.BaseNames(pattern)
	}
	s.takesIn, s.takesAll = true, s.takesAll || !followed
	walk.Include = append(walk.Include, names...)
}

// typeName is a type of files that an option names, empty if it isn't known.
func typeName(word expansion.Word) string {
	if word.Kind != expansion.Literal {
		return ""
	}
	return strings.TrimPrefix(word.Text, "=")
}

// filter adds the value of an option, or an operand by its label, if it filters a walk.
func (p *Reader) filter(name string, word expansion.Word) {
	if p.Args.Program != nil && p.Args.Program.Filters[name] != "" {
		p.tree.filter(&p.Filters, p.Args.Program.Filters[name], word, p.Platform == "darwin")
	}
}

// selects completes which files of a tree are accessed, once all options are known.
func (o operandReader) selects() {
	// A glob that only leaves out more doesn't make a walk read what it would leave out.
	given := func(option string) bool {
		return o.Has(option) && (o.Args.Program.Filters[option] != "glob" || o.tree.takesIn)
	}
	o.Filters.Follow = o.hasAny(o.program.Follows)
	o.Filters.Ignoring = len(o.program.IgnoringUnless) > 0 && !slices.ContainsFunc(o.program.IgnoringUnless, given)
	o.Filters.IgnoreFiles = o.program.IgnoreFiles
	o.Filters.SkipHidden = o.program.SkipsHidden && !slices.ContainsFunc(o.program.Unhide, given)
	if o.tree.takesAll {
		o.Filters.Include, o.Filters.Exclude = []string{"*"}, nil // the one that comes last counts
	}
	if o.tree.takesIn && o.Args.Program.Globs() {
		o.Filters.Exclude, o.Filters.ExcludeDir = nil, nil // one that comes later takes a name back in
	}
	if len(o.program.Only) > 0 {
		o.Filters.Include = o.program.Only
	}
}
