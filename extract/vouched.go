package extract

import (
	"sync"
	"time"

	"policyd/extract/stat"
)

// vouched remembers what is known of the names in a directory, as long as the
// directory's stamp says that none was added, removed or replaced. It is for names that
// are no links, missing ones among them: what a link leads to can change without a trace
// in the directory. It may be used concurrently; the zero value is ready to use.
type vouched[T any] struct {
	mutex sync.RWMutex
	known map[string]vouchedFor[T]
}

type vouchedFor[T any] struct {
	stamp stat.Stamp
	value T
}

const (
	maxVouched = 256
	// settledAfter is how old a directory's change must be before its stamp
	// tells two states apart: file systems count in steps of up to two seconds.
	settledAfter = 2 * time.Second
)

func (v *vouched[T]) get(dir string, stamp stat.Stamp) (value T, ok bool) {
	v.mutex.RLock()
	defer v.mutex.RUnlock()
	if found, known := v.known[dir]; known && found.stamp == stamp {
		return found.value, true
	}
	return value, false
}

// put keeps what was learned after before gave the stamp, which must be present.
func (v *vouched[T]) put(dir string, stamp stat.Stamp, value T) {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	if v.known == nil || len(v.known) >= maxVouched {
		v.known = make(map[string]vouchedFor[T], 1)
	}
	v.known[dir] = vouchedFor[T]{stamp: stamp, value: value}
}

// recall is what was learned of a directory, if it is as it was then. The way there is
// looked at in every call.
func recall[T any](e *extraction, memory *vouched[T], dir string) (value T, ok bool) {
	if !e.stamped(dir) {
		return value, false
	}
	stamp, ok := e.resolver.Stamp(dir)
	if !ok {
		return value, false
	}
	return memory.get(dir, stamp)
}

// before is the stamp to keep what is about to be learned of a directory with. It is
// taken first, so that a later change shows, and absent where it can't vouch for names.
func (e *extraction) before(dir string) stat.Stamp {
	now := e.x.now()
	stamp, err := stat.Path(dir, false)
	if err != nil || !e.stamped(dir) || stamp.Changed+settledAfter >= now {
		return stat.Stamp{}
	}
	return stamp
}

// stamped reports whether a directory lies where its path says and its stamp tells
// its states apart.
func (e *extraction) stamped(dir string) bool {
	if !stat.Exact || e.windows || e.x.lists.PathMap != nil {
		return false // else the name isn't the sidecar's
	}
	resolved, err := e.resolver.Resolve(dir)
	return err == nil && resolved.Real == dir && resolved.Dir && !resolved.ViaProc
}

// now is the time since the Unix epoch.
func (b *Base) now() time.Duration {
	if b.options.Now != nil {
		return time.Duration(b.options.Now().UnixNano())
	}
	return time.Duration(time.Now().UnixNano())
}
