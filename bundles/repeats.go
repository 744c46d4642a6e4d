package bundles

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	v1 "policyd/api/v1"
)

const (
	// repeatShards share the judgements, so that callers seldom wait for each other.
	repeatShards = 16
	// longestJudgement bounds the text of a judgement that is kept, in bytes; with the
	// number of entries it bounds the memory.
	longestJudgement = 2 << 10
	// longestInput bounds the bytes that a writer keeps between inputs.
	longestInput = 64 << 10
	// mostRules bounds the ids of rules that are kept once for all judgements.
	mostRules = 256
)

// RepeatCounts count remembered judgements since the engine was made.
type RepeatCounts struct {
	// Hits are judgements that were remembered, Misses those that were evaluated.
	Hits, Misses uint64
	// Entries is how many the active policy remembers now, at most.
	Entries int
}

// tally counts for all snapshots of an engine.
type tally struct{ hits, misses atomic.Uint64 }

// repeats remembers judgements of one snapshot by their whole input. A snapshot never changes, and its rules
// depend only on the input and its data: capabilities() leaves out every other function. So an equal input
// gets the same judgement as long as the snapshot exists. Failures are not remembered. It is safe for
// concurrent use; nil remembers nothing.
type repeats struct {
	counts *tally
	most   int // in each generation of a shard
	shards [repeatShards]repeatShard
	// writers pools unused *inputWriter.
	writers sync.Pool
}

// repeatShard has two generations: an entry that is used moves to the young one. When the young one is full,
// the old one is dropped.
type repeatShard struct {
	mu         sync.Mutex
	young, old map[inputKey]*v1.Judgement
	rules      map[string]string
}

// newRepeats returns memory for about so many judgements, and nil for none.
func newRepeats(entries int, counts *tally) *repeats {
	if entries <= 0 {
		return nil
	}
	return &repeats{counts: counts, most: max(1, entries/(2*repeatShards))}
}

// key returns the key of in, by which a judgement is found and kept.
func (r *repeats) key(in *v1.Input) inputKey {
	w, used := r.writers.Get().(*inputWriter)
	if !used {
		w = &inputWriter{}
	}
	key := w.key(in)
	if cap(w.out) <= longestInput {
		r.writers.Put(w)
	}
	return key
}

// find returns a copy of the judgement that is remembered under the key.
func (r *repeats) find(key inputKey) (v1.Judgement, bool) {
	shard := &r.shards[key[0]%repeatShards]
	shard.mu.Lock()
	kept, known := shard.young[key]
	if !known {
		if kept, known = shard.old[key]; known {
			shard.add(key, kept, r.most)
		}
	}
	if known && kept.Known == nil {
		kept.Known = &v1.Known{} // most inputs are never judged again
	}
	shard.mu.Unlock()
	if !known {
		r.counts.misses.Add(1)
		return v1.Judgement{}, false
	}
	r.counts.hits.Add(1)
	return copyJudgement(kept), true
}

// keep remembers a copy of the judgement, unless it is too large.
func (r *repeats) keep(key inputKey, judgement *v1.Judgement) {
	if !keepable(judgement) {
		return
	}
	kept := copyJudgement(judgement)
	shard := &r.shards[key[0]%repeatShards]
	shard.mu.Lock()
	defer shard.mu.Unlock()
	shard.own(&kept)
	shard.add(key, &kept, r.most)
}

func (s *repeatShard) add(key inputKey, kept *v1.Judgement, most int) {
	if len(s.young) >= most {
		s.old, s.young = s.young, nil
	}
	if s.young == nil {
		s.young = map[inputKey]*v1.Judgement{}
	}
	s.young[key] = kept
}

// own frees the texts of a judgement from what they may be a piece of: a whole request
// must not stay in memory for one name in it. Ids of rules, which repeat, are kept once.
func (s *repeatShard) own(kept *v1.Judgement) {
	for i := range kept.Covered {
		kept.Covered[i].Rule = s.rule(kept.Covered[i].Rule)
	}
	for i := range kept.Reasons {
		reason := &kept.Reasons[i]
		reason.Rule, reason.Code = s.rule(reason.Rule), s.rule(reason.Code)
		reason.Message = strings.Clone(reason.Message)
	}
	for i := range kept.Obliges {
		duty := &kept.Obliges[i]
		duty.Kind, duty.Profile, duty.Reads = s.rule(duty.Kind), s.rule(duty.Profile), s.rule(duty.Reads)
	}
	for i, choice := range kept.Choices {
		kept.Choices[i] = s.rule(choice)
	}
	kept.Hint, kept.RefusalHint = strings.Clone(kept.Hint), strings.Clone(kept.RefusalHint)
	route := &kept.Route
	route.Mode, route.Peer, route.Select = strings.Clone(route.Mode), strings.Clone(route.Peer), strings.Clone(route.Select)
	if fault := kept.JSONRPCError; fault != nil {
		fault.Message = strings.Clone(fault.Message)
		data := &fault.Data
		data.Namespace, data.Mode = strings.Clone(data.Namespace), strings.Clone(data.Mode)
		data.Method, data.Reason = strings.Clone(data.Method), strings.Clone(data.Reason)
	}
}

func (s *repeatShard) rule(id string) string {
	if known, found := s.rules[id]; found {
		return known
	}
	id = strings.Clone(id)
	if s.rules == nil {
		s.rules = map[string]string{}
	}
	if len(s.rules) < mostRules {
		s.rules[id] = id
	}
	return id
}

// entries is how many judgements are remembered.
func (r *repeats) entries() int {
	if r == nil {
		return 0
	}
	total := 0
	for i := range r.shards {
		shard := &r.shards[i]
		shard.mu.Lock()
		total += len(shard.young) + len(shard.old)
		shard.mu.Unlock()
	}
	return total
}

// copyJudgement shares nothing that can be written to.
func copyJudgement(judgement *v1.Judgement) v1.Judgement {
	copied := *judgement
	copied.Reasons, copied.Covered = slices.Clone(judgement.Reasons), slices.Clone(judgement.Covered)
	copied.Uncovered, copied.Choices = slices.Clone(judgement.Uncovered), slices.Clone(judgement.Choices)
	copied.Obliges = slices.Clone(judgement.Obliges)
	if judgement.JSONRPCError != nil {
		fault := *judgement.JSONRPCError
		copied.JSONRPCError = &fault
	}
	return copied
}

// keepable reports whether a judgement is small enough to be kept.
func keepable(judgement *v1.Judgement) bool {
	size := len(judgement.Hint) + len(judgement.RefusalHint) + len(judgement.Route.Peer) + len(judgement.Route.Select)
	for i := range judgement.Reasons {
		reason := &judgement.Reasons[i]
		size += len(reason.Rule) + len(reason.Code) + len(reason.Message) + 64
	}
	for i := range judgement.Covered {
		size += len(judgement.Covered[i].Rule) + 24
	}
	if fault := judgement.JSONRPCError; fault != nil {
		size += len(fault.Message) + len(fault.Data.Method) + len(fault.Data.Namespace) + len(fault.Data.Reason)
	}
	return size+8*len(judgement.Uncovered)+16*len(judgement.Choices) <= longestJudgement
}
