package reply

import (
	"bytes"
	"encoding/json"
)

// eventOf finds the event's name in a payload that may end early. Only keys of the outermost object count:
// what lies deeper is the model's. It is empty if no name is found, and where two names contradict one
// another.
func eventOf(payload []byte) string {
	decoder := json.NewDecoder(bytes.NewReader(payload))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('{') {
		return ""
	}
	found := ""
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			return found
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return found
		}
		if key != "hook_event_name" && key != "hookName" {
			continue
		}
		var name string
		if json.Unmarshal(value, &name) != nil || found != "" && found != name {
			return ""
		}
		found = name
	}
	return found
}
