package install_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tailscale/hujson"

	"policyd/internal/clients/reply"
	"policyd/internal/install"
)

func options(t *testing.T, client string) *install.Options {
	t.Helper()
	return &install.Options{
		Client: client, Home: t.TempDir(), Env: func(string) (string, bool) { return "", false },
		Hook: []string{"/opt/policy d/policyd-hook"}, Policyd: "/opt/policy d/policyd", Hold: known(t, client).Hold,
	}
}

func known(t *testing.T, client string) *install.Client {
	t.Helper()
	found, ok := install.ByName(client)
	require.True(t, ok, client)
	return found
}

// TestEveryClientHasSettings checks that a client whose hooks are understood can be installed.
func TestEveryClientHasSettings(t *testing.T) {
	require.NotEmpty(t, reply.Clients())
	for _, name := range reply.Clients() {
		assert.NotEmpty(t, known(t, name).Ungated, "doctor says what %s doesn't ask about", name)
		changes, err := install.Install(options(t, name))
		require.NoError(t, err, name)
		assert.NotEmpty(t, changes, name)
	}
}

func apply(t *testing.T, changes []install.Change, err error) {
	t.Helper()
	require.NoError(t, err)
	require.NotEmpty(t, changes)
	for i := range changes {
		require.NoError(t, changes[i].Apply())
	}
}

// tree is every file below a directory, with its bytes, mode and link.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		found[path] = fmt.Sprintf("%s %s", info.Mode(), text)
		return err
	}))
	return found
}

// settingsOf lists the files of a client that hold settings of other people.
func settingsOf(t *testing.T, o *install.Options) []string {
	t.Helper()
	changes, err := install.Install(o)
	require.NoError(t, err)
	var paths []string
	for i := range changes {
		if filepath.Ext(changes[i].Path) != ".js" {
			paths = append(paths, changes[i].Path)
		}
	}
	return paths
}

// TestUninstallRestoresEveryByte uses generated settings of every client, with several installs between, in
// odd layouts, and with comments if the client reads them.
func TestUninstallRestoresEveryByte(t *testing.T) {
	for _, client := range reply.Clients() {
		t.Run(client, func(t *testing.T) {
			seeds := uint64(60)
			if testing.Short() {
				seeds = 15
			}
			for seed := range seeds {
				random := rand.New(rand.NewPCG(seed, 7))
				o := options(t, client)
				if random.IntN(2) == 0 {
					o.Project = t.TempDir()
				}
				for _, path := range settingsOf(t, o) {
					if random.IntN(4) == 0 {
						continue
					}
					require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
					require.NoError(t, os.WriteFile(path, generate(random, path, client), 0o640))
				}
				holds(t, o, random, fmt.Sprintf("seed %d", seed))
			}
		})
	}
}

func holds(t *testing.T, o *install.Options, random *rand.Rand, at string) {
	t.Helper()
	before, projectBefore := tree(t, o.Home), map[string]string{}
	if o.Project != "" {
		projectBefore = tree(t, o.Project)
	}
	changes, err := install.Install(o)
	apply(t, changes, err)
	first := tree(t, o.Home)
	changes, err = install.Install(o)
	apply(t, changes, err)
	require.Equal(t, first, tree(t, o.Home), "%s: an install that is repeated changes nothing", at)
	for i := range changes {
		keepsWhatIsThere(t, &changes[i], before, projectBefore, at)
	}
	other := *o
	other.Hold, other.AutoApprove = time.Duration(random.IntN(300))*time.Second, !o.AutoApprove
	if random.IntN(2) == 0 {
		other.Policyd = ""
	}
	changes, err = install.Install(&other)
	apply(t, changes, err)
	changes, err = install.Uninstall(o)
	apply(t, changes, err)
	require.Equal(t, before, tree(t, o.Home), at)
	if o.Project != "" {
		require.Equal(t, projectBefore, tree(t, o.Project), at)
	}
}

// token is a text, a comment or a word.
var token = regexp.MustCompile(`"(\\.|[^"\\])*"|/\*.*?\*/|(//|#)[^\r\n]*|'''[^']*'''|[\w.-]+`)

// keepsWhatIsThere checks that every token and comment that was in a file is there still, in its order.
func keepsWhatIsThere(t *testing.T, c *install.Change, before, projectBefore map[string]string, at string) {
	t.Helper()
	old, found := before[c.Path]
	if !found {
		old = projectBefore[c.Path]
	}
	_, old, _ = strings.Cut(old, " ")
	if strings.TrimSpace(old) == "" || filepath.Ext(c.Path) == ".js" {
		return
	}
	left := string(c.Before)
	for _, part := range token.FindAllString(old, -1) {
		_, rest, found := strings.Cut(left, part)
		require.Truef(t, found, "%s: %q is lost or moved in\n%s", at, part, c.Before)
		left = rest
	}
	if filepath.Ext(c.Path) != ".toml" {
		plain, err := hujson.Standardize(bytes.TrimPrefix(append([]byte{}, c.Before...), []byte("\ufeff")))
		require.NoErrorf(t, err, "%s\n%s", at, c.Before)
		require.Truef(t, json.Valid(plain), "%s\n%s", at, c.Before)
	}
}

// generate makes settings of the sort that people have.
func generate(random *rand.Rand, path, client string) []byte {
	if filepath.Ext(path) == ".toml" {
		return generateTOML(random)
	}
	comments := client == reply.Gemini || client == reply.Cursor || client == reply.OpenCode
	g := &generator{random: random, comments: comments, newline: "\n", unit: []string{"  ", "\t", "    ", ""}[random.IntN(4)]}
	if random.IntN(5) == 0 {
		g.newline = "\r\n"
	}
	if random.IntN(8) == 0 {
		return []byte([]string{"", "\n", "{}", "{ }\n", "{\n}\n", "{\"hooks\":{}}"}[random.IntN(6)])
	}
	hook := `{"matcher":"Bash","hooks":[{"type":"command","command":"lint --all","timeout":5}]}`
	members := []string{`"model": "x//y"`, `"permissions": {"allow":["Bash(ls:*)"]}`, `"n": [1, 2 ,3]`, `"version":1`, `"é\"": null`}
	hooks := []string{
		`"hooks": {}`, `"hooks": {"PreToolUse": []}`, `"hooks": {"PreToolUse":[` + hook + `]}`,
		`"hooks": {"BeforeTool":[` + hook + `,` + hook + `],"Stop":[` + hook + `]}`, `"hooks":{"preToolUse":[{"command":"./a.sh"}]}`,
	}
	servers := []string{`"mcpServers": {}`, `"mcpServers": {"db":{"command":"db-mcp","args":["--x"]}}`, `"mcp": {"a":{"type":"remote"}}`}
	random.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	chosen := slices.Concat(members[:random.IntN(len(members))], hooks[random.IntN(len(hooks)):][:1])
	if random.IntN(2) == 0 {
		chosen = append(chosen, servers[random.IntN(len(servers))])
	}
	random.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	return []byte(g.object(chosen))
}

type generator struct {
	random   *rand.Rand
	comments bool
	newline  string
	unit     string
	made     int
}

func (g *generator) comment() string {
	if !g.comments || g.random.IntN(3) > 0 {
		return ""
	}
	g.made++
	if g.random.IntN(2) == 0 {
		return fmt.Sprintf("/*c%d*/", g.made)
	}
	return fmt.Sprintf("//c%d%s", g.made, g.newline)
}

func (g *generator) object(members []string) string {
	text := []string{"", "\ufeff"}[g.random.IntN(2)] + "{" + g.comment()
	for i, member := range members {
		text += g.newline + g.unit + g.comment() + member + g.comment()
		if i < len(members)-1 || g.comments && g.random.IntN(4) == 0 {
			text += "," + g.comment()
		}
	}
	return text + []string{"", g.newline, " "}[g.random.IntN(3)] + g.comment() + "}" + []string{"", g.newline}[g.random.IntN(2)]
}

func generateTOML(random *rand.Rand) []byte {
	parts := []string{
		"model = \"x\" # why\n", "", "\n# a comment\n", "[projects.\"/srv\"]\ntrust_level = \"trusted\"\n",
		"[mcp_servers.db]\ncommand = \"db\"\nargs = [\n  \"a\", # first\n]\n", "text = '''\n# policyd: begin of a text\n'''\n",
	}
	text := parts[random.IntN(3)] + parts[random.IntN(2)*5] + parts[2+random.IntN(3)]
	if strings.Count(text, "model") > 1 {
		text = parts[0]
	}
	if random.IntN(3) == 0 {
		text = strings.TrimSuffix(text, "\n")
	}
	if random.IntN(4) == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return []byte(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// TestMalformedFilesAreRefused with line and column, and nothing is written.
func TestMalformedFilesAreRefused(t *testing.T) {
	for name, of := range map[string]struct{ client, path, text, want string }{
		"cut":                  {reply.Claude, ".claude/settings.json", "{\n  \"a\": 1,\n  \"b\": ", "line 3, column 8"},
		"a comment for Claude": {reply.Claude, ".claude/settings.json", "{\n  // why\n  \"a\": 1\n}", "line 2, column 3: comments"},
		"a trailing comma":     {reply.Codex, ".codex/hooks.json", "{\"a\": 1,}", "line 1"},
		"an array":             {reply.Gemini, ".gemini/settings.json", " []", "line 1, column 2: want an object"},
		"hooks is a list":      {reply.Claude, ".claude/settings.json", "{\"hooks\": []}", "line 1, column 11: hooks is no object"},
		"an event is no list":  {reply.Claude, ".claude/settings.json", "{\"hooks\": {\n\"PreToolUse\": {}}}", "line 2, column 15: hooks.PreToolUse"},
		"a name twice":         {reply.Claude, ".claude/settings.json", "{\"hooks\": {}, \"hooks\": {}}", "line 1, column 15: \"hooks\" is repeated"},
		"not UTF-8":            {reply.Gemini, ".gemini/settings.json", "{\"a\": \"\xff\"}", "not UTF-8"},
		"another server":       {reply.Gemini, ".gemini/settings.json", "{\"mcpServers\": {\"policyd\": {\"command\":\"x\"}}}", "mcpServers.policyd exists already"},
		"bad TOML":             {reply.Codex, ".codex/config.toml", "a = 1\nb = = 2\n", "line 2, column 5"},
		"an inline table":      {reply.Codex, ".codex/config.toml", "mcp_servers = {}\n", "can't be added to"},
		"another TOML server":  {reply.Codex, ".codex/config.toml", "[mcp_servers.policyd]\ncommand = \"x\"\n", "exists already and policyd did not write it"},
		"another plugin":       {reply.OpenCode, ".config/opencode/plugins/policyd.js", "export const X = 1", "not policyd's plugin"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, of.client)
			write(t, filepath.Join(o.Home, of.path), of.text)
			before := tree(t, o.Home)
			_, err := install.Install(o)
			require.ErrorContains(t, err, of.want)
			require.ErrorContains(t, err, of.path, "the file is named")
			assert.Equal(t, before, tree(t, o.Home))
		})
	}
}

// TestUninstallLeavesLaterChanges: what people added since stays, and their
// comments; what is ours goes.
func TestUninstallLeavesLaterChanges(t *testing.T) {
	o := options(t, reply.Gemini)
	path := filepath.Join(o.Home, ".gemini/settings.json")
	write(t, path, "{\n  // first\n  \"a\": 1\n}\n")
	changes, err := install.Install(o)
	apply(t, changes, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	changed := strings.Replace(string(text), "\"a\": 1", "\"a\": 2, // later", 1)
	changed = strings.Replace(changed, ",\n  \"hooks\"", "\n  \"hooks\"", 1)
	changed = strings.Replace(changed, "\"BeforeTool\": [", "\"BeforeTool\": [ /* mine */ {\"hooks\":[{\"type\":\"command\",\"command\":\"policyd-hookish\"}]},", 1)
	require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
	changes, err = install.Uninstall(o)
	apply(t, changes, err)
	text, err = os.ReadFile(path)
	require.NoError(t, err)
	for _, kept := range []string{"// first", "\"a\": 2", "// later", "/* mine */", "policyd-hookish"} {
		assert.Contains(t, string(text), kept)
	}
	assert.NotContains(t, string(text), "policyd-hook ")
	assert.NotContains(t, string(text), "SessionStart")
	_, err = hujson.Parse(text)
	require.NoError(t, err)
}

// TestLinksAndModesStay: settings are often links into a directory of dotfiles.
func TestLinksAndModesStay(t *testing.T) {
	o := options(t, reply.Claude)
	real := filepath.Join(t.TempDir(), "dotfiles.json")
	require.NoError(t, os.WriteFile(real, []byte("{}\n"), 0o600))
	require.NoError(t, os.Chmod(real, 0o644))
	path := filepath.Join(o.Home, ".claude/settings.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.Symlink(real, path))
	changes, err := install.Install(o)
	apply(t, changes, err)
	info, err := os.Lstat(path)
	require.NoError(t, err)
	assert.NotZero(t, info.Mode()&fs.ModeSymlink)
	info, err = os.Stat(real)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o644), info.Mode().Perm())
	changes, err = install.Uninstall(o)
	apply(t, changes, err)
	text, err := os.ReadFile(real)
	require.NoError(t, err)
	assert.Equal(t, "{}\n", string(text))
}

// TestTheBackupIsOfTheFirstInstall, and a plan that is out of date is not applied.
func TestTheBackupIsOfTheFirstInstall(t *testing.T) {
	o := options(t, reply.Claude)
	path := filepath.Join(o.Home, ".claude/settings.json")
	write(t, path, "{\"mine\": 1}\n")
	changes, err := install.Install(o)
	apply(t, changes, err)
	o.Hold = time.Minute
	changes, err = install.Install(o)
	apply(t, changes, err)
	kept, err := os.ReadFile(path + ".policyd.bak")
	require.NoError(t, err)
	assert.Equal(t, "{\"mine\": 1}\n", string(kept))
	o.Hold = 0
	changes, err = install.Install(o)
	require.NoError(t, err)
	write(t, path, "{}")
	require.ErrorContains(t, changes[0].Apply(), "changed meanwhile")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "{}", string(text))
}

// FuzzInstall checks that any file is either refused or given back as it was.
func FuzzInstall(f *testing.F) {
	f.Add([]byte("{}"), false)
	f.Add([]byte("{\"hooks\":{\"BeforeTool\":[/*a*/]},//b\n}"), false)
	f.Add([]byte("{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"command\":\"policyd-hook x\"}]}]}}"), true)
	f.Fuzz(func(t *testing.T, text []byte, project bool) {
		o := options(t, reply.Gemini)
		if project {
			o.Project = t.TempDir()
		}
		paths := settingsOf(t, o)
		require.NoError(t, os.MkdirAll(filepath.Dir(paths[0]), 0o700))
		require.NoError(t, os.WriteFile(paths[0], text, 0o600))
		changes, err := install.Uninstall(o)
		if err != nil || changes[0].Changed() {
			return // not settings, or with hooks of ours in them already
		}
		changes, err = install.Install(o)
		if err != nil {
			return
		}
		apply(t, changes, err)
		changes, err = install.Uninstall(o)
		apply(t, changes, err)
		got, err := os.ReadFile(paths[0])
		require.NoError(t, err)
		require.Equal(t, string(text), string(got))
	})
}
