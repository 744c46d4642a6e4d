package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	v1 "policyd/api/v1"
)

// Message is a notification for a target.
type Message struct {
	// ID is the same for every attempt: the prompt's id and its state.
	ID     string
	Prompt *v1.Prompt
	// Link opens the prompt in the console; empty if there is none.
	Link string
	At   time.Time
}

// Sender delivers a message. An error that wraps errRefused is final.
type Sender interface {
	Send(ctx context.Context, message *Message) error
}

// errRefused states that the same message will be refused again.
var errRefused = errors.New("refused")

// attempts is how often a message is sent at most, backoff how long is waited before the second
// time; it grows fourfold. mostQueued bounds what waits, and mostTold what is remembered.
const (
	attempts     = 5
	backoff      = time.Second
	mostQueued   = 1000
	maxDelivered = 10_000
	patience     = 10 * time.Second
)

// job is a message that waits.
type job struct {
	prompt  v1.Prompt
	due     time.Time
	attempt int
}

// Worker notifies one target. It may be used concurrently.
type Worker struct {
	target Target
	sender Sender
	link   func(id string) string
	logger *slog.Logger

	mu   sync.Mutex
	jobs []job
	// delivered are the messages that were delivered, by their ids, the oldest first.
	delivered map[string]bool
	order     []string
	wake      chan struct{}
}

// NewWorker returns the worker of a target. link makes the address of a prompt, empty for none.
func NewWorker(target Target, sender Sender, link func(id string) string, logger *slog.Logger) *Worker {
	return &Worker{target: target, sender: sender, link: link, logger: logger, delivered: map[string]bool{}, wake: make(chan struct{}, 1)}
}

// Take queues a prompt that was opened or has ended. It doesn't wait for the target.
func (w *Worker) Take(prompt *v1.Prompt, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := messageID(prompt)
	if w.delivered[id] {
		return
	}
	waited := len(w.jobs)
	if prompt.State != v1.PromptPending {
		w.remember(prompt.ID + ended)
		w.jobs = slices.DeleteFunc(w.jobs, func(one job) bool { return one.prompt.ID == prompt.ID })
		if len(w.jobs) < waited {
			return // the prompt was never sent, so its end isn't either
		}
	}
	if !w.target.wants(prompt) || prompt.State != v1.PromptPending && !w.delivered[prompt.ID+"."+v1.PromptPending] {
		return
	}
	w.remember(id)
	if len(w.jobs) >= mostQueued {
		w.logger.Warn("notification left out: too many wait", "target", w.target.Name, "prompt", w.jobs[0].prompt.ID)
		w.jobs = w.jobs[1:]
	}
	due := now
	if prompt.State == v1.PromptPending {
		due = now.Add(w.target.After)
	}
	w.jobs = append(w.jobs, job{prompt: *prompt, due: due})
	select {
	case w.wake <- struct{}{}:
	default: // it is awake
	}
}

func messageID(prompt *v1.Prompt) string { return prompt.ID + "." + prompt.State }

// remember adds a message. The caller holds mu.
func (w *Worker) remember(id string) {
	w.delivered[id] = true
	w.order = append(w.order, id)
	if len(w.order) > maxDelivered {
		delete(w.delivered, w.order[0])
		w.order = w.order[1:]
	}
}

// Due sends what is due, and returns when the next message is; zero for none that waits.
func (w *Worker) Due(ctx context.Context, now time.Time) (next time.Time) {
	for {
		one, found := w.pop(now)
		if !found {
			return w.next()
		}
		message := Message{ID: messageID(&one.prompt), Prompt: &one.prompt, Link: w.link(one.prompt.ID), At: now}
		bounded, cancel := context.WithTimeout(ctx, patience)
		err := w.sender.Send(bounded, &message)
		cancel()
		if err == nil {
			continue
		}
		one.attempt++
		if errors.Is(err, errRefused) || one.attempt >= attempts {
			w.logger.Error("notification failed", "target", w.target.Name, "prompt", one.prompt.ID, "error", err)
			continue
		}
		one.due = now.Add(backoff << (2 * (one.attempt - 1)))
		w.requeue(one)
	}
}

// ended marks a prompt that has ended among the delivered messages.
const ended = ".over"

// requeue queues a message once more, unless its prompt has ended meanwhile.
func (w *Worker) requeue(one job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if one.prompt.State != v1.PromptPending || !w.delivered[one.prompt.ID+ended] {
		w.jobs = append(w.jobs, one)
	}
}

// pop returns a message that is due. It postpones a message in a quiet time, and drops one that has expired.
func (w *Worker) pop(now time.Time) (job, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.jobs = slices.DeleteFunc(w.jobs, func(one job) bool { return one.prompt.State == v1.PromptPending && !now.Before(one.prompt.ExpiresAt) })
	quiet := w.target.Quiet.until(now)
	for i := range w.jobs {
		if w.jobs[i].due.After(now) {
			continue
		}
		if quiet.After(now) {
			w.jobs[i].due = quiet
			continue
		}
		one := w.jobs[i]
		w.jobs = slices.Delete(w.jobs, i, i+1)
		return one, true
	}
	return job{}, false
}

func (w *Worker) next() (next time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.jobs {
		if next.IsZero() || w.jobs[i].due.Before(next) {
			next = w.jobs[i].due
		}
	}
	return next
}

// Run sends until ctx ends.
func (w *Worker) Run(ctx context.Context, clock func() time.Time) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		case <-timer.C:
		}
		next := w.Due(ctx, clock())
		if next.IsZero() {
			continue
		}
		timer.Reset(max(next.Sub(clock()), time.Millisecond))
	}
}

// Test sends a message at once, also in a quiet time.
func (w *Worker) Test(ctx context.Context, prompt *v1.Prompt, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	message := Message{ID: messageID(prompt), Prompt: prompt, Link: w.link(prompt.ID), At: now}
	if err := w.sender.Send(ctx, &message); err != nil {
		return fmt.Errorf("notify %s: %w", w.target.Name, err)
	}
	return nil
}
