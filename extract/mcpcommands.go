package extract

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/catalog"
	"policyd/extract/disk"
)

// maxMCPWords bounds the words of one text, and maxMCPLines the command lines of one call, that are
// looked at. What is beyond is not known.
const (
	maxMCPWords = 512
	maxMCPLines = 16
)

// carried are the caveats of a command that hold for the tool that runs it, too: what it reaches, and
// not which program it is.
var carried = []string{
	disk.ReachesSecret, disk.ReachesOutside, disk.ReachesUnknown, "secret_variable", "reads_environment", "own_address", "own_program", "secret_in_commits", "special",
	linkUnknown, landsUnknown,
}

// command reads an argument that holds a command line: what its commands touch is touched by the tool.
// Paths outside are items of their own, as they are for a shell.
func (u *uncatalogued) command(line string) {
	if u.lines++; u.lines > maxMCPLines {
		u.carried.Add(disk.ReachesUnknown)
		return
	}
	u.carried.Add("runs_anything")
	e := u.e
	before := e.facts.mark()
	line0, foreign, crossed := e.locator.line, e.locator.foreign, e.locator.crossed
	e.commands.commandLine(line)
	e.facts.forgetDoubts(before)
	e.locator.line, e.locator.foreign, e.locator.crossed = line0, foreign, crossed

	added := slices.Clone(e.facts.Items[before.items:])
	e.facts.Items = e.facts.Items[:before.items]
	for i := range added {
		if added[i].Kind != v1.ItemCommand {
			e.facts.Items = append(e.facts.Items, added[i])
			continue
		}
		for _, caveat := range carried {
			if added[i].Caveats.Has(caveat) {
				u.carried.Add(caveat)
			}
		}
		for _, class := range added[i].Reaches {
			u.reaches.Add(class)
		}
	}
	// Paths of a command are the tool's; those of its items are found by the item's own index.
	for i := before.paths; i < len(e.facts.Paths); i++ {
		e.facts.Paths[i].Item = 0
	}
}

// argv reports whether a list is the words of one command, and reads it so.
func (u *uncatalogued) argv(name string, list []any) {
	if u.secretsOnly || len(list) < 2 || u.e.x.catalog.Role(name) != catalog.RoleCommand {
		return
	}
	words := make([]string, 0, len(list))
	for _, element := range list {
		word, isText := element.(string)
		if !isText {
			return
		}
		words = append(words, word)
	}
	u.command(commandText(words, true))
}

// words looks for secrets among the words of a text: files that are there, paths in full, and what
// follows the colon of a revision. In an argument for paths every word may be one.
func (u *uncatalogued) words(role, text string) {
	count := 0
	for word := range strings.FieldsFuncSeq(text, endsWord) {
		if count++; count > maxMCPWords {
			u.carried.Add(disk.ReachesUnknown)
			return
		}
		u.attached(word)
		word = strings.TrimLeft(word, "@-")
		if !strings.ContainsAny(word, "./~$") && role != catalog.RolePath && role != catalog.RolePlace || strings.Trim(word, "/") == "" {
			continue // "//" begins a comment
		}
		if word != text && (u.full(word) || u.there(word)) {
			u.e.locator.spelledSecret(word)
			u.belowNamed(word)
		}
		if strings.Contains(word, "://") {
			continue
		}
		if _, named, found := strings.Cut(word, ":"); found && named != "" {
			u.e.locator.spelledSecret(strings.TrimPrefix(named[strings.LastIndexByte(named, ':')+1:], "./"))
		}
	}
}

// attached looks for a secret in the value that stands in the word of an option's letter (-f.env).
func (u *uncatalogued) attached(word string) {
	if !strings.HasPrefix(word, "-") || strings.HasPrefix(word, "--") {
		return
	}
	values, _ := u.e.x.lines.PathReadings(word)
	for _, value := range values {
		if u.full(value.Text) || u.there(value.Text) {
			u.e.locator.spelledSecret(value.Text)
			u.belowNamed(value.Text)
		}
	}
}

// matched touches what a pattern matches, where an argument may be one, as if the argument named it. Hidden
// names match, since tools differ about them. What braces stand for isn't known. A pattern of any names
// ("*") means files only in an argument that is called like a path.
func (u *uncatalogued) matched(role, text string) {
	e := u.e
	if role == catalog.RoleCommand || !strings.ContainsAny(text, globMarks) || len(text) > maxName || strings.ContainsFunc(text, blank) ||
		e.view.Exists(e.view.Absolute(text, e.facts.Cwd)) || strings.Contains(text, "**") && role != catalog.RolePath {
		return
	}
	if role == catalog.RoleNone && strings.Trim(text, "*?./") == "" {
		return
	}
	if strings.Contains(text, "{") && role != catalog.RoleNone {
		u.carried.Add(disk.ReachesUnknown)
	}
	found := e.globs.expandHidden(text, e.facts.Cwd)
	if found.unknown {
		u.carried.Add(disk.ReachesUnknown)
	}
	for _, match := range found.matches {
		u.below(u.reach(text, match, true))
	}
}

// endsWord reports whether a character ends a word in command lines and in code.
func endsWord(r rune) bool { return blank(r) || strings.ContainsRune("\n\"'`=,;|&<>()[]{}", r) }
