package record

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Service also gets the records, in the form of OPA's decision logs: POST <URL>/logs with a JSON array of
// records, compressed with gzip.
type Service struct {
	// URL is the address without /logs.
	URL string
	// Token is sent as a bearer token unless it is empty.
	Token string
	// BufferBytes bounds the records that wait to be sent; 0 means 16 MiB. New records replace the oldest.
	BufferBytes int
	// Client is one with a timeout of its own unless set.
	Client *http.Client
	// Pause waits before a try is repeated, and returns early when ctx is done; nil
	// is a timer. It is there for tests.
	Pause func(ctx context.Context, pause time.Duration)
}

// ForwardStatus counts the outcomes of forwarded records.
type ForwardStatus struct {
	// Sent counts records that the service accepted. Dropped counts those that it never gets: there was no
	// room for them, or it refused them.
	Sent, Dropped uint64
	// Failures counts failed attempts.
	Failures uint64
	// Waiting counts waiting records.
	Waiting int
	// Error is why the latest try failed, nil when it succeeded.
	Error error
}

// Bounds of what is sent at once, and of how long it is waited.
const (
	usualForwardBuffer = 16 << 20
	sentBytes          = 1 << 20
	sendPatience       = 15 * time.Second
	leastPause         = 500 * time.Millisecond
	mostPause          = time.Minute
	// lastPatience bounds the last try when the writer is closed.
	lastPatience = 2 * time.Second
)

// forwarder sends lines to a service, one batch after the other.
type forwarder struct {
	service *Service
	// closing ends the pauses; stop ends what is being sent, too.
	closing context.Context //nolint:containedctx // it lives as long as the forwarder
	begin   context.CancelFunc
	done    chan struct{}
	// lost is set when the last try failed: the service isn't waited for again.
	lost bool

	mu     sync.Mutex
	lines  [][]byte
	bytes  int
	more   chan struct{} // has room for one word
	counts ForwardStatus
}

func startForwarder(service *Service) *forwarder {
	own := *service
	if own.BufferBytes <= 0 {
		own.BufferBytes = usualForwardBuffer
	}
	if own.Client == nil {
		// A redirection is not followed: the token is for this service.
		own.Client = &http.Client{Timeout: sendPatience, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}
	}
	if own.Pause == nil {
		own.Pause = pause
	}
	f := &forwarder{service: &own, done: make(chan struct{}), more: make(chan struct{}, 1)}
	f.closing, f.begin = context.WithCancel(context.Background())
	go f.run()
	return f
}

func pause(ctx context.Context, length time.Duration) {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// add adds a line, which must not change afterwards. It never waits.
func (f *forwarder) add(line []byte) {
	f.mu.Lock()
	f.lines = append(f.lines, line)
	f.bytes += len(line)
	for f.bytes > f.service.BufferBytes && len(f.lines) > 1 {
		f.bytes -= len(f.lines[0])
		f.lines[0] = nil
		f.lines = f.lines[1:]
		f.counts.Dropped++
	}
	f.mu.Unlock()
	select {
	case f.more <- struct{}{}:
	default:
	}
}

// take removes the next batch; none if there is nothing to send.
func (f *forwarder) take() [][]byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	end, size := 0, 0
	for end < len(f.lines) && (end == 0 || size+len(f.lines[end]) <= sentBytes) {
		size += len(f.lines[end])
		end++
	}
	batch := f.lines[:end:end]
	f.lines = f.lines[end:]
	f.bytes -= size
	return batch
}

func (f *forwarder) run() {
	defer close(f.done)
	for {
		batch := f.take()
		if len(batch) > 0 {
			f.deliver(batch)
			continue
		}
		select {
		case <-f.more:
		case <-f.closing.Done():
			for batch := f.take(); len(batch) > 0; batch = f.take() {
				f.deliver(batch)
			}
			return
		}
	}
}

// close sends what is left, in one try.
func (f *forwarder) close() {
	f.begin()
	<-f.done
}

// deliver sends a batch until the service has accepted or refused it. After the forwarder is closed it tries
// once more.
func (f *forwarder) deliver(batch [][]byte) {
	for wait := leastPause; ; wait = min(2*wait, mostPause) {
		last := f.closing.Err() != nil
		if last && f.lost {
			f.drop(len(batch))
			return
		}
		err := f.send(batch, last)
		f.note(len(batch), err)
		var refused *refusedError
		switch {
		case err == nil:
			return
		case errors.As(err, &refused) && refused.large && len(batch) > 1:
			f.deliver(batch[:len(batch)/2])
			f.deliver(batch[len(batch)/2:])
			return
		case errors.As(err, &refused):
			f.drop(len(batch))
			return
		case last:
			f.lost = true
			f.drop(len(batch))
			return
		}
		f.service.Pause(f.closing, wait/2+rand.N(wait/2)) //nolint:gosec // the randomness only spreads attempts over time
	}
}

func (f *forwarder) note(records int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts.Error = err
	if err != nil {
		f.counts.Failures++
		return
	}
	f.counts.Sent += uint64(records) //nolint:gosec // a length
}

func (f *forwarder) drop(records int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts.Dropped += uint64(records) //nolint:gosec // a length
}

func (f *forwarder) status() ForwardStatus {
	f.mu.Lock()
	defer f.mu.Unlock()
	counts := f.counts
	counts.Waiting = len(f.lines)
	return counts
}

// refusedError is a batch that the service will never accept.
type refusedError struct {
	status string
	// large is true if smaller batches may pass.
	large bool
}

func (e *refusedError) Error() string { return "the service refused records: " + e.status }

var _ error = (*refusedError)(nil)

// send posts one batch. A wrong address or token isn't a refusal: an operator can correct it while the
// records wait.
func (f *forwarder) send(batch [][]byte, last bool) error {
	body, err := packed(batch)
	if err != nil {
		return err
	}
	patience := sendPatience
	if last {
		patience = lastPatience
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(f.service.URL, "/")+"/logs", body)
	if err != nil {
		return fmt.Errorf("forward records: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Content-Encoding", "gzip")
	if f.service.Token != "" {
		request.Header.Set("Authorization", "Bearer "+f.service.Token)
	}
	response, err := f.service.Client.Do(request)
	if err != nil {
		return fmt.Errorf("forward records: %w", err)
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // so that the connection can be used again
	switch {
	case response.StatusCode < http.StatusMultipleChoices:
		return nil
	case response.StatusCode == http.StatusRequestEntityTooLarge:
		return &refusedError{status: response.Status, large: true}
	case response.StatusCode == http.StatusBadRequest, response.StatusCode == http.StatusUnprocessableEntity:
		return &refusedError{status: response.Status}
	}
	return fmt.Errorf("forward records: the service answered %s", response.Status)
}

// packed is a batch in the form that OPA's services accept.
func packed(batch [][]byte) (*bytes.Buffer, error) {
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	text := bytes.Join(batch, []byte{','})
	for _, part := range [][]byte{{'['}, text, {']'}} {
		if _, err := zipped.Write(part); err != nil {
			return nil, fmt.Errorf("compress records: %w", err)
		}
	}
	if err := zipped.Close(); err != nil {
		return nil, fmt.Errorf("compress records: %w", err)
	}
	return &out, nil
}
