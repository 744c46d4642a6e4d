package extract

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync"
	"time"

	v1 "policyd/api/v1"
	"policyd/extract/arguments"
	"policyd/extract/catalog"
	"policyd/extract/disk"
	"policyd/extract/git/history"
	"policyd/extract/git/trust"
	"policyd/extract/gitreach"
	"policyd/extract/lists"
	"policyd/extract/obligation"
	"policyd/extract/ownaddress"
	"policyd/extract/paths"
	"policyd/extract/producers"
	"policyd/extract/scope"
	"policyd/extract/shell"
	"policyd/extract/shell/host"
	"policyd/extract/shell/memo"
	"policyd/extract/watched"
	"policyd/extract/which"
)

// Options describe the sidecar that extraction works for.
type Options struct {
	// Home is the sidecar's own home directory. It is sensitive, whatever home
	// a session claims.
	Home string
	// Own are directories that hold policyd's state, tokens and socket.
	Own []string
	// Protected are files that policyd was told to read: settings and bundles.
	Protected []string
	// Address is the address that the sidecar listens on, host:port, and ConsoleAddress that
	// of its console; empty is none.
	Address, ConsoleAddress string
	// Hostnames are names of this machine, by which the sidecar is reached as well.
	Hostnames []string
	// Platform is what an unnamed session platform means: linux, darwin or windows.
	Platform string
	// Now is the clock; nil is the system's. A repository that changed within
	// its last seconds is inspected anew.
	Now func() time.Time
	// LookupEnv finds a variable of the sidecar's environment, which counts for sessions with its
	// home; nil is an empty environment.
	LookupEnv func(name string) (value string, set bool)
	// Watch has the kernel vouch for directories that are asked about again and again,
	// where it can; elsewhere, and without it, each is asked about in every call.
	Watch bool
}

// maxRepositories bounds how many verdicts about repositories are remembered.
const maxRepositories = 256

// Base is what does not depend on a policy: the built-in tool catalog, the built-in program
// table and the git reader. It is safe for concurrent use.
type Base struct {
	options Options
	address ownaddress.Addresses
	// ownBefore and protectedBefore are the real names that those of the options had at the start.
	ownBefore, protectedBefore []string
	// builtin are the tables without what operators add: an extractor has its own.
	builtin   *tables
	reader    *trust.Reader
	gitTables *gitreach.Tables
	// watched is nil where nothing is watched.
	watched *watched.Directories
	// now is the time since the Unix epoch.
	now func() time.Duration
	// pool holds extractions that are over.
	pool sync.Pool
}

// NewBase loads the embedded tables. The caller closes it.
func NewBase(options Options) (*Base, error) {
	table, err := shell.NewTable()
	if err != nil {
		return nil, fmt.Errorf("load extraction tables: %w", err)
	}
	catalog, err := catalog.Load()
	if err != nil {
		return nil, fmt.Errorf("load extraction tables: %w", err)
	}
	reader, err := trust.New(trust.Options{Cache: trust.NewCache(maxRepositories), Now: options.Now})
	if err != nil {
		return nil, fmt.Errorf("load extraction tables: %w", err)
	}
	gitTables, err := gitreach.Load()
	if err != nil {
		return nil, fmt.Errorf("load extraction tables: %w", err)
	}
	base := &Base{
		options: options, address: ownaddress.New([]string{options.Address, options.ConsoleAddress}, options.Hostnames), ownBefore: realNames(options.Own, nil), protectedBefore: realNames(options.Protected, nil),
		builtin: &tables{table: table, lines: memo.New(table), catalog: catalog}, reader: reader, now: sinceEpoch(options.Now), gitTables: gitTables,
	}
	if options.Watch {
		// A kernel that gives no watch leaves it nil, which knows nothing.
		base.watched, _ = watched.Open()
	}
	return base, nil
}

// Check reports the first entry of the built-in program table that can't be used, among those of some programs or of all
// if none is named. Such a program is an unknown one.
func (b *Base) Check(programs ...string) error { return b.builtin.table.Check(programs...) }

// Watched is how many directories the kernel vouches for.
func (b *Base) Watched() int { return b.watched.Known() }

// Close ends the watches. Calls may still be extracted.
func (b *Base) Close() { b.watched.Close() }

// realNames adds the real names of paths to those that they had before.
func realNames(paths, before []string) []string {
	names := slices.Clone(before)
	for _, path := range paths {
		names = lists.AppendNew(names, realOrSelf(path))
	}
	return names
}

func realOrSelf(path string) string {
	var resolver paths.Resolver
	if resolved, err := resolver.Resolve(path); err == nil {
		return resolved.Real
	}
	return path
}

// Extractor makes facts for one policy snapshot. It is safe for concurrent use.
type Extractor struct {
	*Base
	*tables
	*scope.Policy
	programMemory which.Memory
	// listings and swept are of directories that contained runs see: the session's, and those of tools.
	listings, swept obligation.Listings
}

// With makes the extractor for a snapshot, given data.policyd as plain Go. It looks
// anew at where policyd's own files lie: that a bundle is reached over another link
// by now is what a new snapshot may be made for.
func (b *Base) With(policyd map[string]any) (*Extractor, error) {
	read, err := lists.New(policyd, b.options.Home)
	if err != nil {
		return nil, err
	}
	settings, _ := policyd["settings"].(map[string]any)
	extended, err := b.builtin.with(settings)
	if err != nil {
		return nil, err
	}
	return &Extractor{Base: b, tables: extended, Policy: &scope.Policy{
		Lists: read, Own: realNames(b.options.Own, b.ownBefore), Protected: realNames(b.options.Protected, b.protectedBefore), Home: b.options.Home,
		Git: b.reader, Past: history.NewPast(func(path string) bool { return read.Secrets.File(path) != "" }), Clients: extended.catalog.Aliases,
		GitFiles: b.gitTables.Stores.Files, GitDirectories: b.gitTables.Stores.Directories,
	}}, nil
}

// Extract makes the facts of a call. It never fails: what can't be established
// leaves the facts incomplete or an item with a caveat. grants are the path
// grants that hold for the call's session and agent; their roots are real names
// as Place returns them. A root that is reached over a link by now, or that has
// become sensitive, gives no space.
// A call that exceeds a limit has facts that nothing can allow; ExtractContext says why.
func (x *Extractor) Extract(call *v1.Call, grants []v1.PathGrant) v1.Facts {
	facts, _ := x.ExtractContext(context.Background(), call, grants, 0) // the facts are incomplete then
	return facts
}

// extract makes the facts.
func (e *extraction) extract(grants []v1.PathGrant) v1.Facts {
	x, call := e.x, e.facts.call
	e.session()
	who := x.catalog.Identify(call.Session.Agent, call.Tool, call.Protocol)
	e.facts.Schema = v1.FactsSchema
	e.facts.Tool = v1.ToolFacts{
		Name: call.Tool, Kind: who.Kind(), Client: who.Client, Protocol: call.Protocol, Known: who.Known,
	}
	e.facts.about(who.Kind())
	e.surroundings(grants)
	e.facts.Complete = true
	args, err := arguments.DecodeInto(e.arguments[:0], call.Args, x.catalog.Arguments)
	if err != nil {
		e.facts.doubt("arguments_unreadable")
		return e.facts.finish()
	}
	e.tools.args = args
	switch {
	case who.Tool != nil:
		e.tools.catalogued(who.Tool)
	case who.Method != nil:
		e.facts.Tool.Namespace = who.Method.Namespace
		e.acp(who.Method)
	case who.Server != "":
		e.mcp(who)
	default:
		e.other(call.Tool)
	}
	return e.facts.finish()
}

// extraction is the work on one call. Its parts hold pointers to those that they ask.
type extraction struct {
	x     *Extractor
	facts builder
	view  disk.View
	// arguments is memory for those of the call.
	arguments [6]arguments.Argument

	sessionPlaces
	diskReaders
	gitReaders
	lineReaders
	toolReaders
}

// sessionPlaces say whose a path is.
type sessionPlaces struct {
	sensitive   scope.SensitiveRoots
	grants      scope.Grants
	scratch     scope.Scratch
	scope       scope.Scope
	permissions scope.Permissions
}

// diskReaders say what lies at a path, and what is reached from there.
type diskReaders struct {
	classes   scope.Classifier
	links     scope.HardLinks
	trees     disk.Walker
	globs     disk.Globs
	choice    which.Choice
	programs  which.Project
	producers producers.Producers
}

// gitReaders say what git does and prints.
type gitReaders struct {
	repos   scope.Repositories
	kept    scope.GitKept
	tracked gitreach.Tracked
	prints  gitreach.Prints
	gits    gitreach.Commands
}

// lineReaders make facts of command lines.
type lineReaders struct {
	locator  locator
	aliases  aliasTable
	placer   placer
	accesses accesses
	commands commands
}

// toolReaders make facts of tool calls.
type toolReaders struct {
	tools tools
	files fileTools
	acps  acpReader
}

// wire makes the parts of an extraction for a call, each with those that it asks.
func (e *extraction) wire(x *Extractor, call *v1.Call) {
	e.x = x
	e.facts = builder{call: call, lists: x.Lists, room: &room{}}
	e.sessionPlaces = sessionPlaces{
		sensitive:   scope.SensitiveRoots{View: &e.view, Policy: x.Policy},
		grants:      scope.Grants{Sensitive: &e.sensitive},
		scratch:     scope.Scratch{View: &e.view, Policy: x.Policy, Session: &e.facts.Session, Scope: &e.scope, Sensitive: &e.sensitive},
		scope:       scope.Scope{View: &e.view, Lists: x.Lists, Sensitive: &e.sensitive, Grants: &e.grants, Scratch: &e.scratch, Repos: &e.repos},
		permissions: scope.Permissions{View: &e.view, Scope: &e.scope, Grants: &e.grants},
	}
	e.diskReaders = diskReaders{
		classes: scope.Classifier{View: &e.view, Policy: x.Policy, Scope: &e.scope, Scratch: &e.scratch},
		links:   scope.HardLinks{View: &e.view, Policy: x.Policy, Scope: &e.scope, Classes: &e.classes, Kept: &e.kept},
		trees: disk.Walker{
			View: &e.view, Spaces: &e.scope, Secrets: &e.classes, Links: &e.links, Repos: &e.kept, Listed: &x.Lists.Secrets,
			FileTypes: x.catalog.FileTypes,
		},
		globs:    disk.Globs{View: &e.view, Spaces: &e.scope},
		choice:   which.Choice{View: &e.view, Scope: &e.scope, Globs: &e.globs, Trees: &e.trees},
		programs: which.Project{View: &e.view, Cwd: &e.facts.Cwd, Memory: &x.programMemory, Scope: &e.scope, Globs: &e.globs},
		producers: producers.Producers{
			View: &e.view, Session: &e.facts.Session, Repos: &e.repos, Home: x.options.Home, LookupEnv: x.options.LookupEnv,
		},
	}
	e.gitReaders = gitReaders{
		repos: scope.Repositories{View: &e.view, Policy: x.Policy, Scope: &e.scope},
		kept:  scope.GitKept{Repos: &e.repos, View: &e.view, Policy: x.Policy},
		tracked: gitreach.Tracked{
			View: &e.view, Scope: &e.scope, Repos: &e.repos, Classes: &e.classes, Links: &e.links, Trees: &e.trees,
		},
		prints: gitreach.Prints{View: &e.view, Tables: x.gitTables, Classes: &e.classes, Links: &e.links, Tracked: &e.tracked},
		gits: gitreach.Commands{
			View: &e.view, Tables: x.gitTables, Scope: &e.scope, Repos: &e.repos, Classes: &e.classes, Links: &e.links, Kept: &e.kept, Prints: &e.prints,
		},
	}
	e.wireReaders(x)
}

// wireReaders makes the parts that write the facts.
func (e *extraction) wireReaders(x *Extractor) {
	asks := e.commands.asks
	if asks.Plain == nil {
		asks = host.Options{
			Plain: e.view.Direct, Enterable: e.permissions.Enterable, Readable: e.permissions.Readable, Textual: e.permissions.Textual,
			Toplevel: e.repos.Toplevel, Directories: e.globs.Directories, Produced: e.producers.Path,
		}
	}
	e.lineReaders = lineReaders{
		locator: locator{
			facts: &e.facts, view: &e.view, scope: &e.scope, classes: &e.classes, links: &e.links, kept: &e.kept, aliases: &e.aliases,
		},
		aliases: aliasTable{lineChanges: lineChanges{view: &e.view}, facts: &e.facts, locator: &e.locator, repos: &e.repos, placer: &e.placer},
		placer:  placer{facts: &e.facts, view: &e.view, locator: &e.locator, classes: &e.classes, globs: &e.globs},
		accesses: accesses{
			facts: &e.facts, view: &e.view, lines: x.lines, scope: &e.scope, classes: &e.classes, locator: &e.locator, aliases: &e.aliases,
			placer: &e.placer, globs: &e.globs, trees: &e.trees, tracked: &e.tracked, repos: &e.repos,
		},
		commands: commands{
			facts: &e.facts, view: &e.view, lines: x.lines, address: x.address, scope: &e.scope, sensitive: &e.sensitive, locator: &e.locator, aliases: &e.aliases,
			accesses: &e.accesses, choice: &e.choice, programs: &e.programs, gits: &e.gits, asks: asks,
		},
	}
	e.toolReaders = toolReaders{
		tools: tools{facts: &e.facts, view: &e.view, address: x.address, locator: &e.locator, commands: &e.commands, files: &e.files},
		files: fileTools{
			facts: &e.facts, view: &e.view, fileTypes: x.catalog.FileTypes, locator: &e.locator, classes: &e.classes, placer: &e.placer, trees: &e.trees, globs: &e.globs,
			repos: &e.repos, tools: &e.tools,
		},
		acps: acpReader{
			facts: &e.facts, view: &e.view, catalog: x.catalog, table: x.table, commands: &e.commands, tools: &e.tools, files: &e.files,
		},
	}
}

// session normalizes the session: what is missing is read in the narrowest way.
func (e *extraction) session() {
	s := &e.facts.call.Session
	audience := s.Audience
	if audience != v1.AudiencePersonal && audience != v1.AudienceTeam {
		audience = v1.AudiencePublic
	}
	platform := s.Platform
	if platform == "" {
		platform = e.x.options.Platform
	}
	e.facts.Session = v1.SessionFacts{
		ID: s.ID, Agent: s.Agent, Audience: audience, Interactive: s.Attended(), Platform: platform,
		ProjectDir: s.ProjectDir, SessionDir: s.SessionDir, Tools: v1.Set(s.Tools),
	}
	e.view.Home = s.Home
	if e.view.Home == "" {
		e.view.Home = e.x.options.Home
	}
	e.view.Resolver.Names, e.view.Resolver.Map = paths.NamesOf(platform), e.x.Lists.PathMap
	e.view.Resolver.Watched, e.view.Now = e.x.watched.Now(), e.x.now
	if platform == "windows" {
		e.onWindows()
	} else if !path.IsAbs(e.view.Home) {
		e.view.Home = "" // the shell's own ~ leads elsewhere than a path from the working directory
	}
}

// total turns a nil slice into an empty one: facts hold no null. What is appended
// later never lands in memory that somebody else may hold.
func total[S ~[]T, T any](s S) S {
	if s == nil {
		return S{}
	}
	return slices.Clip(s)
}

// sinceEpoch is the time since the Unix epoch by a clock; nil is the system's.
func sinceEpoch(clock func() time.Time) func() time.Duration {
	if clock == nil {
		clock = time.Now
	}
	return func() time.Duration { return time.Duration(clock().UnixNano()) }
}

// surroundings resolves the session's directories and the working directory (V4, P14).
func (e *extraction) surroundings(grants []v1.PathGrant) {
	s := &e.facts.call.Session
	e.scope.Begin(s, grants)
	for _, dir := range []*string{&e.facts.Session.ProjectDir, &e.facts.Session.SessionDir} {
		if resolved, err := e.view.Resolver.Resolve(*dir); err == nil {
			*dir = resolved.Real
		}
	}
	for _, dir := range []string{e.facts.call.Cwd, s.ProjectDir, s.SessionDir} {
		if dir == "" {
			continue
		}
		if resolved, err := e.view.Resolve(dir); err == nil {
			e.facts.Cwd = resolved.Real
		}
		return
	}
}

// onWindows reads the session as one on Windows.
func (e *extraction) onWindows() {
	e.view.Windows, e.view.Resolver.Windows = true, true
	e.view.Home = e.facts.call.Session.Home
	if e.view.Home == "" && path.IsAbs(e.x.options.Home) == (e.facts.call.Session.ProjectDir != "" && e.facts.call.Session.ProjectDir[0] == '/') {
		e.view.Home = e.x.options.Home // the sidecar's own, where that is of the same kind
	}
	if clean, err := paths.WindowsPath(e.view.Home); err == nil {
		e.view.Home = clean
	} else {
		e.view.Home = ""
	}
}
