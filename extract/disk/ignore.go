package disk

import (
	"errors"
	"path"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"policyd/extract/paths"
	"policyd/extract/stat"
	"policyd/extract/value"
)

// ignores are the ignore rules in force in a directory, as ripgrep and
// `git grep` read them: gitignore(5), as far as a rule is a glob over one name.
// Rules that are not are left out, which ignores less. Wherever a rule could
// take an ignored file back in, nothing counts as ignored.
type ignores struct {
	void bool
	globs
	// here match in the directory alone whose rules they are.
	here globs
}

// globs match names of files and directories, and dirs those of directories alone.
type globs struct {
	files, dirs []string
}

// maxIgnoreFile bounds what is read of one file of rules.
const maxIgnoreFile = 64 << 10

// add takes a rule that is a plain glob over one name, at any depth or behind a slash in the directory of the rule.
func (i *ignores) add(rule string) {
	name, directory := strings.CutSuffix(rule, "/")
	to := &i.globs
	if anchored, found := strings.CutPrefix(name, "/"); found {
		name, to = anchored, &i.here
	}
	name = strings.TrimPrefix(name, "**/")
	if name == "" || strings.HasPrefix(name, "#") || strings.ContainsAny(name, "/\\[]{}") || strings.Contains(name, "**") {
		return
	}
	if directory {
		to.dirs = append(to.dirs, name)
		return
	}
	to.files = append(to.files, name)
}

func (i *ignores) ignores(name string, directory bool) bool {
	return !i.void && (i.match(name, directory) || i.here.match(name, directory))
}

func (g *globs) match(name string, directory bool) bool {
	return LeavesOut(g.files, name) || directory && LeavesOut(g.dirs, name)
}

// hiding says which hidden entries a walk leaves out.
type hiding struct {
	on bool
	// back are globs of what rules take back in, all the same.
	back []string
	// files are globs of hidden files that are read for their type.
	files []string
}

func (h hiding) hides(name string, directory bool) bool {
	if !h.on || !strings.HasPrefix(name, ".") {
		return false
	}
	if !directory && MatchAny(h.files, name) {
		return false
	}
	return !MatchAny(h.back, name) && !MatchAny(h.back, strings.ToLower(name))
}

// within is what a directory's own ignore rules leave of it: they may take back
// in what is hidden, a secret or a directory that holds one.
func (h hiding) within(w *Walker, dir string) hiding {
	if !h.on {
		return h
	}
	for _, name := range []string{".gitignore", ".ignore", ".rgignore", ".fdignore", ".git/info/exclude", ".config/git/ignore", ".config/fd/ignore"} {
		text, err := w.View.ReadFile(dir + "/" + name)
		if errors.Is(err, syscall.ENOTDIR) && name == ".git/info/exclude" {
			text, err = w.excludesBehind(dir)
		}
		if err != nil {
			if stat.Missing(err) {
				continue
			}
			return hiding{}
		}
		for line := range strings.Lines(string(text)) {
			rule, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimLeft(line, "\ufeff")), "!")
			if !ok {
				continue
			}
			if w.couldBeSecret(rule) || w.couldBeSecret(strings.ToLower(rule)) {
				return hiding{}
			}
			rule = strings.TrimRight(rule, "/")
			h.back = append(slices.Clip(h.back), rule[strings.LastIndexByte(rule, '/')+1:])
		}
	}
	return h
}

// hiddenSecrets are names that stand for the hidden entries of any list of
// secrets, to try a glob on.
var hiddenSecrets = []string{".env", ".env.local", ".npmrc", ".netrc", ".pypirc", ".git-credentials", ".ssh", ".aws", ".gnupg", ".x.pem"}

// ignoresAbove gathers the rules of root's repository from its top down to
// root itself. Outside a repository nothing is ignored.
func (w *Walker) ignoresAbove(root string) ignores {
	var chain []string
	found := false
	for at := root; ; at = paths.Parent(at) {
		if !found {
			chain = append(chain, at)
			_, err := w.View.Stat(strings.TrimSuffix(at, "/") + "/.git") // a link to nowhere makes no repository
			found = err == nil
		} else if w.View.Exists(strings.TrimSuffix(at, "/")+"/.ignore") || w.View.Exists(strings.TrimSuffix(at, "/")+"/.rgignore") {
			return ignores{void: true} // these hold across repositories
		}
		if at == "/" {
			break
		}
	}
	if !found {
		return ignores{void: true}
	}
	var rules ignores
	for _, dir := range slices.Backward(chain) {
		rules = w.ignoresIn(rules, dir)
	}
	return rules
}

// ignoresIn adds the rules of a directory's own files to those in force above it.
func (w *Walker) ignoresIn(i ignores, dir string) ignores {
	i.here = globs{}
	if i.void {
		return i
	}
	if w.View.Exists(dir + "/.git") {
		i = ignores{} // a repository of its own: the rules above it don't hold
	}
	for _, name := range []string{".ignore", ".rgignore"} {
		if w.View.Exists(dir + "/" + name) {
			return ignores{void: true}
		}
	}
	text, err := w.View.ReadFile(dir + "/.gitignore")
	if err != nil {
		if stat.Missing(err) {
			return i
		}
		return ignores{void: true}
	}
	if file, err := w.View.Resolver.Resolve(dir + "/.gitignore"); err != nil || len(file.Links) > 0 {
		return ignores{void: true} // git follows no such link
	}
	if len(text) > maxIgnoreFile || !utf8.Valid(text) { // some read no further than the first line that isn't text
		return ignores{void: true}
	}
	if strings.HasPrefix(string(text), "\ufeff") {
		return ignores{void: true} // git skips the mark, ripgrep before 15 takes it for a part of the first rule
	}
	next := ignores{globs: globs{files: slices.Clip(i.files), dirs: slices.Clip(i.dirs)}}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"), " ") // git leaves tabs
		if strings.HasPrefix(strings.TrimLeft(line, "\ufeff"), "!") {                           // some skip several such marks
			return ignores{void: true}
		}
		next.add(line)
	}
	return next
}

// IgnoreFilesAbove says what the files of ignore rules above a directory are: a link
// in their place may lead anywhere.
func (w *Walker) IgnoreFilesAbove(dir string, names []string) string {
	for at := dir; len(names) > 0 && at != paths.Parent(at); {
		at = paths.Parent(at)
		for _, name := range names {
			file := strings.TrimSuffix(at, "/") + "/" + name
			if !w.View.Exists(file) {
				continue
			}
			if answer := w.SettingsFile(file); answer != ReachesNone {
				return answer
			}
		}
	}
	return ReachesNone
}

// excludesBehind are the rules that a repository holds beside its files, where ".git" is a file
// that says where it lies: of a linked work tree they are those of the main one.
func (w *Walker) excludesBehind(dir string) ([]byte, error) {
	common := w.Repos.CommonDir(dir)
	if common == "" {
		return nil, ErrUnseen
	}
	return w.View.ReadFile(common + "/info/exclude")
}

// couldBeSecret reports whether a rule could match a hidden secret. The usual
// exceptions (.gitkeep, .env.example, *.md) can't.
func (w *Walker) couldBeSecret(rule string) bool {
	rule = strings.Trim(rule, "/")
	last := rule[strings.LastIndexByte(rule, '/')+1:]
	if strings.TrimSpace(last) == "" || !PlainGlob(last) {
		return true // a rule of nothing takes everything back
	}
	if !strings.ContainsAny(last, "*?[") {
		return w.Listed.File("/"+rule) != ""
	}
	return w.Listed.Directory("/"+rule) != "" || slices.ContainsFunc(hiddenSecrets, func(name string) bool {
		ok, err := path.Match(last, name)
		return ok || err != nil
	})
}

// hidingAbove is what the rules of every directory above root leave of it. To ripgrep a file of
// a type that is asked for isn't hidden. Of a type that isn't known any may be one.
func (w *Walker) hidingAbove(root string, walk *value.Walk) hiding {
	h := hiding{on: walk.SkipHidden}
	for _, name := range walk.Types {
		globs, known := w.FileTypes[name]
		h.on, h.files = h.on && known, append(h.files, globs...)
	}
	if w.View.Home != "" {
		h = h.within(w, w.View.Home) // ripgrep reads git's rules for the user
	}
	for at := paths.Parent(root); h.on; at = paths.Parent(at) {
		h = h.within(w, at)
		if at == "/" {
			break
		}
	}
	return h
}
