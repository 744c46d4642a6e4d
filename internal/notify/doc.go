// Package notify notifies people of prompts by webhook, ntfy, Slack, Discord, a notification on the desktop
// or a command, and accepts answers that Slack and Discord send back.
//
// It trusts the settings, and nothing in a prompt: package render makes the messages. Guarantees: a target
// gets a prompt and a state at most once, and a delivery that may have arrived is repeated with the same id;
// a slow or unreachable target delays no other one and no decision; an answer is accepted only with a valid
// signature, from a person in the settings.
package notify
