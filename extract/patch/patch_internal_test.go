package patch

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func lines(text ...string) string { return strings.Join(text, "\n") + "\n" }

// said joins what a patch changes.
func said(changes []Change) string {
	out := make([]string, len(changes))
	for i, change := range changes {
		out[i] = change.Op + " " + change.Path
	}
	return strings.Join(out, ", ")
}

func applyPatches() map[string]struct {
	text, want string
	ok         bool
} {
	type row = struct {
		text, want string
		ok         bool
	}
	return map[string]row{
		"add":                    {lines(Begin, "*** Add File: a/b.txt", "+x", patchEnd), "write a/b.txt", true},
		"update":                 {lines(Begin, "*** Update File: a", "@@ func x", " y", "-z", "+*** Delete File: q", "*** End of File", patchEnd), "write a", true},
		"move":                   {lines(Begin, "*** Update File: a", "*** Move to: b", "@@", "+x", "*** Update File: c", patchEnd), "write a, delete a, write b, write c", true},
		"delete":                 {lines(Begin, "*** Delete File: a", patchEnd), "delete a", true},
		"windows lines":          {strings.ReplaceAll(lines(Begin, "*** Delete File: a", patchEnd), "\n", "\r\n"), "delete a", true},
		"blanks around":          {lines("", Begin, " *** Delete File:  a b ", patchEnd, ""), "delete a b", true},
		"here-document":          {lines("<<'EOF'", Begin, "*** Delete File: a", patchEnd, "EOF"), "delete a", true},
		"odd line end":           {lines(Begin, "*** Update File: a", "+x\r*** Delete File: b", patchEnd), "write a, delete b", true},
		"odd line end in a name": {lines(Begin, "*** Delete File: a\rb", patchEnd), "delete a", false},
		"odd end of a name":      {lines(Begin, "*** Delete File: a\x1c", patchEnd), "delete a", false},
		"odd end of its own":     {lines(Begin, "*** Update File: a", "+x\v*** Delete File: b\x1cc", patchEnd), "write a, delete b", false},
		"context":                {lines(Begin, "*** Update File: a", " *** note", " ***", patchEnd), "write a", true},
		"unknown header":         {lines(Begin, "*** Update File: a", "*** Chmod File: b", patchEnd), "write a", false},
		"move of nothing":        {lines(Begin, "*** Add File: a", "*** Move to: b", patchEnd), "write a, delete , write b", false},
		"no name":                {lines(Begin, "*** Add File:", patchEnd), "write ", false},
		"nothing":                {lines(Begin, patchEnd), "", false},
		"context diff":           {lines(Begin, "*** a/x\t2020", "--- b/x", patchEnd), "", false},
	}
}

// V12: what a patch in the apply_patch format changes.
func TestParseApplyPatch(t *testing.T) {
	cases := applyPatches()
	require.NotEmpty(t, cases)
	for name, c := range cases {
		changes, ok := Parse(c.text)
		assert.Equal(t, c.ok, ok, name)
		assert.Equal(t, c.want, said(changes), name)
	}
}

func diffs() map[string]struct {
	text, want string
	ok         bool
} {
	type row = struct {
		text, want string
		ok         bool
	}
	hunk := lines("@@ -1,2 +1,2 @@ f", " x", "-y", "+z")
	return map[string]row{
		"plain":            {"--- a/s/x\t2020-01-01\n+++ b/s/x\n" + hunk, "write s/x, write b/s/x, write a/s/x", true},
		"git":              {"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n" + hunk, "write x, write a/x, write b/x", true},
		"windows lines":    {strings.ReplaceAll("--- a/x\n+++ b/x\n"+hunk, "\n", "\r\n"), "write x, write b/x, write a/x", true},
		"add":              {"diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n", "write x, write a/x, write b/x", true},
		"delete":           {"diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "write x, write a/x, delete x, delete a/x", true},
		"delete nothing":   {"diff --git a/x b/x\ndeleted file mode 100644\nindex 1..0\n", "write x, write a/x, delete x, delete a/x", true},
		"rename":           {"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "delete x, write y", true},
		"quoted rename":    {"diff --git a/x b/y\nsimilarity index 100%\nrename from \"x\\t1\"\nrename to y\n", "delete x\t1, write y", true},
		"copy":             {"diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n", "read x, write y", true},
		"mode":             {"diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "write x, write a/x", true},
		"quoted":           {"--- \"a/\\303\\251\"\n+++ \"b/\\303\\251\"\n" + hunk, "write \u00e9, write b/\u00e9, write a/\u00e9", true},
		"absolute":         {"--- /etc/x\n+++ /etc/x\n" + hunk, "write etc/x, write /etc/x", true},
		"two files":        {"--- a/x\n+++ b/x\n" + hunk + "--- a/y\n+++ b/y\n" + hunk, "write x, write b/x, write a/x, write y, write b/y, write a/y", true},
		"mail":             {"From: me\nSubject: x\n\ntext\n---\n x | 2 +-\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n" + hunk + "-- \n2.40\n", "write x, write a/x, write b/x", true},
		"comment deleted":  {"--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n x\n--- sql\n", "write x, write b/x, write a/x", true},
		"header in a hunk": {"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n x\n--- a/.env\n+++ b/.env\n", "write x, write b/x, write a/x, write .env, write b/.env", false},
		"hunk too short":   {"--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n x\n", "write x, write b/x, write a/x", false},
		"hunk of no file":  {hunk, "", false},
		"bad hunk":         {"--- a/x\n+++ b/x\n@@ -1 @@\n", "write x, write b/x, write a/x", false},
		"renamed unsaid":   {"diff --git a/x b/y\nnew mode 100755\n", "", false},
		"link":             {"diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n", "write x, write a/x, write b/x", false},
		"of a merge":       {"diff --cc x\n@@@ -1,1 -1,1 +1,1 @@@\n", "", false},
		"old name alone":   {"--- a/x\n@@ -1 +1 @@\n-x\n+y\n", "", false},
		"index line":       {"Index: x\n--- a/x\n+++ b/x\n" + hunk, "write x, write b/x, write a/x", false},
		"hidden line end":  {"x\r--- a/.env\n--- a/x\n+++ b/x\n" + hunk, "write x, write b/x, write a/x", false},
		"odd end of name":  {"--- a/x\n+++ b/x\x1c\n" + hunk, "write x\x1c, write b/x\x1c, write x, write a/x", false},
		"odd end of a new": {"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\f\n", "delete x, write y", false},
		"page in a hunk":   {"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n \f\n-y\n+z\n", "write x, write b/x, write a/x", true},
		"no patch":         {"just text\n", "", false},
		"indented":         {"--- a/x\n+++ b/x\n" + hunk + "  --- a/.env\n  +++ b/.env\n", "write x, write b/x, write a/x", false},
		"behind crosses":   {"--- a/x\n+++ b/x\n" + hunk + "XX --- a/.env\nXX +++ b/.env\n", "write x, write b/x, write a/x", false},
	}
}

// V12: what a unified diff changes.
func TestParseUnified(t *testing.T) {
	cases := diffs()
	require.NotEmpty(t, cases)
	for name, c := range cases {
		changes, ok := Parse(c.text)
		assert.Equal(t, c.ok, ok, name)
		assert.Equal(t, c.want, said(changes), name)
	}
}

// V12: what is a comment to readers of one format counts to those of the other.
func TestParseBothFormats(t *testing.T) {
	envelope := lines(Begin, "*** Update File: README.md", "@@", "-x", "+y", patchEnd)
	diff := "--- /dev/null\n+++ b/.mcp.json\n@@ -0,0 +1 @@\n+x\n"
	for name, text := range map[string]string{"the diff behind": envelope + diff, "the diff in front": diff + envelope} {
		changes, ok := Parse(text)
		assert.False(t, ok, name)
		assert.Equal(t, "write README.md, write .mcp.json, write b/.mcp.json", said(changes), name)
		changes, _ = ParseUnified(text)
		assert.Equal(t, "write .mcp.json, write b/.mcp.json", said(changes), name)
	}
	changes, ok := Parse(envelope)
	assert.True(t, ok)
	assert.Equal(t, "write README.md", said(changes))
}

// touchedByGit are the paths that git itself would change.
func touchedByGit(t *testing.T, text string) []string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", "apply", "--numstat", "-z", "--unsafe-paths")
	command.Dir, command.Stdin = t.TempDir(), strings.NewReader(text)
	out, err := command.Output()
	if err != nil {
		return nil // git takes no such patch
	}
	var paths []string
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		fields := strings.SplitN(entry, "\t", 3)
		if path := fields[len(fields)-1]; path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// What git would change is among what was read of the patch.
func TestGitChangesNoMore(t *testing.T) {
	compared := 0
	for name, c := range diffs() {
		changes, ok := Parse(c.text)
		if !ok {
			continue
		}
		for _, path := range touchedByGit(t, c.text) {
			compared++
			assert.True(t, slices.ContainsFunc(changes, func(change Change) bool { return change.Path == path }), "%s: %s", name, path)
		}
	}
	assert.Greater(t, compared, 5)
}

// What was read doesn't hang on how lines end, every header of a patch that was
// read wholly is among the changes, and cutting a patch short never adds one.
func FuzzPatch(f *testing.F) {
	for _, c := range applyPatches() {
		f.Add(c.text)
	}
	for _, c := range diffs() {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		changes, ok := Parse(text)
		if !strings.Contains(text, "\r") {
			again, okAgain := Parse(strings.ReplaceAll(text, "\n", "\r\n"))
			require.Equal(t, said(changes), said(again))
			require.Equal(t, ok, okAgain)
		}
		if !ok {
			return
		}
		require.NotEmpty(t, changes)
		has := func(path string) {
			if !slices.ContainsFunc(changes, func(change Change) bool { return change.Path == path }) {
				t.Fatalf("%q is not among %s", path, said(changes))
			}
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			for _, header := range applyHeaders {
				if path, found := strings.CutPrefix(line, header.prefix); found && strings.Contains(text, Begin) {
					has(strings.TrimSpace(path))
				}
			}
		}
	})
}

// P11: a header behind characters that are not seen is one to readers that trim them off.
func TestHeadersBehindUnseenCharacters(t *testing.T) {
	for _, header := range []string{"*** Add File: .git/hooks/x", "*** Update File: AGENTS.md", "*** Delete File: AGENTS.md", "*** Move to: .mcp.json"} {
		for _, unseen := range []string{"\ufeff", "\u200b", "\u00a0\ufeff", "\u2060 "} {
			name := header[strings.Index(header, ": ")+2:]
			for _, line := range []string{unseen + header, header + unseen, strings.Replace(header, ": ", ": "+unseen, 1)} {
				changes, ok := ParseEnvelope("*** Begin Patch\n*** Update File: ok.txt\n" + line + "\n+x\n*** End Patch")
				assert.Falsef(t, ok, "%q", line)
				assert.Truef(t, slices.ContainsFunc(changes, func(change Change) bool { return change.Path == name }), "%q %v", line, changes)
			}
		}
	}
	_, ok := ParseEnvelope("*** Begin Patch\n*** Add File: \u00e4.txt\n+\ufeffx *** y\n*** End Patch")
	assert.True(t, ok)
}
