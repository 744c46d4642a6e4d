package obligation

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/lists"
	"policyd/extract/paths"
	"policyd/extract/scope"
	"policyd/extract/stat"
)

// homeTools are what tools keep in the session's home.
type homeTools struct {
	view        *disk.View
	lists       *lists.Lists
	sensitive   *scope.SensitiveRoots
	classes     *scope.Classifier
	kept        *scope.GitKept
	directories *Directories
	obligation  *v1.Obligation
}

// toolDepth is how many levels of the directories of tools are read for credentials: in
// ~/.nvm/versions that is node/v20/etc.
const toolDepth = 4

// add adds what is there of names in the home, and nothing that is a secret by another name.
func (h *homeTools) add(to *[]string, names []string) {
	h.each(names, func(name string) {
		resolved, found := h.find(name)
		if keeps, checked := h.lists.KeepsCredentials(resolved.Real); found && (!keeps || checked) {
			*to = lists.AppendNew(*to, resolved.Real)
		}
	})
}

// find resolves a name that isn't another one of the home, of what contains it, or of what is policyd's own.
func (h *homeTools) find(name string) (paths.Resolved, bool) {
	resolved, err := h.view.Resolver.Resolve(name)
	return resolved, err == nil && resolved.Exists && !h.sensitive.OwnPlace(resolved.Real) && !paths.Within(h.view.Home, resolved.Real)
}

// each calls do with the absolute path of each name that isn't absolute, unless the first part of it below the home is
// missing. It is fast if names in one directory follow each other.
func (h *homeTools) each(names []string, do func(name string)) {
	if h.view.Home == "" {
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
			_, err := stat.Below(h.view.Home, part, false)
			first, there = part, !stat.Missing(err)
		}
		if there {
			do(h.view.Home + "/" + below)
		}
	}
}

// hide adds the settings of tools and covers the credentials that they keep. It refuses secrets that can't be hidden.
func (h *homeTools) hide() error {
	if err := h.addSettings(); err != nil {
		return err
	}
	if err := h.hideInTools(); err != nil {
		return err
	}
	return h.noOtherNames()
}

// hideInTools covers credentials in the directories of tools: in the first level everywhere, and below it where people put
// settings of their own.
func (h *homeTools) hideInTools() error {
	for _, group := range []struct {
		names []string
		depth int
	}{{h.lists.Contain.Read.Home, 1}, {h.lists.Contain.Read.Tools, toolDepth}} {
		var real []string
		h.add(&real, group.names)
		for _, dir := range real {
			if err := h.sweep(dir, group.depth); err != nil {
				return err
			}
		}
	}
	return nil
}

func (h *homeTools) sweep(dir string, depth int) error {
	found, err := h.directories.recall(h.directories.Swept, dir, h.keeps)
	if err != nil {
		return err
	}
	if found.closed {
		h.obligation.Hide = lists.AppendNew(h.obligation.Hide, dir)
	}
	for i := range found.entries {
		entry := &found.entries[i]
		switch {
		case !entry.plain && h.credentialsIn(entry):
			h.obligation.Hide = lists.AppendNew(h.obligation.Hide, entry.full)
		case entry.kind.IsDir() && depth > 1 && !strings.HasSuffix(entry.full, "/.git/objects"):
			err = h.sweep(entry.full, depth-1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keeps reports whether a name in a directory of tools is one of credentials, or of a repository's settings.
func (h *homeTools) keeps(full, name string, beside []fs.DirEntry) bool {
	if name == "config" && (inGit(path.Dir(full)) || slices.ContainsFunc(beside, func(other fs.DirEntry) bool { return other.Name() == "HEAD" })) {
		return true
	}
	keeps, _ := h.lists.KeepsCredentials(full)
	return keeps
}

// credentialsIn reports whether an entry that keeps meant holds credentials.
func (h *homeTools) credentialsIn(entry *entry) bool {
	keeps, checked := h.lists.KeepsCredentials(entry.full)
	switch {
	case !keeps:
		return h.kept.RepositoryHoldsCredentials(entry.full)
	case checked:
		return h.kept.HoldsCredentials(entry.full)
	}
	return true
}

// addSettings adds the settings of tools. Those that may hold a credential are empty for the run: tools end at settings
// that they can't read.
func (h *homeTools) addSettings() error {
	var failed error
	for i := range h.lists.Contain.Read.Settings {
		settings := &h.lists.Contain.Read.Settings[i]
		h.each(settings.Files, func(name string) {
			if failed == nil {
				failed = h.addSetting(name, settings.Keys)
			}
		})
	}
	return failed
}

func (h *homeTools) addSetting(name string, keys []string) error {
	resolved, found := h.find(name)
	if !found {
		return nil
	}
	h.obligation.Read = lists.AppendNew(h.obligation.Read, resolved.Real)
	if len(keys) > 0 && resolved.Regular && !h.classes.SecretFile(resolved.Real) && h.kept.SettingsAreKnown(resolved.Real, keys) {
		return nil
	}
	h.obligation.Hide = lists.AppendNew(h.obligation.Hide, resolved.Real)
	if resolved.HardLinks {
		return otherNames(resolved.Real)
	}
	return nil
}

// noOtherNames refuses a secret of the home that another name of the file would show.
func (h *homeTools) noOtherNames() error {
	var failed error
	h.each(h.lists.Contain.Secrets, func(name string) {
		if failed != nil {
			return
		}
		switch stamp, err := stat.Path(name, false); {
		case err != nil:
		case stamp.Kind == stat.File && stamp.Names > 1:
			failed = otherNames(name)
		case stamp.Kind == stat.Directory:
			failed = h.noOtherNamesBelow(name, toolDepth)
		}
	})
	return failed
}

func (h *homeTools) noOtherNamesBelow(dir string, depth int) error {
	found, err := h.directories.recall(h.directories.Swept, dir, everything)
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
			if err := h.noOtherNamesBelow(entry.full, depth-1); err != nil {
				return err
			}
		}
	}
	return nil
}

func otherNames(full string) error {
	return fmt.Errorf("%s has other names, by which it could be read", full)
}
