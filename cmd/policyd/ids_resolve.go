package main

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	v1 "policyd/api/v1"
)

// wholeID is how long ids of policyd's own are.
const wholeID = 36

// promptID returns the prompt with a given prefix: a pending one, or else any.
func promptID(ctx context.Context, o *operator, given string) (string, error) {
	if len(given) == wholeID {
		return given, nil
	}
	var missing error
	for _, query := range []string{"?state=" + v1.PromptPending, ""} {
		list, err := gather(ctx, o, "/v1/prompts"+query, func(page *v1.PromptList) []v1.Prompt { return page.Prompts })
		if err != nil {
			return "", err
		}
		ids := idsOf(list, func(prompt *v1.Prompt) string { return prompt.ID })
		id, err := fullID("prompt", "policyd prompts list", given, ids)
		if err == nil {
			return id, nil
		}
		if missing = err; begins(ids, given) {
			break // several pending ones
		}
	}
	return "", missing
}

func begins(ids []string, given string) bool {
	for _, id := range ids {
		if len(given) >= leastID && strings.HasPrefix(id, given) {
			return true
		}
	}
	return false
}

// sessionID returns the session with a given prefix. Hosts choose the ids of sessions, so it first looks up
// the text as a whole id.
func sessionID(ctx context.Context, o *operator, given string) (string, error) {
	list, err := gather(ctx, o, "/v1/sessions", func(page *v1.SessionList) []v1.SessionInfo { return page.Sessions })
	if err != nil {
		return "", err
	}
	return fullID("session", "policyd sessions list", given, idsOf(list, func(session *v1.SessionInfo) string { return session.ID }))
}

// decisionID returns the decision with a given prefix. Ids begin with the time, so the log is read back only
// to that time.
func decisionID(ctx context.Context, o *operator, given string) (string, error) {
	if len(given) == wholeID || len(given) < leastID {
		return given, nil
	}
	since, known := idTime(given)
	if !known {
		return given, nil // not one of policyd's ids; the answer reports it
	}
	type decision struct {
		ID string `json:"decision_id"`
	}
	type page struct {
		Decisions []decision `json:"decisions"`
	}
	query := url.Values{"limit": {"1000"}, "since": {since.UTC().Format(time.RFC3339)}}
	list, err := gather(ctx, o, "/v1/decisions?"+query.Encode(), func(page *page) []decision {
		return slices.DeleteFunc(page.Decisions, func(d decision) bool { return !strings.HasPrefix(d.ID, given) })
	})
	if err != nil {
		return "", err
	}
	ids := idsOf(list, func(d *decision) string { return d.ID })
	return fullID("decision", "policyd decisions list", given, ids)
}

// idTime is the earliest time that an id which begins so can be of: those of version 7
// (RFC 9562) begin with 48 bits of milliseconds.
func idTime(prefix string) (time.Time, bool) {
	digits := strings.ReplaceAll(prefix, "-", "")
	const most = 12
	digits = digits[:min(len(digits), most)]
	var milliseconds int64
	for i := range most {
		digit := 0
		if i < len(digits) {
			if digit = strings.IndexByte("0123456789abcdef", digits[i]); digit < 0 {
				return time.Time{}, false
			}
		}
		milliseconds = milliseconds<<4 | int64(digit)
	}
	return time.UnixMilli(milliseconds), true
}
