package reply

import (
	"bytes"
	"encoding/json"
)

// eventOf returns the event's name in a payload that may be cut off. Only keys of the outermost object count:
// deeper ones are the model's. It returns "" if there is no name, or if two names contradict one another.
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
