// Package prompts keeps the questions that people are asked, from the call that
// opened them to their answer, expiry or withdrawal.
//
// It trusts the caller with who may answer. What it promises to keep: of two
// answers one wins; an answer is in the store before it is told to anybody;
// whoever waits for a prompt hears of its end at once.
package prompts
