package extract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	v1 "policyd/api/v1"
	"policyd/extract/arguments"
	"policyd/extract/catalog"
	"policyd/extract/disk"
	"policyd/extract/obligation"
	"policyd/extract/shell/tree"
)

// Contain makes the obligation that a duty means for a call, and the argv that runs it. It
// walks the directories that the session may read, within ctx. With an error the call can't
// be contained. It is safe for concurrent use.
func (x *Extractor) Contain(ctx context.Context, call *v1.Call, grants []v1.PathGrant, duty v1.Duty) (run v1.Containment, err error) {
	e := x.begin(call)
	defer e.end()
	defer func() {
		if early := stoppedBy(recover()); early != nil {
			err = early
		}
	}()
	e.facts.bounds.ctx = ctx
	e.session()
	if lists := &x.Lists.Contain; len(lists.Read.System) == 0 || len(lists.Links) == 0 || len(lists.Environment.Drop) == 0 {
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
	c := obligation.Builder{
		View: &e.view, Scope: &e.scope, Grants: &e.grants, Sensitive: &e.sensitive, Classes: &e.classes, Kept: &e.kept, Repos: &e.repos,
		Policy: x.Policy, Directories: &obligation.Directories{
			View: &e.view, Listings: &x.listings, Swept: &x.swept, Step: e.facts.step, Now: x.now, Left: obligation.MaxContained,
		},
		Judging: x.Lists.Judges(),
		Obligation: v1.Obligation{
			Kind: duty.Kind, Profile: duty.Profile, Network: v1.NetworkNone, Environment: x.Lists.Contain.Environment,
			Read: []string{}, Write: []string{}, Protect: []string{}, Hide: []string{},
		},
	}
	if err := c.Fill(duty); err != nil {
		return v1.Containment{}, err
	}
	for _, dir := range c.Repositories {
		if err := c.ProtectNamed(dir); err != nil {
			return v1.Containment{}, err
		}
		if err := x.noSecretsInCommits(ctx, call, grants, dir); err != nil {
			return v1.Containment{}, err
		}
	}
	run.Obligation = c.Obligation
	return run, namable(&run.Obligation)
}

// namable refuses names that aren't UTF-8: JSON would replace bytes of them, and the run would hide and protect
// others.
func namable(o *v1.Obligation) error {
	for _, name := range slices.Concat(o.Read, o.Write, o.Protect, o.Links, o.Hide) {
		if !utf8.ValidString(name) {
			return fmt.Errorf("the name of %q isn't UTF-8", name)
		}
	}
	return nil
}

// errNoCommand means that there is nothing that could be run contained.
var errNoCommand = errors.New("the call holds no single command line that could be run contained")

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
	_, rest, stays := tree.Enters(argv[len(argv)-1])
	return !stays || rest == ""
}

// begins is the directory in which a contained run begins. Where the shell of the call keeps
// its directory, the changes that the line begins with are taken from argv: enter is then the
// directory that this shell itself has to enter.
func (e *extraction) begins(argv []string) (cwd, enter string, err error) {
	if !e.facts.call.Session.LastingShell || e.facts.Cwd == "" {
		return e.facts.Cwd, "", nil
	}
	entries, rest, stays := tree.Enters(argv[len(argv)-1])
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
func (e *extraction) enter(cwd string, entry tree.Entry) (string, error) {
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
