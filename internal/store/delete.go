package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// deleteChunk is how many ids one statement names; both databases bound it.
const deleteChunk = 500

// delete removes the rows with these ids from one of the tables with an id.
func (t *transaction) delete(ctx context.Context, table string, ids []string) (int, error) {
	gone := 0
	for chunk := range slices.Chunk(ids, deleteChunk) {
		numbers, values := make([]string, len(chunk)), make([]any, len(chunk))
		for i, id := range chunk {
			numbers[i], values[i] = "$"+strconv.Itoa(i+1), id
		}
		count, err := t.changing(ctx, table,
			`DELETE FROM `+table+` WHERE id IN (`+strings.Join(numbers, ", ")+`) RETURNING id`, values...)
		if err != nil {
			return 0, err
		}
		gone += count
	}
	return gone, nil
}

// deleteAll is delete in a transaction of its own.
func (s *Store) deleteAll(ctx context.Context, table string, ids []string) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	gone := 0
	err := s.write(ctx, len(ids), func(ctx context.Context, t *transaction) error {
		var err error
		gone, err = t.delete(ctx, table, ids)
		return err
	})
	if err != nil {
		return 0, err
	}
	return gone, nil
}
