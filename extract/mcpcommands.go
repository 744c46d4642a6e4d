package extract

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/catalog"
	"policyd/extract/disk"
	"policyd/extract/spelling"
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
func (r *argumentReader) command(line string) {
	if r.carried.lines++; r.carried.lines > maxMCPLines {
		r.carried.caveats.Add(disk.ReachesUnknown)
		return
	}
	r.carried.caveats.Add("runs_anything")
	before := r.facts.mark()
	line0, foreign, crossed := r.locator.line, r.locator.foreign, r.locator.crossed
	r.commands.commandLine(line)
	r.facts.forgetDoubts(before)
	r.locator.line, r.locator.foreign, r.locator.crossed = line0, foreign, crossed

	added := slices.Clone(r.facts.Items[before.items:])
	r.facts.Items = r.facts.Items[:before.items]
	for i := range added {
		if added[i].Kind != v1.ItemCommand {
			r.facts.Items = append(r.facts.Items, added[i])
			continue
		}
		for _, caveat := range carried {
			if added[i].Caveats.Has(caveat) {
				r.carried.caveats.Add(caveat)
			}
		}
		for _, class := range added[i].Reaches {
			r.carried.reaches.Add(class)
		}
	}
	// Paths of a command are the tool's; those of its items are found by the item's own index.
	for i := before.paths; i < len(r.facts.Paths); i++ {
		r.facts.Paths[i].Item = 0
	}
}

// argv reports whether a list is the words of one command, and reads it so.
func (r *argumentReader) argv(name string, list []any) {
	if r.secretsOnly || len(list) < 2 || r.catalog.Role(name) != catalog.RoleCommand {
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
	r.command(commandText(words, true))
}

// words looks for secrets among the words of a text: files that are there, paths in full, and what
// follows the colon of a revision. In an argument for paths every word may be one.
func (r *argumentReader) words(role, text string) {
	count := 0
	for word := range strings.FieldsFuncSeq(text, spelling.EndsWord) {
		if count++; count > maxMCPWords {
			r.carried.caveats.Add(disk.ReachesUnknown)
			return
		}
		r.attached(word)
		word = strings.TrimLeft(word, "@-")
		if !strings.ContainsAny(word, "./~$") && role != catalog.RolePath && role != catalog.RolePlace || strings.Trim(word, "/") == "" {
			continue // "//" begins a comment
		}
		if word != text && (r.names.full(word) || r.names.there(word)) {
			r.locator.spelledSecret(word)
			r.risks.belowNamed(word)
		}
		if strings.Contains(word, "://") {
			continue
		}
		if _, named, found := strings.Cut(word, ":"); found && named != "" {
			r.locator.spelledSecret(strings.TrimPrefix(named[strings.LastIndexByte(named, ':')+1:], "./"))
		}
	}
}

// attached looks for a secret in the value in the word of an option's letter (-f.env).
func (r *argumentReader) attached(word string) {
	if !strings.HasPrefix(word, "-") || strings.HasPrefix(word, "--") {
		return
	}
	values, _ := r.commands.accesses.lines.Operands().PathReadings(word)
	for _, value := range values {
		if r.names.full(value.Text) || r.names.there(value.Text) {
			r.locator.spelledSecret(value.Text)
			r.risks.belowNamed(value.Text)
		}
	}
}

// matched touches what a pattern matches, where an argument may be one, as if the argument named it. Hidden
// names match, since tools differ about them. What braces stand for isn't known. A pattern of any names
// ("*") means files only in an argument that is called like a path.
func (r *argumentReader) matched(role, text string) {
	if role == catalog.RoleCommand || !strings.ContainsAny(text, globMarks) || len(text) > spelling.MaxName || strings.ContainsFunc(text, spelling.Blank) ||
		r.names.view.Exists(r.names.view.Absolute(text, r.facts.Cwd)) || strings.Contains(text, "**") && role != catalog.RolePath {
		return
	}
	if role == catalog.RoleNone && strings.Trim(text, "*?./") == "" {
		return
	}
	if strings.Contains(text, "{") && role != catalog.RoleNone {
		r.carried.caveats.Add(disk.ReachesUnknown)
	}
	found := r.globs.ExpandAsTool(text, r.facts.Cwd)
	if found.Unknown {
		r.carried.caveats.Add(disk.ReachesUnknown)
	}
	for _, match := range found.Matches {
		r.risks.below(r.reach(text, match, true))
	}
}
