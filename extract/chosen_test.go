package extract_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// V5: a version manager runs what a file of the project points at, for every
// program that it has a name for; a number chooses among what a person installed.
func TestToolVersionsThatNameAPath(t *testing.T) {
	p := newPlace(t)
	lines := []string{"jq . a.json", "yq . a.yaml", "rg x src", "fd x", "shellcheck a.sh", "bat README.md", "deno --version", "cmake --version"}
	chosen := func(line string) bool {
		facts := p.facts("Bash", map[string]any{"command": line})
		require.NotEmptyf(t, facts.Items, "%q", line)
		return facts.Items[0].Caveats.Has("project_chooses_program")
	}
	for text, want := range map[string]bool{
		"jq path:./tools\n": true, "jq 1.7.1\nnodejs 22.1.0\n": false, "# see https://x\r\njava\ttemurin-17.0.9+9 system # a/b\r\n": false,
		"jq ref:v1\n": true, "jq ../../proj\n": true, "jq ..\n": true, "npm:x 1\n": true, "jq {{x}}\n": true, "jq -x": true, "jq 1\\\n": true, "": false,
	} {
		require.NoError(t, os.WriteFile(p.project+"/.tool-versions", []byte(text), 0o600))
		for _, line := range append(lines, "node --version", "ruby --version", "npm ls", "python3 --version", "cargo --version") {
			assert.Equalf(t, want, chosen(line), "%q with %q", line, text)
		}
	}
	require.NoError(t, os.Remove(p.project+"/.tool-versions"))
	for text, want := range map[string]bool{
		"[tools]\njq.path = './tools'\n": true, "[tools]\njq.path = 'tools'\n": true, "[tools]\njq = '1.7.1'\n": false, "": false, "jq = '1'\n": true,
		"min_version = '2024.1'\r\n[tools] # x\r\n\"node\" = [\"22\", '20.1.0'] # y\r\n\r\n[tasks.a]\nrun = \"\"\"\nx {{y}} [z]\n\"\"\"\n": false,
		"[tools]\njq = \"p\\u0061th:./tools\"\n": true, "[tools]\njq = \"{{exec(command='x')}}\"\n": true, "[env]\nX = '1'\n": true, "env_file = 'e'\n": true,
		"[vars]\nx = '1'\n": true, "[tools]\n'ubi:x/jq' = '1'\n": true, "[tasks.a]\nrun = 'x'\n[env]\n_.source = 'x'\n": true, "[tasks]\na = 'x'\n  [env]\n": true,
		"[tools]\njq = [\n'1'\n]\n": true, "[tools.jq]\nversion = '1'\n": true, "[tools]\njq = {version='1'}\n": true, "[settings]\nx = 1\n": true,
	} {
		require.NoError(t, os.WriteFile(p.project+"/mise.toml", []byte(text), 0o600))
		for _, line := range lines {
			assert.Equalf(t, want, chosen(line), "%q with %q", line, text)
		}
	}
	require.NoError(t, os.Remove(p.project+"/mise.toml"))
	for _, name := range []string{"mise.local.toml", ".config/mise.toml", ".config/mise/config.toml", ".mise/config.toml"} {
		assert.False(t, chosen("ruby --version"), name)
		require.NoError(t, os.MkdirAll(filepath.Dir(p.project+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("[tools]\n"), 0o600))
		assert.True(t, chosen("ruby --version"), name)
		require.NoError(t, os.Remove(p.project+"/"+name))
	}
	for name, text := range map[string]string{
		".config/mise/conf.d/a.toml": "", ".mise/config.toml": "", "mise/conf.d/a.toml": "", ".miserc.toml": "", ".config/mise.local.toml": "[env]\n", ".prototools": "[env]\n",
	} {
		_, _ = os.RemoveAll(p.project+"/.config"), os.RemoveAll(p.project+"/.mise")
		assert.False(t, chosen("rg x src"), name)
		require.NoError(t, os.MkdirAll(filepath.Dir(p.project+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte(text), 0o600))
		assert.True(t, chosen("rg x src"), name)
		require.NoError(t, os.RemoveAll(p.project+"/"+strings.Split(name, "/")[0]))
	}
	require.NoError(t, os.WriteFile(p.project+"/.prototools", []byte("node = \"22\"\nbun = '1.2'\n"), 0o600))
	require.NoError(t, os.MkdirAll(p.home+"/.config/mise", 0o700))
	assert.False(t, chosen("rg x src"), "the person's own settings")
	require.NoError(t, os.Remove(p.project+"/.prototools"))
	require.NoError(t, os.WriteFile(p.home+"/.config/mise/config.toml", []byte("[tools]\n"), 0o600))
	assert.False(t, chosen("ruby --version"), "the person's own settings")
	assert.False(t, chosen("gem --version"))
	require.NoError(t, os.WriteFile(p.project+"/.rbenv-vars", []byte("RUBYOPT=-r./x\n"), 0o600))
	assert.True(t, chosen("gem --version"), "a widespread plugin of rbenv sets variables for every program of Ruby's")
	assert.False(t, chosen("poetry --version"))
	require.NoError(t, os.MkdirAll(p.project+"/.poetry/plugins", 0o700))
	assert.True(t, chosen("poetry --version"), "its plugins run for every command")
	for _, line := range []string{"pip list", "pip3 list --format json"} {
		assert.False(t, chosen(line), line)
		require.NoError(t, os.WriteFile(p.project+"/rust-toolchain.toml", []byte("[toolchain]\npath = \"/x\"\n"), 0o600))
		assert.True(t, chosen(line), "%s runs rustc to say in its version check what it runs on", line)
		require.NoError(t, os.Remove(p.project+"/rust-toolchain.toml"))
	}
}

// V5: some programs look for their settings beside the file that they are given.
func TestSettingsBesideAFile(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.MkdirAll(p.project+"/lib/deep", 0o700))
	for _, name := range []string{"run.sh", "lib/.shellcheckrc", "lib/deep/x.sh", "lib/deep/.clang-format", "lib/deep/x.c"} {
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("x"), 0o600))
	}
	for line, want := range map[string]bool{
		"shellcheck run.sh":                             false,
		"shellcheck lib/deep/x.sh":                      true,
		"shellcheck run.sh ./lib/../lib/deep/x.sh":      true,
		"shellcheck lib/*/*.sh":                         true,
		"find lib/deep -name '*.sh' | xargs shellcheck": true,
		"clang-format -n lib/deep/x.c":                  true,
		"clang-format -n src/main.go":                   false,
		"cat lib/deep/x.sh":                             false,
	} {
		items := p.facts("Bash", map[string]any{"command": line}).Items
		require.NotEmptyf(t, items, "%q", line)
		assert.Equal(t, want, items[len(items)-1].Caveats.Has("project_chooses_program"), line)
	}
}

// V5: what else stands in a project and chooses what a version query runs.
func TestFilesThatChooseAProgram(t *testing.T) {
	for name, chosen := range map[string][]string{
		".corepack.env":          {"pnpm --version", "yarn --version", "npm --version", "npx --version"},
		"package.yaml":           {"pnpm --version"},
		"package.json5":          {"pnpm --version"},
		".prototools":            {"node --version", "go version", "cargo --version", "ruby --version", "yarn --version"},
		".config/mise/conf.d/a":  {"node --version", "python3 --version"},
		".mise/conf.d/a.toml":    {"node --version", "go version", "rg x"},
		"mise/conf.d/a.toml":     {"node --version", "go version"},
		".config/mise/mise.toml": {"go version"},
		".rtx.toml":              {"go version", "rg x"},
		".node-version":          {"node --version", "npm --version", "pnpm --version", "tsc --version", "corepack --version"},
		".ruby-version":          {"ruby --version", "gem --version"},
		".go-version":            {"go version"},
		".perl-version":          {"perl --version"},
		".php-version":           {"php --version"},
		".lua-version":           {"lua -v"},
		"../.corepack.env":       {"pnpm --version"},
	} {
		p := newPlace(t)
		asks := func(line string) bool {
			facts := p.facts("Bash", map[string]any{"command": line})
			require.NotEmptyf(t, facts.Items, "%q", line)
			return facts.Items[0].Caveats.Has("project_chooses_program")
		}
		for _, line := range chosen {
			assert.Falsef(t, asks(line), "%q without %s", line, name)
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(p.project+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("../../proj/tools\n"), 0o600))
		for _, line := range chosen {
			assert.Truef(t, asks(line), "%q with %s", line, name)
		}
	}
}

// V5: the number of a version names what a person installed, and no program of the
// project.
func TestVersionsThatAreNoPath(t *testing.T) {
	p := newPlace(t)
	for name, line := range map[string]string{".node-version": "node --version", ".ruby-version": "ruby --version", ".go-version": "go version"} {
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("22.1.0\n"), 0o600))
		facts := p.facts("Bash", map[string]any{"command": line})
		require.NotEmpty(t, facts.Items)
		assert.False(t, facts.Items[0].Caveats.Has("project_chooses_program"), line)
	}
}

// S2: a file that a program reads without being told may be a link, and an error in
// it is printed with what stands there.
func TestManifestsThatAreLinks(t *testing.T) {
	for name, lines := range map[string][]string{
		"package.json":               {"npm ls", "npm pkg get name", "npm run", "cd src && npm ls", "npm --prefix src ls"},
		"package-lock.json":          {"npm ls"},
		"Cargo.toml":                 {"cargo metadata --no-deps", "cd src && cargo locate-project"},
		".cargo/config.toml":         {"cargo metadata --no-deps", "cargo --version"},
		"../proj/Cargo.toml":         {"cargo metadata --no-deps --manifest-path src/Cargo.toml"},
		"src/../package.json":        {"npm explain x"},
		".terraform/environment":     {"terraform workspace show", "tofu workspace show"},
		".gitattributes":             {"git check-attr -a README.md", "cd src && git check-attr text a"}, // git before 2.32
		".gitignore":                 {"git check-ignore -v README.md"},
		"src/.terraform/environment": {"terraform -chdir=src workspace show", "cd src && terraform workspace show"},
	} {
		for target, want := range map[string]string{".env": "reaches_secret", "../other/file": "reaches_outside", "README.md": ""} {
			p := newPlace(t)
			full := filepath.Join(p.project, name)
			require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o700))
			relative, err := filepath.Rel(filepath.Dir(full), filepath.Join(p.project, target))
			require.NoError(t, err)
			require.NoError(t, os.Symlink(relative, full))
			for _, line := range lines {
				facts := p.facts("Bash", map[string]any{"command": line})
				require.NotEmptyf(t, facts.Items, "%q", line)
				got := ""
				for _, item := range facts.Items {
					for _, caveat := range []string{"reaches_secret", "reaches_outside", "reaches_unknown"} {
						if item.Caveats.Has(caveat) {
							got = caveat
						}
					}
				}
				assert.Equalf(t, want, got, "%q where %s leads to %s", line, name, target)
			}
		}
	}
}

// V5: where an environment of the project is active, its programs come before those
// of the system, and an interpreter of it loads what lies beside it.
func TestProgramsOfAnEnvironment(t *testing.T) {
	p := newPlace(t)
	system := p.home + "/usr/bin/python3"
	require.NoError(t, os.MkdirAll(filepath.Dir(system), 0o755))
	require.NoError(t, os.WriteFile(system, []byte("x"), 0o700))
	put := func(name string, mode os.FileMode) {
		require.NoError(t, os.MkdirAll(filepath.Dir(p.project+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("x"), mode))
	}
	put(".venv/bin/yq", 0o700)
	put("venv/bin/rg", 0o600)
	put("node_modules/.bin/shellcheck", 0o755)
	put("bin/test", 0o755)
	put("src/bin/jq", 0o755)
	put(".direnv/python-3.11/bin/pip", 0o755)
	put(".pixi/envs/default/bin/fd", 0o755)
	put(".conda/bin/bat", 0o755)
	require.NoError(t, os.Symlink(system, p.project+"/.venv/bin/python3"))
	require.NoError(t, os.Symlink("../lib/git", p.project+"/bin/git"))
	for line, want := range map[string]bool{
		"yq . a.yaml": true, "shellcheck a.sh": true, "python3 -m json.tool a.json": true, "cd src && yq . a.yaml": true,
		"rg x src": false, "python3 --version": false, "test -f README.md": false, "cat README.md": false, "jq . a.json": false,
		"git status": false, "pip list": true, "fd x src": true, "bat README.md": true,
	} {
		facts := p.facts("Bash", map[string]any{"command": line})
		require.NotEmptyf(t, facts.Items, "%q", line)
		assert.Equal(t, want, someItemHas(facts.Items, "project_chooses_program"), line)
	}
	put("lib/git", 0o700)
	assert.True(t, p.facts("Bash", map[string]any{"command": "git status"}).Items[0].Caveats.Has("project_chooses_program"))
	call := p.call("Bash", map[string]any{"command": "jq . a.json"})
	call.Cwd = p.project + "/src"
	assert.True(t, p.extractor.Extract(call, nil).Items[0].Caveats.Has("project_chooses_program"), "src/bin is that of its working directory")
}

// S2: ctags reads options in the project whatever it is asked, and prints lines
// of files that they name.
func TestOptionsOfCtags(t *testing.T) {
	p := newPlace(t)
	facts := p.facts("Bash", map[string]any{"command": "ctags --version"})
	assert.False(t, facts.Items[0].Caveats.Has("project_chooses_program"))
	for _, name := range []string{".ctags.d/a.ctags", "ctags.d/a.ctags", ".ctags"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(p.project+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("--options=.env\n"), 0o600))
		facts := p.facts("Bash", map[string]any{"command": "ctags --version"})
		assert.True(t, facts.Items[0].Caveats.Has("project_chooses_program"), name)
		require.NoError(t, os.RemoveAll(p.project+"/"+strings.TrimSuffix(name, "/a.ctags")))
	}
}
