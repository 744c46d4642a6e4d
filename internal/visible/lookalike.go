package visible

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// scripts are those whose letters can be confused with Latin ones, or with one another's.
var scripts = []struct {
	name  string
	table *unicode.RangeTable
}{
	{"Latin", unicode.Latin},
	{"Cyrillic", unicode.Cyrillic},
	{"Greek", unicode.Greek},
	{"Armenian", unicode.Armenian},
	{"Cherokee", unicode.Cherokee},
	{"Coptic", unicode.Coptic},
	{"Deseret", unicode.Deseret},
	{"Georgian", unicode.Georgian},
	{"Hebrew", unicode.Hebrew},
	{"Arabic", unicode.Arabic},
	{"Lisu", unicode.Lisu},
	{"Canadian syllabic", unicode.Canadian_Aboriginal},
	{"Osage", unicode.Osage},
	{"Vai", unicode.Vai},
}

// other is the script of letters that can't be confused in a word of one script, such as Chinese or Japanese
// ones, which are written among Latin letters.
const other = "another script"

// scriptOf returns the script of a letter, empty for a character that isn't one. Letters of the Latin script
// with another shape, such as the full-width ones and the mathematical ones, are "styled Latin".
func scriptOf(r rune) string {
	switch {
	case r < unicode.MaxASCII:
		if unicode.IsLetter(r) {
			return "Latin"
		}
		return ""
	case r >= 0x1d400 && r <= 0x1d7ff, r >= 0xff21 && r <= 0xff5a, r >= 0x2100 && r <= 0x214f && unicode.IsLetter(r):
		return "styled Latin"
	case !unicode.IsLetter(r):
		return ""
	}
	for _, script := range scripts {
		if unicode.Is(script.table, r) {
			return script.name
		}
	}
	return other
}

// MixedWords returns the words of a text that mix scripts with similar letters, such as "git" with a Cyrillic
// letter. A word is a run of letters, marks and digits.
func MixedWords(text string) []string {
	var out []string
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) }) {
		found := scriptsOf(word)
		if len(found) < 2 {
			continue
		}
		warning := fmt.Sprintf("%q mixes %s letters: %s", word, strings.Join(found, " and "), named(word, func(r rune) bool { return scriptOf(r) != "Latin" }))
		if !slices.Contains(out, warning) {
			out = append(out, warning)
		}
	}
	return out
}

// scriptsOf lists the scripts of a word that look alike.
func scriptsOf(word string) []string {
	var out []string
	for _, r := range word {
		if script := scriptOf(r); script != "" && script != other && !slices.Contains(out, script) {
			out = append(out, script)
		}
	}
	return out
}

// named spells the letters of a word that are foreign.
func named(word string, foreign func(rune) bool) string {
	const most = 3
	var out []string
	for _, r := range word {
		text := fmt.Sprintf("%c is U+%04X", r, r)
		if unicode.IsLetter(r) && foreign(r) && !slices.Contains(out, text) {
			if len(out) == most {
				return strings.Join(out, ", ") + ", …"
			}
			out = append(out, text)
		}
	}
	return strings.Join(out, ", ")
}

// ForeignName states that a verb's word or a host is written in letters beyond ASCII, in which it can look
// like another name: a host with its form in ASCII (punycode, RFC 3492). It is empty for a name in ASCII,
// unless the name is such a form.
func ForeignName(name string) string {
	ascii := strings.IndexFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) < 0
	if ascii {
		if decoded, err := idna.Punycode.ToUnicode(name); err == nil && decoded != name && strings.Contains(name, ".") {
			return fmt.Sprintf("the host %s is shown to people as %s", name, decoded)
		}
		return ""
	}
	if strings.Contains(strings.Trim(name, "."), ".") && !strings.ContainsAny(name, "/ ") {
		if encoded, err := idna.Punycode.ToASCII(strings.ToLower(name)); err == nil {
			return fmt.Sprintf("the host %s is %s", name, encoded)
		}
	}
	return fmt.Sprintf("%q isn't plain ASCII: %s", name, named(name, func(r rune) bool { return r > unicode.MaxASCII }))
}

// Hosts are the hosts of the addresses in a text, each once.
func Hosts(text string) []string {
	var out []string
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`<>()|;", r) }) {
		at := strings.Index(word, "://")
		if at < 0 {
			continue
		}
		address := strings.TrimLeftFunc(word[:at], func(r rune) bool { return !unicode.IsLetter(r) })
		if equals := strings.LastIndexByte(address, '='); equals >= 0 {
			address = address[equals+1:]
		}
		parsed, err := url.Parse(address + word[at:])
		if err != nil || parsed.Hostname() == "" || slices.Contains(out, parsed.Hostname()) {
			continue
		}
		out = append(out, parsed.Hostname())
	}
	return out
}
