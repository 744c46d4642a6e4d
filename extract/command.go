package extract

import (
	"slices"
	"strings"

	v1 "policyd/api/v1"
	"policyd/extract/argv"
	"policyd/extract/disk"
	"policyd/extract/gitreach"
	"policyd/extract/lists"
	"policyd/extract/ownaddress"
	"policyd/extract/patch"
	"policyd/extract/paths"
	"policyd/extract/scope"
	"policyd/extract/shell/command"
	"policyd/extract/shell/host"
	"policyd/extract/shell/memo"
	"policyd/extract/value"
	"policyd/extract/which"
	"policyd/extract/windows"
)

// itemScratch is memory for the item that is being made. It is used again, so nothing in it may be handed out.
type itemScratch struct {
	item    v1.Item
	touched touched
	caveats [8]string
	reals   [8]string
	links   [4]string
}

// commands makes the items of command lines.
type commands struct {
	facts     *builder
	view      *disk.View
	lines     *memo.Memo
	address   ownaddress.Addresses
	scope     *scope.Scope
	sensitive *scope.SensitiveRoots
	locator   *locator
	aliases   *aliasTable
	accesses  *accesses
	choice    *which.Choice
	programs  *which.Project
	gits      *gitreach.Commands
	// asks are the answers to what a command line leaves open on the disk, made once.
	asks    host.Options
	scratch itemScratch
}

// commandLine makes the items of one command line.
func (r *commands) commandLine(line string) {
	r.locator.line = true
	parsed := r.parse(line)
	r.locator.crossed = parsed.Crossed
	if len(parsed.Messy) > 0 {
		r.facts.Messy = true
		for _, code := range parsed.Messy {
			r.facts.Doubts = lists.AppendNew(r.facts.Doubts, code)
		}
	}
	r.aliases.begin(parsed.Commands)
	for i := range parsed.Commands {
		r.aliases.current = i
		r.accesses.trees.RulesChange = r.aliases.rulesChange()
		index := r.command(&parsed.Commands[i], line)
		r.exclude(index, &parsed.Commands[i], line)
	}
	r.aliases.end()
	r.accesses.trees.RulesChange = false
	if r.facts.Messy && len(r.facts.Items) == 0 {
		// Something runs, and nothing of it could be named.
		r.facts.Items = append(r.facts.Items, v1.Item{Kind: v1.ItemCommand, Path: -1, Directory: r.facts.Cwd})
	}
}

// parse reads a command line as the session's shell does.
func (r *commands) parse(line string) *command.Line {
	options := r.asks
	options.Shell, options.Platform = r.facts.call.Session.Shell, r.facts.Session.Platform
	options.Home, options.Cwd = r.view.Home, r.facts.Cwd
	if r.facts.Session.Platform == "windows" && options.Shell == "" {
		options.Shell = "cmd"
	}
	r.locator.foreign = r.view.Windows && !windows.Is(options.Shell)
	return r.lines.Parse(line, &options)
}

// Describe returns what is known of a command line of a session before its paths are resolved.
// Facts are made of it; it is for people who look for the reason of a decision.
func (x *Extractor) Describe(session *v1.Session, cwd, line string) command.Description {
	e := x.begin(&v1.Call{Cwd: cwd, Session: *session})
	defer e.end()
	e.session()
	e.surroundings(nil)
	return e.commands.parse(line).Describe()
}

// command makes the item of one simple command, and one for every path
// outside that it touches (V1). It returns the index of the first.
func (r *commands) command(c *command.Command, line string) (index int) {
	r.facts.step()
	index = len(r.facts.Items)
	item, t := &r.scratch.item, &r.scratch.touched
	*item = v1.Item{
		Kind: v1.ItemCommand, Verb: c.Verb, Form: r.facts.room.form(c.Form), Path: -1,
	}
	r.facts.Items = append(r.facts.Items, *item)
	item.Caveats = append(r.scratch.caveats[:0], c.Caveats...)
	item.Risks = slices.Clip(c.Approval.Risks)
	*t = touched{item: index, set: r.facts.spaces[:0], reals: r.scratch.reals[:0], links: r.scratch.links[:0]}
	r.workingDirectories(t, item, c)
	inReals, inLinks := len(t.reals), len(t.links)
	first := len(r.facts.Paths)
	for i := range c.Accesses {
		r.accesses.access(t, item, c, &c.Accesses[i])
	}
	for i := range c.Implied.Held {
		r.accesses.access(t, item, c, &c.Implied.Held[i])
	}
	r.accesses.unpacked(t, c, first)
	r.patched(t, item, c, line)
	directory, named := r.effective(c)
	if named && c.Effective.WorksIn != argv.WorksInCwd {
		t.reals, t.links = t.reals[inReals:], t.links[inLinks:] // the paths say where it works
	}
	item.Within = r.locator.within(t, directory)
	item.Directory = r.widened(directory, item.Within)
	if paths.Depth(item.Directory) < 2 {
		item.Caveats.Add("shallow")
	}
	if item.Directory != "" && (t.abroad || t.set.Has(v1.OpList+"."+v1.SpaceOutside)) && r.sensitive.SensitiveRoot(item.Directory) {
		item.Caveats.Add("sensitive_directory")
	}
	r.aboutCommand(item, c, line)
	if t.unseen {
		item.Caveats.Add("unseen")
	}
	if t.linked {
		item.Caveats.Add(linkUnknown)
	}
	if t.special {
		item.Caveats.Add("special")
	}
	if t.secret {
		item.Caveats.Add(disk.ReachesSecret)
	}
	item.Touches, item.Caveats = r.facts.room.set(t.set...), r.facts.room.set(item.Caveats...)
	item.Risks, item.Values = r.facts.room.set(item.Risks...), c.Approval.Values.Clone()
	r.facts.Items[index] = *item
	r.facts.outside(first, index)
	return index
}

// workingDirectories adds every directory that the command may run in. A
// directory alone is listed, not read: what is read there is an access.
func (r *commands) workingDirectories(t *touched, item *v1.Item, c *command.Command) {
	switch c.Verb {
	case "cd", "pushd", "popd", ":", "echo", "printf", "true", "false", "((", "let":
		return // they touch nothing but what they are given; cd carries its effect to what follows
	}
	list := func(space string) {
		t.abroad = t.abroad || space == v1.SpaceOutside
		if c.Effective.WorksIn != argv.UsesPaths {
			t.add(v1.OpList, space)
		}
	}
	if !c.Cwd.Complete() {
		item.Caveats.Add("cwd_unknown")
		list(v1.SpaceUnknown)
		t.vague = true
	}
	for _, dir := range c.Cwd.Known {
		resolved, err := r.view.Resolve(dir)
		if err != nil || r.view.Hidden(&resolved) {
			item.Caveats.Add("cwd_unknown")
			list(v1.SpaceUnknown)
			t.vague = true
			continue
		}
		r.aliases.touchDirectory(t, dir)
		t.unseen = t.unseen || resolved.Unseen
		list(r.scope.SpaceOf(&resolved))
		if r.accesses.classes.ProtectedDirectory(resolved.Real) {
			item.Caveats.Add("protected_directory")
		}
		t.reals = append(t.reals, resolved.Real)
		t.links = append(t.links, resolved.Links...)
	}
}

// spelledRoot is what the paths below a directory begin with, as a command names them
// that walks it. Of a directory that a pattern or another command finds every
// part counts.
func spelledRoot(a *command.Access, root string) string {
	switch {
	case a.Naming == command.ByGlob || a.FromStream:
		return "./" + root + "/"
	case a.Text == "":
		return "./"
	}
	return a.Text + "/"
}

// effective is the directory that an approval would name (V3), and whether it is that of
// a path that the command names and not the one that it runs in.
func (r *commands) effective(c *command.Command) (directory string, named bool) {
	base := ""
	if c.Cwd.Single() {
		base = c.Cwd.Known[0]
	}
	if c.Effective.WorksIn != argv.WorksInCwd {
		if full, file := r.firstPath(c, base); full != "" {
			return r.directoryOf(full, file), true
		}
	}
	if base == "" {
		return "", false
	}
	resolved, err := r.view.Resolve(base)
	if err != nil {
		return "", false
	}
	return resolved.Real, false
}

// firstPath is the first path that a command names: the operand that is one, else the
// first path among its options, patterns and redirections. It is empty where there is none.
// file is true where the path is one that is written, and so no directory to come.
func (r *commands) firstPath(c *command.Command, base string) (full string, file bool) {
	operand := c.Effective.Operand
	if operand == "./..." {
		operand = "."
	}
	if operand == "." && base != "" && !r.view.Windows {
		return base, false // the same, without a string of its own
	}
	if operand != "" {
		if full := r.view.Absolute(operand, base); full != "" {
			return full, c.Effective.File
		}
	}
	for i := range c.Accesses {
		a := &c.Accesses[i]
		if full := r.certainPath(a, base); full != "" && !strings.HasPrefix(full, "/dev/") {
			return full, a.Op == v1.OpWrite && a.Naming != command.ByGlob
		}
	}
	return "", false
}

// certainPath is the path that an access names whatever is there, of a pattern the directory that it starts from.
// It is empty for other accesses.
func (r *commands) certainPath(a *command.Access, base string) string {
	glob := a.Naming == command.ByGlob
	if !glob && a.Naming != command.ByName || a.Presence != command.Always || a.Matches == command.NoMatch || r.view.Windows && glob {
		return ""
	}
	if len(a.Dirs) == 1 {
		base = a.Dirs[0]
	}
	text := a.Text
	if glob {
		literal := text[:disk.MetaIndex(text)]
		text = value.Unescape(literal[:strings.LastIndexByte(literal, '/')+1])
	}
	return r.view.Absolute(shellExpanded(text), base)
}

// widened is the directory that an approval of a command would name: the effective one,
// or the nearest above it in the session's own directories that holds all that the
// command touches.
func (r *commands) widened(directory string, within v1.Set) string {
	if len(within) == 0 || within.Has(directory) {
		return directory
	}
	switch r.scope.Space(within[0]) {
	case v1.SpaceSession, v1.SpaceProject, v1.SpaceGrantRead, v1.SpaceGrantReadWrite:
		return within[0]
	}
	return directory
}

// directoryOf is an existing directory itself, the parent of an existing file,
// and of what is missing the parent if it has an extension or is a file to come.
func (r *commands) directoryOf(full string, file bool) string {
	resolved, err := r.view.Resolve(full)
	if err != nil {
		return ""
	}
	base := paths.Base(resolved.Real)
	if resolved.Dir || !resolved.Exists && !file && !strings.Contains(strings.TrimLeft(base, "."), ".") {
		return resolved.Real
	}
	return paths.Parent(resolved.Real)
}

// aboutGit adds what the repository makes of a git command. Behind another one that moves refs or the work tree, what
// the repository holds now says nothing of what is printed.
func (r *commands) aboutGit(item *v1.Item, c *command.Command) {
	r.gits.Trust(item, c)
	r.gits.Push(item, c)
	r.gits.Paths(item, c)
	if r.gits.Unseen(c) && r.aliases.before(func(other *command.Command) bool { return other.Implied.Changes != command.ChangesNothing }) {
		item.Caveats.Add("line_changes_repository")
	}
}

// aboutCommand adds the caveats that need the disk, the lists or the whole line.
func (r *commands) aboutCommand(item *v1.Item, c *command.Command, line string) {
	for _, name := range c.Variables {
		if r.facts.lists.Variables.Match(name) != "" {
			item.Caveats.Add("secret_variable")
		}
	}
	if c.Selection.SearchesCwd && r.choice.Shadowed(c) {
		item.Caveats.Add("project_chooses_program")
	}
	if c.Program == "git" {
		r.aboutGit(item, c)
	}
	if len(c.Selection.Imports) > 0 && r.choice.Imports(c) {
		item.Caveats.Add("project_chooses_program")
	}
	if len(c.Selection.ChosenBy) > 0 && r.choice.Chosen(c) || r.programs.Has(c) {
		item.Caveats.Add("project_chooses_program")
	}
	if len(c.Selection.ChosenBy) > 0 && r.aliases.rewrites(c.Selection.ChosenBy) || r.aliases.replaces(c.Program) {
		item.Caveats.Add("line_chooses_program")
	}
	if answer := r.choice.ReadAbove(c); answer != disk.ReachesNone {
		item.Caveats.Add(answer)
	}
	r.addressed(item, c, line)
}

// addressed adds the caveats of a command that reaches the network, or may: own_address if
// it names the sidecar's address in its words as the shell expands them, in a redirection,
// or in the line, whose assignments it may follow; dynamic_word if only the run knows
// which port it names.
func (r *commands) addressed(item *v1.Item, c *command.Command, line string) {
	self := r.address
	for _, access := range c.Accesses {
		for _, device := range []string{"/dev/tcp/", "/dev/udp/"} {
			if rest, found := strings.CutPrefix(access.Text, device); found && self.Pair(strings.Split(rest, "/")) {
				item.Caveats.Add("own_address")
			}
		}
	}
	if !slices.ContainsFunc(connecting, item.Caveats.Has) {
		return
	}
	if self.Given(c.Argv) || self.WithPort(line, ownaddress.AnyHost) {
		item.Caveats.Add("own_address")
	}
	if self.Uncertain(c.Argv) {
		item.Caveats.Add("dynamic_word")
	}
}

// excludable reports whether a command that reaches a secret would reach none with the
// exclusions: it is extracted again with them, and nothing of that is kept. Only trees that the
// command walks itself are affected; names that another command finds are not.
func (r *commands) excludable(c *command.Command, line string) bool {
	walks := func(a command.Access) bool { return a.Below == command.Tree && !a.FromStream && a.Tracked == nil }
	if len(r.facts.lists.Exclusions) == 0 || !slices.ContainsFunc(c.Accesses, walks) {
		return false
	}
	trial := *c
	trial.Accesses = slices.Clone(c.Accesses)
	for i := range trial.Accesses {
		if a := &trial.Accesses[i]; walks(*a) {
			a.Exclude = lists.Concat(a.Exclude, r.facts.lists.Exclusions)
		}
	}
	before := r.facts.mark()
	index := r.command(&trial, line)
	secret := r.facts.Items[index].Caveats.Has(disk.ReachesSecret)
	r.facts.Items, r.facts.Paths = r.facts.Items[:before.items], r.facts.Paths[:before.paths]
	r.facts.forgetDoubts(before)
	return !secret
}

// exclude adds a caveat to the item of a command that would reach no secret if it left out the
// names that an exclusion hint lists (data.policyd.config.exclusions).
func (r *commands) exclude(index int, c *command.Command, line string) {
	item := &r.facts.Items[index]
	if !item.Caveats.Has(disk.ReachesSecret) || !r.excludable(c, line) {
		return
	}
	item = &r.facts.Items[index] // the trial may have moved them
	item.Caveats = r.facts.room.set(append(slices.Clone(item.Caveats), "secret_excludable")...)
}

// patched adds what the patch of a command changes to what the command
// touches. The patch stands in the line or in a file that the command reads;
// one that is elsewhere, or can't be read wholly, is a caveat.
func (r *commands) patched(t *touched, item *v1.Item, c *command.Command, line string) {
	format := patcher(c)
	if format == nil {
		return
	}
	dirs := c.Cwd.Known
	if c.Cwd.Others || len(dirs) == 0 {
		dirs = append(slices.Clip(dirs), "")
	}
	envelope := c.Program == "apply_patch" || c.Program == "applypatch"
	texts, known := r.patches(c, line, dirs[0], envelope)
	for _, text := range texts {
		changes, ok := format(text)
		known = known && ok
		for _, change := range changes {
			known = known && !strings.ContainsAny(change.Path, "$`\\'\"")
			r.patchedPath(t, change, dirs, !envelope)
		}
	}
	if !known {
		item.Caveats.Add("patch_unread")
	}
}

// patcher is the format of the patch that a command applies, or compares with files; nil if there is none.
func patcher(c *command.Command) patch.Format {
	format := patchers[c.Verb]
	if format == nil {
		format = patchers[c.Program]
	}
	switch {
	case c.Verb != "git apply" || !slices.ContainsFunc(patchPreviews[:4], c.Has) || !c.OnlyForm(patchPreviews...):
		return format
	case !c.Has("--check"):
		return nil
	}
	return func(text string) ([]patch.Change, bool) {
		changes, known := format(text)
		for i := range changes {
			changes[i].Op = v1.OpRead
		}
		return changes, known
	}
}

// patches are the texts of the patches that a command is given: in its line, or in the files that it reads. known is
// false if there may be others.
func (r *commands) patches(c *command.Command, line, dir string, envelope bool) (texts []string, known bool) {
	texts = patch.InLine(line, envelope)
	known = patch.HandedTo(c.Verb[strings.LastIndexByte(c.Verb, ' ')+1:], line)
	for i := range c.Accesses {
		if access := &c.Accesses[i]; access.Op == v1.OpRead && access.Naming == command.ByName {
			texts = append(texts, r.patchFile(r.view.Absolute(access.Text, dir)))
			known = true
		}
	}
	return texts, known && len(texts) > 0 &&
		(envelope || !slices.ContainsFunc(c.Form, func(option v1.Entry) bool { return !patchOptions[option.Name] }))
}

// patchedPath adds a path that a patch changes, and where an option may strip
// leading segments what is left of it.
func (r *commands) patchedPath(t *touched, change patch.Change, dirs []string, strips bool) {
	for path, more := change.Path, true; more && path != ""; {
		for _, dir := range dirs {
			r.locator.touch(t, path, dir, change.Op)
		}
		_, path, more = strings.Cut(path, "/")
		more = more && strips
	}
}

// patchFile is the text of a file; empty, which is no patch, where it can't be
// read.
func (r *commands) patchFile(path string) string {
	if info, err := r.view.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() > maxPatch {
		return ""
	}
	text, err := r.view.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(text)
}

// connecting are the caveats of commands that reach the network, or may.
var connecting = []string{"network", "unknown_program", "runs_anything", "executes", "inline_code"}

// mark is how far the facts were made at some time.
type mark struct {
	items, paths, doubts int
	messy, complete      bool
}

// patchers are commands that apply a patch, and the format that each reads.
// What is no patch of that format it skips, as a comment.
var patchers = map[string]patch.Format{
	"apply_patch": patch.ParseEnvelope, "applypatch": patch.ParseEnvelope, "patch": patch.ParseUnified, "git apply": patch.ParseUnified, "git am": patch.ParseUnified,
}

// maxPatch bounds how much is read of a file that holds a patch.
const maxPatch = 1 << 20

// patchPreviews are options and operands with which git apply changes nothing if one of the first four is among them. With
// --check, whether it fails shows what the files hold that the patch names.
var patchPreviews = []string{
	"--stat", "--numstat", "--summary", "--check", "<patch>", "-z", "-p", "--verbose", "--quiet", "--reverse", "--exclude", "--include",
	"--no-add", "-C", "--no-pager", "--recount", "--unidiff-zero", "--whitespace", "--ignore-whitespace", "--allow-empty", "--inaccurate-eof",
}

// patchOptions are the options and operands of those commands that don't change
// where a patch leads, but by stripping segments.
var patchOptions = map[string]bool{
	"<patch>": true, "-i": true, "-p": true, "-R": true, "--reverse": true, "-N": true, "--forward": true, "-v": true, "--verbose": true,
	"-q": true, "--quiet": true, "-s": true, "--silent": true, "--check": true, "--stat": true, "--numstat": true, "--summary": true,
	"--index": true, "--cached": true, "-3": true, "--3way": true, "--reject": true, "--whitespace": true, "--dry-run": true,
}
