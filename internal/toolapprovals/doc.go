// Package toolapprovals reads tool-approvals.json, the file in which other programs
// keep remembered answers, in its version 2.
//
// It trusts nothing in the file. What it promises to keep: a file is read as a whole
// or not at all, and nothing in it is taken for more than it says; an error names
// the place.
package toolapprovals
