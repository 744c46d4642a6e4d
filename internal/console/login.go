package console

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// How long a code may be used, and a session: without being used, and at all.
const (
	codeLife    = 2 * time.Minute
	idleLife    = 12 * time.Hour
	sessionLife = 7 * 24 * time.Hour
)

// Bounds of unused codes and of open sessions. Beyond it the oldest ends.
const (
	mostCodes    = 16
	mostSessions = 64
)

// noteSeen is how often the use of a session is written to the disk.
const noteSeen = time.Hour

// Operator is who has a session.
type Operator struct {
	// Name is what answers are signed with; it may be empty.
	Name string `json:"name"`
	// Credential identifies the credential that the session ends with; empty means none.
	Credential string `json:"credential"`
	// Until is when the session ends at the latest, beside its usual ends; zero is never.
	Until time.Time `json:"until,omitzero"`
}

// session is a browser that is logged in. Only a digest of its cookie is kept.
type session struct {
	Operator
	Digest string `json:"digest"`
	// Key is the public key of the browser, by which it proves writes.
	Key     string    `json:"key"`
	Created time.Time `json:"created"`
	Seen    time.Time `json:"seen"`
}

type code struct {
	operator Operator
	expires  time.Time
}

// logins keeps codes and sessions. It may be used concurrently.
type logins struct {
	clock func() time.Time
	// valid reports whether a credential is still valid.
	valid func(credential string) bool
	// file keeps the sessions over a restart; empty keeps none.
	file string

	mu       sync.Mutex
	codes    map[string]code // by digest
	spent    map[string]time.Time
	sessions map[string]*session // by digest
}

// newLogins reads the sessions that a file keeps. A file that can't be read keeps none.
func newLogins(clock func() time.Time, valid func(string) bool, file string) (*logins, error) {
	l := &logins{clock: clock, valid: valid, file: file, codes: map[string]code{}, spent: map[string]time.Time{}, sessions: map[string]*session{}}
	if file == "" {
		return l, nil
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return l, fmt.Errorf("read sessions of the console: %w", err)
	}
	var kept []*session
	if err := json.Unmarshal(text, &kept); err != nil {
		return l, fmt.Errorf("read sessions of the console: %w", err)
	}
	for _, one := range kept {
		if one != nil && one.Digest != "" {
			l.sessions[one.Digest] = one
		}
	}
	return l, nil
}

func secret() string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // it never fails: crypto/rand ends the program instead
	return base64.RawURLEncoding.EncodeToString(random[:])
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// newCode makes a code that can be used once.
func (l *logins) newCode(operator Operator) (text string, expires time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock()
	l.sweep(now)
	for len(l.codes) >= mostCodes {
		delete(l.codes, oldest(l.codes, func(c code) time.Time { return c.expires }))
	}
	text, expires = secret(), now.Add(codeLife)
	l.codes[digest(text)] = code{operator: operator, expires: expires}
	return text, expires
}

// Errors of an exchange.
var (
	errSpent   = errors.New("the link was used already")
	errExpired = errors.New("the link is too old or isn't one of this server")
)

// exchange spends a code for a cookie. key is the browser's.
func (l *logins) exchange(text, key string) (cookie string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.clock()
	name := digest(text)
	if _, spent := l.spent[name]; spent {
		return "", errSpent
	}
	found, known := l.codes[name]
	delete(l.codes, name)
	if !known || !now.Before(found.expires) || !l.counts(found.operator) {
		return "", errExpired
	}
	l.spent[name] = now
	return l.begin(found.operator, key, now)
}

// begin opens a session. The caller holds mu.
func (l *logins) begin(operator Operator, key string, now time.Time) (cookie string, err error) {
	l.sweep(now)
	for len(l.sessions) >= mostSessions {
		delete(l.sessions, oldest(l.sessions, func(s *session) time.Time { return s.Seen }))
	}
	cookie = secret()
	made := &session{Operator: operator, Digest: digest(cookie), Key: key, Created: now, Seen: now}
	l.sessions[made.Digest] = made
	return cookie, l.keep()
}

// find returns who has a cookie, and the key of the browser.
func (l *logins) find(cookie string) (who Operator, key string, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found := l.sessions[digest(cookie)]
	now := l.clock()
	if found == nil || l.over(found, now) {
		return Operator{}, "", false
	}
	if now.Sub(found.Seen) >= noteSeen {
		found.Seen = now
		_ = l.keep() // it is kept the next time
	}
	return found.Operator, found.Key, true
}

// end closes the session of a cookie.
func (l *logins) end(cookie string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.sessions, digest(cookie))
	return l.keep()
}

func (l *logins) counts(operator Operator) bool {
	return operator.Credential == "" || l.valid(operator.Credential)
}

func (l *logins) over(s *session, now time.Time) bool {
	return !s.Until.IsZero() && !now.Before(s.Until) || now.Sub(s.Created) >= sessionLife || now.Sub(s.Seen) >= idleLife || !l.counts(s.Operator)
}

// sweep drops expired codes and sessions. The caller holds mu.
func (l *logins) sweep(now time.Time) {
	for key, found := range l.codes {
		if !now.Before(found.expires) {
			delete(l.codes, key)
		}
	}
	for key, at := range l.spent {
		if now.Sub(at) >= codeLife {
			delete(l.spent, key)
		}
	}
	for key, found := range l.sessions {
		if l.over(found, now) {
			delete(l.sessions, key)
		}
	}
}

// keep writes the sessions. The caller holds mu.
func (l *logins) keep() error {
	if l.file == "" {
		return nil
	}
	kept := make([]*session, 0, len(l.sessions))
	for _, one := range l.sessions {
		kept = append(kept, one)
	}
	slices.SortFunc(kept, func(a, b *session) int { return a.Created.Compare(b.Created) })
	text, err := json.Marshal(kept)
	if err != nil {
		return fmt.Errorf("keep sessions of the console: %w", err)
	}
	temporary, err := os.CreateTemp(filepath.Dir(l.file), ".console-*") // mode 0600
	if err != nil {
		return fmt.Errorf("keep sessions of the console: %w", err)
	}
	defer os.Remove(temporary.Name()) // it has its name by now, or is useless
	_, err = temporary.Write(text)
	if err := errors.Join(err, temporary.Close()); err != nil {
		return fmt.Errorf("keep sessions of the console: %w", err)
	}
	if err := os.Rename(temporary.Name(), l.file); err != nil {
		return fmt.Errorf("keep sessions of the console: %w", err)
	}
	return nil
}

// oldest is the key of what has the earliest time.
func oldest[T any](all map[string]T, at func(T) time.Time) string {
	first, key := time.Time{}, ""
	for name, one := range all {
		if key == "" || at(one).Before(first) {
			first, key = at(one), name
		}
	}
	return key
}
