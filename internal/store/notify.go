package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// channel is the channel on which stores of one PostgreSQL database announce changes.
const channel = "policyd"

const (
	// notifiedRows bounds the changes of one transaction that are announced one by one. Beyond, reading
	// everything again costs less.
	notifiedRows = 100
	// notifiedBytes is a little less than PostgreSQL's limit.
	notifiedBytes = 7500
)

// notify announces the changes to other stores, if the transaction commits. It includes the id of the store,
// which ignores its own changes.
func (t *transaction) notify(ctx context.Context, from string) error {
	if len(t.changes) == 0 {
		return nil
	}
	if len(t.changes) > notifiedRows {
		t.changes = []Change{{}}
	}
	// A store that gets an answered prompt reads what the answer added.
	slices.SortStableFunc(t.changes, func(a, b Change) int { return cmp.Compare(last(a.Table), last(b.Table)) })
	texts := make([]string, len(t.changes))
	for i, change := range t.changes {
		texts[i] = notification(from, change)
	}
	if _, err := t.tx.ExecContext(ctx, `SELECT pg_notify($1, text) FROM unnest($2::text[]) AS text`, channel, texts); err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	return nil
}

// notification is the store's name, a blank, and table:id or nothing.
func notification(from string, change Change) string {
	text := from + " " + change.Table + ":" + change.ID
	if change.Table == "" || len(text) > notifiedBytes {
		return from + " "
	}
	return text
}

// heard reads a notification. What it can't read may be of a newer program: then
// everything may have changed. Own reports a change of the store itself.
func heard(text, id string) (change Change, own bool) {
	from, rest, _ := strings.Cut(text, " ")
	table, row, named := strings.Cut(rest, ":")
	if !named {
		return Change{}, from == id
	}
	return Change{Table: table, ID: row}, from == id
}

// last orders the prompts after all other tables.
func last(table string) int {
	if table == tablePrompts {
		return 1
	}
	return 0
}
