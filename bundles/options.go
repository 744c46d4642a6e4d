package bundles

import (
	"io/fs"
	"log/slog"
	"time"
)

const (
	// defaultDeadline is far above a judgement's time (tens of microseconds), also on a busy machine: a valid
	// call must not be denied for that.
	defaultDeadline = 2 * time.Second
	// defaultDebounce lets an editor or a copy finish before the bundle is read.
	defaultDebounce = 100 * time.Millisecond
)

// Options configure the policy of an [Engine]. The zero value of every field except FS is valid.
type Options struct {
	// Source is a bundle directory or a .tar.gz bundle; empty is FS alone.
	Source string
	// FS is the embedded bundle. It is needed unless Source replaces it.
	FS fs.FS
	// Schema is the JSON schema of facts, against which rules of operators are checked; nil
	// checks none.
	Schema []byte
	// Ahead is what [ReadAhead] returned of FS; nil reads FS when it is needed.
	Ahead *Ahead
	// Settings are merged over data.policyd.settings: objects member by member,
	// anything else replaces. They must be of the kinds that JSON knows.
	Settings map[string]any
	// Additions returns more settings, which may differ at each activation; nil has none. They are merged
	// over Settings in the same way.
	Additions func() map[string]any
	// Prepare is called before a snapshot is activated, with data.policyd (keys config,
	// settings) as plain Go, numbers as json.Number; the callee must not change the map.
	// Its result hangs on the snapshot, and its error refuses the activation.
	Prepare func(policyd map[string]any) (any, error)
	// Deadline bounds one judgement; 0 is 2 s.
	Deadline time.Duration
	// Remembered is how many judgements a snapshot remembers, to answer the same input again without
	// evaluating; 0 means none.
	Remembered int
	// TestOnActivate runs the own tests of a bundle that is not embedded first, without
	// Settings, and refuses a bundle in which one fails.
	TestOnActivate bool
	// WithoutSmoke leaves out the built-in cases that every policy has to decide correctly. Use it only for a
	// policy that doesn't judge calls.
	WithoutSmoke bool
	// Services is OPA's own configuration of bundles: its keys bundles, discovery, keys, labels, services and
	// status. Empty means none.
	Services map[string]any
	// PersistDir is where bundles of services are stored for the next start; it is required with Services.
	PersistDir string
	// MaxAge bounds the time since a service confirmed the active policy, before Stale is true; 0 means no
	// limit.
	MaxAge time.Duration
	// BodyPatience bounds the body of a service's answer in time; 0 means a minute.
	BodyPatience time.Duration
	// Watch reloads when Source or a bundle of a file:// resource changes on disk.
	Watch bool
	// Debounce is how long Watch waits for changes to settle; 0 is 100 ms.
	Debounce time.Duration
	// Logger logs reloads that nobody called for; nil is silent.
	Logger *slog.Logger
	// OnActivate is called after each activation and before Status states it, OnReject after each refused reload.
	// Both are called by one goroutine at a time and must not call Reload or Close.
	OnActivate func(*Snapshot)
	OnReject   func(error)
	// Now is the clock of Status; nil is time.Now.
	Now func() time.Time
	// idle is true while no policy is active, so that a build keeps no judgement waiting.
	idle bool
	// facts is Schema, read when it is needed.
	facts factsSchema
}

// settled returns the options with the current settings.
func (o Options) settled() Options {
	if o.Additions != nil {
		o.Settings = merge(merge(map[string]any{}, o.Settings), o.Additions())
	}
	return o
}

func (o Options) withDefaults() Options {
	if o.Deadline <= 0 {
		o.Deadline = defaultDeadline
	}
	if o.Debounce <= 0 {
		o.Debounce = defaultDebounce
	}
	if o.facts == nil {
		o.facts = newFactsSchema(o.Schema)
	}
	if o.BodyPatience <= 0 {
		o.BodyPatience = bodyPatience
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Prepare == nil {
		o.Prepare = func(map[string]any) (any, error) { return nil, nil }
	}
	if o.OnActivate == nil {
		o.OnActivate = func(*Snapshot) {}
	}
	if o.OnReject == nil {
		o.OnReject = func(error) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}
