package extract

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"policyd/extract/git"
	"policyd/extract/shell"
	"policyd/extract/stat"
	"policyd/internal/credential"
)

//go:embed gitstores.json
var gitStoresJSON []byte

// gitPrinter is a command that prints such texts.
type gitPrinter struct {
	// Prints are stores that the command prints always, With those that it prints with an option.
	Prints []string            `json:"prints"`
	With   map[string][]string `json:"with"`
}

// gitStores says which commands print texts that git keeps apart from commits, and which files hold
// these. The stores are: "settings" with their names, "remote_names", "remotes", which are addresses,
// the "log" of the refs that a command names, all "logs", and that of the "stash".
type gitStores struct {
	Commands map[string]gitPrinter `json:"commands"`
	// Atoms are what a format of refs may name. One that is on neither list may print anything.
	Atoms struct {
		Prints   map[string][]string `json:"prints"`
		Harmless []string            `json:"harmless"`
	} `json:"atoms"`
	// Files and Directories are names below a repository's own directory.
	Files       []string `json:"files"`
	Directories []string `json:"directories"`
}

func loadGitStores() (*gitStores, error) {
	var stores gitStores
	decoder := json.NewDecoder(strings.NewReader(string(gitStoresJSON)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&stores); err != nil {
		return nil, fmt.Errorf("load git stores: %w", err)
	}
	return &stores, nil
}

// printed are the stores that a command prints. known is false for a format of refs with an atom that
// is on no list.
func (s *gitStores) printed(c *shell.Command) (stores []string, known bool) {
	verb := s.verb(c)
	command := s.Commands[verb]
	stores = slices.Clone(command.Prints)
	for option, more := range command.With {
		if _, given := c.Form.Get(option); given {
			stores = append(stores, more...)
		}
	}
	if !slices.Contains(refFormatters, c.Verb) {
		return stores, true
	}
	for rest := c.Git.Format; ; {
		_, inside, found := strings.Cut(rest, "%(")
		if !found {
			return stores, true
		}
		atom, behind, closed := strings.Cut(inside, ")")
		name, options, _ := strings.Cut(strings.TrimPrefix(atom, "*"), ":")
		if !closed || !slices.Contains(s.Atoms.Harmless, name) {
			return stores, false
		}
		for option := range strings.SplitSeq(options, ",") {
			stores = append(stores, s.Atoms.Prints[name+":"+option]...)
		}
		rest = behind
	}
}

// verb is the entry of a command: of "git reflog main", which is no command of its own, "git reflog".
func (s *gitStores) verb(c *shell.Command) string {
	for verb := c.Verb; ; {
		if _, known := s.Commands[verb]; known {
			return verb
		}
		space := strings.LastIndexByte(verb, ' ')
		if space < 0 {
			return ""
		}
		verb = verb[:space]
	}
}

// storesReach says whether a command prints a credential that git keeps: in settings, in addresses of
// remotes, or in messages of reflogs, which hold the words of command lines.
func (e *extraction) storesReach(c *shell.Command, verdict git.Verdict) string {
	if answer := configReach(c, verdict); answer != reachesNone {
		return answer
	}
	stores, known := e.x.gitStores.printed(c)
	if !known {
		return reachesUnknown
	}
	for _, store := range stores {
		if answer := e.storeReach(store, c, verdict); answer != reachesNone {
			return answer
		}
	}
	return reachesNone
}

func (e *extraction) storeReach(store string, c *shell.Command, verdict git.Verdict) string {
	has := func(is func(name string) bool) string {
		if slices.ContainsFunc(verdict.Credentials, is) {
			return reachesSecret
		}
		return reachesNone
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
	if !verdict.Repository {
		return reachesNone
	}
	logs := []string{verdict.GitDir + "/logs", verdict.CommonDir + "/logs"}
	switch {
	case store == "stash":
		logs = []string{verdict.CommonDir + "/logs/refs/stash"}
	case store == "log" && e.x.gitStores.verb(c) == c.Verb && len(c.Git.Revisions)+len(c.Git.Patterns) == 0 && !takesRefs(c) && !e.walksAll(c):
		logs = []string{verdict.GitDir + "/logs/HEAD"}
	}
	for _, place := range logs {
		if e.keepsCredentials(place) {
			return reachesSecret
		}
	}
	return reachesNone
}

// walksAll reports whether a command begins at other refs than those that it names.
func (e *extraction) walksAll(c *shell.Command) bool {
	return slices.ContainsFunc(e.x.gitWalks.All, func(option string) bool { _, ok := c.Form.Get(option); return ok })
}

// namesCredential reports whether the name of a setting holds a credential, or stands for files whose
// settings weren't read.
func namesCredential(name string) bool { return name == "include" || credential.Holds(name) }

// Bounds of looking for credentials in what git keeps. Beyond them there may be one.
const (
	maxKept      = 4 << 20
	maxKeptFiles = 2000
)

// keepsCredentials reports whether a file, or one below a directory, holds a credential or can't be
// looked at. Nothing that is missing does.
func (e *extraction) keepsCredentials(place string) bool {
	files, bytes := maxKeptFiles, int64(maxKept)
	return e.keeps(place, &files, &bytes)
}

func (e *extraction) keeps(place string, files *int, bytes *int64) bool {
	info, err := e.view.Stat(place)
	switch {
	case stat.Missing(err):
		return false
	case err != nil:
		return true
	case info.IsDir():
		entries, err := e.view.ReadDir(place)
		if err != nil {
			return true
		}
		return slices.ContainsFunc(entries, func(entry fs.DirEntry) bool { return e.keeps(place+"/"+entry.Name(), files, bytes) })
	case !info.Mode().IsRegular():
		return true
	}
	*files--
	*bytes -= info.Size()
	if *files < 0 || *bytes < 0 {
		return true
	}
	content, err := e.view.ReadFile(place)
	return err != nil || credential.Holds(string(content))
}

// secretSettings reports whether a file is one of a repository's own that holds a credential: what git
// config, git remote and git reflog print stands in it.
func (e *extraction) secretSettings(real string) bool {
	_, below, found := strings.Cut(real, ".git/")
	if !found {
		return false
	}
	stores := e.x.gitStores
	inside := slices.ContainsFunc(strings.Split(path.Dir(below), "/"), func(name string) bool { return slices.Contains(stores.Directories, name) })
	base := path.Base(real)
	if !inside && !slices.Contains(stores.Files, base) {
		return false
	}
	if base != "config" && base != "config.worktree" {
		return e.keepsCredentials(real)
	}
	info, err := e.view.Stat(real)
	if err != nil || !info.Mode().IsRegular() {
		return e.view.Barred(err)
	}
	if info.Size() > maxSettings {
		return true
	}
	content, err := e.view.ReadFile(real)
	return err != nil || git.HoldsCredentials(content)
}

// gitDirSecret reports whether a repository's own directory holds such a file.
func (e *extraction) gitDirSecret(dir string) bool {
	stores := e.x.gitStores
	return slices.ContainsFunc(stores.Files, func(name string) bool { return e.secretSettings(dir + "/" + name) }) ||
		slices.ContainsFunc(stores.Directories, func(name string) bool { return e.keepsCredentials(dir + "/" + name) })
}
