package config

import (
	"fmt"
	"time"
)

// Notify is a target of notifications about prompts. URL, Secret and SigningSecret are secrets.
type Notify struct {
	Name, Kind, URL, Secret string
	Command, Agents         []string
	Ended                   bool
	After                   time.Duration
	// Quiet is a time of the day, such as 22:00-07:00, in Zone.
	Quiet, Zone string
	// SigningSecret is Slack's, PublicKey Discord's: with one of them, People answer by a click.
	SigningSecret, PublicKey string
	People                   []string
}

// Kinds of targets.
const (
	notifyWebhook = "webhook"
	notifyNtfy    = "ntfy"
	notifySlack   = "slack"
	notifyDiscord = "discord"
	notifyDesktop = "desktop"
	notifyCommand = "command"
)

func notifyShape() shape {
	target := fixed(map[string]shape{
		"name":           {kind: text, check: tokenName, needed: true},
		"kind":           {kind: text, allowed: []string{notifyWebhook, notifyNtfy, notifySlack, notifyDiscord, notifyDesktop, notifyCommand}, needed: true},
		"url":            {kind: text, check: webAddress},
		"secret":         {kind: text, check: oneLine},
		"command":        strs(),
		"agents":         strs(),
		"ended":          {kind: boolean},
		"after":          {kind: duration, least: 0, most: 24 * 3600},
		"quiet":          {kind: text, check: notEmpty},
		"zone":           {kind: text, check: notEmpty},
		"signing_secret": {kind: text, check: oneLine},
		"public_key":     {kind: text, check: oneLine},
		"people":         strs(),
	})
	return shape{kind: list, each: &target}
}

func notifyTargets(values []any) []Notify {
	var out []Notify
	for _, entry := range values {
		member, _ := entry.(map[string]any)
		out = append(out, Notify{
			Name: get(member, "name", ""), Kind: get(member, "kind", ""), URL: get(member, "url", ""), Secret: get(member, "secret", ""),
			Command: words(member, "command"), Agents: words(member, "agents"), Ended: get(member, "ended", false),
			After: get(member, "after", time.Duration(0)), Quiet: get(member, "quiet", ""), Zone: get(member, "zone", ""),
			SigningSecret: get(member, "signing_secret", ""), PublicKey: get(member, "public_key", ""), People: words(member, "people"),
		})
	}
	return out
}

func words(values map[string]any, key string) []string {
	var out []string
	for _, one := range get(values, key, []any{}) {
		out = append(out, fmt.Sprint(one))
	}
	return out
}

// checkNotify checks that each target has the keys of its kind, and that names differ.
func (o *Operations) checkNotify(fail func(key, message string) error) error {
	names, inbound := map[string]bool{}, map[string]bool{}
	for i := range o.Notify {
		target := &o.Notify[i]
		key, answers := fmt.Sprintf("notify[%d].", i), target.SigningSecret != "" || target.PublicKey != ""
		if wrong, message := target.misplaced(); wrong != "" {
			return fail(key+wrong, message)
		}
		switch {
		case names[target.Name]:
			return fail(key+"name", fmt.Sprintf("%q is repeated; keep one", target.Name))
		case answers && inbound[target.Kind]:
			return fail(key+"kind", "clicks of one service are answered for one target; leave the secret out of the other")
		case answers && len(target.People) == 0:
			return fail(key+"people", "name the ids of those who may answer")
		case answers && o.Console.Serve != ConsoleAlways:
			return fail(key+"people", "clicks arrive at the console; set console.serve to always")
		}
		names[target.Name] = true
		inbound[target.Kind] = inbound[target.Kind] || answers
	}
	return nil
}

// misplaced names a key that the kind of a target needs or doesn't have, empty for none.
func (n *Notify) misplaced() (key, message string) {
	remote := n.Kind != notifyDesktop && n.Kind != notifyCommand
	switch {
	case remote != (n.URL != ""):
		return "url", "webhook, ntfy, slack and discord have an address, and the others none"
	case (n.Kind == notifyCommand) != (len(n.Command) > 0):
		return "command", "the kind command has a command, and the others none"
	case n.SigningSecret != "" && n.Kind != notifySlack:
		return "signing_secret", "it is Slack's"
	case n.PublicKey != "" && n.Kind != notifyDiscord:
		return "public_key", "it is Discord's"
	}
	return "", ""
}
