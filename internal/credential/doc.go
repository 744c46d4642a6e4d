// Package credential recognizes credentials in text: keys and tokens by the form that their issuers
// gave them, addresses that name a user with a password, and parameters of a query that authenticate.
//
// It is the one answer to whether a text holds a credential, for what git would print and for what
// a record may keep. It doesn't recognize secrets that look like nothing. All functions take time in
// proportion to the text, and may be used concurrently.
package credential
