package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/project"
)

// killRounds is how often the server is killed; KILL_ROUNDS says otherwise.
const killRounds = 4

// workers is how many agents and people are at work when the server is killed.
const workers = 20

// TestNothingIsLostOrWidenedByAKill kills the server after any number of answers while calls are decided,
// answered and revoked. It compares what people saw with the state of a restarted server (A9, A10, D2).
func TestNothingIsLostOrWidenedByAKill(t *testing.T) {
	rounds := killRounds
	if text := os.Getenv("KILL_ROUNDS"); text != "" {
		var err error
		rounds, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	tree := newTree(t)
	s := startServer(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for round := range rounds {
		told := &ledger{
			tree: tree.Project, round: round, places: map[string]*fate{}, decided: map[string]v1.Effect{},
			last: 1 + random.IntN(150), reached: make(chan struct{}),
		}
		s = killedRound(t, s, told)
		told.compare(t, s)
	}
}

// killedRound lets the workers work until the server is killed, and starts it again.
func killedRound(t *testing.T, s *server, told *ledger) *server {
	t.Helper()
	s.register(t, project.Tree{Home: filepath.Dir(told.tree), Project: told.tree}, told.session())
	agent, operator := s.token(t, "agent"), s.token(t, "operator")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for step := 0; ctx.Err() == nil; step++ {
				told.live(ctx, s, agent, operator, worker, step)
			}
		})
	}
	select {
	case <-told.reached:
	case <-time.After(patience):
		require.FailNow(t, "calls are not answered")
	}
	s.kill(t)
	cancel()
	group.Wait()
	told.storeFailed = strings.Contains(s.stderr.String(), "store failed")
	next := *s
	next.start(t)
	return &next
}

// fate is what people saw of one question.
type fate struct {
	choice              string
	answering, answered bool // sent, and acknowledged
	revoking, revoked   bool
	retrying            bool
	id                  string // of the approval
	allowed             int    // acknowledged retries that were allowed
}

// ledger is what was sent and acknowledged in one round, by directory.
type ledger struct {
	tree  string
	round int
	// reached is closed with the last decision before the kill; others may follow.
	last    int
	reached chan struct{}

	mu     sync.Mutex
	places map[string]*fate
	// decided are the decisions that were answered, by id.
	decided map[string]v1.Effect
	// narrowed are the sessions that were made public, and asked the prompts that were opened.
	narrowed, asked []string
	// storeFailed is true if the server stated that its store failed, as it does on a disk that is too busy: it asks
	// all the same, and forgets such a question with the kill.
	storeFailed bool
}

func (l *ledger) session() string { return fmt.Sprintf("kill-%d", l.round) }

func (l *ledger) note(place string, change func(*fate)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.places[place] == nil {
		l.places[place] = &fate{}
	}
	change(l.places[place])
}

// live is the life of one question: it is asked, answered, and then retried or
// revoked. It ends with the first error, since the server was killed.
func (l *ledger) live(ctx context.Context, s *server, agent, operator string, worker, step int) {
	l.narrow(ctx, s, agent, fmt.Sprintf("kill-%d-%d-%d", l.round, worker, step))
	place := filepath.Join(l.tree, "kill", fmt.Sprintf("r%d-w%d-%d", l.round, worker, step))
	if err := os.MkdirAll(place, 0o755); err != nil {
		return
	}
	decision, err := l.decide(ctx, s, agent, place)
	if err != nil || decision.Prompt == nil {
		return
	}
	l.mu.Lock()
	l.asked = append(l.asked, decision.Prompt.ID)
	l.mu.Unlock()
	choice := []string{"once", "always_here", "deny"}[(worker+step)%3]
	l.note(place, func(f *fate) { f.choice, f.answering = choice, true })
	got, err := s.send(ctx, operator, http.MethodPost, "/v1/prompts/"+decision.Prompt.ID+"/answer", v1.AnswerRequest{Choice: choice})
	var answered v1.AnswerResponse
	if err != nil || got.status != http.StatusOK || json.Unmarshal(got.body, &answered) != nil {
		return
	}
	l.note(place, func(f *fate) {
		f.answered = true
		if len(answered.Saved) > 0 {
			f.id = answered.Saved[0].ID
		}
	})
	if choice == "always_here" && worker%2 == 0 {
		l.note(place, func(f *fate) { f.revoking = true })
		got, err := s.send(ctx, operator, http.MethodDelete, "/v1/approvals/"+answered.Saved[0].ID, nil)
		if err == nil && got.status == http.StatusNoContent {
			l.note(place, func(f *fate) { f.revoked = true })
		}
		return
	}
	if choice == "once" && worker%2 == 0 {
		l.note(place, func(f *fate) { f.retrying = true })
		if retried, err := l.decide(ctx, s, agent, place); err == nil && retried.Effect == v1.EffectAllow {
			l.note(place, func(f *fate) { f.allowed++ })
		}
	}
}

// narrow makes a session, and then makes it public.
func (l *ledger) narrow(ctx context.Context, s *server, agent, id string) {
	for _, audience := range []v1.Audience{v1.AudiencePersonal, v1.AudiencePublic} {
		got, err := s.send(ctx, agent, http.MethodPut, sessionPath(id), v1.Session{ID: id, Agent: "claude-code", Audience: audience})
		if err != nil || got.status >= http.StatusBadRequest {
			return
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.narrowed = append(l.narrowed, id)
}

// compareSessions checks that what was narrowed before the kill is as narrow, and that no prompt is
// forgotten.
func (l *ledger) compareSessions(t *testing.T, s *server) {
	t.Helper()
	for _, id := range l.narrowed {
		kept := must[v1.SessionInfo](t, http.StatusOK, s.as(t, "operator", http.MethodGet, sessionPath(id), nil))
		assert.Equalf(t, v1.AudiencePublic, kept.Audience, "session %s was made public, and is wider", id)
	}
	for _, id := range l.asked {
		if l.storeFailed {
			break
		}
		assert.Equalf(t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/prompts/"+id, nil).status, "prompt %s is forgotten", id)
	}
	t.Logf("round %d: %d sessions narrowed, %d prompts opened", l.round, len(l.narrowed), len(l.asked))
}

func (l *ledger) decide(ctx context.Context, s *server, agent, place string) (v1.Decision, error) {
	args, err := json.Marshal(map[string]string{"command": "make -C " + place})
	if err != nil {
		return v1.Decision{}, err
	}
	got, err := s.send(ctx, agent, http.MethodPost, "/v1/decide", v1.Call{Tool: "Bash", Args: args, Session: v1.Session{ID: l.session()}})
	var decision v1.Decision
	if err == nil {
		err = json.Unmarshal(got.body, &decision)
	}
	if err == nil && got.status == http.StatusOK {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.decided[decision.ID] = decision.Effect; len(l.decided) == l.last {
			close(l.reached)
		}
	}
	return decision, err
}

// compareRecords checks that every decision that was answered before the kill is in the log, as it was
// answered, and is found by a restarted server (D3).
func (l *ledger) compareRecords(t *testing.T, s *server) {
	t.Helper()
	found := s.recorded(t)
	last := ""
	for id, effect := range l.decided {
		assert.Equalf(t, effect, found[id].Result.Decision, "decision %s was answered and is not recorded so", id)
		last = max(last, id)
	}
	if last != "" {
		must[v1.Record](t, http.StatusOK, s.as(t, "operator", http.MethodGet, "/v1/decisions/"+last, nil))
	}
	t.Logf("round %d: %d decisions answered", l.round, len(l.decided))
}

// compare compares what people saw with the restarted server.
func (l *ledger) compare(t *testing.T, s *server) {
	t.Helper()
	l.compareRecords(t, s)
	l.compareSessions(t, s)
	agent := s.token(t, "agent")
	answered := 0
	for place, f := range l.places {
		if f.answered {
			answered++
		}
		first, err := l.decide(t.Context(), s, agent, place)
		require.NoError(t, err)
		allowed := first.Effect == v1.EffectAllow
		switch {
		case f.choice == "always_here" && f.answered && !f.revoking:
			assert.Truef(t, allowed, "an approval was lost: %s", place)
		case f.choice == "always_here" && f.revoked:
			assert.Falsef(t, allowed, "a revoked approval came back: %s", place)
		case f.choice == "deny":
			assert.Falsef(t, allowed, "nobody approved this: %s", place)
		case f.choice == "once" && f.answered && !f.retrying:
			assert.Truef(t, allowed, "an answer for one call was lost: %s", place)
		case f.choice == "once" && f.allowed > 0:
			assert.Falsef(t, allowed, "an answer for one call was spent twice: %s", place)
		}
		if f.choice != "once" || !allowed {
			continue
		}
		second, err := l.decide(t.Context(), s, agent, place)
		require.NoError(t, err)
		assert.NotEqualf(t, v1.EffectAllow, second.Effect, "an answer for one call was spent twice: %s", place)
	}
	t.Logf("round %d: %d questions, %d answers acknowledged", l.round, len(l.places), answered)
}
