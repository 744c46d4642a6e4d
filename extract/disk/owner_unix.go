//go:build unix

package disk

import "syscall"

// SameOwner reports whether places are there, and belong to the user of a home.
// Links among the places are not followed, as git doesn't.
func SameOwner(home string, places ...string) bool {
	var owner, status syscall.Stat_t
	if syscall.Stat(home, &owner) != nil {
		return false
	}
	for _, place := range places {
		if syscall.Lstat(place, &status) != nil || status.Uid != owner.Uid {
			return false
		}
	}
	return true
}

// ownUser reports whether places are there, and belong to the user whom this program
// runs as.
func ownUser(places ...string) bool {
	var found syscall.Stat_t
	for _, place := range places {
		if syscall.Stat(place, &found) != nil || int(found.Uid) != syscall.Geteuid() {
			return false
		}
	}
	return true
}
