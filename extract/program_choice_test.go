package extract_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/extract"
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
		".python-version":        {"python3 --version", "pip list"},
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
	for name, line := range map[string]string{".node-version": "node --version", ".ruby-version": "ruby --version", ".go-version": "go version", ".python-version": "python3 -m json.tool README.md"} {
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

// V5: that a project has no programs of its own is known of its directory only as long
// as the directory is as it was.
func TestProgramsThatComeLater(t *testing.T) {
	outside := func(p place) string { return filepath.Join(p.home, "other") }
	program := func(t *testing.T, path string) {
		t.Helper()
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte("x"), 0o700))
	}
	cases := map[string]struct {
		before, change func(t *testing.T, p place)
	}{
		"a directory": {nil, func(t *testing.T, p place) { program(t, p.project+"/.venv/bin/yq") }},
		"a directory that is moved there": {
			func(t *testing.T, p place) { program(t, p.project+"/src/bin/yq") },
			func(t *testing.T, p place) { require.NoError(t, os.Rename(p.project+"/src/bin", p.project+"/bin")) },
		},
		"a link": {
			func(t *testing.T, p place) { program(t, p.project+"/src/bin/yq") },
			func(t *testing.T, p place) { require.NoError(t, os.Symlink("src", p.project+"/vendor")) },
		},
		"what a link leads to": {
			func(t *testing.T, p place) { require.NoError(t, os.Symlink("src/later", p.project+"/env")) },
			func(t *testing.T, p place) { program(t, p.project+"/src/later/bin/yq") },
		},
		"what is below a name that there was": {
			func(t *testing.T, p place) { require.NoError(t, os.Mkdir(p.project+"/node_modules", 0o700)) },
			func(t *testing.T, p place) { program(t, p.project+"/node_modules/.bin/yq") },
		},
		"one more program": {
			func(t *testing.T, p place) { program(t, p.project+"/bin/other") },
			func(t *testing.T, p place) { program(t, p.project+"/bin/yq") },
		},
		"a link among programs": {
			func(t *testing.T, p place) { program(t, p.project+"/bin/other") },
			func(t *testing.T, p place) { require.NoError(t, os.Symlink("other", p.project+"/bin/yq")) },
		},
		"what a link among programs leads to": {
			func(t *testing.T, p place) {
				program(t, p.project+"/bin/other")
				require.NoError(t, os.Symlink("../src/later", p.project+"/bin/yq"))
			},
			func(t *testing.T, p place) { program(t, p.project+"/src/later") },
		},
		"other programs in their place": {
			func(t *testing.T, p place) {
				program(t, p.project+"/venv/bin/other")
				program(t, p.project+"/src/bin/yq")
			},
			func(t *testing.T, p place) {
				require.NoError(t, os.Rename(p.project+"/venv/bin", p.project+"/src/old"))
				require.NoError(t, os.Rename(p.project+"/src/bin", p.project+"/venv/bin"))
			},
		},
		"programs behind a link": {
			func(t *testing.T, p place) {
				program(t, p.project+"/src/bin/other")
				require.NoError(t, os.Symlink("src", p.project+"/venv"))
			},
			func(t *testing.T, p place) { program(t, p.project+"/src/bin/yq") },
		},
		"another directory in its place": {
			func(t *testing.T, p place) { program(t, outside(p)+"/bin/yq") },
			func(t *testing.T, p place) {
				require.NoError(t, os.Rename(p.project, p.home+"/old"))
				require.NoError(t, os.Rename(outside(p), p.project))
			},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.warm(t)
			if c.before != nil {
				c.before(t, p)
			}
			own := func() bool {
				return someItemHas(p.facts("Bash", map[string]any{"command": "yq . README.md"}).Items, "project_chooses_program")
			}
			tick(t, p.project)
			require.False(t, own())
			require.False(t, own())
			tick(t, p.project)
			c.change(t, p)
			assert.True(t, own())
		})
	}
}

// A program that is missing says nothing of the others of its directory.
func TestOneMissingProgramIsNotAll(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Mkdir(p.project+"/bin", 0o700))
	require.NoError(t, os.WriteFile(p.project+"/bin/yq", []byte("x"), 0o700))
	for _, program := range []string{"jq", "yq", "jq"} {
		items := p.facts("Bash", map[string]any{"command": program + " . README.md"}).Items
		assert.Equal(t, program == "yq", someItemHas(items, "project_chooses_program"), program)
	}
}

// A directory that changed a moment ago vouches for nothing: its next change may leave
// the same stamp.
func TestFreshDirectoriesVouchForNothing(t *testing.T) {
	p := newPlace(t)
	base, err := extract.NewBase(extract.Options{Home: p.home, Platform: "linux", Now: time.Now})
	require.NoError(t, err)
	p.extractor, err = base.With(policyData(t))
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(p.project+"/bin", 0o700))
	p.facts("Bash", map[string]any{"command": "yq . README.md"})
	assert.Zero(t, p.extractor.NoPlaces())
	assert.Zero(t, p.extractor.NoPrograms())
	p = newPlace(t)
	require.NoError(t, os.Mkdir(p.project+"/bin", 0o700))
	p.facts("Bash", map[string]any{"command": "yq . README.md"})
	assert.NotZero(t, p.extractor.NoPlaces())
	assert.NotZero(t, p.extractor.NoPrograms())
}

// tick returns once the disk's clock has moved past the last change of a directory.
func tick(t *testing.T, dir string) {
	t.Helper()
	last, err := os.Stat(dir)
	require.NoError(t, err)
	probe := filepath.Join(t.TempDir(), "probe")
	require.Eventually(t, func() bool {
		require.NoError(t, os.WriteFile(probe, nil, 0o600))
		now, err := os.Stat(probe)
		return err == nil && now.ModTime().After(last.ModTime())
	}, 5*time.Second, time.Millisecond)
}

func (p place) line(command string) v1.Facts {
	return p.facts("Bash", map[string]any{"command": command})
}

// V5: Python looks for the modules that it imports in the working directory first.
func TestModulesOfTheWorkingDirectory(t *testing.T) {
	for name, shadows := range map[string]bool{
		"": false, "json.py": true, "argparse.pyc": true, "re.cpython-311-x86_64-linux-gnu.so": true, "encodings/__init__.py": true,
		"json/__init__.pyc": true, "json/x.py": false, "jsonx.py": false, "json.txt": false, "json": false, "sub/json.py": false,
	} {
		p := newPlace(t)
		if name != "" {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(p.project, name)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(p.project, name), nil, 0o600))
		}
		for _, line := range []string{"python3 -m json.tool src/main.go", "cat src/main.go | python -m json.tool", "cd src || ls; python3 -m json.tool x"} {
			items := p.line(line).Items
			assert.Equal(t, shadows, items[len(items)-1].Caveats.Has("project_chooses_program"), "%s: %s", name, line)
		}
	}
	p := newPlace(t)
	require.NoError(t, os.Symlink("src/main.go", filepath.Join(p.project, "json.py")))
	assert.True(t, p.line("python3 -m json.tool x").Items[0].Caveats.Has("project_chooses_program"))
	assert.True(t, p.line(`cd "$X"; python3 -m json.tool x`).Items[1].Caveats.Has("project_chooses_program"))
	for _, line := range []string{
		"python3 -m json.tool x; cp a json.py", "cp a json.py; python3 -m json.tool x", "for f in a b; do python3 -m json.tool x; git checkout b; done",
		"cat a > json.py; python3 -m json.tool x", "(python3 -m json.tool x) & ./run", "f() { mv a json.py; }; f; python3 -m json.tool x",
		"python3 -m json.tool a json.py; python3 -m json.tool a", "tar xf a.tgz | python -m json.tool",
	} {
		items := p.line(line).Items
		assert.True(t, someItemHas(items, "project_chooses_program"), line)
	}
	assert.Equal(t, "python3", p.line("python3 -m http.server").Items[0].Verb)
	assert.True(t, p.line("python3 -i -m json.tool x").Items[0].Caveats.Has("runs_anything"))
}

// V5, S1: what a file says of the program that runs is believed if the file lies where it seems to. A program prints of
// another what it can't read.
func TestChoosingFilesThatLieElsewhere(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.MkdirAll(p.project+"/sub/deep", 0o700))
	for name, text := range map[string]string{
		"other/token": "s3cr3tvalue\n", "other/mod": "module x\n\ngo 1.20\n", ".ssh/id_x": "s3cr3t\n", "dotfiles/tool-versions": "python 3.12\n",
		"proj/versions/python": "3.12\n", "proj/.env": "s3cr3t\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(p.home+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(p.home+"/"+name, []byte(text), 0o600))
	}
	for _, at := range []struct {
		name, target, line string
		want               bool
	}{
		{".python-version", "../other/token", "python --version", true},
		{".python-version", p.home + "/.ssh/id_x", "python3 --version", true},
		{".python-version", "out/token", "python --version", true},
		{".python-version", ".env", "python --version", true},
		{".python-version", "versions/python", "python --version", false},
		{"sub/.python-version", "../versions/python", "cd sub && python --version", false},
		{"sub/.python-version", "../.env", "cd sub && python --version", true},
		{".tool-versions", "../other/token", "ruby --version", true},
		{"go.mod", "../other/mod", "go version", true},
		{"package.json", "../other/token", "npm --version", true},
		{"../.tool-versions", "dotfiles/tool-versions", "python --version", false}, // the person's own link
	} {
		require.NoError(t, os.Symlink(at.target, p.project+"/"+at.name))
		items := p.line(at.line).Items
		assert.Equal(t, at.want, items[len(items)-1].Caveats.Has("project_chooses_program"), "%+v", at)
		require.NoError(t, os.Remove(p.project+"/"+at.name))
	}
	require.NoError(t, os.Link(p.project+"/.env", p.project+"/.python-version"))
	assert.True(t, p.line("python --version").Items[0].Caveats.Has("project_chooses_program"), "another name of a secret")
	require.NoError(t, os.Remove(p.project+"/.python-version"))

	// The programs climb from the real directory, the shell from the name that it was given.
	require.NoError(t, os.Symlink("sub/deep", p.project+"/near"))
	for _, name := range []string{"sub/.tool-versions", "sub/deep/.tool-versions", ".tool-versions"} {
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("ruby path:./x\n"), 0o600))
		items := p.line("cd near && ruby --version").Items
		assert.True(t, items[len(items)-1].Caveats.Has("project_chooses_program"), name)
		require.NoError(t, os.Remove(p.project+"/"+name))
	}
}
