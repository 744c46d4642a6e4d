// Package record writes decision records: one line of JSON for each decision,
// handed to the file before the decision is answered, and free of secrets.
//
// The field names are those of OPA's decision log events, which existing
// consumers read. File contents never reach the record, only their length and
// digest; secret-like values are masked before policy sees the facts, so that
// a record judged again gives the same result.
//
// Masking finds what looks like a secret. A secret that looks like nothing
// stays, which is why the log file is readable by its owner alone.
package record
