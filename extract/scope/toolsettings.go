package scope

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"policyd/extract/git/trust"
	"policyd/internal/credential"
)

// credentialWords are parts of the names under which settings of tools keep credentials, in lower case.
var credentialWords = []string{
	"password", "passwd", "passphrase", "token", "secret", "apikey", "api_key", "api-key", "_auth", "authorization", "privatekey", "private key",
}

func hasCredentialWord(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(credentialWords, func(word string) bool { return strings.Contains(text, word) })
}

// SettingsAreKnown reports whether a file of a tool's settings has no setting but those of keys, and whether their values
// are of a form in which no credential is kept. It reads ini, TOML, YAML and properties a line at a time; what it can't
// read isn't known.
func (k *GitKept) SettingsAreKnown(place string, keys []string) bool {
	info, err := k.View.Stat(place)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSettings {
		return false
	}
	content, err := k.View.ReadFile(place)
	return err == nil && settingsAreKnown(content, keys)
}

func settingsAreKnown(content []byte, keys []string) bool {
	if !utf8.Valid(content) || credential.Holds(string(content)) {
		return false
	}
	reader := settingsReader{keys: keys}
	for line := range strings.Lines(string(content)) {
		if !reader.known(strings.TrimRight(line, "\r\n")) {
			return false
		}
	}
	return true
}

// settingsReader reads lines of settings.
type settingsReader struct {
	keys []string
	// section is the current one, with a dot behind it.
	section string
	// listed is true below a key whose values may follow in lines of a list.
	listed bool
}

func (r *settingsReader) known(line string) bool {
	text := strings.TrimSpace(line)
	switch {
	case text == "" || text == "---":
		return true
	case strings.HasPrefix(text, "- "):
		return r.listed && isSimpleValue(text[len("- "):])
	case text[0] == '#' || text[0] == ';' || strings.HasPrefix(text, "--"):
		return isSimpleComment(strings.TrimLeft(text, "#;-"))
	case text[0] == '[':
		return r.begins(text)
	}
	at := strings.IndexAny(text, "=: \t")
	if at < 0 {
		at = len(text) // git takes a name alone for true
	}
	key, value := text[:at], strings.TrimLeft(text[at:], " \t")
	value = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(value, "="), ":"))
	r.listed = value == ""
	return r.isKey(strings.ToLower(r.section+strings.Trim(key, `"`))) && isSimpleValue(value)
}

// begins reads the head of a section, such as [color "diff"] or [[index]].
func (r *settingsReader) begins(head string) bool {
	head = strings.Trim(head, "[]")
	name, sub, named := strings.Cut(head, ` "`)
	if named {
		name += "." + strings.TrimSuffix(sub, `"`)
	}
	r.section, r.listed = name+".", false
	return name != "" && isSimpleValue(name) && !strings.ContainsAny(name, `[]"'#`)
}

func (r *settingsReader) isKey(key string) bool {
	return slices.ContainsFunc(r.keys, func(known string) bool {
		section, any := strings.CutSuffix(known, "*")
		return known == key || any && strings.HasPrefix(key, section)
	})
}

// valueMarks are the characters in values beside letters and digits: those of words, paths, options, lists and quotes. There
// are no escapes, no commands ("!") and no expansions.
const valueMarks = " \t_./:,+@%~*=<>^()|'\"[]&?#-"

// isSimpleValue reports whether a value is of a form in which no credential is kept.
func isSimpleValue(value string) bool {
	for _, char := range value {
		if !unicode.IsLetter(char) && !unicode.IsDigit(char) && !strings.ContainsRune(valueMarks, char) {
			return false
		}
	}
	goesOn := strings.Count(value, "[") != strings.Count(value, "]") || strings.Contains(value, `"""`) || strings.Contains(value, "'''")
	if goesOn || hasCredentialWord(value) {
		return false
	}
	for word := range strings.FieldsFuncSeq(value, func(char rune) bool { return strings.ContainsRune(" \t,'\"()[]<>|", char) }) {
		if strings.Contains(word, "://") && !isSimpleAddress(word) || looksRandom(word) {
			return false
		}
	}
	return true
}

// longestSegment bounds the parts of an address's path.
const longestSegment = 24

// isSimpleAddress reports whether an address has no user and no query, and a path of short words in small letters.
func isSimpleAddress(address string) bool {
	scheme, rest, _ := strings.Cut(address, "://")
	if !slices.Contains([]string{"http", "https", "sparse+https"}, scheme) {
		return false
	}
	host, path, _ := strings.Cut(rest, "/")
	if host == "" || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789.-:") != "" {
		return false
	}
	for segment := range strings.SplitSeq(path, "/") {
		if len(segment) > longestSegment || segment == "t" || strings.Trim(segment, "abcdefghijklmnopqrstuvwxyz_.-") != "" {
			return false
		}
	}
	return true
}

// isSimpleComment reports whether a comment keeps no credential, also none that was a setting.
func isSimpleComment(text string) bool {
	if !hasCredentialWord(text) && !strings.Contains(text, "://") {
		return !slices.ContainsFunc(strings.Fields(text), looksRandom)
	}
	at := strings.IndexAny(text, "=:")
	return at >= 0 && strings.TrimSpace(text[at+1:]) == ""
}

// Lengths from which letters and digits without a separator look like a key: one with small and capital letters or
// several digits, and a UUID.
const (
	shortestKey  = 16
	shortestUUID = 32
)

// looksRandom reports whether a word has a part that may be a key.
func looksRandom(word string) bool {
	for part := range strings.FieldsFuncSeq(word, func(char rune) bool { return strings.ContainsRune("/.:=@,;%~", char) }) {
		if len(part) >= shortestUUID && strings.Trim(strings.ToLower(part), "0123456789abcdef-") == "" {
			return true
		}
		if slices.ContainsFunc(strings.FieldsFunc(part, func(char rune) bool { return char == '-' || char == '_' }), isMixed) {
			return true
		}
	}
	return false
}

func isMixed(part string) bool {
	digits, upper, lower := 0, 0, 0
	for _, char := range part {
		switch {
		case unicode.IsDigit(char):
			digits++
		case unicode.IsUpper(char):
			upper++
		case unicode.IsLower(char):
			lower++
		}
	}
	const several = 3
	return len(part) >= shortestKey && (digits > several || upper > several && lower > several)
}

// HoldsCredentials reports whether a file that may be shown for its content holds a credential or can't be read.
// Comments of XML don't count.
func (k *GitKept) HoldsCredentials(place string) bool {
	return k.anyFile(place, func(place string, content []byte) bool {
		if path.Ext(place) == ".xml" {
			for {
				before, rest, found := bytes.Cut(content, []byte("<!--"))
				if !found {
					break
				}
				_, after, _ := bytes.Cut(rest, []byte("-->"))
				content = append(bytes.Clone(before), after...)
			}
		}
		return credential.Holds(string(content)) || hasCredentialWord(string(content))
	})
}

// RepositoryHoldsCredentials reports whether a file is a repository's settings with a credential.
func (k *GitKept) RepositoryHoldsCredentials(place string) bool {
	if path.Base(place) != "config" {
		return false
	}
	return k.anyFile(place, func(_ string, content []byte) bool { return trust.HoldsCredentials(content) })
}
