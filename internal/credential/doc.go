// Package credential recognizes credentials in text: keys and tokens by the form that their issuers
// gave them, addresses that name a user with a password, and parameters of a query that authenticate.
//
// It is the one detector of credentials in text, for output of git and for records. It doesn't recognize
// secrets without a form. All functions are linear in the text, and may be used concurrently.
package credential
