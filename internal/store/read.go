package store

import (
	"context"
	"time"
)

// progressRows is how many rows a reader has to get within the timeout, to have
// the timeout again for the next ones.
const progressRows = 1000

// listAll is list for results of any length: it continues as long as rows arrive, and ends if none arrive for
// the timeout.
func listAll[T any](ctx context.Context, s *Store, scan func(scanner) (T, error), query string, arguments ...any) ([]T, error) {
	progressing, cancel := context.WithCancel(ctx)
	defer cancel()
	overdue := time.AfterFunc(s.timeout, cancel)
	defer overdue.Stop()
	rows := 0
	counted := func(row scanner) (T, error) {
		if rows++; rows%progressRows == 0 {
			overdue.Reset(s.timeout)
		}
		return scan(row)
	}
	found, err := list(progressing, s.reader, counted, query, arguments...)
	if err != nil && progressing.Err() != nil && ctx.Err() == nil {
		err = context.DeadlineExceeded
	}
	return found, err
}
