// Package terminals stores the terminals of sessions and their owners (N5).
//
// A decision is about a request, and the response contains the name of the terminal. So an allowed
// terminal/create leaves a creation, and a name is bound to it later: by the host, which reports the name in
// the response, or by the first request with a new name, if the host reports nothing. A name is bound only to
// a creation of its own session, and only for the peer that was asked to create it.
//
// Everything is in memory: terminals end with their host, and those of a sidecar
// that was started again are not known any more.
package terminals

import (
	"fmt"
	"slices"
	"sync"

	v1 "policyd/api/v1"
)

// Bounds. What is beyond them is forgotten, and so refused.
const (
	// MaxSessions is how many sessions may have terminals.
	MaxSessions = 10_000
	// MaxCreations is how many creations of one session wait for a name. The oldest
	// go first: most likely they failed.
	MaxCreations = 64
	// MaxTerminals is how many terminals of one session have a name.
	MaxTerminals = 256
)

// Codes of errors.
const (
	CodeNotFound = "not_found"         // no creation that waits for a name
	CodeConflict = "terminal_conflict" // the name or the peer contradicts what is known
	CodeTooMany  = "too_many_terminals"
)

// Registry contains the terminals of all sessions. It may be used concurrently. Its zero value is not ready;
// New makes one.
type Registry struct {
	mu       sync.Mutex
	sessions map[string]*session
}

type session struct {
	creations []creation
	// terminals maps names to the peers that made them; empty is the host, or a
	// peer that it doesn't name.
	terminals map[string]string
	// reported is true once the host has reported a terminal: then only reported ones count.
	reported bool
}

// creation is an allowed terminal/create whose terminal has no name yet.
type creation struct {
	decision, peer string
	// broadcast is true if it went to every subscriber: then the host must report who answered.
	broadcast bool
}

// New returns a registry without terminals.
func New() *Registry { return &Registry{sessions: map[string]*session{}} }

// Created stores an allowed terminal/create: its decision and its destination.
func (r *Registry) Created(id, decision string, route v1.Route) {
	r.mu.Lock()
	defer r.mu.Unlock()
	held := r.sessions[id]
	if held == nil {
		if len(r.sessions) >= MaxSessions {
			for other := range r.sessions {
				delete(r.sessions, other) // any: its terminals are unknown, and refused
				break
			}
		}
		held = &session{terminals: map[string]string{}}
		r.sessions[id] = held
	}
	if len(held.creations) >= MaxCreations {
		held.creations = slices.Delete(held.creations, 0, 1)
	}
	held.creations = append(held.creations, creation{
		decision: decision, peer: route.Peer, broadcast: route.Mode == "collaborative" || route.Mode == "unsafe_debug",
	})
}

// Claim returns the owner of a session's terminal, and whether it exists. A new name is bound to the oldest
// creation without one, unless the host reports names itself, or the creations went to different peers.
// Without bind it only returns what would happen.
func (r *Registry) Claim(id, terminal string, bind bool) (peer string, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	held := r.sessions[id]
	if held == nil || terminal == "" {
		return "", false
	}
	if peer, known = held.terminals[terminal]; known {
		return peer, true
	}
	if held.reported || len(held.creations) == 0 || len(held.terminals) >= MaxTerminals {
		return "", false
	}
	peer = held.creations[0].peer
	if slices.ContainsFunc(held.creations, func(other creation) bool { return other.peer != peer }) {
		return "", false
	}
	if bind {
		held.creations = slices.Delete(held.creations, 0, 1)
		held.terminals[terminal] = peer
	}
	return peer, true
}

// Report binds the name in the response to a terminal/create. peers are those of the session. For a request
// that went to every subscriber the answering peer is required, and otherwise it is optional. An error wraps
// a *v1.CodedError.
func (r *Registry) Report(id string, report v1.TerminalReport, peers []v1.Peer) (v1.Terminal, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	held := r.sessions[id]
	at := -1
	if held != nil {
		at = slices.IndexFunc(held.creations, func(made creation) bool { return made.decision == report.DecisionID })
	}
	if at < 0 {
		return v1.Terminal{}, coded(CodeNotFound,
			"decision %q allowed no terminal/create of this session whose terminal has no name yet", report.DecisionID)
	}
	made := held.creations[at]
	if _, taken := held.terminals[report.TerminalID]; taken {
		return v1.Terminal{}, coded(CodeConflict, "terminal %q is known already; each has a name of its own", report.TerminalID)
	}
	if report.Peer != "" && report.Peer != made.peer {
		known := slices.ContainsFunc(peers, func(peer v1.Peer) bool { return peer.ID == report.Peer })
		if !made.broadcast || !known {
			return v1.Terminal{}, coded(CodeConflict, "peer %q was not asked to make the terminal", report.Peer)
		}
		made.peer = report.Peer
	}
	if len(held.terminals) >= MaxTerminals {
		return v1.Terminal{}, coded(CodeTooMany, "the session has %d terminals; release some of them first", MaxTerminals)
	}
	held.creations = slices.Delete(held.creations, at, at+1)
	held.terminals[report.TerminalID], held.reported = made.peer, true
	return v1.Terminal{TerminalID: report.TerminalID, Peer: made.peer}, nil
}

// Released forgets a terminal.
func (r *Registry) Released(id, terminal string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if held := r.sessions[id]; held != nil {
		delete(held.terminals, terminal)
	}
}

// End forgets all terminals of a session.
func (r *Registry) End(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.sessions, id)
}

func coded(code, format string, args ...any) error {
	return &v1.CodedError{Code: code, Err: fmt.Errorf(format, args...)}
}
