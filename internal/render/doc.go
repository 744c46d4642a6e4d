// Package render shows a prompt and its outcome in a person's channel: as plain text, as a Slack message
// (Block Kit) and as a Discord message with components.
//
// It trusts nothing in a prompt, since an agent influences every text of it. Guarantees: the message shows
// the question that was asked (A11). A text is never markup, link or mention. A text that doesn't fit, or
// can't be shown as it is, is marked, and then only once and deny are offered. No button gives an answer that
// the prompt doesn't offer.
package render
