package sessions_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/internal/sessions"
)

// TestNarrowing checks C5: a later request's description of a session. A registration that widens gets an
// error; a call that does continues with the registered values, unless it would run elsewhere than it is
// judged.
func TestNarrowing(t *testing.T) {
	const refused = sessions.CodeConflict
	tests := map[string]struct {
		asked v1.Session
		// register and call are the codes of the two, empty for taken.
		register, call string
		want           func(*v1.Session)
	}{
		"nothing":               {},
		"the same":              {asked: kept()},
		"what is meant":         {asked: v1.Session{Platform: "linux", Home: "/home/dev", Shell: "bash"}},
		"another agent":         {asked: v1.Session{Agent: "codex"}, register: refused, call: refused},
		"another home":          {asked: v1.Session{Home: "/root"}, register: refused, call: refused},
		"another platform":      {asked: v1.Session{Platform: "windows"}, register: refused, call: refused},
		"another shell":         {asked: v1.Session{Shell: "zsh"}, register: refused, call: refused},
		"a parent":              {asked: v1.Session{ParentID: "p"}, register: refused, call: refused},
		"a narrower audience":   {asked: v1.Session{Audience: v1.AudiencePublic}, want: func(s *v1.Session) { s.Audience = v1.AudiencePublic }},
		"an unknown audience":   {asked: v1.Session{Audience: "world"}, want: func(s *v1.Session) { s.Audience = v1.AudiencePublic }},
		"a wider audience":      {asked: v1.Session{Audience: v1.AudiencePersonal}, register: refused},
		"unattended":            {asked: v1.Session{Interactive: new(false)}, want: func(s *v1.Session) { s.Interactive = new(false) }},
		"attended":              {asked: v1.Session{Interactive: new(true)}},
		"a directory below":     {asked: v1.Session{ProjectDir: "/srv/proj/src"}, want: func(s *v1.Session) { s.ProjectDir = "/srv/proj/src" }},
		"a directory above":     {asked: v1.Session{ProjectDir: "/srv"}, register: refused, call: refused},
		"a prefix of a name":    {asked: v1.Session{ProjectDir: "/srv/project"}, register: refused, call: refused},
		"another session dir":   {asked: v1.Session{SessionDir: "/var/agent/t"}, register: refused, call: refused},
		"fewer directories":     {asked: v1.Session{ExtraDirs: []string{}}, want: func(s *v1.Session) { s.ExtraDirs = []string{} }},
		"an extra one below":    {asked: v1.Session{ExtraDirs: []string{"/srv/extra/a"}}, want: func(s *v1.Session) { s.ExtraDirs = []string{"/srv/extra/a"} }},
		"an extra one, project": {asked: v1.Session{ExtraDirs: []string{"/srv/proj/a"}}, want: func(s *v1.Session) { s.ExtraDirs = []string{"/srv/proj/a"} }},
		"an extra one more":     {asked: v1.Session{ExtraDirs: []string{"/srv/extra", "/srv/more"}}, register: refused, call: refused},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			want := kept()
			if test.want != nil {
				test.want(&want)
			}
			test.asked.ID = "s"
			for kind, expected := range map[string]string{"register": test.register, "call": test.call} {
				h := build(t)
				first := kept()
				_, _, err := h.Register(t.Context(), &first, agent())
				require.NoError(t, err)
				var got v1.Session
				if kind == "register" {
					var info v1.SessionInfo
					info, _, err = h.Register(t.Context(), &test.asked, agent())
					got = info.Session
				} else {
					got, err = h.Admit(t.Context(), &test.asked, agent())
					got.Resolved = false // not part of the request
				}
				assert.Equal(t, expected, code(err), kind)
				if expected == "" {
					require.NoError(t, err)
					if len(got.ExtraDirs) == 0 {
						got.ExtraDirs = []string{} // an explicit none equals a missing one
					}
					assert.Equal(t, want, got, kind)
				}
			}
		})
	}
}

// TestACallThatNarrowsChangesNothingForTheNext checks that only a registration is kept.
func TestACallThatNarrowsChangesNothingForTheNext(t *testing.T) {
	h := build(t)
	first := kept()
	_, _, err := h.Register(t.Context(), &first, agent())
	require.NoError(t, err)
	_, err = h.Admit(t.Context(), &v1.Session{ID: "s", Audience: v1.AudiencePublic}, agent())
	require.NoError(t, err)
	next, err := h.Admit(t.Context(), &v1.Session{ID: "s"}, agent())
	require.NoError(t, err)
	assert.Equal(t, v1.AudienceTeam, next.Audience)
	_, err = h.Admit(t.Context(), &v1.Session{ID: "s"}, v1.Caller{Identity: "user:7"})
	assert.Equal(t, sessions.CodeForeign, code(err))
}

// TestWithoutAPolicyNothingIsInARoot checks that a directory that can't be compared is refused.
func TestWithoutAPolicyNothingIsInARoot(t *testing.T) {
	h := build(t)
	first := kept()
	_, _, err := h.Register(t.Context(), &first, agent())
	require.NoError(t, err)
	h.noPolicy.Store(true)
	_, err = h.Admit(t.Context(), &v1.Session{ID: "s", ProjectDir: "/srv/proj/src"}, agent())
	assert.Equal(t, sessions.CodeConflict, code(err))
	_, err = h.Admit(t.Context(), &v1.Session{ID: "s", ProjectDir: "/srv/proj"}, agent())
	assert.NoError(t, err)
}

// TestCallsGoOnWithoutTheStore checks D2: while the store fails, a session has no directories, and the store
// rests for a while. A session that is used once the store is back is registered as it is described then.
func TestCallsGoOnWithoutTheStore(t *testing.T) {
	h := build(t)
	h.store.broken.Store(true)
	asked := kept()
	for range 5 {
		got, err := h.Admit(t.Context(), &asked, agent())
		require.NoError(t, err)
		assert.Equal(t, v1.AudiencePublic, got.Audience)
		assert.Empty(t, got.ProjectDir+got.SessionDir)
		assert.Empty(t, got.ExtraDirs)
		assert.True(t, got.Attended(), "somebody can be asked")
	}
	assert.Equal(t, int64(1), h.store.asked.Load(), "it rests after a failure")
	assert.Equal(t, int64(1), h.faults.Load())
	require.Error(t, h.Check())
	_, _, err := h.Register(t.Context(), &asked, agent())
	assert.Equal(t, sessions.CodeUnavailable, code(err), "a registration is not taken without a store")

	h.store.broken.Store(false)
	_, err = h.Admit(t.Context(), &v1.Session{ID: "s", Audience: v1.AudiencePersonal}, agent())
	require.NoError(t, err)
	assert.Equal(t, int64(1), h.store.asked.Load(), "it still rests")
	h.pass(time.Second)
	got, err := h.Admit(t.Context(), &asked, agent())
	require.NoError(t, err)
	assert.Equal(t, v1.AudienceTeam, got.Audience)
	row, err := h.store.Session(t.Context(), "s")
	require.NoError(t, err)
	assert.Equal(t, "agent", row.Owner)
	require.NoError(t, h.Check())
}

// TestASessionThatWasReadAnewWorksWithoutTheStore checks D2: a store that fails right after everything was
// read anew costs no session what it had, unless somebody changed or ended it since.
func TestASessionThatWasReadAnewWorksWithoutTheStore(t *testing.T) {
	h := build(t)
	first, second, third := kept(), kept(), kept()
	second.ID, third.ID = "changed", "ended"
	for _, session := range []*v1.Session{&first, &second, &third} {
		_, _, err := h.Register(t.Context(), session, agent())
		require.NoError(t, err)
	}
	require.NoError(t, h.Load(t.Context()))
	require.NoError(t, h.Load(t.Context()), "a second reading costs nothing either")
	require.NoError(t, h.Archive(t.Context(), "ended", agent()))
	h.Forget("changed")
	h.store.broken.Store(true)
	wider := kept()
	wider.Audience = v1.AudiencePersonal
	for _, session := range []*v1.Session{&first, &wider} {
		got, err := h.Admit(t.Context(), session, agent())
		require.NoError(t, err)
		assert.Equal(t, "/srv/proj", got.ProjectDir)
		assert.Equal(t, v1.AudienceTeam, got.Audience)
	}
	_, err := h.Admit(t.Context(), &first, v1.Caller{Identity: "another"})
	assert.Equal(t, sessions.CodeForeign, code(err))
	for _, session := range []*v1.Session{&second, &third} {
		got, err := h.Admit(t.Context(), session, agent())
		require.NoError(t, err)
		assert.Empty(t, got.ProjectDir)
	}
}

// TestWithoutTheStoreThereAreNoGrants checks D2: except for those of the settings.
func TestWithoutTheStoreThereAreNoGrants(t *testing.T) {
	h := build(t)
	first := kept()
	_, _, err := h.Register(t.Context(), &first, agent())
	require.NoError(t, err)
	_, err = h.Grant(t.Context(), v1.Holder{Session: "s"}, v1.GrantRequest{Path: "/srv/other"})
	require.NoError(t, err)
	roots := func() []string {
		var out []string
		for _, grant := range h.Grants(&first) {
			out = append(out, grant.Root)
		}
		return out
	}
	assert.Equal(t, []string{"/srv/shared", "/srv/other"}, roots())
	h.store.broken.Store(true)
	require.ErrorIs(t, h.Load(t.Context()), errBroken)
	assert.Equal(t, []string{"/srv/shared"}, roots())
	require.Error(t, h.Check())
	h.store.broken.Store(false)
	require.NoError(t, h.Load(t.Context()))
	assert.Equal(t, []string{"/srv/shared", "/srv/other"}, roots())
	require.NoError(t, h.Check())
}

// TestAReadingMissesNoGrant checks that a grant that an answer gives while everything is read anew is there
// afterwards.
func TestAReadingMissesNoGrant(t *testing.T) {
	h := build(t)
	first := kept()
	_, _, err := h.Register(t.Context(), &first, agent())
	require.NoError(t, err)
	remembered := make(chan struct{})
	h.store.read = func() {
		h.store.read = nil
		grant, _, err := h.store.PutGrant(t.Context(), v1.Grant{ID: "g", Session: "s", Path: "/srv/other", Mode: v1.GrantRead})
		assert.NoError(t, err)
		go func() {
			defer close(remembered)
			h.Remember([]v1.Grant{grant})
		}()
	}
	require.NoError(t, h.Load(t.Context()))
	<-remembered
	require.Len(t, h.Grants(&first), 2)
}
