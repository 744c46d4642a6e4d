package extract

import "strings"

// listsVersions reports whether a .tool-versions only names tools and versions of them,
// which choose among what a person installed: no path, reference, prefix, backend
// (path:, ref:, npm:) and no template, which asdf and mise know besides. The source of
// its grammar is asdf's manual, "Configuration", and that of mise, "asdf compatibility".
func listsVersions(content string) bool {
	for line := range strings.Lines(content) {
		line, _, _ = strings.Cut(line, "#")
		for _, word := range strings.Fields(line) {
			if word[0] == '.' || word[0] == '-' || strings.ContainsFunc(word, notInVersions) {
				return false
			}
		}
	}
	return true
}

func notInVersions(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._+-", r)
}
