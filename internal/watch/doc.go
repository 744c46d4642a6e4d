// Package watch shows the pending prompts, live, and accepts a person's answers: as a view on a terminal, or
// line by line without one.
//
// It trusts the person at the terminal, and nothing in a prompt. Guarantees: only visible characters of a
// prompt reach the terminal; a key answers the prompt on the screen, and only with what it offers; what
// doesn't fit on the screen can be approved once at most (A11).
package watch
