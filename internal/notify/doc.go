// Package notify tells people of prompts where they are: by webhook, ntfy, Slack, Discord, a
// notification on the desktop or a command, and takes answers that Slack and Discord send back.
//
// It trusts the settings, and nothing in a prompt: messages are those of package render. What it
// promises to keep: a target is told of a prompt and a state at most once, and a delivery that may
// have arrived is repeated with the same id; a target that is slow or away delays no other one and
// no decision; an answer is taken only with a valid signature, from somebody whom the settings name.
package notify
