package clientrules

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	v1 "policyd/api/v1"
)

// Effect is what a rule does in its program.
type Effect string

// Effects of rules.
const (
	Allow Effect = "allow"
	Ask   Effect = "ask"
	Deny  Effect = "deny"
)

// kind is what a rule is about.
type kind int

const (
	other kind = iota // a tool by its name, or a setting
	shell
	mcp
	fetch
	file
	every // all tools
)

// Rule is one permission rule of a program.
type Rule struct {
	// Text is the rule as its program shows it.
	Text string `json:"rule"`
	File string `json:"file"`
	// Line counts from 1.
	Line   int    `json:"line"`
	Effect Effect `json:"effect"`

	kind kind
	// words are the words that a command line begins with; server and tool of MCP; the host.
	words []string
	// open states that more words may follow, glued that the last word may go on.
	open, glued bool
	// project is true if the rule applies in one project alone.
	project bool
	// rank orders rules: one that asks or denies beats an allow rule of its rank or below.
	rank int
	// unfit is the reason why no approval can represent the rule.
	unfit string
	// inert states that another rule replaces this one.
	inert bool
}

// FileError states what is wrong with a file. Line is 0 if the file can't be read at all.
type FileError struct {
	File    string
	Line    int
	Message string
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
}

var _ error = (*FileError)(nil)

// beginsLike reports whether a rule could match a line that begins with these words.
func (r *Rule) beginsLike(words []string) bool {
	for i, word := range words {
		if i == len(r.words) {
			return r.open // the line has more words than the rule
		}
		last := i == len(r.words)-1
		if r.words[i] != word && (!last || !r.glued || !strings.HasPrefix(word, r.words[i])) {
			return false
		}
	}
	return true
}

// covers reports whether a rule matches every line that begins with these words.
func (r *Rule) covers(words []string) bool {
	return r.open && r.unfit == "" && len(r.words) <= len(words) && slices.Equal(r.words, words[:len(r.words)])
}

// asWords parses a command line pattern in which * matches anything. At the end of a pattern " *" may also
// match nothing, and so may ":*" if the program has it.
func (r *Rule) asWords(pattern string, colon bool) {
	r.kind = shell
	literal := pattern
	switch {
	case pattern == "" || pattern == "*":
		r.open = true
		return
	case colon && strings.HasSuffix(pattern, ":*"):
		literal, r.open = strings.TrimSuffix(pattern, ":*"), true
	case strings.HasSuffix(pattern, " *"):
		literal, r.open = strings.TrimSuffix(pattern, " *"), true
	case strings.HasSuffix(pattern, "*"):
		literal, r.open, r.glued = strings.TrimSuffix(pattern, "*"), true, true
	}
	if at := strings.IndexAny(literal, "*?"); at >= 0 {
		r.unfit = "a wildcard inside the command matches words that an approval can't leave open"
		literal, r.open, r.glued = literal[:at], true, true
	}
	if strings.HasSuffix(literal, " ") {
		r.glued = false
	}
	r.words = strings.FieldsFunc(literal, func(c rune) bool { return c == ' ' || c == '\t' })
	if strings.ContainsFunc(literal, func(c rune) bool { return c != ' ' && unicode.IsSpace(c) }) {
		r.unfit = "it has a blank that shells don't split at"
	}
	if strings.ContainsAny(literal, "'\"\\$;&|<>()`\n#=~[]{}!") {
		// Only the first words are compared, before any expansion.
		r.unfit = "it is more than literal words of one command"
		at := slices.IndexFunc(r.words, func(word string) bool { return strings.ContainsAny(word, "'\"\\$;&|<>()`#=~[]{}!") })
		r.words, r.open, r.glued = r.words[:max(at, 0)], true, false
	}
}

// mcpName is a server or tool as the verb of its calls names it.
var mcpName = strings.NewReplacer("%", "%25", "/", "%2F")

// approvalOf is the tool kind and verb of an approval for a rule about one MCP tool or host.
func (r *Rule) approvalOf() (tool, verb string) {
	if r.kind == mcp {
		return v1.ToolMCP, "mcp:" + mcpName.Replace(r.words[0]) + "/" + r.words[1]
	}
	return v1.ToolFetch, "fetch " + strings.ToLower(r.words[0])
}
