package shell

import (
	"net/url"
	"strings"

	v1 "policyd/api/v1"
)

// Addresses are languages of their own: some programs fold and unescape them, make
// several of one, and take the names of files in them. What is read here is what all
// agree on; whatever else stands in one may name any file.

// marksOfSeveral are what curl makes several names of: "{a,b}", "[1-9]".
const marksOfSeveral = "{["

// fetched is an address: a file that is read, or the network.
func fetched(e *effects, word Word) {
	scheme, rest, found := strings.Cut(word.Text, ":")
	switch {
	case found && strings.EqualFold(scheme, "file"):
		fileAddress(e, word, rest)
		return
	case strings.ContainsAny(scheme, marksOfSeveral) && !strings.Contains(scheme, "/"), // "{file}:", and "[::1]" with it
		strings.HasPrefix(word.Text, "@"),  // a file of addresses
		!found && e.has("--proto-default"): // it may be a file
		e.c.Caveats.Add("dynamic_option")
	}
	e.c.Caveats.Add("network")
}

// fileAddress is the file that an address of the scheme file names.
func fileAddress(e *effects, word Word, rest string) {
	if authority, ok := strings.CutPrefix(rest, "//"); ok {
		_, rest, _ = strings.Cut(authority, "/")
	}
	path, err := url.PathUnescape(rest)
	if err != nil || strings.ContainsAny(path, marksOfSeveral+"?#") {
		e.c.Caveats.Add("dynamic_option")
		path = rest
	}
	e.access(Word{Kind: word.Kind, Text: "/" + strings.TrimLeft(path, "/")}, v1.OpRead, false)
}

// uploaded is a file that is sent, whose name may stand for several.
func uploaded(e *effects, word Word) {
	if strings.ContainsAny(word.Text, marksOfSeveral) {
		e.c.Caveats.Add("dynamic_option")
	}
	e.access(word, v1.OpRead, false)
}

// sentField is a field of a form, whose value is a file where it begins with a mark:
// "name=@file". A file may be followed by others, stand in quotes, and come with headers
// from one more file; then none of them is known.
func sentField(e *effects, word Word) {
	_, value, _ := strings.Cut(word.Text, "=")
	_, headers, _ := strings.Cut(value, ";")
	name, fromFile := strings.CutPrefix(value, "@")
	if !fromFile {
		name, fromFile = strings.CutPrefix(value, "<")
	}
	if strings.Contains(headers, "headers") || fromFile && strings.ContainsAny(name, "\",\\") {
		e.c.Caveats.Add("dynamic_option")
	}
	if fromFile || word.Kind != Literal {
		name, _, _ = strings.Cut(name, ";")
		e.access(Word{Kind: word.Kind, Text: strings.TrimLeft(name, " \t\n\v\f\r")}, v1.OpRead, false)
	}
}

// repository is a repository of git's that is read from or written to: an address, or a directory.
// A helper ("ext::sh -c …") is a program that git runs.
func repository(e *effects, word Word, op string) {
	scheme, rest, found := strings.Cut(word.Text, ":")
	switch {
	case found && strings.HasPrefix(rest, ":") && !strings.Contains(scheme, "/"):
		e.c.Caveats.Add("executes")
	case found && !strings.Contains(scheme, "/") && !strings.EqualFold(scheme, "file"):
		fetched(e, word) // another scheme, or "host:path"
		return
	case found && strings.EqualFold(scheme, "file"):
		fetched(e, word)
	case strings.Contains(word.Text, "/") || word.Text == "." || word.Text == "..":
		e.access(word, op, true)
	}
	if op == v1.OpWrite && (found || strings.Contains(word.Text, "/")) {
		e.c.Caveats.Add("executes") // the hooks of the other repository
	}
	e.c.Caveats.Add("network")
}

// sent is a value sent over the network, with the files that it takes in: @file, and name=<file with attributes
// behind a semicolon.
func sent(e *effects, word Word) {
	if strings.Contains(word.Text, "%output{") {
		e.c.Caveats.Add("dynamic_option") // a file that is written, for curl's -w
	}
	for _, mark := range []string{"@", "<"} {
		if _, path, ok := strings.Cut(word.Text, mark); ok {
			path, _, _ = strings.Cut(path, ";")
			e.access(Word{Kind: word.Kind, Text: path}, v1.OpRead, false)
		}
	}
}
