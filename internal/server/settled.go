package server

import (
	"crypto/sha256"
	"sync"

	v1 "policyd/api/v1"
)

// mostSettled bounds the decided calls that are remembered.
const mostSettled = 4096

// settledKey is the digest of a call's name, which a client may make as long as a request.
type settledKey [sha256.Size]byte

// settledCalls are decided calls, for clients that later ask their user about a call by its id alone. The
// zero value is empty. It may be used concurrently.
type settledCalls struct {
	mu      sync.Mutex
	effects map[settledKey]v1.Effect
	// order has the keys in a ring, next being the oldest.
	order []settledKey
	next  int
}

// put stores a call; one without a key is ignored. A model's server may use one id twice. If the two calls
// were decided differently, a question about the id is ambiguous, and a person answers it.
func (s *settledCalls) put(name string, effect v1.Effect) {
	if name == "" {
		return
	}
	key := settledKey(sha256.Sum256([]byte(name)))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.effects == nil {
		s.effects = map[settledKey]v1.Effect{}
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

func (s *settledCalls) get(name string) (effect v1.Effect, known bool) {
	key := settledKey(sha256.Sum256([]byte(name)))
	s.mu.Lock()
	defer s.mu.Unlock()
	effect, known = s.effects[key]
	return effect, known
}
