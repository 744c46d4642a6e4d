package gitreach

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/git/history"
	"policyd/extract/git/syntax"
	"policyd/extract/git/trust"
	"policyd/extract/shell"
)

//go:embed opens.json
var gitOpensJSON []byte

// opener says which objects a git command opens, beside those through which git resolves its words. In the
// file kinds of objects are words of history.ParseOpens.
type opener struct {
	opens history.Opens
	// options are what it opens with an option, or an operand, besides. An option that isn't there may open anything.
	options map[string]history.Opens
	// nothing are options with which it opens nothing, as long as there are no words.
	nothing []string
	// paths is what it opens besides if paths select what it prints.
	paths history.Opens
	// without is a ref without which it opens nothing, and with which it may open anything.
	without string
	// patterns is true if its words are patterns of refs, unless what words name is opened.
	patterns bool
}

func loadGitOpeners() (map[string]*opener, error) {
	type options map[string][]string
	var file struct {
		Groups   map[string]options `json:"groups"`
		Commands map[string]struct {
			Opens    string   `json:"opens"`
			Groups   []string `json:"groups"`
			Options  options  `json:"options"`
			Paths    string   `json:"paths"`
			Without  string   `json:"without"`
			Patterns bool     `json:"patterns"`
		} `json:"commands"`
	}
	decoder := json.NewDecoder(strings.NewReader(string(gitOpensJSON)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("load what git commands open: %w", err)
	}
	openers := map[string]*opener{}
	for verb, command := range file.Commands {
		o := &opener{options: map[string]history.Opens{}, without: command.Without, patterns: command.Patterns}
		var err error
		if o.opens, err = history.ParseOpens(command.Opens); err != nil {
			return nil, fmt.Errorf("load what %s opens: %w", verb, err)
		}
		if o.paths, err = history.ParseOpens(command.Paths); err != nil {
			return nil, fmt.Errorf("load what %s opens: %w", verb, err)
		}
		o.nothing = command.Options["nothing"]
		delete(command.Options, "nothing")
		// A command's own options count before those of its groups.
		of := []options{command.Options, file.Groups["global"]}
		for _, group := range command.Groups {
			of = append(of, file.Groups[group])
		}
		for _, some := range of {
			if err := o.add(some); err != nil {
				return nil, fmt.Errorf("load what %s opens: %w", verb, err)
			}
		}
		openers[verb] = o
	}
	return openers, nil
}

func (o *opener) add(some map[string][]string) error {
	for kinds, names := range some {
		opens, err := history.ParseOpens(kinds)
		if err != nil {
			return err //nolint:wrapcheck // the caller says of which command
		}
		for _, name := range names {
			if _, known := o.options[name]; !known {
				o.options[name] = opens
			}
		}
	}
	return nil
}

// opened is what options make a command open. known is false if one isn't listed.
func (o *opener) opened(form v1.Form) (opens history.Opens, known bool) {
	opens = o.opens
	for _, entry := range form {
		more, listed := o.options[entry.Name]
		if !listed && entry.Name[0] == '-' {
			return 0, false
		}
		opens |= more
	}
	return opens, true
}

// fieldOpens are the objects that fields of formats make a command open, itself or by another process of git.
var fieldOpens = map[string]history.Opens{
	"describe": history.OpensRefs | history.OpensAll, "track": history.OpensAll,
}

// namingFields are fields of formats that name a commit.
var namingFields = []string{"ahead-behind:", "is-base:"}

// Bounds on what is read for one decision to see whether objects are there. What is remembered of commits
// isn't read again, so that the next decision comes further.
const (
	maxOpened      = 20_000
	maxOpenedBytes = 48 << 20
)

// fetches reports whether a command may open an object that isn't there, which a partial clone
// then fetches.
func (g *Commands) fetches(c *shell.Command, verdict trust.Verdict, dir string) bool {
	if given(c, []string{"--no-lazy-fetch"}) {
		return false // older versions refuse the option
	}
	of, known := g.opened(c, verdict, dir)
	return !known || !g.Classes.Past().Stored(verdict.Repository, of)
}

// opened is what a command opens in a repository.
func (g *Commands) opened(c *shell.Command, verdict trust.Verdict, dir string) (of history.Opened, known bool) {
	command, known := g.Tables.openers[c.Verb]
	switch {
	case !known:
		return of, false
	case given(c, command.nothing) && len(c.Git.Revisions)+c.Git.Objects.Words == 0:
		return of, true
	case command.without != "":
		return of, len(c.Git.Revisions)+c.Git.Objects.Words == 0 && !verdict.MayHaveRef(command.without)
	}
	if of.Opens, known = command.opened(c.Form); !known {
		return of, false
	}
	g.opens.MostObjects, g.opens.MostBytes = maxOpened, maxOpenedBytes
	of.Budget = &g.opens
	paths := len(c.Git.Pathspecs) > 0
	if !command.patterns || of.Opens&history.OpensNamed != 0 {
		known = g.words(&of, c, command, &verdict, dir, &paths)
	}
	if paths {
		of.Opens |= command.paths
	}
	if slices.ContainsFunc(c.Git.Pathspecs, func(spec string) bool { return strings.HasPrefix(spec, ":") }) {
		of.Opens |= history.OpensAttributes // which it may ask for
	}
	if !paths && !slices.ContainsFunc(c.Form, g.Tables.walks.counts) {
		of.Count = c.Git.Log.Count
	}
	return of, known && fields(&of, c) && !settingsOpen(of.Opens, c, verdict)
}

// words adds the words that name revisions, and notes whether one names a path. known is false if one isn't followed.
func (g *Commands) words(of *history.Opened, c *shell.Command, command *opener, verdict *trust.Verdict, dir string, paths *bool) (known bool) {
	for _, word := range c.Git.Revisions {
		switch {
		case command.patterns && (strings.ContainsAny(word, "*?[") || strings.HasSuffix(word, "/")): // and no revision
		case g.Prints.isPath(c, &gitReader{}, verdict, word, dir):
			*paths = true
		default:
			of.Revisions = append(of.Revisions, word)
		}
	}
	if takesRefs(c) {
		of.Revisions = append(of.Revisions, "ref@{0}") // whichever it is
	}
	of.Objects, known = objectNames(c, verdict.Top, dir)
	return known && len(c.Git.Patterns)+len(c.Git.Staged) == 0
}

// objectNames are the words of the form revision:path. known is false if one isn't followed.
func objectNames(c *shell.Command, top, dir string) (names []history.ObjectName, known bool) {
	if !c.Git.Objects.Complete() {
		return nil, false
	}
	for _, object := range c.Git.Objects.Named {
		name := object.Path
		if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
			below, err := filepath.Rel(top, dir)
			name = path.Join(filepath.ToSlash(below), name)
			if err != nil || strings.HasPrefix(name, "..") {
				return nil, false
			}
		}
		names = append(names, history.ObjectName{Revision: object.Revision, Path: name})
	}
	return names, true
}

// fields adds what fields of formats make a command open.
func fields(of *history.Opened, c *shell.Command) (known bool) {
	for _, format := range c.Git.Log.Formats {
		if slices.ContainsFunc(namingFields, func(field string) bool { return strings.Contains(format, field) }) {
			return false
		}
		for field, opens := range fieldOpens {
			if strings.Contains(format, field) {
				of.Opens, of.Count = of.Opens|opens, 0
			}
		}
	}
	return true
}

// settingsOpen reports whether settings make a command open what its options don't say.
func settingsOpen(opens history.Opens, c *shell.Command, verdict trust.Verdict) bool {
	effects := verdict.Effects
	for _, text := range c.Git.Settings {
		name, value, has := strings.Cut(text, "=")
		section, key, _ := strings.Cut(name, ".")
		effects |= trust.EffectsOf([]syntax.Setting{{Section: section, Key: key, Value: value, HasValue: has}})
	}
	return opens != 0 && effects.Has(trust.OpensMore|trust.Recurses) ||
		opens&history.OpensDifferences != 0 && effects.Has(trust.FindsCopies|trust.Follows)
}
