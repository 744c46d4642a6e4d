package trust

import (
	"slices"
	"strings"

	"policyd/extract/git/syntax"
	"policyd/internal/credential"
)

// secretWords are what the last part of a setting's name holds when its value is
// to be kept: sendemail.smtpPass, github.token, http.<url>.extraHeader.
var secretWords = []string{"token", "password", "passwd", "passphrase", "secret", "extraheader", "smtppass", "oauth", "apikey"}

// credentials lists the names, in lower case, of settings that hold what a
// person would not print: by the name, or because name or value holds a credential.
func credentials(settings []syntax.Setting) []string {
	var names []string
	for _, s := range settings {
		name := strings.ToLower(s.Name())
		secret := SecretSetting(s.Key) || credential.Holds(s.Value) || credential.Holds(s.Subsection) || s.Section == "credential" && strings.Contains(strings.ToLower(s.Value), "password")
		if secret && s.Value != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// SecretSetting reports whether a setting holds a secret by the last part of its name, which is in
// lower case.
func SecretSetting(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if strings.HasSuffix(last, "pass") && last != "askpass" {
		return true // imap.pass
	}
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(last, word) })
}

// HoldsCredentials reports whether the text of a file of settings holds a secret,
// or is none that can be read.
func HoldsCredentials(content []byte) bool {
	settings, err := syntax.ParseConfig(content)
	return err != nil || len(credentials(settings)) > 0
}
