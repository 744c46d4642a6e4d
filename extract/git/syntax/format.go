package syntax

import "strings"

// ChecksSignature reports whether a format of commits has a placeholder for the validity of a
// signature (%G?, %GK and the like, git-log(1)). git runs gpg for it.
func ChecksSignature(format string) bool {
	for _, part := range strings.Split(format, "%")[1:] {
		if strings.HasPrefix(strings.TrimLeft(part, "+- "), "G") {
			return true
		}
	}
	return false
}
