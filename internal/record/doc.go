// Package record writes decision records: one line of JSON for each decision,
// handed to the file before the decision is answered, and free of secrets.
//
// The field names are those of OPA's decision log events, which existing consumers read. File contents never
// reach the record, only their length and digest. Secret-like values are masked before policy reads the
// facts, so that a record judged again gives the same result.
//
// Masking recognizes what looks like a secret. A secret without a recognizable form stays, which is why only
// the owner can read the log file.
package record
