package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"github.com/goccy/go-json"

	v1 "policyd/api/v1"
)

// largest is the length, in bytes, above which a text argument counts as file contents. A command line never
// does.
const largest = 4 << 10

// longestNumber is the length, in characters, above which a number counts as file contents: more than a
// program needs for computing, since JSON sets no bound.
const longestNumber = 64

// contentNames are arguments with contents in tools that no catalog has, such as those of MCP servers. They
// are compared in the form of foldName.
func contentNames() []string {
	return []string{
		"content", "contents", "body", "data", "blob", "payload", "filetext", "newstring", "oldstring", "newstr", "oldstr",
		"newtext", "oldtext", "newsource", "inserttext", "patch", "patchtext", "diff", "edits", "codeedit",
	}
}

// foldName makes the ways of writing a name one: newText, new_text, new-text.
func foldName(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(name), "_", ""), "-", "")
}

// isContent reports whether an argument contains file contents. It goes by the name. If the tool edits files,
// the argument for a command line counts too, since it then contains a patch.
func (r *Redactor) isContent(name, kind string) bool {
	if (*r.content.Load())[foldName(name)] {
		return true
	}
	return kind == v1.ToolEdit && (name == "command" || name == "cmd")
}

// patchLine is a line that only patches have.
var patchLine = regexp.MustCompile(`(?im)^\s*(?:\*{2,}\s*(?:begin\s+patch|(?:add|update|delete)\s+file\s*:)|diff --git |--- \S.*\r?\n\+\+\+ \S)`)

// findPatch returns where the first line of a patch is, nil for nowhere. Every patch contains two stars or
// two dashes, and few other texts do.
func findPatch(text string) []int {
	if !strings.Contains(text, "**") && !strings.Contains(text, "--") {
		return nil
	}
	return patchLine.FindStringIndex(text)
}

// looksLikePatch reports whether a text is a patch from its first line on.
func looksLikePatch(text string) bool {
	at := findPatch(text)
	return at != nil && strings.TrimSpace(text[:at[0]]) == ""
}

// withoutContents replaces the contents that are inside a text: the bodies of here-documents, and a patch
// from its first line to its end.
func withoutContents(text string) string {
	if strings.Contains(text, "<<") {
		text = withoutHereDocuments(text)
	}
	at := findPatch(text)
	if at == nil {
		return text
	}
	const end = "*** End Patch"
	rest := text[at[0]:]
	if stop := strings.Index(rest, end); stop >= 0 {
		return text[:at[0]] + marker(rest[:stop+len(end)]) + withoutContents(rest[stop+len(end):])
	}
	return text[:at[0]] + marker(rest)
}

// marker represents contents inside a text.
func marker(content string) string {
	sum := sha256.Sum256([]byte(content))
	return fmt.Sprintf("[%d bytes, sha256 %s]", len(content), hex.EncodeToString(sum[:]))
}

var markerLine = regexp.MustCompile(`^\[[0-9]+ bytes, sha256 [0-9a-f]{64}\]\n?$`)

// digest represents an argument that is content: what it was can be proven, not read.
func digest(value any) map[string]any {
	content, isText := value.(string)
	if !isText {
		encoded, err := json.Marshal(value)
		if err != nil {
			encoded = nil // the length 0 then states that nothing was kept
		}
		content = string(encoded)
	}
	sum := sha256.Sum256([]byte(content))
	return map[string]any{"bytes": len(content), "sha256": hex.EncodeToString(sum[:])}
}

func isDigest(value any) bool {
	members, ok := value.(map[string]any)
	if !ok || len(members) != 2 {
		return false
	}
	sum, ok := members["sha256"].(string)
	if !ok || len(sum) != 2*sha256.Size || strings.Trim(sum, "0123456789abcdef") != "" {
		return false
	}
	number, ok := members["bytes"].(json.Number)
	return ok && len(number) <= longestNumber && strings.Trim(number.String(), "0123456789") == ""
}
