package extract

import (
	"strings"

	"policyd/extract/stat"
)

// matchingDirectories are the directories in the session's own roots that an absolute
// pattern may match, with newlines between, and whether it matches one and nothing else:
// cd fails for a file. Names that a shell would read anything in, and links, make it
// uncertain, and so does what shells match differently.
func (e *extraction) matchingDirectories(pattern string) (dirs string, only bool) {
	text := strings.TrimRight(pattern, "/")
	found := e.expand(text, "")
	if found.unknown || len(found.matches) == 0 {
		return "", false
	}
	only = found.sure(text)
	var out []string
	for _, match := range found.matches {
		if strings.Trim(match[metaIndex(text):], plainNameBytes) != "" || e.ownRoot(match) == "" || !e.plain(match) {
			return "", false
		}
		switch seen, err := e.stamp(match); {
		case err != nil || !seen.Present():
			return "", false
		case seen.Kind == stat.Directory:
			out = append(out, match)
		default:
			only = only && text != pattern // behind a slash no file matches
		}
	}
	return strings.Join(out, "\n"), only && len(out) > 0
}

// plainNameBytes are those of names that mean the same to a shell however it reads them.
const plainNameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./@+"
