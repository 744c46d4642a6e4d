package disk

import (
	"io/fs"
	"os"
	"slices"
	"strings"

	"policyd/extract/paths"
)

// reader walks one tree.
type reader struct {
	walker *Walker
	Tree
	left   int
	answer string
	// doubles are secrets that may be read by another of their names.
	doubles []fs.FileInfo
	found   Found
}

// Found gets each name that becomes a word of a command, and the path that it names. It
// reports false when there are too many. It is nil where no name matters by itself.
type Found func(named, full string) bool

// met notes what is reached, the first of it, and reports whether that ends the walk.
func (r *reader) met(answer string) bool {
	if r.walker.Secrets.SoughtClass() != "" && answer != ReachesSecret {
		return false // what else there is, the look for secrets says
	}
	if r.answer == ReachesNone {
		r.answer = answer
	}
	return r.over()
}

// over reports whether an answer ends the walk. Where names matter by themselves, none does.
func (r *reader) over() bool { return r.answer != ReachesNone && r.found == nil }

// walk reads a directory and everything below. It reports false when it could
// not see all of it.
func (r *reader) walk(dir string, rules ignores, hidden hiding) bool {
	entries, err := r.walker.View.ReadDir(dir)
	if err != nil {
		return !r.walker.View.Barred(err) && (os.IsPermission(err) || os.IsNotExist(err))
	}
	if r.Ignoring {
		rules = r.walker.ignoresIn(rules, dir)
	}
	hidden = hidden.within(r.walker, dir)
	for _, entry := range entries {
		if r.left--; r.left < 0 {
			return false
		}
		if !r.visit(dir, entry, rules, hidden) {
			return false
		}
		if r.over() {
			return true
		}
	}
	return true
}

// visit looks at one entry of a directory, and below it.
func (r *reader) visit(dir string, entry fs.DirEntry, rules ignores, hidden hiding) bool {
	name := entry.Name()
	named := r.Named + dir[len(r.Root):] + "/" + name
	if r.handed(named, entry) || r.met(r.rules(dir, name, entry)) {
		return true
	}
	if hidden.hides(name, entry.IsDir()) || rules.ignores(name, entry.IsDir()) {
		r.passed(dir+"/"+name, entry)
		return true
	}
	if r.Untracked && r.Ignoring && name == ".git" {
		return true // git names nothing in it
	}
	if r.found != nil && r.reads(name) && !r.found(named, dir+"/"+name) {
		return false
	}
	if r.Untracked && !PrintedAsItIs(strings.TrimPrefix(named, "./"), r.Handing) && r.met(ReachesUnknown) {
		return true
	}
	return r.entry(dir+"/"+name, entry, rules, hidden)
}

// handed notes what the name of an entry reaches as a word, and reports whether that ends the walk.
func (r *reader) handed(named string, entry fs.DirEntry) bool {
	return r.FromStream && (entry.IsDir() || r.reads(entry.Name())) && r.met(r.walker.Handed(named, r.Base, &r.Names))
}

// rules says what an entry reaches that stands where a directory's ignore rules would.
func (r *reader) rules(dir, name string, entry fs.DirEntry) string {
	for _, file := range r.IgnoreFiles {
		switch inside, below := strings.CutPrefix(file, name); {
		case !below || inside != "" && inside[0] != '/':
		case inside != "":
			return r.walker.SettingsFile(dir + "/" + file)
		case entry.Type()&fs.ModeSymlink != 0:
			return r.walker.linked(dir + "/" + name)
		}
	}
	return ReachesNone
}

// entry looks at what is read of an entry.
func (r *reader) entry(full string, entry fs.DirEntry, rules ignores, hidden hiding) bool {
	name := entry.Name()
	switch {
	case entry.IsDir():
		return r.directory(full, name, rules, hidden)
	case entry.Type()&fs.ModeSymlink != 0:
		if r.Links != LinksAsWalked {
			r.met(r.entered(full, name))
		} else if r.Follow && (!r.NamedLinks || r.reads(name)) {
			r.met(r.walker.linked(full))
		}
	case r.Listing:
	case !r.reads(name) && !r.readsAcross(full[len(r.Root):]):
		r.passed(full, entry)
	case r.walker.Secrets.SecretFile(full) || r.walker.Repos.SecretSettings(full) || r.doubled(entry):
		r.met(ReachesSecret)
	}
	return true
}

// entered says what following a symbolic link reaches that may be a file or a directory. What lies in the tree is
// looked at by its own name.
func (r *reader) entered(full, name string) string {
	resolved, err := r.walker.View.Resolve(full)
	switch {
	case err != nil:
		return ReachesUnknown
	case resolved.Dir && (r.Links == LinkedFiles || paths.Within(resolved.Real, r.Root)), !resolved.Dir && !resolved.Unseen && !r.reads(name):
		return ReachesNone
	}
	return r.walker.linked(full)
}

// directory looks at a directory and below. It reports false when it could not see all of it.
func (r *reader) directory(full, name string, rules ignores, hidden hiding) bool {
	switch {
	case !r.enters(name), r.Listing && len(r.IgnoreFiles) > 0 && name == ".git":
		return true
	case r.Listing && len(r.IgnoreFiles) > 0:
	case r.Ignoring && name == ".git":
		if r.walker.Repos.GitDirSecret(full) {
			r.met(ReachesSecret) // where hidden directories are read, it is
		}
		return true
	case r.walker.Secrets.SecretDirectory(full) && r.met(ReachesSecret):
		return true
	}
	return r.walk(full, rules, hidden)
}

// passed looks at a file that is not read: a secret with another name may be
// read by that one, before or after.
func (r *reader) passed(full string, entry fs.DirEntry) {
	if !r.over() && !r.Listing && r.walker.Links.Double(full, entry) != nil {
		r.met(ReachesUnknown)
	}
}

// doubled reports whether an entry is another name of a secret.
func (r *reader) doubled(entry fs.DirEntry) bool {
	if len(r.doubles) == 0 {
		return false
	}
	info, err := entry.Info()
	return err != nil || slices.ContainsFunc(r.doubles, func(secret fs.FileInfo) bool { return os.SameFile(secret, info) })
}
