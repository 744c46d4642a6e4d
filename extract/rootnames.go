package extract

import (
	"strings"
	"sync"

	"policyd/extract/paths"
)

// rootName is the name of a directory, and what its meaning hangs on.
type rootName struct {
	real, home string
	names      paths.Names
	windows    bool
}

// mostRootNames bounds how many names are remembered: an agent can make them up.
const mostRootNames = 256

// rootNames remembers which names are sensitive roots'. The zero value is ready to use,
// concurrently.
type rootNames struct {
	mutex sync.RWMutex
	known map[rootName]bool
}

func (r *rootNames) get(name rootName) (sensitive, known bool) {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	sensitive, known = r.known[name]
	return sensitive, known
}

func (r *rootNames) put(name rootName, sensitive bool) {
	name.real, name.home = strings.Clone(name.real), strings.Clone(name.home)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.known == nil || len(r.known) >= mostRootNames {
		r.known = make(map[rootName]bool)
	}
	r.known[name] = sensitive
}
