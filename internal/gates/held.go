package gates

import (
	"context"
	"sync"
)

// heldRequests are the requests of one side that wait for a person, by their ids as they were written. It may be used
// concurrently.
type heldRequests struct {
	mu   sync.Mutex
	wait sync.WaitGroup
	byID map[string]*waiting
	// closed is true when nothing may wait any more.
	closed bool
}

// waiting is one request that waits.
type waiting struct {
	cancel    context.CancelFunc
	cancelled bool
}

// start runs a wait. Of two requests with one id, the later is the one that a
// cancellation means. After cancelAll nothing is started.
func (h *heldRequests) start(ctx context.Context, id string, run func(ctx context.Context, request *waiting)) {
	ctx, cancel := context.WithCancel(ctx)
	request := &waiting{cancel: cancel}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		cancel()
		return
	}
	if h.byID == nil {
		h.byID = map[string]*waiting{}
	}
	h.byID[id] = request
	h.wait.Go(func() {
		defer cancel()
		run(ctx, request)
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.byID[id] == request {
			delete(h.byID, id)
		}
	})
}

// cancel cancels a request that still waits.
func (h *heldRequests) cancel(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if request := h.byID[id]; request != nil {
		request.cancelled = true
		request.cancel()
	}
}

// cancelAll cancels everything and waits until nothing waits any more.
func (h *heldRequests) cancelAll() {
	h.mu.Lock()
	h.closed = true
	for _, request := range h.byID {
		request.cancelled = true
		request.cancel()
	}
	h.mu.Unlock()
	h.wait.Wait()
}

// finish runs the end of a wait, unless the request was cancelled before. A later cancellation is forwarded
// after finish wrote.
func (h *heldRequests) finish(request *waiting, do func() error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if request.cancelled {
		return nil
	}
	return do()
}
