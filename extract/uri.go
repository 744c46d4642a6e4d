package extract

import (
	"net/url"
	"strings"

	"policyd/extract/paths"
)

// scheme cuts the scheme off an address, in lower case; empty where there is
// none. A single letter is a drive of Windows.
func scheme(text string) (name, rest string) {
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

// fileURI reads a file URI (RFC 8089) as a program would. found is false for
// any other text. Where readers could differ about what it names, clear is
// false and path is what it spells.
func fileURI(text string, windows bool) (path string, clear, found bool) {
	name, rest := scheme(strings.TrimFunc(text, blank))
	if name != "file" {
		// An address may hold another, as in view-source:file:///x.
		if inner, _ := scheme(rest); name != "" && inner != "" && len(rest) <= maxName {
			path, _, found = fileURI(rest, windows)
		}
		return path, false, found
	}
	clear = true
	if authority, ok := strings.CutPrefix(rest, "//"); ok {
		host, _, _ := strings.Cut(authority, "/")
		clear = host == "" || strings.EqualFold(host, "localhost")
		rest = authority[len(host):]
		if !clear {
			rest = "/" + strings.TrimPrefix(authority, "/") // a share, or a path that lost a slash
		}
	}
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

// remote are schemes whose names lie on no disk here.
var remote = map[string]bool{"http": true, "https": true, "ws": true, "wss": true, "mailto": true, "data": true}

// address reports whether a text is an address of another kind than a file's.
func address(text string) (remotely, ok bool) {
	name, rest := scheme(strings.TrimFunc(text, blank))
	if name == "" || name == "file" {
		return false, false
	}
	return remote[name], remote[name] || strings.HasPrefix(rest, "//")
}
