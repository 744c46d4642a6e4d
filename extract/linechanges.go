package extract

import (
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/shell/command"
)

// lineChanges is what the commands of a line change before others of them read. The zero value is that of no line.
type lineChanges struct {
	view *disk.View
	line []command.Command
	// current is the index of the command whose item is made.
	current int
}

// mayPrecede reports whether another command may begin before the current one has ended: the one at an index, or any
// if that is negative.
func (l *lineChanges) mayPrecede(index int) bool {
	return index < 0 || index != l.current && l.line[index].MayPrecede(&l.line[l.current].Execution)
}

// before reports whether one of the commands that may begin before the current one has ended is so.
func (l *lineChanges) before(so func(other *command.Command) bool) bool {
	for i := range l.line {
		if l.mayPrecede(i) && so(&l.line[i]) {
			return true
		}
	}
	return false
}

// rulesChange reports whether a command could write, move or remove a file of ignore rules before or while the current
// one reads what these leave. No pattern matches a dot in front that it doesn't spell.
func (l *lineChanges) rulesChange() bool {
	changes := func(c *command.Command) bool {
		return l.changesFile(c, func(name string) bool { return strings.HasSuffix(name, "ignore") },
			func(pattern string) bool {
				return strings.HasPrefix(pattern, ".") || strings.ContainsAny(pattern, "{([")
			})
	}
	return changes(&l.line[l.current]) || l.before(changes)
}

// rewrites reports whether another command could write or move a file that chooses which program the current one runs.
// An entry is the name of such a file, and what of its content counts.
func (l *lineChanges) rewrites(entries []string) bool {
	chooses := func(name string) bool {
		return slices.ContainsFunc(entries, func(entry string) bool {
			file, _, _ := strings.Cut(entry, ":")
			file, _, _ = strings.Cut(file, "=")
			file, _, _ = strings.Cut(file, "|")
			return slices.Contains(strings.Split(strings.ToLower(file), "/"), name)
		})
	}
	return l.before(func(other *command.Command) bool {
		return l.changesFile(other, chooses, func(string) bool { return true })
	})
}

// changesFile reports whether a command could write, move or remove a file of some names, in lower case. A pattern
// could match one if it is so. What a directory holds that is moved, linked or copied could have any name.
func (l *lineChanges) changesFile(c *command.Command, named, matches func(text string) bool) bool {
	could := func(a command.Access) bool {
		name := strings.ToLower(path.Base(a.Text))
		switch a.Naming {
		case command.Unnamed:
			return true
		case command.ByGlob:
			return matches(name)
		case command.ByName, command.ByPathspec:
		}
		return named(name)
	}
	holds := func(a command.Access) bool { return could(a) || !l.isFile(&a, c) }
	return l.changes(c) == command.ChangesTree || slices.ContainsFunc(c.Accesses, func(a command.Access) bool {
		return changes(a.Op) && a.Op != v1.OpExecute && (could(a) || a.Landing != nil && slices.ContainsFunc(a.Landing.Sources, holds))
	})
}

// changes is what a command changes without a word that names it. What lies below a directory, or is to come to lie
// there, isn't named by it.
func (l *lineChanges) changes(c *command.Command) command.Change {
	writes := func(a command.Access) bool { return a.Op == v1.OpWrite && !l.isFile(&a, c) }
	if c.Implied.Changes == command.ChangesNamed && slices.ContainsFunc(c.Accesses, writes) {
		return command.ChangesTree
	}
	return c.Implied.Changes
}

// isFile reports whether an access of a command names a file that is there.
func (l *lineChanges) isFile(a *command.Access, c *command.Command) bool {
	if a.Naming != command.ByName && a.Naming != command.ByPathspec || !c.Cwd.Single() {
		return false
	}
	base := c.Cwd.Known[0]
	if len(a.Dirs) == 1 {
		base = a.Dirs[0]
	}
	full := l.view.Absolute(shellExpanded(a.Text), base)
	resolved, err := l.view.Resolve(full)
	return full != "" && err == nil && resolved.Exists && !resolved.Dir
}
