// Package render shows a prompt, and what came of it, where people are: as plain
// text, as a Slack message (Block Kit) and as a Discord message with components.
//
// It trusts nothing in a prompt, since an agent has a say in every text of it. What
// it promises to keep: what is shown is what was asked (A11). A text is never
// markup, link or mention; a text that doesn't fit, or can't be shown as it is, is
// marked, and then nothing but once and deny is offered; and no button gives an
// answer that the prompt doesn't offer.
package render
