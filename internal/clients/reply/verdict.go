package reply

// Verdict is what a client is to be told. The zero value denies.
type Verdict uint8

// The verdicts. Ask leaves the question to the client's own dialog, and Nothing
// leaves the call to the client's own rules.
const (
	Deny Verdict = iota
	Ask
	Allow
	Nothing
)

// For is the reply that gives a verdict on a client's event, by the name that the client has for the event. A
// verdict that the client can't be told safely is its deny: what it would do instead is run the tool, or
// hang. reason is for the person and the model; a stock one is in for an empty one. An event that decides
// nothing gets the empty object whatever the verdict.
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

// exitsOnDeny reports whether a client's deny needs the exit code too. That of a client which
// nobody knows does.
func exitsOnDeny(client string) bool {
	known, found := ByName(client)
	return !found || known.exits
}

// decisionWord is the reply of the clients that take one word.
type decisionWord struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason,omitempty"`
}

// Refuse is the client's own deny for an event that could not be decided, as far as its payload reports which
// event it is. It differs from Failure in that it is given whole: the exit code is only that which the
// client's deny needs.
func Refuse(client string, payload []byte, message string) Reply {
	refused := Failure(client, payload, message)
	if !exitsOnDeny(client) {
		refused.Exit = 0
	}
	return refused
}

// Silent is the reply to an event that decides nothing.
func Silent() Reply { return Reply{Body: []byte("{}\n")} }
