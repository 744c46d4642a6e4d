package terminals_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/terminals"
)

func through(peer string) v1.Route { return v1.Route{Mode: "single_pass_through", Peer: peer} }

func code(err error) string {
	var coded *v1.CodedError
	if errors.As(err, &coded) {
		return coded.Code
	}
	return ""
}

// TestClaims checks N5: a name is bound by a creation of its own session, once.
func TestClaims(t *testing.T) {
	r := terminals.New()
	claim := func(session, terminal string) string {
		peer, known := r.Claim(session, terminal, true)
		return fmt.Sprint(peer, " ", known)
	}
	assert.Equal(t, " false", claim("s", "t1"))
	r.Created("s", "d1", through("p1"))
	assert.Equal(t, " false", claim("other", "t1"))
	assert.Equal(t, " false", claim("s", ""))
	for range 2 {
		peer, known := r.Claim("s", "t0", false)
		assert.Equal(t, "p1 true", fmt.Sprint(peer, " ", known), "what would be binds nothing")
	}
	assert.Equal(t, "p1 true", claim("s", "t1"))
	assert.Equal(t, "p1 true", claim("s", "t1"))
	assert.Equal(t, " false", claim("s", "t2"))
	r.Created("s", "d2", through("p1"))
	r.Created("s", "d3", through("p2"))
	assert.Equal(t, " false", claim("s", "t2"), "either could have made it")
	r.Released("s", "t1")
	assert.Equal(t, " false", claim("s", "t1"))
	r.Released("nobody", "t1")
	r.End("s")
	assert.Equal(t, " false", claim("s", "t1"))
}

// TestReports checks N5: a host reports the name in the response, and nothing else.
func TestReports(t *testing.T) {
	r := terminals.New()
	peers := []v1.Peer{{ID: "p1"}, {ID: "p2"}}
	report := func(session, terminal, decision, peer string) (v1.Terminal, error) {
		return r.Report(session, v1.TerminalReport{TerminalID: terminal, DecisionID: decision, Peer: peer}, peers)
	}
	_, err := report("s", "t1", "d1", "")
	assert.Equal(t, terminals.CodeNotFound, code(err))
	r.Created("s", "d1", through("p1"))
	r.Created("s", "d2", v1.Route{Mode: "collaborative"})
	r.Created("s", "d3", v1.Route{Mode: "self_handle"})
	_, err = report("other", "t1", "d1", "")
	assert.Equal(t, terminals.CodeNotFound, code(err))
	_, err = report("s", "t1", "d1", "p2")
	assert.Equal(t, terminals.CodeConflict, code(err), "it went to p1")
	_, err = report("s", "t1", "d2", "p3")
	assert.Equal(t, terminals.CodeConflict, code(err), "nobody of the session")
	_, err = report("s", "t1", "d3", "p1")
	assert.Equal(t, terminals.CodeConflict, code(err), "the host made it")
	for terminal, want := range map[string][2]string{"t1": {"d1", "p1"}, "t2": {"d2", "p2"}, "t3": {"d3", ""}} {
		peer := ""
		if terminal == "t2" {
			peer = "p2"
		}
		made, err := report("s", terminal, want[0], peer)
		require.NoError(t, err)
		assert.Equal(t, v1.Terminal{TerminalID: terminal, Peer: want[1]}, made)
		_, err = report("s", "again", want[0], "")
		assert.Equal(t, terminals.CodeNotFound, code(err), "one name for each creation")
	}
	r.Created("s", "d4", through("p1"))
	_, err = report("s", "t1", "d4", "")
	assert.Equal(t, terminals.CodeConflict, code(err))
	_, known := r.Claim("s", "t4", true)
	assert.False(t, known, "a host that reports names all of them")
}

// TestBounds checks that no session and no number of them takes memory without end.
func TestBounds(t *testing.T) {
	r := terminals.New()
	for i := range terminals.MaxTerminals {
		r.Created("s", "d", through("p"))
		_, known := r.Claim("s", fmt.Sprint(i), true)
		require.True(t, known)
	}
	r.Created("s", "last", through("p"))
	_, known := r.Claim("s", "more", true)
	assert.False(t, known)
	_, err := r.Report("s", v1.TerminalReport{TerminalID: "more", DecisionID: "last"}, nil)
	assert.Equal(t, terminals.CodeTooMany, code(err))
	for i := range 2 * terminals.MaxCreations {
		r.Created("creating", fmt.Sprint(i), through("p"))
	}
	_, err = r.Report("creating", v1.TerminalReport{TerminalID: "t", DecisionID: "0"}, nil)
	assert.Equal(t, terminals.CodeNotFound, code(err), "the oldest go first")
	var group sync.WaitGroup
	for i := range terminals.MaxSessions + 10 {
		group.Go(func() { r.Created(fmt.Sprint("s", i), "d", through("p")) })
	}
	group.Wait()
	known = false
	for i := range terminals.MaxSessions + 10 {
		if _, held := r.Claim(fmt.Sprint("s", i), "t", true); !held {
			known = true
		}
	}
	assert.True(t, known, "one of too many sessions is forgotten")
}
