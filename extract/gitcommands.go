package extract

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/git/trust"
	"policyd/extract/scope"
	"policyd/extract/shell"
)

// gitCommands says what git commands do that only the repository tells.
type gitCommands struct {
	view    *disk.View
	x       *Extractor
	scope   *scope.Scope
	repos   *scope.Repositories
	classes *scope.Classifier
	links   *scope.HardLinks
	kept    *scope.GitKept
	prints  *gitPrints
}

// settingsReach says what the files are that the repository's settings make git
// read: it prints lines of theirs when they are not what it expects.
func (g *gitCommands) settingsReach(verdict trust.Verdict) string {
	for _, file := range verdict.Files {
		resolved, err := g.view.Resolve(file)
		switch {
		case err != nil || resolved.Unseen:
			return disk.ReachesUnknown
		case g.classes.SecretFile(file) || g.links.ReadsSecret(&resolved):
			return disk.ReachesSecret
		case g.scope.SpaceOf(&resolved) == v1.SpaceOutside:
			return disk.ReachesOutside
		}
	}
	return disk.ReachesNone
}

// gitPush adds that a push may go anywhere, where settings of git have a say in where it
// goes and they say so, or can't be read.
func (g *gitCommands) gitPush(item *v1.Item, c *shell.Command) {
	if c.Git.Mapped && !g.pushesPlainly(c) {
		item.Form.Put(shell.PushAnywhere, shell.PushForces)
		item.Risks.Add("force")
	}
}

// gitPaths adds the risk of a path where a word that may name a revision is that of a file or a
// directory. git refuses a word that is both.
func (g *gitCommands) gitPaths(item *v1.Item, c *shell.Command) {
	if c.Git.PathRisk == "" {
		return
	}
	for i := range c.Accesses {
		a := &c.Accesses[i]
		if a.Op != v1.OpWrite || a.Dynamic || a.Landing != nil {
			continue
		}
		for _, dir := range c.Dirs {
			if full := g.view.Absolute(a.Text, dir); full != "" && g.view.Exists(full) {
				item.Risks.Add(c.Git.PathRisk)
			}
		}
	}
}

// pushesPlainly reports whether settings leave a push to git's own defaults in every
// directory that the command may run in. Settings of the line and of the environment
// are not read. Hooks have no say: settings are known where only a hook isn't trusted.
func (g *gitCommands) pushesPlainly(c *shell.Command) bool {
	if c.Caveats.Has("assigns") || c.Caveats.Has("executes") {
		return false
	}
	for _, dir := range c.Dirs {
		resolved, err := g.view.Resolve(dir)
		if err != nil || resolved.Unseen {
			return false
		}
		if verdict := g.repos.Inspect(resolved.Real, "push"); verdict.Effects.Has(trust.MapsPushes) || !verdict.Trusted && verdict.Code() != trust.CodeHook {
			return false
		}
	}
	return len(c.Dirs) > 0 && !c.Unknown
}

// storesReach says whether a command prints a credential that git keeps: in settings, in addresses of
// remotes, or in messages of reflogs, which hold the words of command lines.
func (g *gitCommands) storesReach(c *shell.Command, verdict trust.Verdict) string {
	if answer := configReach(c, verdict); answer != disk.ReachesNone {
		return answer
	}
	stores, known := g.x.gitStores.printed(c)
	if !known {
		return disk.ReachesUnknown
	}
	for _, store := range stores {
		if answer := g.storeReach(store, c, verdict); answer != disk.ReachesNone {
			return answer
		}
	}
	return disk.ReachesNone
}

func (g *gitCommands) storeReach(store string, c *shell.Command, verdict trust.Verdict) string {
	has := func(is func(name string) bool) string {
		if slices.ContainsFunc(verdict.Credentials, is) {
			return disk.ReachesSecret
		}
		return disk.ReachesNone
	}
	switch store {
	case "settings":
		return has(func(string) bool { return true })
	case "remote_names":
		return has(func(name string) bool { return strings.HasPrefix(name, "remote.") && namesCredential(name) })
	case "remotes":
		return has(func(name string) bool {
			section, _, _ := strings.Cut(name, ".")
			return section == "remote" || section == "url" || section == "branch"
		})
	}
	if !verdict.Found {
		return disk.ReachesNone
	}
	logs := []string{verdict.GitDir + "/logs", verdict.CommonDir + "/logs"}
	switch {
	case store == "stash":
		logs = []string{verdict.CommonDir + "/logs/refs/stash"}
	case store == "log" && g.x.gitStores.verb(c) == c.Verb && len(c.Git.Revisions)+len(c.Git.Patterns) == 0 && !takesRefs(c) && !g.walksAll(c):
		logs = []string{verdict.GitDir + "/logs/HEAD"}
	}
	for _, place := range logs {
		if g.kept.KeepsCredentials(place) {
			return disk.ReachesSecret
		}
	}
	return disk.ReachesNone
}

// walksAll reports whether a command begins at other refs than those that it names.
func (g *gitCommands) walksAll(c *shell.Command) bool {
	return slices.ContainsFunc(g.x.gitWalks.All, func(option string) bool { _, ok := c.Form.Get(option); return ok })
}

// gitTrust adds a caveat where the repository's own configuration could run a
// program for this command, in any directory that it may run in.
func (g *gitCommands) gitTrust(item *v1.Item, c *shell.Command) {
	subcommand := strings.TrimPrefix(c.Verb, "git ")
	if subcommand == c.Verb {
		return // no subcommand: git prints its help
	}
	if c.Unknown || len(c.Dirs) == 0 {
		item.Caveats.Add("git_untrusted")
		return
	}
	for _, dir := range c.Dirs {
		resolved, err := g.view.Resolve(dir)
		if err != nil {
			item.Caveats.Add("git_untrusted")
			return
		}
		if resolved.Unseen {
			g.gitUnseen(item, c)
			continue
		}
		verdict := g.repos.Inspect(resolved.Real, subcommand)
		if !verdict.Trusted {
			item.Caveats.Add("git_untrusted")
			return
		}
		if answer := g.settingsReach(verdict); answer != disk.ReachesNone {
			item.Caveats.Add(answer)
		}
		g.classes.Reach(item, func() string { return g.prints.gitReach(item, c, verdict, resolved.Real) })
		if answer := g.storesReach(c, verdict); answer != disk.ReachesNone {
			item.Caveats.Add(answer)
		}
		g.classes.Reach(item, func() string { return g.prints.blobReach(item, c, verdict, resolved.Real) })
		if c.Git.Handed && verdict.Effects.Has(trust.AltersNames) {
			item.Caveats.Add(disk.ReachesUnknown)
		}
		if verdict.Effects.Has(trust.ChecksSignatures) && g.x.gitReaders[c.Verb].printsCommits() {
			item.Caveats.Add("git_untrusted")
		}
		if verdict.Effects.Has(trust.LazyFetch) && !g.readsLocally(c, resolved.Real) {
			item.Caveats.Add("network")
		}
	}
}

// readsLocally reports whether a command reads nothing that a partial clone can lack: such a clone
// has commits and refs, and git fetches files and directories of commits when it reads them.
func (g *gitCommands) readsLocally(c *shell.Command, dir string) bool {
	options, known := g.x.gitWalks.Local[c.Verb]
	if !known || c.Git.Blobs+len(c.Git.Pathspecs)+len(c.Git.Patterns)+len(c.Git.Staged) > 0 {
		return false
	}
	if slices.ContainsFunc(c.Git.Revisions, func(word string) bool { return g.prints.namesPath(c, word, dir) }) {
		return false
	}
	return slices.Contains(options, "*") || !slices.ContainsFunc(c.Form, func(entry v1.Entry) bool {
		return entry.Name[0] == '-' && !slices.Contains(options, entry.Name)
	})
}

// gitUnseen judges a git command in a repository that can't be looked at. The
// item has the caveat for that; what it would print of files is not known, but
// where its words name each of them.
func (g *gitCommands) gitUnseen(item *v1.Item, c *shell.Command) {
	if reader, ok := g.x.gitReaders[c.Verb]; ok && reader.printsContents(c.Form) && !g.gitNamed(c, reader.Lists) {
		item.Caveats.Add(disk.ReachesUnknown)
	}
}

// gitNamed reports whether the words of a git command that prints contents select
// files that can't be secrets by their names, and nothing else: revision:path, or
// pathspecs. A log may go on to what a file began as a copy of, by a setting. Of a
// directory that revision:path names the names alone are printed where lists is true.
func (g *gitCommands) gitNamed(c *shell.Command, lists bool) bool {
	wider := slices.ContainsFunc([]string{"--follow", "--full-diff", "--no-index"}, func(option string) bool { _, has := c.Form.Get(option); return has })
	if wider || c.Verb == "git log" || len(c.Git.Patterns) > 0 || c.Git.Blobs != len(c.Git.Objects) {
		return false
	}
	for _, object := range c.Git.Objects {
		if g.classes.SecretByName(object) || !lists && !g.classes.TextByName(object) {
			return false
		}
	}
	for _, spec := range c.Git.Pathspecs {
		if strings.HasPrefix(spec, ":") || !g.classes.TextByName(spec) {
			return false
		}
	}
	for _, word := range c.Git.Revisions {
		if !c.Git.Dashes || len(c.Git.Pathspecs) == 0 || !countsFromHead(word) {
			return false
		}
	}
	return len(c.Git.Objects)+len(c.Git.Pathspecs) > 0
}

// severalSettings are the options with which git config prints more settings
// than the one that it is given the name of.
var severalSettings = []string{"--get-regexp", "--regexp", "--get-urlmatch", "--url", "--list"}

// configReach says whether a command prints a setting of git that holds a
// secret: a token in an address, a password. Commands that print one setting
// are held to its name.
func configReach(c *shell.Command, verdict trust.Verdict) string {
	has := func(option string) bool { _, ok := c.Form.Get(option); return ok }
	printed := false
	switch {
	case strings.HasPrefix(c.Verb, "git config") && has("--name-only"):
		printed = slices.ContainsFunc(verdict.Credentials, namesCredential)
	case strings.HasPrefix(c.Verb, "git config"):
		key := strings.ToLower(c.Git.Setting)
		one := key != "" && !slices.ContainsFunc(severalSettings, has)
		printed = one && (trust.SecretSetting(key) || slices.Contains(verdict.Credentials, key)) || !one && len(verdict.Credentials) > 0
	}
	if printed {
		return disk.ReachesSecret
	}
	return disk.ReachesNone
}

// countsFromHead reports whether a word names commits for sure, be it a range: any other
// may be the hash of a file, or a tag of one, which is printed whatever the pathspecs.
func countsFromHead(word string) bool {
	from, to, ranged := strings.Cut(word, "..")
	for i, end := range []string{from, strings.TrimPrefix(to, ".")} {
		back, ok := strings.CutPrefix(end, "HEAD")
		if (i == 0 || ranged) && (!ok || strings.Trim(back, "~^0123456789") != "") {
			return false
		}
	}
	return true
}
