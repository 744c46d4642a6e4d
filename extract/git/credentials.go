package git

import (
	"slices"
	"strings"

	"policyd/internal/credential"
)

// secretWords are what the last part of a setting's name holds when its value is
// to be kept: sendemail.smtpPass, github.token, http.<url>.extraHeader.
var secretWords = []string{"token", "password", "passwd", "passphrase", "secret", "extraheader", "smtppass", "oauth", "apikey"}

// credentials lists the names, in lower case, of settings that hold what a
// person would not print: by the name, or because name or value holds a credential. A file of the person's that
// takes in others counts as one that may.
func credentials(settings []setting) []string {
	var names []string
	for _, s := range settings {
		name := strings.ToLower(s.name())
		secret := SecretSetting(s.key) || credential.Holds(s.value) || credential.Holds(s.subsection) || s.section == "credential" && strings.Contains(strings.ToLower(s.value), "password")
		if secret && s.value != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// SecretSetting reports whether the last part of a setting's name, in lower
// case, says that its value is a secret.
func SecretSetting(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if strings.HasSuffix(last, "pass") && last != "askpass" {
		return true // imap.pass
	}
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(last, word) })
}

func includes(settings []setting) bool {
	return slices.ContainsFunc(settings, func(s setting) bool { return s.section == "include" || s.section == "includeif" })
}

// HoldsCredentials reports whether the text of a file of settings holds a secret,
// or is none that can be read.
func HoldsCredentials(content []byte) bool {
	settings, err := parseConfig(content)
	return err != nil || len(credentials(settings)) > 0
}
