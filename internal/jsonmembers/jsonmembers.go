// Package jsonmembers reads the names of members in parsed JSON with comments.
//
// Its functions may be used concurrently.
package jsonmembers

import "github.com/tailscale/hujson"

// Name returns the name of a member without quotes and escapes.
func Name(member *hujson.ObjectMember) string {
	literal, _ := member.Name.Value.(hujson.Literal)
	return literal.String()
}

// Duplicate returns a member whose object has an earlier member of the same name, and nil if there is none.
// Parsers disagree on which of the two applies.
func Duplicate(root *hujson.Value) *hujson.ObjectMember {
	for value := range root.All() {
		object, isObject := value.Value.(*hujson.Object)
		if !isObject {
			continue
		}
		seen := map[string]bool{}
		for i := range object.Members {
			name := Name(&object.Members[i])
			if seen[name] {
				return &object.Members[i]
			}
			seen[name] = true
		}
	}
	return nil
}
