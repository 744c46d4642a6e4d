// Package toolapprovals reads tool-approvals.json, the file in which other programs
// keep remembered answers, in its version 2.
//
// It trusts nothing in the file. Guarantees: a file is read as a whole or not at all; no entry becomes more
// than its text; an error gives the place.
package toolapprovals
