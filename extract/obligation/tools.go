package obligation

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"policyd/extract/lists"
	"policyd/extract/paths"
	"policyd/extract/stat"
)

// toolDepth is how many levels of the directories of tools are read for credentials: in
// ~/.nvm/versions that is node/v20/etc.
const toolDepth = 4

// addHome adds what is there of names in the home, and nothing that is a secret, or the home itself, by another name.
func (c *Builder) addHome(to *[]string, names []string) {
	c.eachInHome(names, func(name string) {
		resolved, err := c.View.Resolver.Resolve(name)
		if err != nil || !resolved.Exists || c.Sensitive.OwnPlace(resolved.Real) || paths.Within(c.View.Home, resolved.Real) {
			return
		}
		if keeps, checked := c.Policy.Lists.KeepsCredentials(resolved.Real); !keeps || checked {
			*to = lists.AppendNew(*to, resolved.Real)
		}
	})
}

// eachInHome calls do with the absolute path of each name that isn't absolute, unless the first part of it below the home is
// missing. It is fast if names in one directory follow each other.
func (c *Builder) eachInHome(names []string, do func(name string)) {
	if c.View.Home == "" {
		return
	}
	first, there := "", false
	for _, name := range names {
		below := strings.TrimPrefix(name, "~/")
		if strings.HasPrefix(below, "/") {
			continue
		}
		part, _, _ := strings.Cut(below, "/")
		if part != first {
			_, err := stat.Below(c.View.Home, part, false)
			first, there = part, !stat.Missing(err)
		}
		if there {
			do(c.View.Home + "/" + below)
		}
	}
}

// hideInTools covers credentials in the directories of tools: in the first level everywhere, and below it where people put
// settings of their own.
func (c *Builder) hideInTools() error {
	for _, group := range []struct {
		names []string
		depth int
	}{{c.Policy.Lists.Contain.Read.Home, 1}, {c.Policy.Lists.Contain.Read.Tools, toolDepth}} {
		var real []string
		c.addHome(&real, group.names)
		for _, dir := range real {
			if err := c.sweep(dir, group.depth); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *Builder) sweep(dir string, depth int) error {
	found, err := c.counted(c.recall(c.Swept, dir, c.keeps))
	if err != nil {
		return err
	}
	for i := range found.entries {
		entry := &found.entries[i]
		switch {
		case !entry.plain && c.credentialsIn(entry):
			c.Obligation.Hide = lists.AppendNew(c.Obligation.Hide, entry.full)
		case entry.kind.IsDir() && depth > 1 && !strings.HasSuffix(entry.full, "/.git/objects"):
			err = c.sweep(entry.full, depth-1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keeps reports whether a name in a directory of tools is one of credentials, or of a repository's settings.
func (c *Builder) keeps(full, name string, beside []fs.DirEntry) bool {
	if name == "config" && (inGit(path.Dir(full)) || slices.ContainsFunc(beside, func(other fs.DirEntry) bool { return other.Name() == "HEAD" })) {
		return true
	}
	keeps, _ := c.Policy.Lists.KeepsCredentials(full)
	return keeps
}

// credentialsIn reports whether an entry that keeps meant holds credentials.
func (c *Builder) credentialsIn(entry *entry) bool {
	keeps, checked := c.Policy.Lists.KeepsCredentials(entry.full)
	switch {
	case !keeps:
		return c.Kept.RepositoryHoldsCredentials(entry.full)
	case checked:
		return c.Kept.HoldsCredentials(entry.full)
	}
	return true
}

// addSettings adds the settings of tools. Those that may hold a credential are empty for the run: tools end at settings
// that they can't read.
func (c *Builder) addSettings() error {
	var failed error
	for i := range c.Policy.Lists.Contain.Read.Settings {
		settings := &c.Policy.Lists.Contain.Read.Settings[i]
		c.eachInHome(settings.Files, func(name string) {
			if failed == nil {
				failed = c.addSetting(name, settings.Keys)
			}
		})
	}
	return failed
}

func (c *Builder) addSetting(name string, keys []string) error {
	resolved, err := c.View.Resolver.Resolve(name)
	if err != nil || !resolved.Exists || c.Sensitive.OwnPlace(resolved.Real) || paths.Within(c.View.Home, resolved.Real) {
		return nil
	}
	c.Obligation.Read = lists.AppendNew(c.Obligation.Read, resolved.Real)
	if len(keys) > 0 && resolved.Regular && !c.Classes.SecretFile(resolved.Real) && c.Kept.SettingsAreKnown(resolved.Real, keys) {
		return nil
	}
	c.Obligation.Hide = lists.AppendNew(c.Obligation.Hide, resolved.Real)
	if resolved.HardLinks {
		return otherNames(resolved.Real)
	}
	return nil
}

// noOtherNames refuses a secret of the home that another name of the file would show.
func (c *Builder) noOtherNames() error {
	var failed error
	c.eachInHome(c.Policy.Lists.Contain.Secrets, func(name string) {
		if failed != nil {
			return
		}
		switch stamp, err := stat.Path(name, false); {
		case err != nil:
		case stamp.Kind == stat.File && stamp.Names > 1:
			failed = otherNames(name)
		case stamp.Kind == stat.Directory:
			failed = c.noOtherNamesBelow(name, toolDepth)
		}
	})
	return failed
}

func (c *Builder) noOtherNamesBelow(dir string, depth int) error {
	found, err := c.counted(c.recall(c.Swept, dir, everything))
	if err != nil {
		return err
	}
	for i := range found.entries {
		entry := &found.entries[i]
		switch stamp, err := stat.Path(entry.full, false); {
		case err != nil:
		case stamp.Kind == stat.File && stamp.Names > 1:
			return otherNames(entry.full)
		case stamp.Kind == stat.Directory && depth > 1:
			if err := c.noOtherNamesBelow(entry.full, depth-1); err != nil {
				return err
			}
		}
	}
	return nil
}

func otherNames(full string) error {
	return fmt.Errorf("%s has other names, by which it could be read", full)
}
