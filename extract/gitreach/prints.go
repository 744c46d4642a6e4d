package gitreach

import (
	"errors"
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/git/history"
	"policyd/extract/git/object"
	"policyd/extract/git/syntax"
	"policyd/extract/git/trust"
	"policyd/extract/scope"
	"policyd/extract/shell/command"
)

// Prints says what secrets a git command prints of files and of commits.
type Prints struct {
	View    *disk.View
	Tables  *Tables
	Classes *scope.Classifier
	Links   *scope.HardLinks
	Tracked *Tracked
	// budget is what was read of history.
	budget object.Budget
}

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

func (g *gitReader) readsWork(form v1.Form) bool {
	return g.Work && !slices.ContainsFunc(g.Stored, form.Has)
}

// printsCommits reports whether the command prints commits in the format that settings choose.
func (g gitReader) printsCommits() bool {
	return slices.Contains([]string{"named", "walked", "logs"}, g.Commits)
}

func (g *gitReader) printsContents(form v1.Form) bool {
	has := form.Has
	prints := g.Prints || g.Options && slices.ContainsFunc(form, func(entry v1.Entry) bool { return entry.Name[0] == '-' })
	return slices.ContainsFunc(g.Patch, has) || prints && !slices.ContainsFunc(g.Silent, has)
}

// gitReach says whether a command that prints the contents of tracked files, or of those
// that commits hold, can print a secret.
func (p *Prints) gitReach(item *v1.Item, c *command.Command, verdict trust.Verdict, dir string) string {
	reader, ok := p.Tables.readers[c.Verb]
	if !ok {
		return disk.ReachesNone
	}
	if !verdict.Found {
		return outsideRepository(c)
	}
	stash := c.Verb == "git stash show"
	reader.Prints = reader.Prints || stash && verdict.Effects.Has(trust.ShowsStash)
	if !reader.printsContents(c.Form) {
		return disk.ReachesNone
	}
	if given(c, reader.Elsewhere) || verdict.Effects.Has(trust.Recurses) || stash && verdict.Effects.Has(trust.ShowsUntracked) {
		return disk.ReachesUnknown // what is tracked there, or was stashed beside, isn't looked at
	}
	if c.Git.Objects.Words == 0 || len(c.Git.Revisions) > 0 {
		if answer := p.selectedReach(item, c, &reader, verdict, dir); answer != disk.ReachesNone {
			return answer
		}
	}
	if reader.Lists {
		return disk.ReachesNone
	}
	return p.objectsReach(item, c, verdict, dir)
}

// filePrinters print of files whatever their options are.
var filePrinters = []string{"git show", "git cat-file", "git blame", "git annotate", "git notes show"}

// replacedReach says whether a command prints of files in a repository where git reads other objects in the
// place of some. Then no name tells what it prints, in the index, in commits or by a hash.
func (p *Prints) replacedReach(c *command.Command, verdict trust.Verdict) string {
	reader, known := p.Tables.readers[c.Verb]
	prints := known && (c.Git.Objects.Words > 0 || reader.printsContents(c.Form)) || slices.Contains(filePrinters, c.Verb) || given(c, []string{"--blob"})
	if prints && verdict.Found && verdict.Replaces() {
		return disk.ReachesUnknown
	}
	return disk.ReachesNone
}

// outsideRepository says what git diff reaches outside of a repository: it compares files and directories as they are.
func outsideRepository(c *command.Command) string {
	if c.Verb == "git diff" && len(c.Git.Revisions)+len(c.Git.Pathspecs) > 0 {
		return disk.ReachesUnknown
	}
	return disk.ReachesNone
}

// given reports whether a command has one of some options.
func given(c *command.Command, options []string) bool {
	return slices.ContainsFunc(options, c.Form.Has)
}

// objectsReach says whether a secret is among the files that words name as revision:path.
func (p *Prints) objectsReach(item *v1.Item, c *command.Command, verdict trust.Verdict, dir string) string {
	for _, object := range c.Git.Objects.Named {
		specs := []string{objectSpec(object.Path)}
		answer := p.trackedReach(verdict, specs, dir)
		if answer == disk.ReachesNone && object.Revision != "" {
			answer = p.pastReach(item, verdict, history.Query{Revisions: []string{object.Revision}, Alone: true}, specs, dir)
		}
		if answer != disk.ReachesNone {
			return answer
		}
	}
	return disk.ReachesNone
}

// selectedReach says whether a secret is among what the pathspecs of a command select.
func (p *Prints) selectedReach(item *v1.Item, c *command.Command, reader *gitReader, verdict trust.Verdict, dir string) string {
	paths, revisions := p.divided(c, reader, &verdict, dir)
	named := pathspecs(c, reader, verdict.Effects.Has(trust.Follows), paths)
	of, specs := p.historyOf(c, reader, revisions, named), named
	if len(named) > 0 {
		specs = slices.Concat(named, c.Git.Below())
	}
	answer := p.trackedReach(verdict, specs, dir)
	if answer == disk.ReachesNone && reader.readsWork(c.Form) {
		answer = p.workReach(verdict, specs, dir, reader.Opens)
	}
	if answer != disk.ReachesNone {
		return answer
	}
	if answer = p.pastReach(item, verdict, of, specs, dir); answer == disk.ReachesUnknown && of.Walks && p.textsAlone(named) {
		return disk.ReachesNone // however far back, nothing else is printed
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
func (p *Prints) isPath(c *command.Command, reader *gitReader, verdict *trust.Verdict, word, dir string) bool {
	return !reader.Numbers && p.namesPath(c, word, dir) &&
		!history.MayName(&verdict.Repository, word)
}

// divided tells paths from revisions among the words that may name either.
func (p *Prints) divided(c *command.Command, reader *gitReader, verdict *trust.Verdict, dir string) (paths, revisions []string) {
	for _, word := range c.Git.Revisions {
		if p.isPath(c, reader, verdict, word, dir) {
			paths = append(paths, word)
		} else {
			revisions = append(revisions, word)
		}
	}
	return paths, revisions
}

// pathspecs are those that select what a command prints, words that name paths among them; none for
// everything.
func pathspecs(c *command.Command, reader *gitReader, follows bool, paths []string) []string {
	if c.Form.Has("--full-diff") {
		return nil // of the commits that they select it prints all
	}
	if follows || c.Form.Has("--follow") {
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
func (p *Prints) namesPath(c *command.Command, word, dir string) bool {
	ignores := c.Form.Has("--ignore-missing")
	return !c.Git.Dashes && !ignores && disk.PlainWord(word) && p.View.Exists(p.View.Absolute(word, dir))
}

// trackedReach says whether a secret is among the tracked files that pathspecs
// select.
func (p *Prints) trackedReach(verdict trust.Verdict, specs []string, dir string) string {
	return p.secretAmong(verdict, func(visit func(path string) bool) error {
		return history.Tracked(verdict.Repository, specs, dir, visit)
	})
}

// workReach says what tracked files are on the disk where a command reads them there:
// other names of secrets, and, with opens, whatever lies behind a link that stands in the
// place of a directory. Git then looks only at what each file itself is.
func (p *Prints) workReach(verdict trust.Verdict, specs []string, dir string, opens bool) string {
	doubles := p.Links.Doubles(verdict.Top)
	if !opens && len(doubles) == 0 {
		return disk.ReachesNone
	}
	answer, last, linked, left := disk.ReachesNone, "", false, disk.MaxReached
	err := history.Tracked(verdict.Repository, specs, dir, func(name string) bool {
		full := verdict.Top + "/" + name
		if parent := path.Dir(name); opens && parent != last {
			resolved, err := p.View.Resolver.Resolve(verdict.Top + "/" + parent)
			last, linked = parent, err != nil || len(resolved.Links) > 0
			left--
		}
		switch {
		case left < 0:
			answer = disk.ReachesUnknown
		case linked:
			answer = p.Tracked.trackedFile(full)
		case len(doubles) > 0 && p.Links.OneOf(doubles, full):
			answer = disk.ReachesSecret
		}
		return answer == disk.ReachesNone
	})
	if err != nil && !errors.Is(err, history.ErrNoRepository) {
		return disk.ReachesUnknown
	}
	return answer
}

// secretAmong says whether a secret is among tracked files, which list names from the
// top until visit has had enough.
func (p *Prints) secretAmong(verdict trust.Verdict, list func(visit func(path string) bool) error) string {
	answer := disk.ReachesNone
	err := list(func(path string) bool {
		if p.Classes.SecretFile(verdict.Top + "/" + path) {
			answer = disk.ReachesSecret
		}
		return answer == disk.ReachesNone
	})
	if err != nil && !errors.Is(err, history.ErrNoRepository) {
		return disk.ReachesUnknown
	}
	return answer
}

// blobReach says whether a word names the contents of a tracked secret by their
// hash, as `git show` and `git cat-file` take them, or may name what another
// repository holds.
func (p *Prints) blobReach(item *v1.Item, c *command.Command, verdict trust.Verdict, dir string) string {
	if verdict.ForeignObjects && c.Form.Has("--alternate-refs") {
		return disk.ReachesOutside
	}
	words := slices.Concat(c.Git.Revisions, c.Git.Objects.Revisions())
	for _, word := range words {
		for _, digits := range syntax.Hashes(word) {
			if answer := p.hashReach(digits, verdict); answer != disk.ReachesNone {
				return answer
			}
		}
	}
	if verdict.Found && slices.ContainsFunc(c.Git.Objects.Revisions(), func(revision string) bool { return !p.countsFromTop(revision, verdict) }) {
		return disk.ReachesUnknown
	}
	if answer := p.stagedReach(c, verdict); answer != disk.ReachesNone {
		return answer
	}
	if !verdict.Found {
		return disk.ReachesNone
	}
	if answer := p.contentReach(item, c, verdict); answer != disk.ReachesNone {
		return answer
	}
	if !p.printsObjects(c, verdict, dir) {
		return disk.ReachesNone
	}
	answer := p.trackedReach(verdict, nil, verdict.Top)
	if answer == disk.ReachesNone && (slices.Contains(refFormatters, c.Verb) || takesRefs(c)) {
		answer = p.pastReach(item, verdict, history.Query{All: true, Contents: true}, nil, verdict.Top)
	}
	return answer
}

// countsFromTop reports whether the path in revision:path is that of a file of the work tree. It is for the
// index, and for the hash of a commit that the shell puts there. The name of a ref may be any.
func (p *Prints) countsFromTop(holder string, verdict trust.Verdict) bool {
	switch {
	case holder == "":
		return true
	case strings.Contains(holder, "$(ref)"):
		return p.Classes.Past().RefsCountFromTop(verdict.Repository, &p.budget)
	}
	return strings.Contains(holder, "$(") || p.Classes.Past().CountsFromTop(verdict.Repository, holder, &p.budget)
}

// takesRefs reports whether the shell makes words of a command of the names of refs.
func takesRefs(c *command.Command) bool {
	return slices.ContainsFunc(c.Accesses, func(a command.Access) bool { return a.Below.NamesRefs() })
}

// contentReach says whether a word names contents of a secret that commits hold, by a hash. Git
// prints these whatever options say of commits. To git show the shell makes hashes of commits alone.
func (p *Prints) contentReach(item *v1.Item, c *command.Command, verdict trust.Verdict) string {
	words := c.Git.Revisions
	switch c.Verb {
	case "git cat-file":
	case "git show":
		words = slices.DeleteFunc(slices.Clone(words), func(word string) bool { return strings.Contains(word, "$(") })
	default:
		return disk.ReachesNone
	}
	return p.pastReach(item, verdict, history.Query{Revisions: words, Contents: true}, nil, verdict.Top)
}

// printsObjects reports whether a command may print what a tag names: a tag may name the
// contents of a file.
func (p *Prints) printsObjects(c *command.Command, verdict trust.Verdict, dir string) bool {
	reader := p.Tables.readers[c.Verb]
	switch {
	case slices.Contains(refFormatters, c.Verb):
		return strings.Contains(c.Git.Log.Format, "raw")
	case c.Verb == "git grep" && !reader.printsContents(c.Form), !slices.Contains(objectPrinters, c.Verb):
		return false
	}
	return p.namesTags(c, verdict, dir)
}

// refFormatters print of refs, in a format, what these name ("%(raw)").
var refFormatters = []string{"git for-each-ref", "git tag", "git branch"}

// stagedReach says whether a word that reads like a pathspec with magic names a tracked
// secret: git looks first for a path of that very name in its index.
func (p *Prints) stagedReach(c *command.Command, verdict trust.Verdict) string {
	for _, name := range c.Git.Staged {
		if answer := p.trackedReach(verdict, []string{":(top,literal)" + name}, verdict.Top); answer != disk.ReachesNone {
			return answer
		}
	}
	return disk.ReachesNone
}

// namesTags reports whether a word of a command may name a tag. Where the shell makes the
// word of what git prints, that are commits, or refs.
func (p *Prints) namesTags(c *command.Command, verdict trust.Verdict, dir string) bool {
	if takesRefs(c) {
		return true
	}
	var words []string
	for _, word := range c.Git.Revisions {
		reader := p.Tables.readers[c.Verb]
		if !p.isPath(c, &reader, &verdict, word, dir) && !strings.Contains(word, "$(") {
			words = append(words, word)
		}
	}
	return history.MayNameTags(verdict.Repository, words)
}

// objectPrinters print whatever a revision names, whatever options say of commits, and
// whatever paths they are limited to.
var objectPrinters = []string{"git show", "git cat-file", "git diff", "git grep"}

func (p *Prints) hashReach(digits string, verdict trust.Verdict) string {
	if verdict.ForeignObjects {
		return disk.ReachesOutside
	}
	return p.secretAmong(verdict, func(visit func(path string) bool) error {
		return history.Blobs(verdict.Repository, digits, visit)
	})
}

// historyOf are the commits that a command prints contents of, by its revisions and limited by
// pathspecs. Where the shell makes words of them, all count.
func (p *Prints) historyOf(c *command.Command, reader *gitReader, revisions, specs []string) history.Query {
	walks := p.Tables.walks
	switch reader.Commits {
	case "":
		return history.Query{}
	case "all":
		return history.Query{All: true, Walks: true}
	}
	of := history.Query{
		Walks:     reader.Commits == "walked" || reader.Commits == "named" && given(c, walks.Walked),
		Alone:     reader.Commits == "trees",
		Logs:      reader.Commits == "logs" || given(c, walks.Logs),
		Revisions: reader.revisions(c, revisions),
	}
	of.All = of.Logs || given(c, walks.All) || !c.Git.Dashes && len(c.Git.Patterns) > 0 || takesRefs(c)
	if reader.Counts && len(specs) == 0 && !slices.ContainsFunc(c.Form, walks.counts) {
		of.Count = c.Git.Log.Count
	}
	return of
}

// revisions are those that a command begins at, given the words that name some.
func (g *gitReader) revisions(c *command.Command, words []string) []string {
	var out []string
	for _, word := range words {
		if g.Numbers && strings.Trim(word, "0123456789") == "" {
			word = g.Start + "@{" + word + "}"
		}
		out = append(out, word)
	}
	if len(out) == 0 && g.Start != "" && (len(g.StartWith) == 0 || given(c, g.StartWith)) {
		return []string{g.Start}
	}
	return out
}

// pastReach says whether a secret is among the files that commits hold, as far as pathspecs
// select them, and notes on the item where it is.
func (p *Prints) pastReach(item *v1.Item, verdict trust.Verdict, of history.Query, specs []string, dir string) string {
	if len(of.Revisions) == 0 && !of.All {
		return disk.ReachesNone
	}
	of.Budget = &p.budget
	answer := p.secretAmong(verdict, func(visit func(path string) bool) error {
		return p.Classes.Past().Held(verdict.Repository, of, specs, dir, visit)
	})
	if answer == disk.ReachesSecret && p.Classes.Sought == nil {
		item.Caveats.Add("secret_in_commits")
	}
	return answer
}

// textsAlone reports whether pathspecs select source texts alone, as far as their names tell.
func (p *Prints) textsAlone(specs []string) bool {
	return len(specs) > 0 && !slices.ContainsFunc(specs, func(spec string) bool { return strings.HasPrefix(spec, ":") || !p.Classes.TextByName(spec) })
}
