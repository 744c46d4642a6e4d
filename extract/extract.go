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
	"policyd/extract/git"
	"policyd/extract/lists"
	"policyd/extract/ownaddress"
	"policyd/extract/paths"
	"policyd/extract/shell"
	"policyd/extract/watched"
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
	// own and protected are the real names that those of the options had at the start.
	own, protected []string
	// builtin are the tables without what operators add: an extractor has its own.
	builtin *tables
	git     *git.Reader
	// gitReaders are the git commands that print contents, by verb chain, gitWalks the options
	// that say of which commits.
	gitReaders map[string]gitReader
	gitWalks   *gitWalks
	gitStores  *gitStores
	// watched is nil where nothing is watched.
	watched *watched.Directories
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
	reader, err := git.New(git.Options{Cache: git.NewCache(maxRepositories), Now: options.Now})
	if err != nil {
		return nil, fmt.Errorf("load extraction tables: %w", err)
	}
	gitReaders, err := loadGitReaders()
	if err != nil {
		return nil, fmt.Errorf("load extraction tables: %w", err)
	}
	gitWalks, err := loadGitWalks()
	if err != nil {
		return nil, fmt.Errorf("load extraction tables: %w", err)
	}
	gitStores, err := loadGitStores()
	if err != nil {
		return nil, fmt.Errorf("load extraction tables: %w", err)
	}
	base := &Base{
		options: options, address: ownaddress.New([]string{options.Address, options.ConsoleAddress}, options.Hostnames), own: realNames(options.Own, nil), protected: realNames(options.Protected, nil),
		builtin: &tables{table: table, lines: shell.NewMemo(table), catalog: catalog}, git: reader, gitReaders: gitReaders, gitWalks: gitWalks, gitStores: gitStores,
	}
	if options.Watch {
		// A kernel that gives no watch leaves it nil, which knows nothing.
		base.watched, _ = watched.Open()
	}
	return base, nil
}

// Watched is how many directories the kernel vouches for.
func (b *Base) Watched() int { return b.watched.Known() }

// Close ends the watches. Calls may still be extracted.
func (b *Base) Close() { b.watched.Close() }

// realNames adds the real names of paths to those that they had before.
func realNames(paths, before []string) []string {
	names := slices.Clone(before)
	for _, path := range paths {
		names = appendNew(names, realOrSelf(path))
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
	lists     *lists.Lists
	homes     disk.Memory[[]lists.Root]
	rootNames rootNames
	// noPlaces are of directories that programs could be in.
	noPlaces disk.Memory[noPlaces]
	// noPrograms are names of programs that are missing in a directory of them.
	noPrograms disk.Memory[[]string]
	// listings are of directories that contained runs see.
	listings listings
	// past is what commits hold of secret files.
	past *git.Past
	// own and protected are the real names of what is policyd's own: links on the way
	// may have been pointed elsewhere since the start.
	own, protected []string
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
	return &Extractor{
		Base: b, tables: extended, lists: read, past: git.NewPast(func(path string) bool { return read.Secrets.File(path) != "" }), own: realNames(b.options.Own, b.own), protected: realNames(b.options.Protected, b.protected),
	}, nil
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
	x, call := e.x, e.call
	e.session()
	who := x.catalog.Identify(call.Session.Agent, call.Tool, call.Protocol)
	e.facts.Schema = v1.FactsSchema
	e.facts.Tool = v1.ToolFacts{
		Name: call.Tool, Kind: who.Kind(), Client: who.Client, Protocol: call.Protocol, Known: who.Known,
	}
	e.about(who.Kind())
	e.surroundings(grants)
	e.facts.Complete = true
	args, err := arguments.DecodeInto(e.work.arguments[:0], call.Args, x.catalog.Arguments)
	if err != nil {
		e.doubt("arguments_unreadable")
		return e.finish()
	}
	e.args = args
	switch {
	case who.Tool != nil:
		e.catalogued(who.Tool)
	case who.Method != nil:
		e.facts.Tool.Namespace = who.Method.Namespace
		e.acp(who.Method)
	case who.Server != "":
		e.mcp(who)
	default:
		e.other(call.Tool)
	}
	return e.finish()
}

// extraction is the work on one call.
type extraction struct {
	x     *Extractor
	call  *v1.Call
	args  arguments.Arguments
	facts v1.Facts
	// gitAnswers counts how often commits and refs were read for their names, pastBudget
	// what was read of history.
	gitAnswers int
	pastBudget git.Budget

	view       disk.View
	roots      []paths.Root
	grants     []v1.PathGrant
	granted    map[string]bool // whether the root of a grant gives a space, once asked
	sensitives []lists.Root    // of the homes
	rootStage  rootStage       // which roots were looked up
	scratches  []string        // the client's own directories that the agent works in
	line       bool            // a command line is being read
	foreign    bool            // on Windows, by a shell of Unix
	crossed    bool            // where it prints to may be a file that it reads
	// aliases are the names that the line makes, commandIndex the command whose paths are looked at, and
	// aliasDepth how many names led to the one that is.
	aliases []alias
	// sought is the path class that is looked for in the place of secrets; nil for secrets.
	sought                   *lists.PathClass
	commandIndex, aliasDepth int

	bounds      bounds
	room        *room
	work        workspace
	walked      walked
	projectBins projectPlaces
}

func (e *extraction) about(key string) {
	for _, known := range e.facts.About {
		if known == key {
			return
		}
	}
	e.facts.About = append(e.facts.About, key)
}

// doubt makes the facts incomplete and says why.
func (e *extraction) doubt(code string) {
	e.facts.Complete = false
	for _, known := range e.facts.Doubts {
		if known == code {
			return
		}
	}
	e.facts.Doubts = append(e.facts.Doubts, code)
}

// session normalizes the session: what is missing is read in the narrowest way.
func (e *extraction) session() {
	s := &e.call.Session
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
	e.view.Resolver.Names, e.view.Resolver.Map = paths.NamesOf(platform), e.x.lists.PathMap
	e.view.Resolver.Watched, e.view.Now = e.x.watched.Now(), e.x.now
	if platform == "windows" {
		e.onWindows()
	} else if !path.IsAbs(e.view.Home) {
		e.view.Home = "" // the shell's own ~ leads elsewhere than a path from the working directory
	}
}

// finish fills what rules look things up by, and makes the facts total.
func (e *extraction) finish() v1.Facts {
	f := &e.facts
	f.Tool.Act = f.Tool.JudgedAs()
	e.about(f.Tool.Act)
	verbs, names := distinct{list: f.Verbs}, distinct{list: f.Names}
	for i := range f.Items {
		item := &f.Items[i]
		e.about(item.Kind)
		if item.Kind == v1.ItemCommand {
			verbs.add(item.Verb)
		}
		item.Form = total(item.Form)
		item.Touches, item.Caveats, item.Within, item.Reaches = total(item.Touches), total(item.Caveats), total(item.Within), total(item.Reaches)
		e.aboutItem(item)
	}
	for i := range f.Paths {
		path := &f.Paths[i]
		e.about(path.Op)
		e.aboutPath(path)
		names.add(paths.Base(path.Real))
		path.Class, path.Caveats = total(path.Class), total(path.Caveats)
		path.Links = total(path.Links)
	}
	f.Verbs, f.Names = verbs.list, names.list
	if len(f.Items) == 0 && f.Complete && f.Tool.Kind == v1.ToolShell && !f.Messy {
		e.about("nothing")
	}
	if e.x.lists.Ruled[f.Session.Agent] {
		e.about("ruled")
	}
	f.About, f.Verbs, f.Names, f.Doubts = total(f.About), total(f.Verbs), total(f.Names), total(f.Doubts)
	f.Items, f.Paths, f.Session.Tools = total(f.Items), total(f.Paths), total(f.Session.Tools)
	f.Method.Peers = total(f.Method.Peers)
	return e.facts
}

// aboutPath adds the keys by which rules that deny or ask are indexed. They
// are derived here, from the finished facts alone, so that no way of making a
// path can forget one.
func (e *extraction) aboutPath(path *v1.Path) {
	changes := path.Op == v1.OpWrite || path.Op == v1.OpDelete
	switch {
	case path.Space == v1.SpaceOutside:
		e.about("outside")
	case path.Space == v1.SpaceGrantRead && changes:
		e.about("read_only")
	}
	if path.Caveats.Has("network") {
		e.about("network_device")
	}
	for _, class := range path.Class {
		switch class.Name {
		case "secret", "secret_directory":
			e.about("secret")
		case "protected", "protected_always":
			e.about("protected")
		case "own":
			e.about("own")
		case "delete_allow":
		default:
			e.about("class")
		}
	}
}

// aboutItem does the same for the caveats of items.
func (e *extraction) aboutItem(item *v1.Item) {
	if len(item.Reaches) > 0 {
		e.about("class")
	}
	for _, caveat := range item.Caveats {
		switch caveat {
		case "reads_environment", "secret_variable":
			e.about("environment")
		case "own_program", "own_address":
			e.about("own")
		case reachesSecret, reachesOutside, reachesUnknown:
			e.about("reach")
		}
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

func appendNew(list []string, text string) []string {
	for _, known := range list {
		if known == text {
			return list
		}
	}
	return append(list, text)
}

// now is the time since the Unix epoch.
func (b *Base) now() time.Duration {
	if b.options.Now != nil {
		return time.Duration(b.options.Now().UnixNano())
	}
	return time.Duration(time.Now().UnixNano())
}
