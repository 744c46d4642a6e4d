package reply

// cursor is what Cursor is told, by its documentation. Whether ask is honoured
// depends on the event, so it is never said.
func cursor(verdict Verdict) (body any, known bool) {
	if verdict == Allow {
		return map[string]string{"permission": "allow"}, true
	}
	return nil, false
}
