package watch

import (
	"context"
	"time"

	v1 "policyd/api/v1"
)

// Update is what is pending now, or why that isn't known.
type Update struct {
	Prompts []v1.Prompt
	Err     error
}

// Answer answers a prompt and returns its resolution.
type Answer func(ctx context.Context, id, choice string) (resolution string, err error)

// Interval is how often Poll's ticker should tick.
const Interval = 500 * time.Millisecond

// Poll fetches the pending prompts, at once and with every tick, until ctx ends, and then closes the channel.
// A view depends only on the channel, so that another feed can replace Poll.
func Poll(ctx context.Context, ticks <-chan time.Time, pending func(context.Context) ([]v1.Prompt, error)) <-chan Update {
	updates := make(chan Update)
	go func() {
		defer close(updates)
		for {
			prompts, err := pending(ctx)
			select {
			case updates <- Update{Prompts: prompts, Err: err}:
			case <-ctx.Done():
				return
			}
			select {
			case <-ticks:
			case <-ctx.Done():
				return
			}
		}
	}()
	return updates
}
