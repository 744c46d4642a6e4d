package extract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/arguments"
	"policyd/extract/catalog"
	"policyd/extract/disk"
	"policyd/extract/lists"
	"policyd/extract/paths"
	"policyd/extract/scope"
	"policyd/extract/shell"
)

// maxContained bounds how many names are looked at for one contained run.
const maxContained = 200_000

// errors of containing a call.
var (
	errManyNames = fmt.Errorf("there are more than %d names below the session's directories", maxContained)
	errNoCommand = errors.New("the call holds no single command line that could be run contained")
)

// Contain makes the obligation that a duty means for a call, and the argv that runs it. It
// walks the directories that the session may read, within ctx. With an error the call can't
// be contained. It is safe for concurrent use.
func (x *Extractor) Contain(ctx context.Context, call *v1.Call, grants []v1.PathGrant, duty v1.Duty) (run v1.Containment, err error) {
	e := x.begin(call)
	defer e.end()
	defer func() {
		if early, ours := recover().(stopped); ours {
			err = early.err
		}
	}()
	e.facts.bounds.ctx = ctx
	e.session()
	if lists := &x.Lists.Contain; len(lists.Read.System) == 0 || len(lists.Git) == 0 || len(lists.Environment.Drop) == 0 {
		return v1.Containment{}, errors.New("the policy's data has no lists for contained runs (config.contain)")
	}
	if e.view.Windows || e.view.Resolver.Map != nil {
		return v1.Containment{}, errors.New("the names of the session's files are others than the sidecar's")
	}
	if run.Argv, err = e.argv(); err != nil {
		return v1.Containment{}, err
	}
	if slices.ContainsFunc(run.Argv, func(word string) bool { return strings.Contains(word, "\x00") }) {
		return v1.Containment{}, errNoCommand // no program can be given it
	}
	e.surroundings(grants)
	if run.Cwd, run.Enter, err = e.begins(run.Argv); err != nil {
		return v1.Containment{}, err
	}
	c := containment{extraction: e, left: maxContained, judging: x.Lists.Judges(), obligation: v1.Obligation{
		Kind: duty.Kind, Profile: duty.Profile, Network: v1.NetworkNone, Environment: x.Lists.Contain.Environment,
		Read: []string{}, Write: []string{}, Protect: []string{}, Hide: []string{},
	}}
	if err := c.fill(duty); err != nil {
		return v1.Containment{}, err
	}
	for _, dir := range c.repositories {
		c.protectNamed(dir)
		if err := x.noSecretsInCommits(ctx, call, grants, dir); err != nil {
			return v1.Containment{}, err
		}
	}
	run.Obligation = c.obligation
	return run, nil
}

// errMoves means that the shell of the call would be left in another directory than the line
// leaves it in.
var errMoves = errors.New("the line changes the directory that its shell keeps for the next call")

// Moves reports whether a call's line changes the directory that its shell keeps for the next
// call, other than at its beginning: run contained, the change would be lost. It is safe for
// concurrent use.
func (x *Extractor) Moves(call *v1.Call) bool {
	if !call.Session.LastingShell {
		return false
	}
	e := x.begin(call)
	defer e.end()
	argv, err := e.argv()
	if err != nil {
		return true
	}
	_, rest, stays := shell.Enters(argv[len(argv)-1])
	return !stays || rest == ""
}

// begins is the directory in which a contained run begins. Where the shell of the call keeps
// its directory, the changes that the line begins with are taken from argv: enter is then the
// directory that this shell itself has to enter.
func (e *extraction) begins(argv []string) (cwd, enter string, err error) {
	if !e.facts.call.Session.LastingShell || e.facts.Cwd == "" {
		return e.facts.Cwd, "", nil
	}
	entries, rest, stays := shell.Enters(argv[len(argv)-1])
	if !stays || rest == "" || strings.Contains(rest, "$_") {
		return "", "", errMoves
	}
	if len(entries) == 0 {
		return e.facts.Cwd, "", nil
	}
	cwd = e.facts.Cwd
	for _, entry := range entries {
		if cwd, err = e.enter(cwd, entry); err != nil {
			return "", "", err
		}
	}
	argv[len(argv)-1] = rest
	return cwd, cwd, nil
}

// enter is the real directory that cd leads to.
func (e *extraction) enter(cwd string, entry shell.Entry) (string, error) {
	dir := entry.Dir
	if entry.Home {
		dir = e.view.ExpandHome(dir)
	} else if !path.IsAbs(dir) {
		dir = cwd + "/" + dir
	}
	resolved, err := e.view.Resolver.Resolve(dir)
	switch {
	case err != nil || dir == "":
		return "", fmt.Errorf("find %s: it isn't known which directory that is", entry.Dir)
	case slices.Contains(strings.Split(dir, "/"), "..") && resolved.Real != path.Clean(dir):
		return "", fmt.Errorf("find %s: behind a link, \"..\" is another directory to a shell", entry.Dir)
	}
	info, err := e.view.Stat(resolved.Real)
	if err != nil || !info.IsDir() {
		return "", fmt.Errorf("find %s: no such directory", entry.Dir)
	}
	return resolved.Real, nil
}

// wholeHistory prints what commits and the index hold. A program that runs git could print as much.
const wholeHistory = "git log -p --all; git diff --cached"

// noSecretsInCommits refuses a repository whose commits hold a secret, or more than can be
// looked at: hiding the file would not hide those.
func (x *Extractor) noSecretsInCommits(ctx context.Context, call *v1.Call, grants []v1.PathGrant, dir string) error {
	prints := v1.Call{Tool: "Bash", Args: json.RawMessage(`{"command":"` + wholeHistory + `"}`), Cwd: dir, Session: call.Session}
	prints.Session.Agent, prints.Session.Shell = "claude-code", "bash"
	facts, err := x.ExtractContext(ctx, &prints, grants, 0)
	if err != nil {
		return err
	}
	if len(facts.Items) == 0 || !facts.Complete || facts.Messy {
		return fmt.Errorf("it isn't known what the commits of %s hold", dir)
	}
	for i := range facts.Items {
		for _, caveat := range []string{disk.ReachesSecret, disk.ReachesOutside, disk.ReachesUnknown, "git_untrusted"} {
			if facts.Items[i].Caveats.Has(caveat) {
				return fmt.Errorf("the commits of %s hold a secret, or can't all be looked at (%s)", dir, caveat)
			}
		}
	}
	return nil
}

// argv is how the one command of the call is started.
func (e *extraction) argv() ([]string, error) {
	who := e.x.catalog.Identify(e.facts.call.Session.Agent, e.facts.call.Tool, e.facts.call.Protocol)
	if who.Method != nil && who.Method.Step == v1.StepCreate {
		return e.terminalArgv()
	}
	if who.Tool == nil || who.Tool.Kind != v1.ToolShell {
		return nil, errNoCommand
	}
	args, err := arguments.DecodeInto(e.arguments[:0], e.facts.call.Args, e.x.catalog.Arguments)
	if err != nil {
		return nil, errNoCommand
	}
	e.tools.args = args
	for _, name := range who.Tool.Cwd {
		for _, dir := range e.tools.texts([]string{name}) {
			e.facts.call = withCwd(e.facts.call, dir)
		}
	}
	for _, name := range who.Tool.Command {
		texts, err := e.tools.args.Take(name)
		switch {
		case err != nil:
			return nil, errNoCommand
		case len(texts) == 0:
		case e.tools.args.Raw(name)[0] == '[' && who.Tool.Words:
			return slices.Clone(texts), nil
		case e.tools.args.Raw(name)[0] == '[':
			return nil, errNoCommand
		default:
			return []string{e.shell(who.Tool), "-c", texts[0]}, nil
		}
	}
	return nil, errNoCommand
}

func withCwd(call *v1.Call, dir string) *v1.Call {
	if dir == "" {
		return call
	}
	moved := *call
	if !path.IsAbs(dir) {
		dir = path.Join(call.Cwd, dir)
	}
	moved.Cwd = dir
	return &moved
}

// shell is the program that runs the tool's lines.
func (e *extraction) shell(t *catalog.Tool) string {
	for _, name := range []string{t.Shell, e.facts.call.Session.Shell} {
		if name != "" {
			return name
		}
	}
	return "bash"
}

// containment gathers the paths of one obligation.
type containment struct {
	*extraction
	obligation v1.Obligation
	left       int
	// judging is true if operators name paths that count by the session.
	judging bool
	// repositories are directories with a .git.
	repositories []string
}

func (c *containment) fill(duty v1.Duty) error {
	o, data := &c.obligation, &c.x.Lists.Contain
	c.scope.AddRoots(scope.RootsWithRepositories)
	switch {
	case duty.Reads == v1.ReadsKnown && duty.Profile == v1.ProfileReadOnly:
		o.Read = []string{"/"}
		return nil
	case duty.Reads != v1.ReadsListed:
		return fmt.Errorf("no run in the profile %q can read %q", duty.Profile, duty.Reads)
	}
	c.add(&o.Read, data.Read.System, data.Read.Home, data.Read.Settings)
	if duty.Profile == v1.ProfileProject {
		c.add(&o.Write, data.Write.Home)
	}
	var roots []string
	for i := range c.scope.Roots {
		root := &c.scope.Roots[i]
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
	for i := range c.grants.List {
		if space := c.grants.GrantedSpace(c.grants.List[i].Root); space != "" {
			roots = append(roots, c.grants.List[i].Root)
		}
	}
	return c.look(roots)
}

// add adds what is there of names.
func (c *containment) add(to *[]string, lists ...[]string) {
	for _, list := range lists {
		for _, name := range list {
			if name = c.view.ExpandHome(name); name == "" {
				continue
			}
			if resolved, err := c.view.Resolver.Resolve(name); err == nil && resolved.Exists && !c.sensitive.OwnPlace(resolved.Real) {
				*to = appendNew(*to, resolved.Real)
			}
		}
	}
}

// protect names what stays as it is in a root, be it there or not.
func (c *containment) protect(root string) {
	for _, name := range c.x.Lists.Contain.Protected {
		if !strings.ContainsAny(name, "*?[") && name != ".git" {
			c.obligation.Protect = appendNew(c.obligation.Protect, root+"/"+name)
		}
	}
	c.protectGit(root + "/.git")
}

func (c *containment) protectGit(dir string) {
	info, err := c.view.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		c.obligation.Protect = appendNew(c.obligation.Protect, dir)
		return
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		c.obligation.Protect = appendNew(c.obligation.Protect, dir)
		return
	}
	for _, name := range c.x.Lists.Contain.Git {
		c.obligation.Protect = appendNew(c.obligation.Protect, dir+"/"+name)
	}
}

// protectNamed names what a repository's settings have git run and read, wherever it lies: a
// hook that the run left would be run by the next commit. A repository whose settings can't be
// told is refused anyway.
func (c *containment) protectNamed(repository string) {
	verdict := c.repos.InspectAnywhere(repository, "status")
	for _, name := range slices.Concat(verdict.Hooks, verdict.Files) {
		resolved, err := c.view.Resolver.Resolve(name)
		if err != nil {
			continue
		}
		if slices.ContainsFunc(c.obligation.Write, func(root string) bool { return resolved.Real != root && paths.Within(resolved.Real, root) }) {
			c.obligation.Protect = appendNew(c.obligation.Protect, resolved.Real)
		}
	}
}

// look reads through everything that the run will see of the session's directories, hides
// the secrets, and protects what no agent changes.
func (c *containment) look(roots []string) error {
	o := &c.obligation
	slices.Sort(roots)
	var seen []string
	for _, root := range roots {
		if slices.ContainsFunc(seen, func(above string) bool { return paths.Within(root, above) }) {
			continue
		}
		seen, o.Read = append(seen, root), appendNew(o.Read, root)
		if err := c.walk(root); err != nil {
			return err
		}
	}
	for _, name := range c.x.Lists.Contain.Hide {
		c.hide(name)
	}
	for _, name := range c.x.Lists.Contain.Secrets {
		if c.view.Home != "" && !strings.HasPrefix(name, "/") {
			c.hide(c.view.Home + "/" + name)
		}
	}
	for _, own := range c.x.Own {
		c.hide(own)
	}
	for _, name := range c.x.Lists.Contain.Read.Settings {
		if name = c.view.ExpandHome(name); name != "" && c.kept.SettingsHoldCredentials(name) {
			c.hide(name)
		}
	}
	return nil
}

// hide hides a path that is there and could be read.
func (c *containment) hide(name string) {
	resolved, err := c.view.Resolver.Resolve(name)
	if err != nil || !resolved.Exists {
		return
	}
	if slices.ContainsFunc(c.obligation.Read, func(root string) bool { return paths.Within(resolved.Real, root) }) {
		c.obligation.Hide = appendNew(c.obligation.Hide, resolved.Real)
	}
}

// visit judges a name, and walks on.
func (c *containment) visit(full string, entry *entry) error {
	o := &c.obligation
	if c.classes.SecretFile(full) || c.classes.SecretDirectory(full) || c.kept.SecretSettings(full) || c.judged(full) {
		o.Hide = append(o.Hide, full)
		return c.oneName(full, entry)
	}
	if entry.name == ".git" {
		c.repositories = append(c.repositories, path.Dir(full))
	}
	if o.Profile == v1.ProfileProject {
		switch name := entry.name; {
		case name == ".git":
			c.protectGit(full)
		case slices.Contains(c.x.Lists.Contain.Protected, name):
			o.Protect = appendNew(o.Protect, full)
		}
	}
	if entry.kind.IsDir() && !strings.HasSuffix(full, "/.git/objects") {
		return c.walk(full)
	}
	return nil
}

// judged reports whether a path is in a class of the operator's that has an effect.
func (c *containment) judged(full string) bool {
	return slices.ContainsFunc(c.x.Lists.Classes, func(class lists.PathClass) bool { return class.Judged && c.classes.InClass(&class, full) != "" })
}

// oneName refuses a secret that another name of the file would show. What a hidden directory
// holds may have other names outside; these are not looked for.
func (c *containment) oneName(full string, entry *entry) error {
	if !entry.kind.IsRegular() {
		return nil
	}
	if resolved, err := c.view.Resolver.Resolve(full); err != nil || resolved.HardLinks {
		return fmt.Errorf("%s has other names, by which it could be read", full)
	}
	return nil
}
