package bundles

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/policies"
)

// A service's bundle is active after a restart without the service, and reported as read from disk.
func TestAKeptBundleDecidesWithoutItsService(t *testing.T) {
	s, dir := newShelf(t), t.TempDir()
	keep := func(o *Options) { o.PersistDir = dir }
	configuration := keyed(s.services(wantSigned(), "team"))
	s.put("team", archive(t, sign(t, site("team", "t-1", denying("ls")), "a key of ours", "read")))
	e := fetching(t, configuration, keep)
	require.NoError(t, e.Poll(t.Context()))
	require.Equal(t, "deny", decided(t, e))
	revision := e.Current().Revision()
	e.Close()

	s.misbehave(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "away", http.StatusBadGateway) })
	again := fetching(t, configuration, keep)
	require.Equal(t, "deny", decided(t, again), "in force before any answer")
	require.Equal(t, revision, again.Current().Revision())
	one := again.Status().Bundles[0]
	require.True(t, one.Restored)
	require.Equal(t, "t-1", one.Revision)
	require.Error(t, again.Poll(t.Context()))
	require.True(t, again.Status().Bundles[0].Restored)
	require.Equal(t, "deny", decided(t, again))

	s.put("team", archive(t, sign(t, site("team", "t-1", denying("ls")), "a key of ours", "read")))
	require.NoError(t, again.Poll(t.Context()))
	require.False(t, again.Status().Bundles[0].Restored)
	again.Close()

	// A kept bundle has to be signed as well as a fetched one.
	kept := filepath.Join(dir, "bundles", "team", "bundle.tar.gz")
	require.NoError(t, os.WriteFile(kept, archive(t, site("team", "t-1", denying("no such verb"))), 0o600))
	require.Nil(t, fetching(t, configuration, keep).Current())
}

// A policy that no service confirms grows old; a confirmation without news makes it fresh.
func TestAPolicyGrowsOld(t *testing.T) {
	s, dir := newShelf(t), t.TempDir()
	var mu sync.Mutex
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	pass := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	limit := func(o *Options) { o.PersistDir, o.Now, o.MaxAge = dir, clock, time.Hour }
	s.put("team", archive(t, site("team", "t-1", denying("ls"))))
	e := fetching(t, s.services(nil, "team"), limit)
	require.False(t, e.Stale(), "what is not there is not old")
	require.NoError(t, e.Poll(t.Context()))
	pass(time.Hour)
	require.False(t, e.Stale())
	pass(time.Second)
	require.True(t, e.Stale())
	require.True(t, e.Status().Stale)
	require.NoError(t, e.Poll(t.Context()))
	require.Equal(t, 1, s.unchanged)
	require.False(t, e.Stale())
	require.Equal(t, clock(), e.Status().ConfirmedAt)

	// A refused bundle confirms nothing.
	pass(2 * time.Hour)
	s.put("team", archive(t, site("team", "t-2", "nonsense")))
	require.Error(t, e.Poll(t.Context()))
	require.True(t, e.Stale())
	e.Close()

	// After a restart it is as old as it was.
	s.misbehave(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "away", http.StatusBadGateway) })
	require.True(t, fetching(t, s.services(nil, "team"), limit).Stale())
}

func TestCredentialsAreNeverShown(t *testing.T) {
	s := newShelf(t)
	var log bytes.Buffer
	configuration := s.services(nil, "team")
	shelf := configuration["services"].(map[string]any)["shelf"].(map[string]any)
	shelf["credentials"] = map[string]any{"bearer": map[string]any{"token": "tr0ub4dor"}}
	shelf["headers"] = map[string]any{"X-Api-Key": "c0rrecth0rse"}
	configuration["bundles"].(map[string]any)["team"].(map[string]any)["resource"] = "bundles/team?sig=b4tterystaple"
	e := fetching(t, configuration, func(o *Options) {
		o.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	for _, answer := range []http.HandlerFunc{
		func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, r.Header.Get("Authorization"), http.StatusUnauthorized)
		},
		func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/tr0ub4dor?x=b4tterystaple", http.StatusFound)
		},
		func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		s.misbehave(answer)
		require.Error(t, e.Poll(t.Context()))
		said := fmt.Sprintf("%+v %s", e.Status(), &log)
		for _, secret := range []string{"tr0ub4dor", "c0rrecth0rse", "b4tterystaple"} {
			require.NotContains(t, said, secret)
		}
	}
	require.Equal(t, "Bearer tr0ub4dor", s.request(0).Header.Get("Authorization"), "the service is told")
	require.Equal(t, "c0rrecth0rse", s.request(0).Header.Get("X-Api-Key"))
	require.NotEmpty(t, log.String())
}

// A service that stops in the middle of an answer doesn't hold up the next poll.
func TestAStalledAnswerIsGivenUp(t *testing.T) {
	s := newShelf(t)
	e := fetching(t, s.services(nil, "team"), func(o *Options) { o.BodyPatience = 50 * time.Millisecond })
	content := archive(t, site("team", "t-1", denying("ls")))
	s.misbehave(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		_, _ = w.Write(content[:100])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	require.Error(t, e.Poll(t.Context()))
	require.Contains(t, e.Status().Bundles[0].LastError, "takes longer than 50ms")
	s.put("team", content)
	require.NoError(t, e.Poll(t.Context()))
	require.Equal(t, "deny", decided(t, e))
}

// A small archive of many files can't fill the memory.
func TestAnArchiveThatUnpacksToMuchIsRefused(t *testing.T) {
	s := newShelf(t)
	e := fetching(t, s.services(nil, "team"))
	files := site("team", "t-1", denying("ls"))
	block := string(bytes.Repeat([]byte("# nothing\n"), 1<<17))
	for i := range 10 {
		files[fmt.Sprintf("site/team/%d.rego", i)] = "package site.team\n" + block
	}
	s.put("team", archive(t, files))
	require.Error(t, e.Poll(t.Context()))
	require.Contains(t, e.Status().Bundles[0].LastError, "unpacked, it is more than 8388608 bytes")
}

// While a service goes back and forth between good, bad and none under load, every call
// gets a decision that one of the good bundles gives.
func TestFlappingUnderLoad(t *testing.T) {
	s := newShelf(t)
	// How busy the machine is must not decide.
	e := fetching(t, s.services(nil, "team"), func(o *Options) { o.Deadline = time.Minute })
	s.put("team", archive(t, site("team", "ls", denying("ls"))))
	require.NoError(t, e.Poll(t.Context()))

	ctx, stop := context.WithCancel(t.Context())
	var judges sync.WaitGroup
	for range 3 {
		judges.Go(func() {
			for ctx.Err() == nil {
				snapshot := e.Current()
				judgement, err := snapshot.Judge(t.Context(), threeCommands())
				if !assert.NoError(t, err) || !assert.Equal(t, v1.EffectDeny, judgement.Effect) {
					return
				}
				verb := map[int]string{0: "cat", 1: "ls"}[judgement.Reasons[0].Item]
				assert.Regexp(t, `\+`+verb+`-[0-9a-f]{12}$`, snapshot.Revision(), "decision and revision are of one policy")
			}
		})
	}
	good := []string{"ls", "cat"}
	bad := []func(){
		func() { s.put("team", archive(t, site("team", "bad", "nonsense"))) },
		func() { s.put("team", archive(t, site("team", "bad", denying("no such verb")))[:150]) },
		func() {
			s.misbehave(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusInternalServerError) })
		},
	}
	for i := range 6 {
		bad[i%len(bad)]()
		require.Error(t, e.Poll(t.Context()))
		verb := good[i%2]
		s.put("team", archive(t, site("team", verb, denying(verb))))
		require.NoError(t, e.Poll(t.Context()), "one poll after it is right again")
		require.Equal(t, verb, e.Status().Bundles[0].Revision)
	}
	stop()
	judges.Wait()
}

// Long polling: the service holds the answer back until there is news.
func TestNewsComeOverALongPoll(t *testing.T) {
	s := newShelf(t)
	news := make(chan []byte, 1)
	s.misbehave(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/vnd.openpolicyagent.bundles")
		select {
		case content := <-news:
			w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sum(content)))
			_, _ = w.Write(content)
		case <-r.Context().Done():
		}
	})
	activated := make(chan *Snapshot, 10)
	configuration := s.services(map[string]any{
		"trigger": "periodic", "polling": map[string]any{"long_polling_timeout_seconds": 60},
	}, "team")
	e := fetching(t, configuration, func(o *Options) { o.OnActivate = func(s *Snapshot) { activated <- s } })
	for _, verb := range []string{"ls", "cat"} {
		news <- archive(t, site("team", verb, denying(verb)))
		require.Contains(t, receive(t, activated).Revision(), "+"+verb)
	}
	require.Equal(t, "deny", decided(t, e))
	require.Contains(t, s.request(1).Header.Get("Prefer"), "wait=60")
	s.CloseClientConnections()
}

// A bundle that is a file is watched, and signed as any other.
func TestAFileBundleIsWatched(t *testing.T) {
	place := filepath.Join(t.TempDir(), "team.tar.gz")
	signed := func(verb string) []byte {
		return archive(t, sign(t, site("team", verb, denying(verb)), "a key of ours", "read"))
	}
	require.NoError(t, os.WriteFile(place, signed("no such verb"), 0o600))
	activated, rejected := make(chan *Snapshot, 10), make(chan error, 10)
	configuration := keyed(map[string]any{"bundles": map[string]any{
		"team": merge(map[string]any{"resource": "file://" + place}, wantSigned()),
	}})
	e := fetching(t, configuration, func(o *Options) {
		o.Watch, o.Debounce = true, 5*time.Millisecond
		o.OnActivate = func(s *Snapshot) { activated <- s }
		o.OnReject = func(err error) { rejected <- err }
	})
	receive(t, activated)
	require.Equal(t, "allow", decided(t, e))
	replaceFile(t, place, signed("ls"))
	require.Contains(t, receive(t, activated).Revision(), "+ls")
	require.Equal(t, "deny", decided(t, e))
	replaceFile(t, place, archive(t, sign(t, site("team", "bad", `cover contains [i, "x"] if some i, _ in input.items`), "a key of ours", "read")))
	require.ErrorContains(t, receive(t, rejected), CheckSmoke)
	require.Equal(t, "deny", decided(t, e))
	require.Zero(t, e.Status().ConfirmedAt, "a file is never old")
	require.False(t, e.Status().Bundles[0].Restored)
}

// The bundle that is called policyd replaces the built-in one, which then never decides.
func TestABundleOfAServiceReplacesTheBuiltInOne(t *testing.T) {
	s := newShelf(t)
	e, err := New(t.Context(), unsmoked(Options{FS: policies.FS, Services: s.services(nil, "policyd", "team"), PersistDir: t.TempDir()}))
	require.NoError(t, err)
	t.Cleanup(e.Close)
	s.put("team", archive(t, site("team", "t-1", denying("ls"))))
	require.Error(t, e.Poll(t.Context()))
	require.Nil(t, e.Current())
	own := deciding(prompting("theirs"))
	s.put("policyd", archive(t, with(own, ".manifest", `{"roots": ["policyd"], "revision": "p-1"}`)))
	require.NoError(t, e.Poll(t.Context()))
	require.Regexp(t, `^p-1-[0-9a-f]{12}\+t-1-[0-9a-f]{12}$`, e.Current().Revision())
	require.Equal(t, "theirs", judge(t, e).Hint)
}
