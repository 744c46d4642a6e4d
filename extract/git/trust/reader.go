package trust

import (
	"time"

	"policyd/extract/git/object"
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
	in := &inspection{
		probe: seen, query: q,
		settings: settings{probe: seen, table: r.table, runs: r.table.runsOf(q.Subcommand)},
		verdict:  Verdict{Repository: object.Repository{View: q.View}},
	}
	err := in.judge()
	v := in.verdict
	v.Formats = in.settings.formats
	v.Credentials = in.settings.credentials
	v.Effects |= in.settings.effects
	if in.repositories < 2 {
		v.Effects &^= Recurses // no submodule is there
	}
	v.Trusted = err == nil
	if err != nil {
		v.Reason = err.Error()
	}
	return v, seen
}
