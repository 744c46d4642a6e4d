package disk

import (
	"sync"
	"time"

	"policyd/extract/stat"
)

// Memory remembers what is known of the names in a directory, as long as the
// directory's stamp says that none was added, removed or replaced. It is for names that
// are no links, missing ones among them: what a link leads to can change without a trace
// in the directory. It may be used concurrently; the zero value is ready to use.
type Memory[T any] struct {
	mutex sync.RWMutex
	Known map[string]vouchedFor[T]
}

type vouchedFor[T any] struct {
	stamp stat.Stamp
	value T
}

const (
	maxVouched = 256
	// SettledAfter is how old a directory's change must be before its stamp
	// tells two states apart: file systems count in steps of up to two seconds.
	SettledAfter = 2 * time.Second
)

// Get is what is known of a directory with a stamp.
func (m *Memory[T]) Get(dir string, stamp stat.Stamp) (value T, ok bool) {
	m.mutex.RLock()
	defer m.mutex.RUnlock()
	if found, known := m.Known[dir]; known && found.stamp == stamp {
		return found.value, true
	}
	return value, false
}

// Put keeps what was learned after before gave the stamp, which must be present.
func (m *Memory[T]) Put(dir string, stamp stat.Stamp, value T) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.Known == nil || len(m.Known) >= maxVouched {
		m.Known = make(map[string]vouchedFor[T], 1)
	}
	m.Known[dir] = vouchedFor[T]{stamp: stamp, value: value}
}

// Recall is what was learned of a directory, if it is as it was then. The way there is
// looked at in every call.
func (m *Memory[T]) Recall(v *View, dir string) (value T, ok bool) {
	if !v.Stamped(dir) {
		return value, false
	}
	stamp, ok := v.Resolver.Stamp(dir)
	if !ok {
		return value, false
	}
	return m.Get(dir, stamp)
}
