package extract_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// V12, S1: a patch in a command line, or in a file that it reads, is what the
// command touches.
func TestPatchesOfCommands(t *testing.T) {
	p := newPlace(t)
	diff := "--- a/src/main.go\n+++ b/src/main.go\n@@ -1 +1 @@\n-x\n+y\n"
	require.NoError(t, os.WriteFile(p.project+"/plain.diff", []byte(diff), 0o600))
	require.NoError(t, os.WriteFile(p.project+"/bad.diff", []byte(strings.ReplaceAll(diff, "src/main.go", ".claude/settings.json")), 0o600))
	require.NoError(t, os.WriteFile(p.project+"/deep.diff", []byte(strings.ReplaceAll(diff, "src/main.go", "x/out/file")), 0o600))
	begin := "<<'EOF'\n*** Begin Patch\n*** Update File: "
	for line, want := range map[string]struct{ about, caveat string }{
		"apply_patch " + begin + "src/main.go\n@@\n-x\n+y\n*** End Patch\nEOF":                           {},
		"apply_patch " + begin + ".env\n@@\n-x\n+y\n*** End Patch\nEOF":                                  {"secret", ""},
		"cd src && apply_patch " + begin + "../../other/file\n@@\n-x\n*** End Patch\nEOF":                {"outside", ""},
		"bash -lc \"apply_patch " + begin + ".git/config\n+x\n*** End Patch\nEOF\"":                      {"protected", ""},
		"apply_patch '*** Begin Patch\n*** Add File: .mcp.json\n+x\n*** End Patch'":                      {"protected", ""},
		"apply_patch " + begin + "$X\n*** End Patch\nEOF":                                                {"", "patch_unread"},
		"patch -p1 <<'EOF'\n" + diff + "EOF":                                                             {},
		"git apply <<'EOF'\n" + strings.ReplaceAll(diff, "src/main.go", ".claude/settings.json") + "EOF": {"protected", ""},
		"git apply plain.diff":                     {},
		"git apply bad.diff":                       {"protected", ""},
		"patch -p1 < bad.diff":                     {"protected", ""},
		"git apply -p2 deep.diff":                  {"outside", ""},
		"git apply --directory=.claude plain.diff": {"", "patch_unread"},
		"patch -d .claude < plain.diff":            {"", "patch_unread"},
		"git apply missing.diff":                   {"", "patch_unread"},
		"git apply":                                {"", "patch_unread"},
		"curl x | git apply":                       {"", "patch_unread"},
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		require.NotEmpty(t, facts.Items, line)
		if want.about != "" {
			assert.Contains(t, facts.About, want.about, line)
		}
		unread := false
		for _, item := range facts.Items {
			unread = unread || item.Caveats.Has("patch_unread")
		}
		assert.Equal(t, want.caveat == "patch_unread", unread, line)
		if want.caveat == "" {
			assert.Contains(t, touches(facts), "write.", line)
		}
	}
}

// S2: git apply changes nothing if it only prints what a patch holds, or checks whether it fits: that reads what the patch
// names, and may run what filters it. No option makes it apply the patch all the same.
func TestPatchesThatAreOnlyLookedAt(t *testing.T) {
	p := newPlace(t)
	diff := "--- a/src/main.go\n+++ b/src/main.go\n@@ -1 +1 @@\n-x\n+y\n"
	require.NoError(t, os.WriteFile(p.project+"/plain.diff", []byte(diff), 0o600))
	require.NoError(t, os.WriteFile(p.project+"/env.diff", []byte(strings.ReplaceAll(diff, "src/main.go", ".env")), 0o600))
	for _, line := range []string{
		"git apply --stat plain.diff", "git apply --numstat -z plain.diff", "git apply --check -R plain.diff", "git apply --summary -v plain.diff",
		"git apply --stat env.diff", "git diff | git apply --stat",
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		assert.NotContains(t, touches(facts), "write.", line)
		assert.NotContains(t, facts.About, "secret", line)
	}
	for _, line := range []string{
		"git apply --stat --apply plain.diff", "git apply --check --apply plain.diff", "git apply --check --appl plain.diff", "git apply -v plain.diff",
		"git apply --check --index plain.diff", "git apply --stat --3way plain.diff", "git apply --numstat --build-fake-ancestor=x plain.diff",
	} {
		assert.Contains(t, touches(p.facts("Bash", map[string]any{"command": line})), "write.", line)
	}
	checked := p.facts("Bash", map[string]any{"command": "git apply --check env.diff"})
	assert.Contains(t, checked.About, "secret", "whether the check fails shows what the file holds")
}

// V12, P11: a patch that the command doesn't read hides none that it does.
func TestDecoysOfPatches(t *testing.T) {
	p := newPlace(t)
	envelope := "*** Begin Patch\n*** Update File: src/main.go\n@@\n-x\n+y\n*** End Patch\n"
	diff := "--- a/src/main.go\n+++ b/src/main.go\n@@ -1 +1 @@\n-x\n+y\n"
	bad := "--- /dev/null\n+++ b/.claude/settings.local.json\n@@ -0,0 +1 @@\n+x\n"
	indented := "  " + strings.ReplaceAll(bad, "\n", "\n  ")
	require.NoError(t, os.WriteFile(p.project+"/both.diff", []byte(envelope+bad), 0o600))
	require.NoError(t, os.WriteFile(p.project+"/indented.diff", []byte(diff+indented), 0o600))
	unread := func(line string) (protected, unread bool) {
		facts := p.facts("Bash", map[string]any{"command": line})
		for _, item := range facts.Items {
			unread = unread || item.Caveats.Has("patch_unread")
		}
		return slices.Contains(facts.About, "protected"), unread
	}
	for _, line := range []string{
		"git apply <<'EOF'\n" + envelope + bad + "EOF", "git apply <<'EOF'\n" + bad + envelope + "EOF",
		"git am <<'EOF'\n" + envelope + bad + "EOF", "patch -p1 <<'EOF'\n" + envelope + bad + "EOF",
		"git apply both.diff", "patch -p1 < both.diff", "patch -p1 -i both.diff",
		"cat <<'EOF' | git apply\n" + envelope + bad + "EOF",
	} {
		protected, _ := unread(line)
		assert.True(t, protected, line)
	}
	shown := " <<'EOF'\n" + diff + "EOF\n"
	for _, line := range []string{
		"patch -p1 < indented.diff", "patch -p1 <<'EOF'\n" + diff + indented + "EOF",
		"cat" + shown + "base64 -d x | git apply", "git apply --check" + shown + "base64 -d x | git apply",
		"git apply --check" + shown + "base64 -d x | git 'ap'ply", "cat <<'EOF'; base64 -d x | git apply\n" + diff + "EOF",
		"echo git apply" + shown + "base64 -d x | git apply", "cat <<'EOF' x | git apply\n" + diff + "EOF",
		"git apply <<'A' <<'B'\n" + diff + "A\nx\nB", "git apply <<'EOF' < x\n" + diff + "EOF",
		"base64 -d x | apply_patch; : '\n" + envelope + "'",
		"x=.; git apply <<EOF\n" + strings.Replace(diff, "+++ b/", "+++ b/$x/", 1) + "EOF", "cat <<EOF | git apply\n" + diff + "$(ls)\nEOF",
	} {
		_, caveat := unread(line)
		assert.True(t, caveat, line)
	}
	for _, line := range []string{
		"git apply" + shown, "cat <<'EOF' | git apply\n" + diff + "EOF", "cd src && git apply --check" + shown,
		"git apply <<EOF && go test ./...\n" + diff + "EOF", "git apply <<'EOF'\n" + diff + "EOF\ngo test ./...",
	} {
		_, caveat := unread(line)
		assert.False(t, caveat, line)
	}
}

// V12: unified diffs by every client's patch tool, and one bad file in them.
func TestUnifiedDiffsOfTools(t *testing.T) {
	p := newPlace(t)
	diff := "--- a/src/main.go\n+++ b/src/main.go\n@@ -1 +1 @@\n-x\n+y\n"
	for _, c := range []struct{ agent, tool, argument string }{
		{"codex", "apply_patch", "input"},
		{"opencode", "patch", "patchText"},
		{"opencode", "apply_patch", "patchText"},
		{"copilot", "apply_patch", "patch"},
		{"cursor", "ApplyPatch", "patch"},
		{"somebody", "apply_patch", "patch"},
	} {
		decide := func(text string) v1.Facts {
			call := p.call(c.tool, map[string]any{c.argument: text})
			call.Session.Agent = c.agent
			return p.extractor.Extract(call, nil)
		}
		facts := decide(diff)
		assert.True(t, facts.Complete, c)
		assert.NotContains(t, facts.About, "secret")
		facts = decide(diff + strings.ReplaceAll(diff, "src/main.go", ".env"))
		assert.Contains(t, facts.About, "secret", c)
		assert.False(t, decide(diff+"@@ -1,9 +1,9 @@\n x\n").Complete, c)
	}
}
