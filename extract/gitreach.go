package extract

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/git"
	"policyd/extract/git/syntax"
	"policyd/extract/shell"
)

//go:embed gitreaders.json
var gitReadersJSON []byte

// gitReader says when a git command prints whole contents (S3).
type gitReader struct {
	// Prints is true when it does so unless told otherwise, by one of Silent.
	Prints bool     `json:"prints"`
	Silent []string `json:"silent"`
	// Options is true when it does so with any option at all.
	Options bool `json:"options"`
	// Patch are the options with which it does in any case.
	Patch []string `json:"patch"`
	// Below is true when no pathspec means the working directory and not the
	// whole tree.
	Below bool `json:"below"`
	// Lists is true when of a directory that revision:path names it prints the
	// names alone.
	Lists bool `json:"lists"`
	// Work is true when it prints of the files in the work tree, unless told otherwise by
	// one of Stored, and Opens when it opens these by their names, whatever leads there.
	Work   bool     `json:"work"`
	Opens  bool     `json:"opens"`
	Stored []string `json:"stored"`
	// Commits says which commits it prints contents of: those "named", of these the "trees" and not
	// what they changed, those "walked" with what came before each, the "logs" of what refs
	// were, or "all" that any ref leads to, where its words don't say which. Empty, it prints those of none.
	Commits string `json:"commits"`
	// Elsewhere are options with which it prints what another repository holds.
	Elsewhere []string `json:"elsewhere"`
	// Counts is true where it shows each commit that it comes by, so that a number of them is
	// that many: those without changes are no others to git whatchanged.
	Counts bool `json:"counts"`
	// Start is the revision where it begins when none is named, StartWith the options with
	// which alone it does so, if there are any.
	Start     string   `json:"start"`
	StartWith []string `json:"startWith"`
	// Numbers is true where a number names what Start was so many times before, and no word is a path.
	Numbers bool `json:"numbers"`
}

func loadGitReaders() (map[string]gitReader, error) {
	var readers map[string]gitReader
	if err := json.Unmarshal(gitReadersJSON, &readers); err != nil {
		return nil, fmt.Errorf("load git readers: %w", err)
	}
	return readers, nil
}

func (g *gitReader) readsWork(form v1.Form) bool {
	return g.Work && !slices.ContainsFunc(g.Stored, func(option string) bool { _, ok := form.Get(option); return ok })
}

func (g *gitReader) printsContents(form v1.Form) bool {
	has := func(option string) bool { _, ok := form.Get(option); return ok }
	prints := g.Prints || g.Options && slices.ContainsFunc(form, func(entry v1.Entry) bool { return entry.Name[0] == '-' })
	return slices.ContainsFunc(g.Patch, has) || prints && !slices.ContainsFunc(g.Silent, has)
}

// gitReach says whether a command that prints the contents of tracked files, or of those
// that commits hold, can print a secret.
func (e *extraction) gitReach(item *v1.Item, c *shell.Command, verdict git.Verdict, dir string) string {
	reader, ok := e.x.gitReaders[c.Verb]
	if ok && !verdict.Repository && c.Verb == "git diff" && len(c.Git.Revisions)+len(c.Git.Pathspecs) > 0 {
		return reachesUnknown // outside a repository it compares files and directories as they are
	}
	if c.Verb == "git stash show" && verdict.ShowsStash {
		reader.Prints = true
	}
	if !ok || !verdict.Repository || !reader.printsContents(c.Form) {
		return reachesNone
	}
	if slices.ContainsFunc(reader.Elsewhere, func(option string) bool { _, ok := c.Form.Get(option); return ok }) {
		return reachesUnknown
	}
	if verdict.Recurses || c.Verb == "git stash show" && verdict.ShowsUntracked {
		return reachesUnknown // what is tracked there, or was stashed beside, isn't looked at
	}
	answer := reachesNone
	if c.Git.Blobs == 0 || len(c.Git.Revisions) > 0 {
		answer = e.selectedReach(item, c, &reader, verdict, dir)
	}
	for i, object := range c.Git.Objects {
		if answer != reachesNone || reader.Lists {
			break
		}
		specs := []string{objectSpec(object)}
		answer = e.trackedReach(verdict, specs, dir)
		if holder := c.Git.Holders[i]; answer == reachesNone && holder != "" {
			answer = e.pastReach(item, verdict, git.History{Revisions: []string{holder}, Alone: true}, specs, dir)
		}
	}
	return answer
}

// selectedReach says whether a secret is among what the pathspecs of a command select.
func (e *extraction) selectedReach(item *v1.Item, c *shell.Command, reader *gitReader, verdict git.Verdict, dir string) string {
	paths, revisions := e.divided(c, reader, &verdict, dir)
	named := pathspecs(c, reader, verdict.Follows, paths)
	of, specs := e.historyOf(c, reader, revisions, named), named
	if len(named) > 0 {
		specs = slices.Concat(named, c.Git.Below())
	}
	answer := e.trackedReach(verdict, specs, dir)
	if answer == reachesNone && reader.readsWork(c.Form) {
		answer = e.workReach(verdict, specs, dir, reader.Opens)
	}
	if answer != reachesNone {
		return answer
	}
	if answer = e.pastReach(item, verdict, of, specs, dir); answer == reachesUnknown && of.Walks && e.textsAlone(named) {
		return reachesNone // however far back, nothing else is printed
	}
	return answer
}

// objectSpec is the pathspec of what revision:path names: from the top, or from the working directory
// behind a dot.
func objectSpec(object string) string {
	switch {
	case object == "":
		return ":/"
	case strings.HasPrefix(object, "./"), strings.HasPrefix(object, "../"):
		return object
	}
	return ":(top)" + object
}

// isPath reports whether git takes a word that may name a revision for a path.
func (e *extraction) isPath(c *shell.Command, reader *gitReader, verdict *git.Verdict, word, dir string) bool {
	return !reader.Numbers && e.namesPath(c, word, dir) &&
		!e.past().Names(verdict, word, &e.pastBudget)
}

// divided tells paths from revisions among the words that may name either.
func (e *extraction) divided(c *shell.Command, reader *gitReader, verdict *git.Verdict, dir string) (paths, revisions []string) {
	for _, word := range c.Git.Revisions {
		if e.isPath(c, reader, verdict, word, dir) {
			paths = append(paths, word)
		} else {
			revisions = append(revisions, word)
		}
	}
	return paths, revisions
}

// pathspecs are those that select what a command prints, words that name paths among them; none for
// everything.
func pathspecs(c *shell.Command, reader *gitReader, follows bool, paths []string) []string {
	if _, whole := c.Form.Get("--full-diff"); whole {
		return nil // of the commits that they select it prints all
	}
	if _, follow := c.Form.Get("--follow"); follow || follows {
		return nil // what a file began as a copy of may be anything, and is shown as well
	}
	isOther := func(word string) bool { return strings.HasPrefix(word, ":/") || strings.ContainsAny(word, "*?[\\") }
	if !c.Git.Dashes && slices.ContainsFunc(c.Git.Revisions, isOther) {
		return nil // a search for a commit, or a pattern of paths
	}
	specs := slices.Concat(c.Git.Pathspecs, paths)
	switch {
	case len(specs) > 0:
		specs = append(specs, c.Git.Patterns...)
	case reader.Below:
		specs = []string{"."}
	}
	return specs
}

// namesPath reports whether git may take a word for a path. Told to ignore what is missing, it takes
// each for a revision, be it one that there isn't.
func (e *extraction) namesPath(c *shell.Command, word, dir string) bool {
	_, ignores := c.Form.Get("--ignore-missing")
	return !c.Git.Dashes && !ignores && plainWord(word) && e.view.Exists(e.view.Absolute(word, dir))
}

// trackedReach says whether a secret is among the tracked files that pathspecs
// select.
func (e *extraction) trackedReach(verdict git.Verdict, specs []string, dir string) string {
	return e.secretAmong(verdict, func(visit func(path string) bool) error {
		return e.x.git.Tracked(verdict, specs, dir, visit)
	})
}

// workReach says what tracked files are on the disk where a command reads them there:
// other names of secrets, and, with opens, whatever lies behind a link that stands in the
// place of a directory. Git then looks only at what each file itself is.
func (e *extraction) workReach(verdict git.Verdict, specs []string, dir string, opens bool) string {
	doubles := e.doubles(verdict.Top)
	if !opens && len(doubles) == 0 {
		return reachesNone
	}
	answer, last, linked, left := reachesNone, "", false, maxReached
	err := e.x.git.Tracked(verdict, specs, dir, func(name string) bool {
		full := verdict.Top + "/" + name
		if parent := path.Dir(name); opens && parent != last {
			resolved, err := e.view.Resolver.Resolve(verdict.Top + "/" + parent)
			last, linked = parent, err != nil || len(resolved.Links) > 0
			left--
		}
		switch {
		case left < 0:
			answer = reachesUnknown
		case linked:
			answer = e.trackedFile(full)
		case len(doubles) > 0 && e.oneOf(doubles, full):
			answer = reachesSecret
		}
		return answer == reachesNone
	})
	if err != nil && !errors.Is(err, git.ErrNoRepository) {
		return reachesUnknown
	}
	return answer
}

// secretAmong says whether a secret is among tracked files, which list names from the
// top until visit has had enough.
func (e *extraction) secretAmong(verdict git.Verdict, list func(visit func(path string) bool) error) string {
	answer := reachesNone
	err := list(func(path string) bool {
		if e.secretFile(verdict.Top + "/" + path) {
			answer = reachesSecret
		}
		return answer == reachesNone
	})
	if err != nil && !errors.Is(err, git.ErrNoRepository) {
		return reachesUnknown
	}
	return answer
}

// blobReach says whether a word names the contents of a tracked secret by their
// hash, as `git show` and `git cat-file` take them, or may name what another
// repository holds.
func (e *extraction) blobReach(item *v1.Item, c *shell.Command, verdict git.Verdict, dir string) string {
	if _, foreign := c.Form.Get("--alternate-refs"); foreign && verdict.ForeignObjects {
		return reachesOutside
	}
	for _, word := range c.Git.Revisions {
		for _, digits := range syntax.Hashes(word) {
			if answer := e.hashReach(digits, verdict); answer != reachesNone {
				return answer
			}
		}
	}
	if answer := e.stagedReach(c, verdict); answer != reachesNone {
		return answer
	}
	if !verdict.Repository {
		return reachesNone
	}
	if answer := e.contentReach(item, c, verdict); answer != reachesNone {
		return answer
	}
	if !e.printsObjects(c, verdict, dir) {
		return reachesNone
	}
	answer := e.trackedReach(verdict, nil, verdict.Top)
	if answer == reachesNone && (slices.Contains(refFormatters, c.Verb) || takesRefs(c)) {
		answer = e.pastReach(item, verdict, git.History{All: true, Contents: true}, nil, verdict.Top)
	}
	return answer
}

// takesRefs reports whether the shell makes words of a command of the names of refs.
func takesRefs(c *shell.Command) bool {
	return slices.ContainsFunc(c.Accesses, func(a shell.Access) bool { return a.Refs })
}

// contentReach says whether a word names contents of a secret that commits hold, by a hash. Git
// prints these whatever options say of commits. To git show the shell makes hashes of commits alone.
func (e *extraction) contentReach(item *v1.Item, c *shell.Command, verdict git.Verdict) string {
	words := c.Git.Revisions
	switch c.Verb {
	case "git cat-file":
	case "git show":
		words = slices.DeleteFunc(slices.Clone(words), func(word string) bool { return strings.Contains(word, "$(") })
	default:
		return reachesNone
	}
	return e.pastReach(item, verdict, git.History{Revisions: words, Contents: true}, nil, verdict.Top)
}

// printsObjects reports whether a command may print what a tag names: a tag may name the
// contents of a file.
func (e *extraction) printsObjects(c *shell.Command, verdict git.Verdict, dir string) bool {
	reader := e.x.gitReaders[c.Verb]
	switch {
	case slices.Contains(refFormatters, c.Verb):
		return strings.Contains(c.Git.Format, "raw")
	case c.Verb == "git grep" && !reader.printsContents(c.Form), !slices.Contains(objectPrinters, c.Verb):
		return false
	}
	return e.namesTags(c, verdict, dir)
}

// refFormatters print of refs, in a format, what these name ("%(raw)").
var refFormatters = []string{"git for-each-ref", "git tag", "git branch"}

// stagedReach says whether a word that reads like a pathspec with magic names a tracked
// secret: git looks first for a path of that very name in its index.
func (e *extraction) stagedReach(c *shell.Command, verdict git.Verdict) string {
	for _, name := range c.Git.Staged {
		if answer := e.trackedReach(verdict, []string{":(top,literal)" + name}, verdict.Top); answer != reachesNone {
			return answer
		}
	}
	return reachesNone
}

// namesTags reports whether a word of a command may name a tag. Where the shell makes the
// word of what git prints, that are commits, or refs.
func (e *extraction) namesTags(c *shell.Command, verdict git.Verdict, dir string) bool {
	if takesRefs(c) {
		return true
	}
	var words []string
	for _, word := range c.Git.Revisions {
		reader := e.x.gitReaders[c.Verb]
		if !e.isPath(c, &reader, &verdict, word, dir) && !strings.Contains(word, "$(") {
			words = append(words, word)
		}
	}
	return e.x.git.Tags(verdict, words)
}

// plainRefs reports whether what git prints of the refs of the repository there is plain
// words, and with said also where it is what a tag says that it is called.
func (e *extraction) plainRefs(dir string, said bool) bool {
	if !e.asksGit() {
		return false
	}
	verdict := e.inspect(dir, "for-each-ref")
	return e.x.git.PlainRefs(verdict) && (!said || e.x.git.PlainTags(verdict))
}

// objectPrinters print whatever a revision names, whatever options say of commits, and
// whatever paths they are limited to.
var objectPrinters = []string{"git show", "git cat-file", "git diff", "git grep"}

func (e *extraction) hashReach(digits string, verdict git.Verdict) string {
	if verdict.ForeignObjects {
		return reachesOutside
	}
	return e.secretAmong(verdict, func(visit func(path string) bool) error {
		return e.x.git.Blobs(verdict, digits, visit)
	})
}
