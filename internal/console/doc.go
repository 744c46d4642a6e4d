// Package console serves the pages on which operators answer prompts, read decisions and revoke remembered
// answers.
//
// It trusts the holder of a session cookie, which is given for a one-time code that an operator's credential
// requested. It doesn't trust text from an agent, which is always shown as text. Guarantees: no page loads
// from or sends to another host; every response has the same strict headers; a write is accepted only from a
// page of this console; a session ends with the credential that it was made with.
package console
