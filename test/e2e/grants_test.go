package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// mkdirs makes directories below root, each with one file in it, and returns root
// by its real name.
func mkdirs(t *testing.T, root string, names ...string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(root)
	require.NoError(t, err)
	for _, name := range names {
		dir := filepath.Join(real, name)
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "f.txt"), []byte("x\n"), 0o600))
	}
	return real
}

// TestGrantsByMode checks P4: who may read and who may write, by the longest root.
func TestGrantsByMode(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	root := mkdirs(t, t.TempDir(), "a/b", "a/b/deep", "a/bc", "a/b/mine", "out")
	require.NoError(t, os.Symlink(filepath.Join(root, "out"), filepath.Join(root, "a/b/link")))
	s.register(t, tree, "g")
	must[v1.GrantResponse](t, http.StatusCreated, s.give(t, "g", filepath.Join(root, "a/b"), v1.GrantRead))
	must[v1.GrantResponse](t, http.StatusCreated, s.give(t, "g", filepath.Join(root, "a/b/mine"), v1.GrantReadWrite))
	must[v1.GrantResponse](t, http.StatusCreated, s.give(t, "g", filepath.Join(tree.Project, "src"), v1.GrantRead))
	tests := []struct {
		name, path  string
		read, write v1.Effect
	}{
		{"the exact root", "a/b", v1.EffectAllow, v1.EffectDeny},
		{"a child", "a/b/f.txt", v1.EffectAllow, v1.EffectDeny},
		{"far below", "a/b/deep/f.txt", v1.EffectAllow, v1.EffectDeny},
		{"what doesn't exist yet", "a/b/deep/new.txt", v1.EffectAllow, v1.EffectDeny},
		{"a sibling with the same prefix", "a/bc/f.txt", v1.EffectPrompt, v1.EffectPrompt},
		{"the parent", "a", v1.EffectPrompt, v1.EffectPrompt},
		{"a link that leads out", "a/b/link/f.txt", v1.EffectPrompt, v1.EffectPrompt},
		{"up and out again", "a/b/deep/../../bc/f.txt", v1.EffectPrompt, v1.EffectPrompt},
		{"a longer root that may be written", "a/b/mine/f.txt", v1.EffectAllow, v1.EffectAllow},
		{"no grant", "out/f.txt", v1.EffectPrompt, v1.EffectPrompt},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := root + "/" + test.path
			assert.Equal(t, test.read, s.file(t, "g", "Read", path).Effect)
			written := s.file(t, "g", "Write", path)
			assert.Equal(t, test.write, written.Effect)
			if test.write == v1.EffectDeny {
				assert.Equal(t, filepath.Clean(path)+" is read-only for this agent", written.Reasons[0].Message)
			}
		})
	}
	// P2: the workspace stays read-write where a read-only grant overlaps it.
	assert.Equal(t, v1.EffectAllow, s.file(t, "g", "Write", filepath.Join(tree.Project, "src", "new.txt")).Effect)
	assert.Contains(t, s.stderr.String(), "read-only for this agent")
	assert.Contains(t, s.stderr.String(), "agent=claude-code")
	assert.Contains(t, s.stderr.String(), "operation=write")
	assert.Contains(t, s.stderr.String(), "path="+root+"/a/b/f.txt")
	// Of another session nothing is granted.
	s.register(t, tree, "h")
	assert.Equal(t, v1.EffectPrompt, s.file(t, "h", "Read", root+"/a/b/f.txt").Effect)
}

// TestGrantsChangeInPlace checks P5.
func TestGrantsChangeInPlace(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	root := mkdirs(t, t.TempDir(), "a")
	dir := filepath.Join(root, "a")
	for _, path := range []string{sessionPath("g", "/grants"), "/v1/agents/claude-code/grants"} {
		s.register(t, tree, "g"+strings.ReplaceAll(path, "/", "-"))
		if strings.Contains(path, "/sessions/") {
			s.register(t, tree, "g")
		}
		give := func(mode string) answer {
			return s.as(t, "operator", http.MethodPost, path, v1.GrantRequest{Path: dir, Mode: mode})
		}
		first := must[v1.GrantResponse](t, http.StatusCreated, give(""))
		assert.Equal(t, v1.GrantRead, first.Mode, "the default mode is read")
		assert.Equal(t, dir+" (read-only)", first.Label)
		assert.Equal(t, v1.ChangeUnchanged, must[v1.GrantResponse](t, http.StatusOK, give(v1.GrantRead)).Change)
		changed := must[v1.GrantResponse](t, http.StatusOK, give(v1.GrantReadWrite))
		assert.Equal(t, v1.ChangeMode, changed.Change)
		assert.Equal(t, first.ID, changed.ID, "in place")
		list := must[v1.GrantList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, path, nil))
		require.Len(t, list.Grants, 1)
		assert.Equal(t, dir+" (read-write)", list.Grants[0].Label)
		refuses(t, give("write"), http.StatusBadRequest, "invalid_request")
		require.Equal(t, http.StatusNoContent, s.as(t, "operator", http.MethodDelete, path+"/"+first.ID, nil).status)
		refuses(t, s.as(t, "operator", http.MethodDelete, path+"/"+first.ID, nil), http.StatusNotFound, "not_found")
	}
}

// TestAgentsGrantsHoldInAllTheirSessions checks the grants of an agent, from an operator and from the
// settings.
func TestAgentsGrantsHoldInAllTheirSessions(t *testing.T) {
	tree := newTree(t)
	root := mkdirs(t, t.TempDir(), "a", "b")
	settings := filepath.Join(t.TempDir(), "policyd.yaml")
	require.NoError(t, os.WriteFile(settings, []byte(fmt.Sprintf(
		"agents: {claude-code: {grants: [{path: %s/b, mode: read_write}]}}\n", root)), 0o600))
	s := startServer(t, "--config", settings)
	s.register(t, tree, "one")
	s.register(t, tree, "other", func(session *v1.Session) { session.Agent = "codex" })
	path := "/v1/agents/claude-code/grants"
	must[v1.GrantResponse](t, http.StatusCreated, s.as(t, "operator", http.MethodPost, path, v1.GrantRequest{Path: filepath.Join(root, "a")}))
	list := must[v1.GrantList](t, http.StatusOK, s.as(t, "operator", http.MethodGet, path, nil))
	var labels []string
	for _, grant := range list.Grants {
		labels = append(labels, grant.Label)
	}
	assert.ElementsMatch(t, []string{root + "/b (read-write)", root + "/a (read-only)"}, labels)
	assert.Equal(t, v1.EffectAllow, s.file(t, "one", "Read", root+"/a/f.txt").Effect)
	assert.Equal(t, v1.EffectAllow, s.file(t, "one", "Write", root+"/b/f.txt").Effect)
	assert.Equal(t, v1.EffectPrompt, s.shell(t, "other", "cat "+root+"/a/f.txt").Effect)
}

// TestSensitiveRootsAreNeverGranted checks P6.
func TestSensitiveRootsAreNeverGranted(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "g")
	require.NoError(t, os.MkdirAll(filepath.Join(tree.Home, ".ssh/keys"), 0o700))
	require.NoError(t, os.Symlink("/etc", filepath.Join(tree.Other, "etc")))
	for _, path := range []string{
		"/", "/etc", "/etc/", "//etc", "/./etc", "/etc/ssh", "/proc", "/proc/self/cwd", "/sys", "/dev", tree.Home, tree.Home + "/",
		filepath.Dir(tree.Home), filepath.Join(tree.Home, ".ssh"), filepath.Join(tree.Home, ".ssh/keys"), s.stateDir, s.home,
		filepath.Join(tree.Other, "etc"),
	} {
		for _, mode := range []string{v1.GrantRead, v1.GrantReadWrite} {
			detail := refuses(t, s.give(t, "g", path, mode), http.StatusForbidden, "sensitive_root")
			assert.Contains(t, detail, "sensitive", path)
		}
	}
	for path, code := range map[string]string{
		"relative": "invalid_path", "": "invalid_path", tree.Other + "/..": "invalid_path", "/nowhere/at/all": "invalid_path",
		"/" + strings.Repeat("a/", 2500): "invalid_path", tree.Other + "/a\x00b": "invalid_path",
	} {
		refuses(t, s.give(t, "g", path, ""), http.StatusBadRequest, code)
	}
	refuses(t, s.give(t, "nobody", tree.Other, ""), http.StatusNotFound, "not_found")
}

// TestAGrantThatTurnsSensitiveGivesNothing checks P6 against a disk that changes after the grant.
func TestAGrantThatTurnsSensitiveGivesNothing(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "g")
	root := mkdirs(t, t.TempDir(), "a")
	dir := filepath.Join(root, "a")
	must[v1.GrantResponse](t, http.StatusCreated, s.give(t, "g", dir, ""))
	assert.Equal(t, v1.EffectAllow, s.file(t, "g", "Read", dir+"/f.txt").Effect)
	for _, target := range []string{"/etc", tree.Other} {
		require.NoError(t, os.RemoveAll(dir))
		require.NoError(t, os.Symlink(target, dir))
		assert.Equal(t, v1.EffectPrompt, s.file(t, "g", "Read", dir+"/hosts").Effect, target)
		assert.Equal(t, v1.EffectPrompt, s.file(t, "g", "Read", target+"/hosts").Effect, target)
	}
}

// TestPatchOnlyRemoves checks P10.
func TestPatchOnlyRemoves(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	root := mkdirs(t, t.TempDir(), "a", "b")
	s.register(t, tree, "g")
	for _, name := range []string{"a", "b"} {
		must[v1.GrantResponse](t, http.StatusCreated, s.give(t, "g", filepath.Join(root, name), ""))
	}
	patch := func(roots ...string) answer {
		return s.as(t, "agent", http.MethodPatch, sessionPath("g"), map[string]any{"read_paths": append([]string{}, roots...)})
	}
	a, b := filepath.Join(root, "a"), filepath.Join(root, "b")
	for code, roots := range map[string][][]string{
		"entry_not_present":  {{"/etc"}, {a, "/etc"}, {root}, {a + "/sub"}, {a + "/"}},
		"entry_listed_twice": {{a, a}},
		"invalid_path":       {{"a"}, {a + "/../b"}, {""}},
	} {
		for _, list := range roots {
			refuses(t, patch(list...), http.StatusBadRequest, code)
		}
	}
	info := must[v1.SessionInfo](t, http.StatusOK, s.as(t, "agent", http.MethodGet, sessionPath("g"), nil))
	assert.ElementsMatch(t, []string{a, b}, info.ReadPaths, "a refused request changes nothing")
	info = must[v1.SessionInfo](t, http.StatusOK, patch(b))
	assert.Equal(t, []string{b}, info.ReadPaths)
	assert.Equal(t, v1.EffectPrompt, s.file(t, "g", "Read", a+"/f.txt").Effect)
	assert.Equal(t, v1.EffectAllow, s.file(t, "g", "Read", b+"/f.txt").Effect)
	refuses(t, patch(a), http.StatusBadRequest, "entry_not_present")
	assert.Empty(t, must[v1.SessionInfo](t, http.StatusOK, patch()).ReadPaths)
}

// TestAThousandGrants checks that many grants are kept, and bounded.
func TestAThousandGrants(t *testing.T) {
	tree := newTree(t)
	s := startServer(t)
	s.register(t, tree, "g")
	root := t.TempDir()
	real, err := filepath.EvalSymlinks(root)
	require.NoError(t, err)
	var dir string
	for i := range 1000 {
		dir = filepath.Join(real, fmt.Sprintf("d%d", i))
		require.NoError(t, os.Mkdir(dir, 0o755))
		must[v1.GrantResponse](t, http.StatusCreated, s.give(t, "g", dir, ""))
	}
	assert.Equal(t, v1.EffectAllow, s.file(t, "g", "Read", dir+"/new.txt").Effect)
	assert.Equal(t, v1.EffectPrompt, s.file(t, "g", "Read", real+"/new.txt").Effect)
	refuses(t, s.give(t, "g", tree.Other, ""), http.StatusTooManyRequests, "too_many_grants")
}
