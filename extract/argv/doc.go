// Package argv describes how programs read their argument vectors: which options they know, what
// each option and operand means, which other program or code they run, and what they print.
//
// The descriptions are data. The embedded program table has one entry for each program (see
// programs/README.md), and lists hold what is true of many programs. The table states facts from
// manuals and from runs of the programs; it makes no judgement. What it doesn't describe is unknown,
// and unknown never counts as safe.
//
// A Parser parses an argument vector by the entries of its program, and hands the parts to a Host. Of a
// word it knows the class: a literal, a pattern, digits, or text that only a run knows. The package
// knows nothing of shells' syntax or state, and reads no file.
package argv

//go:generate go test -count=1 -run ^TestTheTableIsWhole$ .
