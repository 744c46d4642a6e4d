// Package store keeps what has to outlive the process: sessions, path grants,
// approvals, prompts and one-shot answers, in SQLite or PostgreSQL.
//
// It trusts its callers with meaning: it knows neither what an approval covers
// nor who may give one. What it promises to keep: a method that returned nil is
// on disk; a method that returned an error changed nothing; of two answers to
// one prompt, one wins; a one-shot answer is spent once, also across processes.
// One case can't be told: a connection to PostgreSQL that breaks while a change is
// committed gives an error, and the change may be there. And on disk means what
// the server's synchronous_commit says.
//
// Nothing here is on the way of a decision that needs no question: what
// decisions read is kept in memory by the callers.
package store
