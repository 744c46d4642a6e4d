package scope

import (
	"bytes"
	"path"
	"slices"

	"policyd/extract/git/trust"
	"policyd/internal/credential"
)

// credentialWords are parts of the names under which settings of tools keep credentials, in lower case.
var credentialWords = []string{"password", "passwd", "passphrase", "token", "secret", "apikey", "api_key", "api-key", "__com", "_auth"}

// SettingsHoldCredentials reports whether a file of a tool's settings, or one below a directory, holds a
// credential, may hold one by the name of a setting, or can't be read. Nothing that is missing does.
func (k *GitKept) SettingsHoldCredentials(place string) bool {
	return k.anyFile(place, func(place string, content []byte) bool {
		if credential.Holds(string(content)) {
			return true
		}
		if path.Base(place) == ".gitconfig" || path.Base(path.Dir(place)) == "git" {
			return trust.HoldsCredentials(content)
		}
		content = bytes.ToLower(content)
		return slices.ContainsFunc(credentialWords, func(word string) bool { return bytes.Contains(content, []byte(word)) })
	})
}
