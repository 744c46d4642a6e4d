package record_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/record"
)

// logs is a service that takes decision logs in OPA's form.
type logs struct {
	*httptest.Server
	mu      sync.Mutex
	answers []int // statuses, the last for good
	got     []string
	largest int // how many records it takes at once
	tries   int
}

func newLogs(t *testing.T, answers ...int) *logs {
	t.Helper()
	l := &logs{answers: answers, largest: 1 << 20}
	l.Server = httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		writer.WriteHeader(l.take(t, request))
	}))
	t.Cleanup(l.Close)
	return l
}

func (l *logs) take(t *testing.T, request *http.Request) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tries++
	assert.Equal(t, "POST /base/logs", request.Method+" "+request.URL.Path)
	assert.Equal(t, "application/json", request.Header.Get("Content-Type"))
	assert.Equal(t, "gzip", request.Header.Get("Content-Encoding"))
	assert.Equal(t, "Bearer t", request.Header.Get("Authorization"))
	status := l.answers[0]
	if len(l.answers) > 1 {
		l.answers = l.answers[1:]
	}
	unpacked, err := gzip.NewReader(request.Body)
	if !assert.NoError(t, err) {
		return http.StatusTeapot
	}
	var batch []struct {
		ID     string `json:"decision_id"`
		Input  any    `json:"input"`
		Result any    `json:"result"`
	}
	if !assert.NoError(t, json.NewDecoder(unpacked).Decode(&batch)) {
		return http.StatusTeapot
	}
	if len(batch) > l.largest {
		return http.StatusRequestEntityTooLarge
	}
	if status < 300 {
		for _, one := range batch {
			assert.NotNil(t, one.Input)
			assert.NotNil(t, one.Result)
			l.got = append(l.got, one.ID)
		}
	}
	return status
}

func (l *logs) ids() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.got...)
}

// service sends to the test's service and never waits for a clock; pauses gets every wait, and blocks it if
// it is full.
func (l *logs) service(pauses chan time.Duration) *record.Service {
	return &record.Service{URL: l.URL + "/base/", Token: "t", Pause: func(ctx context.Context, pause time.Duration) {
		select {
		case pauses <- pause:
		case <-ctx.Done():
		}
	}}
}

func forwarding(t *testing.T, service *record.Service) *record.Writer {
	t.Helper()
	return open(t, record.Options{File: filepath.Join(t.TempDir(), "decisions.jsonl"), Required: true, Service: service})
}

func TestRecordsAreForwardedInOrder(t *testing.T) {
	service := newLogs(t, http.StatusOK)
	writer := forwarding(t, service.service(nil))
	want := []string{}
	for i := range 50 {
		want = append(want, fmt.Sprint(i))
		require.NoError(t, writer.Write(t.Context(), sample(fmt.Sprint(i))))
	}
	require.NoError(t, writer.Close(), "what is left is sent")
	assert.Equal(t, want, service.ids())
	assert.Equal(t, record.ForwardStatus{Sent: 50}, *writer.Status().Forward)
}

// TestAServiceThatFailsIsTriedAgain checks that a wrong token or a missing address cost nothing either, and
// that tries get rarer.
func TestAServiceThatFailsIsTriedAgain(t *testing.T) {
	service := newLogs(t, 500, 503, 429, 401, 404, 302, http.StatusNoContent)
	pauses := make(chan time.Duration, 100)
	writer := forwarding(t, service.service(pauses))
	require.NoError(t, writer.Write(t.Context(), sample("1")))
	eventually(t, "it is sent", func() bool { return writer.Status().Forward.Sent == 1 })
	assert.Equal(t, []string{"1"}, service.ids())
	status := writer.Status().Forward
	assert.Equal(t, uint64(6), status.Failures)
	require.NoError(t, status.Error, "the latest try succeeded")
	first := <-pauses
	for range 4 {
		<-pauses
	}
	assert.Greater(t, <-pauses, 4*first)
	require.NoError(t, writer.Check(), "the file is the truth")
}

// TestWhatAServiceRefusesIsCountedAndDoesNotBlock checks 413, for which smaller batches are tried, and 400.
func TestWhatAServiceRefusesIsCountedAndDoesNotBlock(t *testing.T) {
	service := newLogs(t, 500, http.StatusOK)
	service.largest = 3
	pauses := make(chan time.Duration)
	writer := forwarding(t, service.service(pauses))
	require.NoError(t, writer.Write(t.Context(), sample("0")))
	want := []string{"0"}
	eventually(t, "the first try failed", func() bool { return writer.Status().Forward.Failures == 1 })
	for i := 1; i < 20; i++ { // they gather while the first waits
		want = append(want, fmt.Sprint(i))
		require.NoError(t, writer.Write(t.Context(), sample(fmt.Sprint(i))))
	}
	<-pauses
	eventually(t, "all are sent", func() bool { return writer.Status().Forward.Sent == 20 })
	assert.Equal(t, want, service.ids())

	refusing := newLogs(t, http.StatusBadRequest)
	writer = forwarding(t, refusing.service(nil))
	require.NoError(t, writer.Write(t.Context(), sample("1")))
	eventually(t, "it is refused", func() bool { return writer.Status().Forward.Dropped == 1 })
	require.ErrorContains(t, writer.Status().Forward.Error, "400")
}

// TestTheOldestGiveWayToNewOnes checks that what waits for a service is bounded.
func TestTheOldestGiveWayToNewOnes(t *testing.T) {
	target := newLogs(t, 500, http.StatusOK)
	pauses := make(chan time.Duration)
	service := target.service(pauses)
	service.BufferBytes = 3*len(encoded(t, "1")) + 10
	writer := forwarding(t, service)
	require.NoError(t, writer.Write(t.Context(), sample("0")))
	eventually(t, "the first try failed", func() bool { return writer.Status().Forward.Failures == 1 })
	for i := 1; i < 9; i++ {
		require.NoError(t, writer.Write(t.Context(), sample(fmt.Sprint(i))))
	}
	assert.Equal(t, uint64(5), writer.Status().Forward.Dropped)
	<-pauses
	eventually(t, "the rest is sent", func() bool { return writer.Status().Forward.Sent == 4 })
	assert.Equal(t, []string{"0", "6", "7", "8"}, target.ids())
}

// TestClosingDoesNotWaitForAServiceThatIsAway checks that one more try is made, and that what it doesn't take
// is counted.
func TestClosingDoesNotWaitForAServiceThatIsAway(t *testing.T) {
	target := newLogs(t, http.StatusInternalServerError)
	writer := forwarding(t, target.service(make(chan time.Duration)))
	for i := range 5 {
		entry := sample(fmt.Sprint(i))
		entry.Call.Args["command"] = strings.Repeat("x", 600<<10) // so that each is sent alone
		require.NoError(t, writer.Write(t.Context(), entry))
	}
	require.NoError(t, writer.Close())
	status := writer.Status().Forward
	assert.Equal(t, uint64(5), status.Dropped)
	assert.LessOrEqual(t, target.tries, 2, "one while it ran, and one at the end")
	require.Error(t, status.Error)
}
