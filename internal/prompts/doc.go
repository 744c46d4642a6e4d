// Package prompts keeps the questions for people, from the call that opened them to their answer, expiry or
// withdrawal.
//
// It trusts its caller to check who may answer. Guarantees: of two answers one wins; an answer is in the
// store before anybody sees it; every waiter for a prompt learns of its end at once.
package prompts
