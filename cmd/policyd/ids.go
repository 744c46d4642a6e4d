package main

import (
	"fmt"
	"strings"
)

// leastID is how many characters of an id are enough to name it.
const leastID = 4

// fullID returns the one id with a given prefix. what is the kind of thing, for messages, and list the
// command that shows ids.
func fullID(what, list, given string, ids []string) (string, error) {
	var found []string
	for _, id := range ids {
		if id == given {
			return id, nil
		}
		if len(given) >= leastID && strings.HasPrefix(id, given) {
			found = append(found, id)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", failed(fmt.Errorf("%q begins the ids of %d %ss", given, len(found), what), "give more of it, one of: "+several(found))
	case len(given) < leastID:
		return "", failed(fmt.Errorf("there is no %s %q", what, given), fmt.Sprintf("%s shows ids; %d characters or more are enough if they name one", list, leastID))
	}
	return "", failed(fmt.Errorf("there is no %s %q", what, given), list+" shows ids")
}

// several names some of what there is.
func several(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
}

// shortIDs gives each id its shortest unique prefix, at least eight characters. Ids of the same moment share
// a prefix.
func shortIDs(ids []string) map[string]string {
	const least = 8
	out := make(map[string]string, len(ids))
	taken := map[string]int{}
	for length := least; len(out) < len(ids); length++ {
		clear(taken)
		for _, id := range ids {
			taken[id[:min(length, len(id))]]++
		}
		for _, id := range ids {
			if _, done := out[id]; !done && (taken[id[:min(length, len(id))]] == 1 || length >= len(id)) {
				out[id] = id[:min(length, len(id))]
			}
		}
		if length > 64 {
			break // the same id twice
		}
	}
	return out
}
