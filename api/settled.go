package api

import (
	"sync"

	v1 "policyd/api/v1"
)

// mostSettled bounds the decided calls that are remembered.
const mostSettled = 4096

// settledCalls are calls that were decided, for clients that ask their user about
// a call again by its name alone. The zero value is empty. It may be used
// concurrently.
type settledCalls struct {
	mu      sync.Mutex
	effects map[string]v1.Effect
	// order has the keys in a ring, next being the oldest.
	order []string
	next  int
}

// put remembers a call; one without a key is passed over. A model's server may
// name two calls alike: where they were decided differently it isn't known which
// of them a question is about, and a person answers it.
func (s *settledCalls) put(key string, effect v1.Effect) {
	if key == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.effects == nil {
		s.effects = map[string]v1.Effect{}
	}
	before, known := s.effects[key]
	if known && before != effect {
		effect = v1.EffectPrompt
	}
	if !known {
		if len(s.order) < mostSettled {
			s.order = append(s.order, key)
		} else {
			delete(s.effects, s.order[s.next])
			s.order[s.next] = key
			s.next = (s.next + 1) % mostSettled
		}
	}
	s.effects[key] = effect
}

func (s *settledCalls) get(key string) (effect v1.Effect, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	effect, known = s.effects[key]
	return effect, known
}
