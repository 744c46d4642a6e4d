package gate

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sync"
	"time"

	v1 "policyd/api/v1"
)

// key is the digest of a call within its session (A10).
type key [sha256.Size]byte

// callKey digests what makes two calls the same question. Each part is preceded
// by its length, so that no part can pose as two.
func callKey(call *v1.Call) key {
	hash := sha256.New()
	var length [8]byte
	for _, part := range [...]string{
		call.Session.ID, call.Session.Agent, call.Tool, call.Protocol, call.Cwd, string(call.Args),
	} {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		hash.Write(length[:])
		hash.Write([]byte(part))
	}
	return key(hash.Sum(nil))
}

// entry is a prompt with what finds it.
type entry struct {
	prompt v1.Prompt
	call   key
}

// prompts are the open questions, in memory and bounded. A prompt is changed
// under the lock alone, and only copies leave.
type prompts struct {
	expiry     time.Duration
	perSession int
	most       int
	now        func() time.Time
	newID      func() string

	mu      sync.Mutex
	byID    map[string]*entry
	byCall  map[key]*entry
	pending map[string]int // per session
}

func newPrompts(options Options) *prompts {
	held := &prompts{
		expiry: options.PromptExpiry, perSession: options.PerSession, most: options.MaxPrompts,
		now: options.Clock, newID: options.NewID,
		byID: map[string]*entry{}, byCall: map[key]*entry{}, pending: map[string]int{},
	}
	if held.expiry <= 0 {
		held.expiry = DefaultPromptExpiry
	}
	if held.perSession <= 0 {
		held.perSession = DefaultPerSession
	}
	if held.most <= 0 {
		held.most = DefaultMaxPrompts
	}
	return held
}

// open joins the pending prompt of the same call, or opens a new one. A pending
// prompt that asks something else by now, since the disk or the policy changed,
// is withdrawn. At a limit nothing is opened and full is true.
func (p *prompts) open(question *v1.Prompt, call key) (prompt v1.Prompt, joined, full bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if held, found := p.byCall[call]; found {
		if now.Before(held.prompt.ExpiresAt) && sameQuestion(&held.prompt, question) {
			return copied(&held.prompt), true, false
		}
		p.remove(held)
	}
	session := question.Call.SessionID
	if p.crowded(session) {
		p.sweep(now)
		if p.crowded(session) {
			return v1.Prompt{}, false, true
		}
	}
	stamp(question, p.newID(), now, p.expiry)
	opened := &entry{prompt: *question, call: call}
	p.byID[question.ID] = opened
	p.byCall[call] = opened
	p.pending[session]++
	return copied(question), false, false
}

func (p *prompts) crowded(session string) bool {
	return p.pending[session] >= p.perSession || len(p.byID) >= p.most
}

// sweep forgets what has expired. Only a full table is swept.
func (p *prompts) sweep(now time.Time) {
	for _, held := range p.byID {
		if !now.Before(held.prompt.ExpiresAt) {
			p.remove(held)
		}
	}
}

func (p *prompts) remove(held *entry) {
	session := held.prompt.Call.SessionID
	delete(p.byID, held.prompt.ID)
	delete(p.byCall, held.call)
	if p.pending[session]--; p.pending[session] <= 0 {
		delete(p.pending, session)
	}
}

// drop forgets a prompt whose call was denied after all.
func (p *prompts) drop(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if held, found := p.byID[id]; found {
		p.remove(held)
	}
}

func (p *prompts) get(id string, now time.Time) (v1.Prompt, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	held, found := p.byID[id]
	if !found {
		return v1.Prompt{}, false
	}
	prompt := copied(&held.prompt)
	if !now.Before(prompt.ExpiresAt) {
		prompt.State = v1.PromptExpired
	}
	return prompt, true
}

// sameQuestion compares all that a person is asked.
func sameQuestion(a, b *v1.Prompt) bool {
	return a.Call.SessionID == b.Call.SessionID && a.Call.Agent == b.Call.Agent && a.Title == b.Title && a.Directory == b.Directory && a.Messy == b.Messy &&
		slices.Equal(a.Verbs, b.Verbs) && slices.Equal(a.Choices, b.Choices) &&
		slices.Equal(a.Call.Paths, b.Call.Paths) && a.Call.Text == b.Call.Text && a.Call.Cwd == b.Call.Cwd
}

// copied shares no list with the prompt that is kept.
func copied(prompt *v1.Prompt) v1.Prompt {
	out := *prompt
	out.Verbs = slices.Clone(prompt.Verbs)
	out.Choices = slices.Clone(prompt.Choices)
	out.Call.Paths = slices.Clone(prompt.Call.Paths)
	return out
}
