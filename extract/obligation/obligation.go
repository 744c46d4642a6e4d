// Package obligation makes the obligation of a contained run: which paths of the session it sees, and which it may
// change.
package obligation

import (
	"fmt"
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/disk"
	"policyd/extract/git/object"
	"policyd/extract/lists"
	"policyd/extract/paths"
	"policyd/extract/scope"
	"policyd/extract/stat"
)

// Builder gathers the paths of one obligation.
type Builder struct {
	View        *disk.View
	Scope       *scope.Scope
	Grants      *scope.Grants
	Sensitive   *scope.SensitiveRoots
	Classes     *scope.Classifier
	Kept        *scope.GitKept
	Repos       *scope.Repositories
	Policy      *scope.Policy
	Directories *Directories
	Obligation  v1.Obligation
	// Judging is true if operators name paths that count by the session.
	Judging bool
	// Repositories are directories with a .git.
	Repositories []string
	// stores counts what is read of the stores of git's objects.
	stores object.Budget
	// inGit is true while the walk is in a directory of git's own.
	inGit bool
}

// MaxContained bounds how many names are looked at for one contained run.
const MaxContained = 200_000

var errManyNames = fmt.Errorf("there are more than %d names below the session's directories", MaxContained)

// Fill adds the paths that a duty means. With an error the call can't be contained.
func (c *Builder) Fill(duty v1.Duty) error {
	o, data := &c.Obligation, &c.Policy.Lists.Contain
	c.Scope.AddRoots(scope.RootsWithRepositories)
	switch {
	case duty.Reads == v1.ReadsKnown && duty.Profile == v1.ProfileReadOnly:
		o.Read = []string{"/"}
		return nil
	case duty.Reads != v1.ReadsListed:
		return fmt.Errorf("no run in the profile %q can read %q", duty.Profile, duty.Reads)
	}
	c.addSystem()
	home := c.home()
	home.add(&o.Read, data.Read.Home)
	home.add(&o.Read, data.Read.Tools)
	if duty.Profile == v1.ProfileProject {
		home.add(&o.Write, data.Write.Home)
	}
	var roots []string
	for i := range c.Scope.Roots {
		root := &c.Scope.Roots[i]
		listed := func(above string) bool { return paths.Within(root.Real, above) }
		if root.Space == v1.SpaceReadAlso && slices.ContainsFunc(o.Read, listed) {
			continue // it is the system's, or a cache
		}
		roots = append(roots, root.Real)
		if duty.Profile == v1.ProfileProject && (root.Space == v1.SpaceProject || root.Space == v1.SpaceSession) {
			o.Write = append(o.Write, root.Real)
			c.protect(root.Real)
		}
	}
	for i := range c.Grants.List {
		if space := c.Grants.GrantedSpace(c.Grants.List[i].Root); space != "" {
			roots = append(roots, c.members(c.Grants.List[i].Root)...)
		}
	}
	return c.look(roots)
}

// members are the places that the root of a grant means: itself, or the files of a directory for temporary
// files. Those that can't be listed aren't there for the run.
func (c *Builder) members(root string) []string {
	if c.Policy.Lists.TemporaryFiles(root) != root {
		return []string{root}
	}
	dir := paths.Parent(root)
	entries, err := c.View.ReadDir(dir)
	if err != nil {
		return nil
	}
	var files []string
	for _, entry := range entries {
		if full := dir + "/" + entry.Name(); entry.Type().IsRegular() && c.Grants.GrantedSpace(full) != "" && !c.secret(full) {
			files = append(files, full)
		}
	}
	return files
}

// addSystem adds what is there of the system.
func (c *Builder) addSystem() {
	o := &c.Obligation
	for _, name := range c.Policy.Lists.Contain.Read.System {
		if resolved, err := c.View.Resolver.Resolve(name); err == nil && resolved.Exists && !c.Sensitive.OwnPlace(resolved.Real) {
			o.Read = lists.AppendNew(o.Read, resolved.Real)
		}
	}
}

// protect names the paths in a root that stay as they are, whether they exist or not.
func (c *Builder) protect(root string) {
	data, o := &c.Policy.Lists.Contain, &c.Obligation
	for _, name := range slices.Concat(data.Protected, data.Links) {
		if strings.ContainsAny(name, "*?[") {
			continue
		}
		full := root + "/" + name
		o.Protect = lists.AppendNew(o.Protect, full)
		if slices.Contains(data.Links, name) {
			o.Links = lists.AppendNew(o.Links, full)
		}
	}
}

// staysInPlace reports whether a name in a directory of the session's stays as it is.
func (c *Builder) staysInPlace(name string) bool {
	return slices.Contains(c.Policy.Lists.Contain.Protected, name) || slices.Contains(c.Policy.Lists.Contain.Links, name)
}

// ProtectNamed names what a repository's settings have git run and read, wherever it lies: a
// hook that the run left would be run by the next commit. So does whatever a word of a setting names: which
// settings have git start a program is more than can be listed.
func (c *Builder) ProtectNamed(repository string) error {
	o := &c.Obligation
	if len(o.Write) == 0 {
		return nil
	}
	verdict := c.Repos.InspectAnywhere(repository, "status")
	for i, name := range slices.Concat(verdict.Files, verdict.Hooks) {
		if real := c.protectOne(name); real != "" && i < len(verdict.Files) {
			o.Links = lists.AppendNew(o.Links, real) // git ends if a file that it reads is a directory
		}
	}
	named, known := c.Repos.Named(repository)
	if !known {
		return fmt.Errorf("it isn't known what the settings of %s name", repository)
	}
	for _, name := range named {
		if name == repository || paths.Within(repository, name) {
			continue // it holds all of the work tree
		}
		if _, err := stat.Path(name, false); err == nil {
			c.protectOne(name)
		}
	}
	if len(o.Protect) > maxProtected {
		return fmt.Errorf("the settings of %s name more than %d files", repository, maxProtected)
	}
	return nil
}

// maxProtected bounds the paths that stay as they are: each is mounted.
const maxProtected = 1000

// protectOne keeps a path as it is, and the first link on the way to it. It returns the real path if the run may
// write there.
func (c *Builder) protectOne(name string) string {
	o := &c.Obligation
	writable := func(full string) bool {
		return slices.ContainsFunc(o.Write, func(root string) bool { return full != root && paths.Within(full, root) })
	}
	for at := 1; at <= len(name); at++ {
		if at < len(name) && name[at] != '/' || !writable(name[:at]) {
			continue
		}
		if found, err := stat.Path(name[:at], false); err == nil && found.Kind == stat.Link {
			o.Protect = lists.AppendNew(o.Protect, name[:at])
			break
		}
	}
	resolved, err := c.View.Resolver.Resolve(name)
	if err != nil || !writable(resolved.Real) {
		return ""
	}
	o.Protect = lists.AppendNew(o.Protect, resolved.Real)
	return resolved.Real
}

// look reads through everything that the run will see of the session's directories, hides
// the secrets, and protects what no agent changes.
func (c *Builder) look(roots []string) error {
	o := &c.Obligation
	slices.Sort(roots)
	var seen []string
	for _, root := range roots {
		if slices.ContainsFunc(seen, func(above string) bool { return paths.Within(root, above) }) {
			continue
		}
		seen, o.Read = append(seen, root), lists.AppendNew(o.Read, root)
		c.inGit = inGit(root)
		if err := c.walk(root); err != nil {
			return err
		}
	}
	for _, name := range c.Policy.Lists.Contain.Hide {
		c.hide(name)
	}
	home := c.home()
	home.each(c.Policy.Lists.Contain.Secrets, c.hide)
	for _, own := range c.Policy.Own {
		c.hide(own)
	}
	return home.hide()
}

// home is the part of the obligation in the session's home.
func (c *Builder) home() *homeTools {
	return &homeTools{c.View, c.Policy.Lists, c.Sensitive, c.Classes, c.Kept, c.Directories, &c.Obligation}
}

// hide hides a path that is there and could be read.
func (c *Builder) hide(name string) {
	resolved, err := c.View.Resolver.Resolve(name)
	if err != nil || !resolved.Exists {
		return
	}
	if slices.ContainsFunc(c.Obligation.Read, func(root string) bool { return paths.Within(resolved.Real, root) }) {
		c.Obligation.Hide = lists.AppendNew(c.Obligation.Hide, resolved.Real)
	}
}

// secret reports whether no contained run may see what lies at a path.
func (c *Builder) secret(full string) bool {
	return c.Classes.SecretFile(full) || c.Classes.SecretDirectory(full) || c.Kept.SecretSettings(full) || c.judged(full)
}

// visit judges a name, and walks on.
func (c *Builder) visit(entry *entry) error {
	o, full := &c.Obligation, entry.full
	if c.secret(full) {
		o.Hide = append(o.Hide, full)
		return c.oneName(full, entry)
	}
	if entry.name == ".git" {
		c.Repositories = append(c.Repositories, path.Dir(full))
		defer func(before bool) { c.inGit = before }(c.inGit)
		c.inGit = true
	}
	if o.Profile == v1.ProfileProject && c.staysInPlace(entry.name) {
		o.Protect = lists.AppendNew(o.Protect, full)
	}
	if entry.kind.IsDir() && !strings.HasSuffix(full, "/.git/objects") {
		return c.walk(full)
	}
	return nil
}

// judged reports whether a path is in a class of the operator's that has an effect.
func (c *Builder) judged(full string) bool {
	return slices.ContainsFunc(c.Policy.Lists.Classes, func(class lists.PathClass) bool { return class.Judged && c.Classes.InClass(&class, full) != "" })
}

// oneName refuses a secret that another name of the file would show. What a hidden directory
// holds may have other names outside; these are not looked for.
func (c *Builder) oneName(full string, entry *entry) error {
	if !entry.kind.IsRegular() {
		return nil
	}
	if resolved, err := c.View.Resolver.Resolve(full); err != nil || resolved.HardLinks {
		return otherNames(full)
	}
	return nil
}
