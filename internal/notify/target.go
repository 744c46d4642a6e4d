package notify

import (
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "policyd/api/v1"
)

// Kinds of targets.
const (
	Webhook = "webhook"
	Ntfy    = "ntfy"
	Slack   = "slack"
	Discord = "discord"
	Desktop = "desktop"
	Command = "command"
)

// Target is a person, or a program, to be notified of prompts.
type Target struct {
	// Name is for logs.
	Name, Kind string
	// URL is the address of a webhook, of a topic of ntfy, or an incoming webhook. It is a secret.
	URL string
	// Secret signs what is sent to a webhook, and is the token of ntfy.
	Secret string
	// Command is the argv of a command.
	Command []string
	// Agents limits the agents whose prompts are sent; empty for all.
	Agents []string
	// Ended also reports how a prompt ended.
	Ended bool
	// After is how long a prompt has to wait before the target is notified (escalation).
	After time.Duration
	// Quiet is a time of the day in which nothing is sent; what still waits at its end is.
	Quiet Quiet
}

func (t *Target) wants(prompt *v1.Prompt) bool {
	return (len(t.Agents) == 0 || slices.Contains(t.Agents, prompt.Call.Agent)) && (prompt.State == v1.PromptPending || t.Ended)
}

// Quiet is a time of the day, in minutes after midnight. From may be later than To. The zero value is never.
type Quiet struct {
	From, To int
	Zone     *time.Location
}

// ParseQuiet reads "22:00-07:00" in a time zone, UTC for "".
func ParseQuiet(text, zone string) (Quiet, error) {
	if text == "" {
		return Quiet{}, nil
	}
	location, err := time.LoadLocation(zone)
	if err != nil {
		return Quiet{}, fmt.Errorf("read time zone: %w", err)
	}
	from, to, _ := strings.Cut(text, "-")
	quiet := Quiet{Zone: location}
	for _, one := range []struct {
		text string
		into *int
	}{{from, &quiet.From}, {to, &quiet.To}} {
		at, err := time.Parse("15:04", one.text)
		if err != nil {
			return Quiet{}, fmt.Errorf("%q is no time of the day; write 22:00-07:00", text)
		}
		*one.into = at.Hour()*60 + at.Minute()
	}
	return quiet, nil
}

// until returns when the current quiet time ends, and now outside of it.
func (q Quiet) until(now time.Time) time.Time {
	if q.From == q.To || q.Zone == nil {
		return now
	}
	local := now.In(q.Zone)
	minute := local.Hour()*60 + local.Minute()
	inside := minute >= q.From && minute < q.To
	if q.From > q.To {
		inside = minute >= q.From || minute < q.To
	}
	if !inside {
		return now
	}
	day := local.Day()
	if minute >= q.To {
		day++
	}
	return time.Date(local.Year(), local.Month(), day, q.To/60, q.To%60, 0, 0, q.Zone)
}
