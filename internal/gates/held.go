package gates

import (
	"context"
	"sync"
)

// held are the requests of one side that wait for a person, by their ids as they were written. It may be used
// concurrently.
type held struct {
	mu   sync.Mutex
	wait sync.WaitGroup
	by   map[string]*waiting
	// closed is true when nothing may wait any more.
	closed bool
}

// waiting is one request that waits.
type waiting struct {
	cancel context.CancelFunc
	gone   bool
}

// start runs a wait. Of two requests with one id, the later is the one that a
// cancellation means. After cancelAll nothing is started.
func (h *held) start(ctx context.Context, id string, run func(ctx context.Context, request *waiting)) {
	ctx, cancel := context.WithCancel(ctx)
	request := &waiting{cancel: cancel}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		cancel()
		return
	}
	if h.by == nil {
		h.by = map[string]*waiting{}
	}
	h.by[id] = request
	h.wait.Go(func() {
		defer cancel()
		run(ctx, request)
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.by[id] == request {
			delete(h.by, id)
		}
	})
}

// cancel cancels a request that still waits.
func (h *held) cancel(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if request := h.by[id]; request != nil {
		request.gone = true
		request.cancel()
	}
}

// cancelAll cancels everything and waits until nothing waits any more.
func (h *held) cancelAll() {
	h.mu.Lock()
	h.closed = true
	for _, request := range h.by {
		request.gone = true
		request.cancel()
	}
	h.mu.Unlock()
	h.wait.Wait()
}

// finish runs the end of a wait, unless the request was cancelled before. A later cancellation is forwarded
// after finish wrote.
func (h *held) finish(request *waiting, do func() error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if request.gone {
		return nil
	}
	return do()
}
