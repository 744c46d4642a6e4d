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

// sent does what a word means that says where something is sent or fetched, or what is
// sent, and returns the kind that the form states.
func (p *parsed) sent(base, kind string, word Word) string {
	switch base {
	case "repository":
		p.repository(word, v1.OpRead)
		return "url"
	case "destination":
		p.repository(word, v1.OpWrite)
		return "url"
	case "data":
		p.data(word)
	case "field":
		p.field(word)
	case "upload":
		p.uploaded(word)
	default:
		p.url(word)
	}
	return kind
}

// url notes an address: a file that is read, or the network.
func (p *parsed) url(word Word) {
	scheme, rest, found := strings.Cut(word.Text, ":")
	switch {
	case found && strings.EqualFold(scheme, "file"):
		p.fileAddress(word, rest)
		return
	case strings.ContainsAny(scheme, marksOfSeveral) && !strings.Contains(scheme, "/"), // "{file}:", and "[::1]" with it
		strings.HasPrefix(word.Text, "@"),  // a file of addresses
		!found && p.has("--proto-default"): // it may be a file
		p.c.Caveats.Add("dynamic_option")
	}
	p.c.Caveats.Add("network")
}

// fileAddress notes the file that an address of the scheme file names.
func (p *parsed) fileAddress(word Word, rest string) {
	if authority, ok := strings.CutPrefix(rest, "//"); ok {
		_, rest, _ = strings.Cut(authority, "/")
	}
	path, err := url.PathUnescape(rest)
	if err != nil || strings.ContainsAny(path, marksOfSeveral+"?#") {
		p.c.Caveats.Add("dynamic_option")
		path = rest
	}
	p.access(Word{Kind: word.Kind, Text: "/" + strings.TrimLeft(path, "/")}, v1.OpRead, false)
}

// uploaded notes a file that is sent, whose name may stand for several.
func (p *parsed) uploaded(word Word) {
	if strings.ContainsAny(word.Text, marksOfSeveral) {
		p.c.Caveats.Add("dynamic_option")
	}
	p.access(word, v1.OpRead, false)
}

// field notes a field of a form, whose value is a file where it begins with a mark:
// "name=@file". A file may be followed by others, stand in quotes, and come with headers
// from one more file; then none of them is known.
func (p *parsed) field(word Word) {
	_, value, _ := strings.Cut(word.Text, "=")
	_, headers, _ := strings.Cut(value, ";")
	name, fromFile := strings.CutPrefix(value, "@")
	if !fromFile {
		name, fromFile = strings.CutPrefix(value, "<")
	}
	if strings.Contains(headers, "headers") || fromFile && strings.ContainsAny(name, "\",\\") {
		p.c.Caveats.Add("dynamic_option")
	}
	if fromFile || word.Kind != Literal {
		name, _, _ = strings.Cut(name, ";")
		p.access(Word{Kind: word.Kind, Text: strings.TrimLeft(name, " \t\n\v\f\r")}, v1.OpRead, false)
	}
}

// repository notes a repository of git's that is read from: an address, or a directory.
// A helper ("ext::sh -c …") is a program that git runs.
func (p *parsed) repository(word Word, op string) {
	scheme, rest, found := strings.Cut(word.Text, ":")
	switch {
	case found && strings.HasPrefix(rest, ":") && !strings.Contains(scheme, "/"):
		p.c.Caveats.Add("executes")
	case found && !strings.Contains(scheme, "/") && !strings.EqualFold(scheme, "file"):
		p.url(word) // another scheme, or "host:path"
		return
	case found && strings.EqualFold(scheme, "file"):
		p.url(word)
	case strings.Contains(word.Text, "/") || word.Text == "." || word.Text == "..":
		p.access(word, op, true)
	}
	if op == v1.OpWrite && (found || strings.Contains(word.Text, "/")) {
		p.c.Caveats.Add("executes") // the hooks of the other repository
	}
	p.c.Caveats.Add("network")
}
