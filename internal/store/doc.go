// Package store keeps what has to outlive the process: sessions, path grants,
// approvals, prompts and one-shot answers, in SQLite or PostgreSQL.
//
// It trusts its callers with meaning: it knows neither what an approval covers nor who may add one.
// Guarantees: a method that returned nil is on disk; a method that returned an error changed nothing; of two
// answers to one prompt, one wins; a one-shot answer is spent once, also across processes. One case is
// undecidable: if a connection to PostgreSQL breaks during a commit, the method returns an error and the
// change may be there. On PostgreSQL, "on disk" depends on the server's synchronous_commit.
//
// No decision without a prompt waits for the store: its callers keep what decisions read in memory.
package store
