package gitreach

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/git/syntax"
	"policyd/extract/git/trust"
	"policyd/extract/scope"
	"policyd/extract/shell/command"
)

// Commands says what git commands do that only the repository tells.
type Commands struct {
	View    *disk.View
	Tables  *Tables
	Scope   *scope.Scope
	Repos   *scope.Repositories
	Classes *scope.Classifier
	Links   *scope.HardLinks
	Kept    *scope.GitKept
	Prints  *Prints
}

// settingsReach says what the files are that the repository's settings make git
// read: it prints lines of theirs when they are not what it expects.
func (g *Commands) settingsReach(verdict trust.Verdict) string {
	for _, file := range verdict.Files {
		resolved, err := g.View.Resolve(file)
		switch {
		case err != nil || resolved.Unseen:
			return disk.ReachesUnknown
		case g.Classes.SecretFile(file) || g.Links.ReadsSecret(&resolved):
			return disk.ReachesSecret
		case g.Scope.SpaceOf(&resolved) == v1.SpaceOutside:
			return disk.ReachesOutside
		}
	}
	return disk.ReachesNone
}

// Push adds that a push may go anywhere, where settings of git have a say in where it
// goes and they say so, or can't be read.
func (g *Commands) Push(item *v1.Item, c *command.Command) {
	if c.Git.Mapped && !g.pushesPlainly(c) {
		item.Form.Put(command.PushAnywhere, command.PushForces)
		item.Risks.Add("force")
	}
}

// Paths adds the risk of a path where a word that may name a revision is that of a file or a
// directory. git refuses a word that is both.
func (g *Commands) Paths(item *v1.Item, c *command.Command) {
	if c.Git.PathRisk == "" {
		return
	}
	for i := range c.Accesses {
		a := &c.Accesses[i]
		if a.Op != v1.OpWrite || a.Naming == command.Unnamed || a.Landing != nil {
			continue
		}
		for _, dir := range c.Cwd.Known {
			if full := g.View.Absolute(a.Text, dir); full != "" && g.View.Exists(full) {
				item.Risks.Add(c.Git.PathRisk)
			}
		}
	}
}

// pushesPlainly reports whether settings leave a push to git's own defaults in every
// directory that the command may run in. Settings of the line and of the environment
// are not read. Hooks have no say: settings are known where only a hook isn't trusted.
func (g *Commands) pushesPlainly(c *command.Command) bool {
	if c.Caveats.Has("assigns") || c.Caveats.Has("executes") {
		return false
	}
	for _, dir := range c.Cwd.Known {
		resolved, err := g.View.Resolve(dir)
		if err != nil || resolved.Unseen {
			return false
		}
		if verdict := g.Repos.Inspect(resolved.Real, "push"); verdict.Effects.Has(trust.MapsPushes) || !verdict.Trusted && verdict.Code() != trust.CodeHook {
			return false
		}
	}
	return c.Cwd.Complete()
}

// storesReach says whether a command prints a credential that git keeps: in settings, in addresses of
// remotes, or in messages of reflogs, which hold the words of command lines.
func (g *Commands) storesReach(c *command.Command, verdict trust.Verdict) string {
	if answer := configReach(c, verdict); answer != disk.ReachesNone {
		return answer
	}
	stores, known := g.Tables.Stores.printed(c)
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

// settingsOf are the names of settings that the stores hold which are settings.
var settingsOf = map[string]func(name string) bool{
	"settings":     func(string) bool { return true },
	"remote_names": func(name string) bool { return strings.HasPrefix(name, "remote.") && namesCredential(name) },
	"remotes": func(name string) bool {
		section, _, _ := strings.Cut(name, ".")
		return section == "remote" || section == "url" || section == "branch"
	},
}

func (g *Commands) storeReach(store string, c *command.Command, verdict trust.Verdict) string {
	holds := false
	if settings, known := settingsOf[store]; known {
		holds = slices.ContainsFunc(verdict.Credentials, settings)
	} else if verdict.Found {
		holds = slices.ContainsFunc(g.logsOf(store, c, verdict), g.Kept.KeepsCredentials)
	}
	if holds {
		return disk.ReachesSecret
	}
	return disk.ReachesNone
}

// logsOf are the reflogs of a store, or directories of them.
func (g *Commands) logsOf(store string, c *command.Command, verdict trust.Verdict) []string {
	switch {
	case store == "stash":
		return []string{verdict.CommonDir + "/logs/refs/stash"}
	case store == "log" && g.Tables.Stores.verb(c) == c.Verb && len(c.Git.Revisions)+len(c.Git.Patterns) == 0 && !takesRefs(c) && !g.walksAll(c):
		return []string{verdict.GitDir + "/logs/HEAD"}
	}
	return []string{verdict.GitDir + "/logs", verdict.CommonDir + "/logs"}
}

// walksAll reports whether a command begins at other refs than those that it names.
func (g *Commands) walksAll(c *command.Command) bool {
	return given(c, g.Tables.walks.All)
}

// Trust adds a caveat where the repository's own configuration could run a
// program for this command, in any directory that it may run in.
func (g *Commands) Trust(item *v1.Item, c *command.Command) {
	subcommand := strings.TrimPrefix(c.Verb, "git ")
	if subcommand == c.Verb {
		return // no subcommand: git prints its help
	}
	if !c.Cwd.Complete() {
		item.Caveats.Add("git_untrusted")
		return
	}
	for _, dir := range c.Cwd.Known {
		resolved, err := g.View.Resolve(dir)
		if err != nil {
			item.Caveats.Add("git_untrusted")
			return
		}
		if resolved.Unseen {
			if g.Unseen(c) {
				item.Caveats.Add(disk.ReachesUnknown)
			}
			continue
		}
		verdict := g.Repos.Inspect(resolved.Real, subcommand)
		if !verdict.Trusted {
			item.Caveats.Add("git_untrusted")
			return
		}
		g.reach(item, c, verdict, resolved.Real)
	}
}

// reach adds what a command reaches in a repository that is trusted.
func (g *Commands) reach(item *v1.Item, c *command.Command, verdict trust.Verdict, dir string) {
	if answer := g.settingsReach(verdict); answer != disk.ReachesNone {
		item.Caveats.Add(answer)
	}
	if answer := g.Prints.replacedReach(c, verdict); answer != disk.ReachesNone {
		item.Caveats.Add(answer)
	}
	g.Classes.Reach(item, func() string { return g.Prints.gitReach(item, c, verdict, dir) })
	if answer := g.storesReach(c, verdict); answer != disk.ReachesNone {
		item.Caveats.Add(answer)
	}
	g.Classes.Reach(item, func() string { return g.Prints.blobReach(item, c, verdict, dir) })
	if c.Git.Handed && verdict.Effects.Has(trust.AltersNames) {
		item.Caveats.Add(disk.ReachesUnknown)
	}
	if g.checksSignatures(c, verdict) {
		item.Caveats.Add("git_untrusted")
	}
	if verdict.Effects.Has(trust.LazyFetch) && !given(c, []string{"--no-lazy-fetch"}) && g.Tables.opensObjects(c) { // older versions refuse the option
		item.Caveats.Add("network")
	}
}

// checksSignatures reports whether settings make git run gpg for the commits that a command prints. A format that
// is no name is an effect of the line.
func (g *Commands) checksSignatures(c *command.Command, verdict trust.Verdict) bool {
	for _, format := range c.Git.Log.Formats {
		if !syntax.ChecksSignature(format) && verdict.Formats.ChecksSignature(format) {
			return true
		}
	}
	if !g.Tables.readers[c.Verb].printsCommits() {
		return false
	}
	shows := verdict.Effects.Has(trust.ChecksSignatures) && (!given(c, []string{"--no-show-signature"}) || given(c, []string{"--show-signature"}))
	return shows || !given(c, []string{"--format", "--pretty", "--oneline"}) && verdict.Formats.ChecksByDefault()
}

// Unseen reports whether a git command prints contents of files that its words don't name, each of them. Of a repository
// that can't be looked at, or that another command of the line changes before, nothing else is known.
func (g *Commands) Unseen(c *command.Command) bool {
	reader, ok := g.Tables.readers[c.Verb]
	return ok && reader.printsContents(c.Form) && !g.gitNamed(c, reader.Lists)
}

// gitNamed reports whether the words of a git command that prints contents select
// files that can't be secrets by their names, and nothing else: revision:path, or
// pathspecs. A log may go on to what a file began as a copy of, by a setting. Of a
// directory that revision:path names the names alone are printed where lists is true.
func (g *Commands) gitNamed(c *command.Command, lists bool) bool {
	wider := slices.ContainsFunc([]string{"--follow", "--full-diff", "--no-index"}, c.Form.Has)
	if wider || c.Verb == "git log" || len(c.Git.Patterns) > 0 || !c.Git.Objects.Complete() {
		return false
	}
	for _, object := range c.Git.Objects.Named {
		if g.Classes.SecretByName(object.Path) || !lists && !g.Classes.TextByName(object.Path) {
			return false
		}
	}
	if !g.Prints.textsAlone(c.Git.Pathspecs) {
		return len(c.Git.Objects.Named) > 0 && len(c.Git.Pathspecs)+len(c.Git.Revisions) == 0
	}
	return len(c.Git.Revisions) == 0 || c.Git.Dashes && !slices.ContainsFunc(c.Git.Revisions, func(word string) bool { return !countsFromHead(word) })
}

// severalSettings are the options with which git config prints more settings
// than the one that it is given the name of.
var severalSettings = []string{"--get-regexp", "--regexp", "--get-urlmatch", "--url", "--list"}

// configReach says whether a command prints a setting of git that holds a
// secret: a token in an address, a password. Commands that print one setting
// are held to its name.
func configReach(c *command.Command, verdict trust.Verdict) string {
	has := c.Form.Has
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
