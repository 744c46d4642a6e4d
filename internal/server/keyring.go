package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	v1 "policyd/api/v1"
)

// Role is what a caller may do.
type Role string

// The roles. The zero value has no rights.
const (
	RoleAgent    Role = "agent"    // may ask
	RoleOperator Role = "operator" // may ask, answer, grant and read everything
	RoleMetrics  Role = "metrics"  // may read /metrics
)

// Principal is the owner of a credential. The tokens of the state directory have no name: anybody on the
// machine may have them.
type Principal struct {
	Name string
	Role Role
}

// Key is a token and whom it represents.
type Key struct {
	Principal
	Token string
}

// credential is who a request is from. It doesn't change.
type credential struct {
	caller v1.Caller
	role   Role
	// ended is done when the credential is no longer valid; nil means never.
	ended context.Context //nolint:containedctx // it is the credential's own life
	end   context.CancelFunc
	key   Key
	sum   [sha256.Size]byte
}

// newCredential makes the credential of a principal. Agents are distinguished by their names, so that what
// one registered isn't another's.
func newCredential(who Principal) *credential {
	identity := tokenIdentity
	if who.Name != "" {
		identity = "name:" + who.Name
	}
	return &credential{caller: v1.Caller{Operator: who.Role == RoleOperator, Identity: identity, Name: who.Name}, role: who.Role}
}

// Keyring contains the valid tokens. It may be used concurrently, and changed while requests are served.
type Keyring struct {
	changing sync.Mutex
	current  atomic.Pointer[[]*credential]
}

// NewKeyring returns a keyring with these keys.
func NewKeyring(keys []Key) (*Keyring, error) {
	ring := &Keyring{}
	return ring, ring.Replace(keys)
}

// Tokens returns the valid tokens.
func (r *Keyring) Tokens() []string {
	var tokens []string
	for _, known := range *r.current.Load() {
		tokens = append(tokens, known.key.Token)
	}
	return tokens
}

// Replace replaces the keys. Held requests of a removed key end. On an error nothing changes.
func (r *Keyring) Replace(keys []Key) error {
	r.changing.Lock()
	defer r.changing.Unlock()
	if err := checkKeys(keys); err != nil {
		return err
	}
	var before []*credential
	if current := r.current.Load(); current != nil {
		before = *current
	}
	after := make([]*credential, 0, len(keys))
	for _, key := range keys {
		at := slices.IndexFunc(before, func(old *credential) bool { return old.key == key })
		if at >= 0 {
			after = append(after, before[at])
			continue
		}
		made := newCredential(key.Principal)
		made.key, made.sum = key, sha256.Sum256([]byte(key.Token))
		made.ended, made.end = context.WithCancel(context.Background())
		after = append(after, made)
	}
	r.current.Store(&after)
	for _, old := range before {
		if !slices.Contains(after, old) {
			old.end()
		}
	}
	return nil
}

// checkKeys checks that a token is long enough, and has one principal.
func checkKeys(keys []Key) error {
	for i, key := range keys {
		if len(key.Token) < shortestToken {
			return errors.New("check tokens: a token is missing or shorter than 43 characters")
		}
		if key.Role != RoleAgent && key.Role != RoleOperator && key.Role != RoleMetrics {
			return fmt.Errorf("check tokens: the role %q is not known", key.Role)
		}
		if slices.ContainsFunc(keys[:i], func(other Key) bool { return other.Token == key.Token }) {
			return errors.New("check tokens: two of them are the same")
		}
	}
	return nil
}

// id identifies the token of a credential without revealing it; empty for a credential without one.
func (c *credential) id() string {
	if c == nil || c.key.Token == "" {
		return ""
	}
	twice := sha256.Sum256(c.sum[:])
	return hex.EncodeToString(twice[:])
}

// Holds reports whether a token is valid, by its id, and belongs to an operator.
func (r *Keyring) Holds(id string) bool {
	return id != "" && slices.ContainsFunc(*r.current.Load(), func(known *credential) bool {
		return known.role == RoleOperator && known.id() == id
	})
}

// find returns the credential of a token, nil for an invalid one. It compares every key, and digests have one
// length, so that its time reveals nothing.
func (r *Keyring) find(token string) *credential {
	sum := sha256.Sum256([]byte(token))
	var found *credential
	for _, key := range *r.current.Load() {
		if subtle.ConstantTimeCompare(sum[:], key.sum[:]) == 1 {
			found = key
		}
	}
	return found
}
