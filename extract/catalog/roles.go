package catalog

import (
	"slices"
	"strings"
	"unicode"

	v1 "policyd/api/v1"
)

// Roles of arguments by their names.
const (
	RoleNone    = ""
	RolePath    = "path"    // known to be a path
	RolePlace   = "place"   // named like one
	RoleMention = "mention" // contents, or words to look for
	RolePattern = "pattern" // either of these, or a glob
	RoleCommand = "command" // a command line, its words, or code
)

// Role says what an argument is for by its name, however its words are joined.
func (c *Catalog) Role(name string) string {
	words := NameWords(name)
	if len(words) == 0 {
		return RoleNone
	}
	folded, last := strings.Join(words, ""), words[len(words)-1]
	is := func(list []string) bool { return slices.Contains(list, last) || slices.Contains(list, folded) }
	switch {
	case slices.ContainsFunc(c.MCPPaths, func(known string) bool { return strings.Join(NameWords(known), "") == folded }):
		return RolePath
	case is(c.MCPCommands):
		return RoleCommand
	case is(c.MCPPlaces):
		return RolePlace
	case is(c.MCPPatterns):
		return RolePattern
	case is(c.MCPMentions):
		return RoleMention
	}
	return RoleNone
}

// Runs reports whether a tool runs what it is given, by a word of its name.
func (c *Catalog) Runs(tool string) bool {
	return slices.ContainsFunc(NameWords(tool), func(word string) bool {
		return slices.Contains(c.MCPCommands, word) || slices.Contains(c.Running, word)
	})
}

// Names reports whether an argument may hold the name of a file, by its own name and role.
func (c *Catalog) Names(name, role string) bool {
	words := NameWords(name)
	return role != RolePattern && (role != RoleMention || slices.Contains(c.MCPTitles, words[len(words)-1]))
}

// NameWords splits an argument's name where its case changes and where no letter
// or digit stands, in lower case.
func NameWords(name string) []string {
	var spaced strings.Builder
	previous := ' '
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(previous):
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(unicode.ToLower(r))
		previous = r
	}
	return strings.Fields(spaced.String())
}

// MCPVerb is the verb of a tool of an MCP server.
func MCPVerb(server, tool string) string { return "mcp:" + serverName.Replace(server) + "/" + tool }

// serverName keeps a slash in a server's name from ending it: a/b's tool c is not
// a's tool b/c.
var serverName = strings.NewReplacer("%", "%25", "/", "%2F")

// MCPOperation is what an MCP tool does to a path argument: by its name where
// it is a well-known one, else it may write.
func (c *Catalog) MCPOperation(tool, argument string) string {
	if op, ok := c.MCPReaders[tool]; ok {
		return op
	}
	if known := c.Clients[genericClient].Tools[tool]; known != nil {
		if op, ok := known.Paths[argument]; ok {
			return op
		}
	}
	return v1.OpWrite
}
