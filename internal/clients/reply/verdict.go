package reply

// Verdict is the reply for a client, before it has the client's form. The zero value denies.
type Verdict uint8

// The verdicts. Ask leaves the question to the client's own dialog, and Nothing
// leaves the call to the client's own rules.
const (
	Deny Verdict = iota
	Ask
	Allow
	Nothing
)

// For is the reply that gives a verdict on a client's event, by the client's name of the event. A verdict
// that the client can't obey safely becomes its deny: otherwise it would run the tool, or block. reason is
// for the person and the model; a default replaces an empty one. An event that decides nothing gets the empty
// object whatever the verdict.
func For(client, event string, verdict Verdict, reason string) Reply {
	if reason == "" {
		reason = noReason
	}
	made, known := bodyOf(client, event, verdict, reason)
	if !known || sessionEvent(event) {
		verdict, made = Deny, denyOf(client, event, reason)
	}
	exit := 0
	if verdict == Deny && exitsOnDeny(client) && !sessionEvent(event) {
		exit = exitDeny
	}
	body, err := encode(made)
	if err != nil {
		return Failure(client, nil, noReason)
	}
	return Reply{Body: body, Exit: exit}
}

// bodyOf is the body of what isn't a deny; known is false if it has to be one.
func bodyOf(client, event string, verdict Verdict, reason string) (body any, known bool) {
	if found, ok := ByName(client); ok {
		return found.answer(event, verdict, reason)
	}
	return nil, false
}

// exitsOnDeny reports whether a client's deny needs the exit code too. An unknown client's does.
func exitsOnDeny(client string) bool {
	known, found := ByName(client)
	return !found || known.exits
}

// decisionWord is the reply of the clients that accept one word.
type decisionWord struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason,omitempty"`
}

// Refuse is the client's own deny for an event that could not be decided, as far as its payload shows which
// event it is. Unlike Failure it is complete: the exit code is the one that the client's deny needs.
func Refuse(client string, payload []byte, message string) Reply {
	refused := Failure(client, payload, message)
	if !exitsOnDeny(client) {
		refused.Exit = 0
	}
	return refused
}

// Silent is the reply to an event that decides nothing.
func Silent() Reply { return Reply{Body: []byte("{}\n")} }
