package git

import (
	"path/filepath"
	"slices"
	"time"

	"policyd/extract/git/syntax"
	"policyd/extract/stat"
)

// Options are the collaborators of a Reader. Both may be left out.
type Options struct {
	Cache *Cache
	Now   func() time.Time
}

// Reader inspects repositories. It may be used concurrently.
type Reader struct {
	table *keyTable
	cache *Cache
	now   func() time.Time
}

// New returns a Reader, or an error if the embedded key table is malformed.
func New(options Options) (*Reader, error) {
	table, err := loadKeyTable(embeddedKeys)
	if err != nil {
		return nil, err
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	return &Reader{table: table, cache: options.Cache, now: options.Now}, nil
}

// Inspect judges one command. It never fails: what can't be read or understood
// is a verdict that is not trusted.
func (r *Reader) Inspect(q Query) Verdict {
	if r.cache == nil || q.View != nil {
		verdict, _ := r.inspect(q)
		return verdict
	}
	key := keyOf(q)
	if verdict, ok := r.cache.get(key, q.Seen, r.now); ok {
		return verdict
	}
	verdict, seen := r.inspect(q)
	if stat.Exact && !seen.unstable {
		alone, guards := guarded(seen.dependencies, seen.now)
		r.cache.put(key, &cacheEntry{verdict: verdict, alone: alone, guards: guards})
	}
	return verdict
}

func (r *Reader) inspect(q Query) (Verdict, *probe) {
	seen := &probe{now: time.Duration(r.now().UnixNano()), view: q.View}
	in := &inspection{probe: seen, table: r.table, query: q, runs: r.table.runsOf(q.Subcommand)}
	verdict := Verdict{view: q.View}
	err := in.judge(&verdict)
	verdict.Credentials, verdict.MapsPushes = in.credentials, in.mapsPushes
	verdict.Files = in.files
	verdict.Recurses, verdict.ShowsStash = in.shows.submodules && in.repositories > 1, in.shows.stash
	verdict.ShowsUntracked, verdict.Follows = in.shows.untracked, in.shows.follows
	verdict.AltersNames, verdict.AltersStatus = in.shows.names, in.shows.status
	if err != nil {
		verdict.Trusted = false
		verdict.Reason = err.Error()
		return verdict, seen
	}
	verdict.Trusted = true
	return verdict, seen
}

// inspection is one Inspect under way.
type inspection struct {
	probe        *probe
	table        *keyTable
	query        Query
	runs         runs
	repositories int
	userHooks    []string
	credentials  []string
	// files are those that settings name, userFileSettings what the person's name
	// relative to the work tree.
	files, userFileSettings []string
	mapsPushes              bool
	shows                   shows
	// roots are the query's, and the top of a work tree that lies above them.
	roots []string
	above bool
}

func (in *inspection) judge(v *Verdict) error {
	dir := in.query.Dir
	if !filepath.IsAbs(dir) || filepath.Clean(dir) != dir {
		return refuse(CodeDirectory, dir)
	}
	start, err := in.probe.stat(dir, true)
	if err != nil || start.Kind != stat.Directory {
		return refuse(CodeDirectory, dir)
	}
	place, err := in.discover(dir)
	if err != nil {
		v.Repository = true
		return err
	}
	in.roots = in.query.TrustedRoots
	if place.top != "" && in.checkRoots("", place.top) != nil {
		in.above = true
		in.roots = append(slices.Clip(in.roots), place.top)
	}
	if err := in.inspectUserConfig(); err != nil {
		return err
	}
	if place.layout == layoutNone {
		v.Reason = CodeNoRepository
		return nil
	}
	v.Repository, v.Top, v.GitDir, v.CommonDir = true, place.top, place.gitDir, place.commonDir
	v.Above = in.above
	if err := in.checkLayout(place); err != nil {
		return err
	}
	if err := in.inspectRepository(place, v, 0); err != nil {
		return err
	}
	v.Reason = CodeTrusted
	return nil
}

// checkLayout holds the repository to the places that git itself sets up. One
// that a file tool can assemble anywhere (a bare directory, a gitfile that its
// target knows nothing of) is not the project's own.
func (in *inspection) checkLayout(place repository) error {
	switch place.layout {
	case layoutBare:
		return refuse(CodeBare, place.gitDir)
	case layoutDirectory:
		if place.commonDir != place.gitDir {
			return refuse(CodeCommonDir, place.gitDir)
		}
		if place.gitDir != filepath.Join(place.top, ".git") {
			return refuse(CodeLinkedGitDir, place.gitDir)
		}
	case layoutGitfile:
		if err := in.checkBackLink(place); err != nil {
			return err
		}
	case layoutNone:
	}
	if in.above {
		return in.checkOwner(place)
	}
	return nil
}

func (in *inspection) checkRoots(code, path string) error {
	for _, root := range in.roots {
		if syntax.Within(root, path) {
			return nil
		}
	}
	return refuse(code, path)
}
