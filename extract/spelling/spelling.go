// Package spelling says what a text may name if a program reads it otherwise than it stands: as an address, without
// blanks or quotes around it, or decoded.
package spelling

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"policyd/extract/paths"
)

// Scheme cuts the scheme off an address, in lower case; empty where there is
// none. A single letter is a drive of Windows.
func Scheme(text string) (name, rest string) {
	name, rest, ok := strings.Cut(text, ":")
	if !ok || len(name) < 2 {
		return "", text
	}
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || (r < '0' || r > '9') && !strings.ContainsRune("+-.", r)) {
			return "", text
		}
	}
	return strings.ToLower(name), rest
}

// FileURI reads a file URI (RFC 8089) as a program would. found is false for
// any other text. Where readers could differ about what it names, clear is
// false and path is what it spells.
func FileURI(text string, windows bool) (path string, clear, found bool) {
	name, rest := Scheme(strings.TrimFunc(text, Blank))
	if name != "file" {
		// An address may hold another, as in view-source:file:///x.
		if inner, _ := Scheme(rest); name != "" && inner != "" && len(rest) <= MaxName {
			path, _, found = FileURI(rest, windows)
		}
		return path, false, found
	}
	rest, clear = withoutHost(rest)
	if cut := strings.IndexAny(rest, "?#"); cut >= 0 {
		rest, clear = rest[:cut], false
	}
	path, err := url.PathUnescape(rest)
	if err != nil {
		return rest, false, true
	}
	if again, err := url.PathUnescape(path); err != nil || again != path {
		clear = false // some decode once, some twice
	}
	if drive := strings.TrimPrefix(path, "/"); windows && paths.DriveLetter(drive) {
		path = drive
	}
	return path, clear && (strings.HasPrefix(path, "/") || windows && paths.DriveLetter(path)), true
}

// withoutHost is the path of a file URI behind its scheme. clear is false if it may lie on another machine.
func withoutHost(rest string) (path string, clear bool) {
	authority, ok := strings.CutPrefix(rest, "//")
	if !ok {
		return rest, true
	}
	host, _, _ := strings.Cut(authority, "/")
	if host == "" || strings.EqualFold(host, "localhost") {
		return authority[len(host):], true
	}
	return "/" + strings.TrimPrefix(authority, "/"), false // a share, or a path that lost a slash
}

// remote are schemes whose names lie on no disk here.
var remote = map[string]bool{"http": true, "https": true, "ws": true, "wss": true, "mailto": true, "data": true}

// Address reports whether a text is an address of another kind than a file's.
func Address(text string) (remotely, ok bool) {
	name, rest := Scheme(strings.TrimFunc(text, Blank))
	if name == "" || name == "file" {
		return false, false
	}
	return remote[name], remote[name] || strings.HasPrefix(rest, "//")
}

// Altered reports whether a client might open another path than the one it
// was given: many trim blanks, drop a file: or @ in front, or normalize. Some hand
// it to a program that may take a dash in front for the beginning of an option.
func Altered(raw string) bool {
	if raw != strings.TrimFunc(raw, Blank) || strings.IndexFunc(raw, InvisibleRune) >= 0 {
		return true
	}
	if scheme, rest := Scheme(raw); scheme == "file" || scheme != "" && strings.HasPrefix(rest, "//") {
		return true
	}
	return strings.HasPrefix(raw, "@") || strings.HasPrefix(raw, "$") || strings.HasPrefix(raw, "-") ||
		strings.ContainsAny(raw, "\"`") || strings.HasPrefix(raw, "'")
}

// Blank reports whether programs may trim a character at the ends of a path.
func Blank(r rune) bool { return unicode.IsSpace(r) || InvisibleRune(r) }

// InvisibleRune reports whether a person doesn't see a character, or no program takes it as it stands.
func InvisibleRune(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) ||
		unicode.Is(unicode.Mn, r) || r == unicode.ReplacementChar || unicode.IsSpace(r) && r != ' '
}

// Climbing reports whether a text has a segment "..", percent-encoded or not.
func Climbing(text string) bool {
	separators := func(r rune) bool { return r == '/' || r == '\\' }
	up := func(segment string) bool { return strings.TrimFunc(segment, Blank) == ".." }
	for _, reading := range []string{text, Unescaped(text)} {
		if strings.Contains(reading, "..") && slices.ContainsFunc(strings.FieldsFunc(reading, separators), up) {
			return true
		}
	}
	return false
}

// Unescaped is a text with its percent signs decoded, as it is if they can't be.
func Unescaped(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	if reading, err := url.PathUnescape(text); err == nil {
		return reading
	}
	return text
}

// VariablePath is a path that begins with a variable.
var VariablePath = regexp.MustCompile(`^\$(\w+|\{\w+\})/`)

// Unmarked is a text without what programs take off in front of a path.
func Unmarked(text string) string {
	return strings.TrimLeft(strings.TrimFunc(text, Blank), "@\"'`")
}

// EndsWord reports whether a character ends a word in command lines and in code.
func EndsWord(r rune) bool { return Blank(r) || strings.ContainsRune("\n\"'`=,;|&<>()[]{}", r) }

// MaxName bounds what is tried for a name of a file; no system takes longer ones.
const MaxName = 4096
