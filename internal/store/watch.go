package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// listener gets notifications of other stores.
type listener interface {
	// next waits for one. It may go on after the context's deadline, and after no
	// other error.
	next(ctx context.Context) (string, error)
	// ping fails when no notification can arrive any more.
	ping(ctx context.Context) error
	close()
}

// Backoff between attempts to connect. The longest is what a change may be late
// after a lost connection.
const (
	firstBackoff = 20 * time.Millisecond
	lastBackoff  = 500 * time.Millisecond
)

// Watch calls report for each change of another store, until ctx ends, and returns its error. Calls are
// sequential.
//
// The first reported change, and one after each lost and restored connection, is the empty one: everything
// has to be read again. So a caller that starts Watch and then reads what report requires misses nothing.
// SQLite has no notifications, and reports none.
func (s *Store) Watch(ctx context.Context, report func(Change)) error {
	if s.listen == nil {
		<-ctx.Done()
		return ctx.Err()
	}
	defer s.deaf.Store(nil)
	backoff := firstBackoff
	for {
		connected, err := s.hear(ctx, report)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s.deaf.Store(&err)
		if connected {
			backoff = firstBackoff
			report(Change{})
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(backoff):
		}
		backoff = min(2*backoff, lastBackoff)
	}
}

// hear reports changes for as long as one connection lasts, and reports whether it was there at all.
func (s *Store) hear(ctx context.Context, report func(Change)) (connected bool, err error) {
	source, err := s.connectListener(ctx)
	if err != nil {
		return false, fmt.Errorf("listen: %w", err)
	}
	defer source.close()
	s.deaf.Store(nil)
	report(Change{})
	for {
		text, err := s.next(ctx, source)
		if err != nil {
			return true, fmt.Errorf("listen: %w", err)
		}
		if change, own := heard(text, s.id); !own {
			report(change)
		}
	}
}

func (s *Store) connectListener(ctx context.Context) (listener, error) {
	ctx, cancel := s.bounded(ctx, 0)
	defer cancel()
	return s.listen(ctx)
}

// next waits for a notification. In a silence it checks the connection: a network that fails without a sign
// is silent, too.
func (s *Store) next(ctx context.Context, source listener) (string, error) {
	for {
		silence, cancel := s.bounded(ctx, 0)
		text, err := source.next(silence)
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return text, err
		}
		if err := s.pingListener(ctx, source); err != nil {
			return "", err
		}
	}
}

func (s *Store) pingListener(ctx context.Context, source listener) error {
	ctx, cancel := s.bounded(ctx, 0)
	defer cancel()
	return source.ping(ctx)
}
