// Package clientrules reads the permission rules of agent programs and maps them to
// approvals.
//
// It trusts nothing in the files. It guarantees that a file is read as a whole or not at
// all, that an error names the file and the line, that each rule gets a result, and
// that an approval allows nothing that the rules of the program don't allow.
package clientrules
