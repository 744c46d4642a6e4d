// Package watch shows the prompts that are pending, live, and takes a person's
// answers: as a view on a terminal, or line by line where there is none.
//
// It trusts whoever sits at the terminal, and nothing in a prompt. What it promises
// to keep: nothing of a prompt reaches the terminal but visible characters; a key
// answers the prompt that the person has before them, and only with what it offers;
// what doesn't fit on the screen can be approved once at most (A11).
package watch
