// Package clients holds what is at the agent programs' side against those programs' own rules: which answers
// block a tool and which let it run.
package clients
