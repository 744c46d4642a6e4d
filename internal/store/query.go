package store

import (
	"context"
	"database/sql"
	"math"
)

// scanner is one row of a result.
type scanner interface {
	Scan(into ...any) error
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, arguments ...any) (*sql.Rows, error)
}

// list returns all rows of a query, never nil.
func list[T any](ctx context.Context, from querier, scan func(scanner) (T, error), query string, arguments ...any) ([]T, error) {
	if err := checkText(arguments...); err != nil {
		return nil, err
	}
	rows, err := from.QueryContext(ctx, query, arguments...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := []T{}
	for rows.Next() {
		row, err := scan(rows)
		if err != nil {
			return nil, err
		}
		found = append(found, row)
	}
	return found, rows.Err()
}

// one returns the first row of a query, or ErrNotFound.
func one[T any](ctx context.Context, from querier, scan func(scanner) (T, error), query string, arguments ...any) (T, error) {
	found, err := list(ctx, from, scan, query, arguments...)
	if err == nil && len(found) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		var none T
		return none, err
	}
	return found[0], nil
}

// limited is the operand of LIMIT: below one means no limit.
func limited(limit int) int {
	if limit < 1 {
		return math.MaxInt32
	}
	return limit
}

func scanText(row scanner) (text string, err error) {
	err = row.Scan(&text)
	return text, err
}

func scanBool(row scanner) (truth bool, err error) {
	err = row.Scan(&truth)
	return truth, err
}

// prepared is a querier that runs one prepared statement and ignores the text.
type prepared struct{ statement *sql.Stmt }

// QueryContext ignores the text.
func (p prepared) QueryContext(ctx context.Context, _ string, arguments ...any) (*sql.Rows, error) {
	return p.statement.QueryContext(ctx, arguments...)
}
