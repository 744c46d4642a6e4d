package extract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// reads is what the facts of a line have of the files that cat reads, and whether all of them are known.
func (p place) reads(line, dir string) (paths []string, known bool) {
	call := p.call("Bash", map[string]any{"command": line})
	call.Cwd = dir
	facts := p.extractor.Extract(call, nil)
	known = !facts.Messy
	for i := range facts.Items {
		known = known && !facts.Items[i].Caveats.Has("dynamic_word") && !facts.Items[i].Caveats.Has("dynamic_option")
	}
	for i := range facts.Paths {
		if facts.Paths[i].Op == v1.OpRead {
			paths = append(paths, facts.Paths[i].Real)
		}
	}
	return paths, known
}

// printed is what a line prints in a directory for the place's user, without the last newlines.
func (p place) printed(t *testing.T, line, dir string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(p.home+"/.config/go/telemetry", 0o700))
	require.NoError(t, os.WriteFile(p.home+"/.config/go/telemetry/mode", []byte("off"), 0o600)) // nothing is written there later
	command := exec.CommandContext(t.Context(), "bash", "-c", line)
	command.Dir = dir
	command.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "PWD=" + dir, "GOTOOLCHAIN=local", "GOPROXY=off",
		"GIT_CONFIG_NOSYSTEM=1",
	}
	output, _ := command.Output() // a program that fails prints nothing
	return strings.TrimRight(string(output), "\n")
}

// agrees holds a producer's known value against what the program prints, and the facts of a line with
// it against those of the line with the text in its place.
func (p place) agrees(t *testing.T, producer, dir string, wantKnown bool) {
	t.Helper()
	paths, known := p.reads(`cat "$(`+producer+`)/zz"`, dir)
	require.Equal(t, wantKnown, known, "%s in %s", producer, dir)
	if !known {
		return
	}
	text := p.printed(t, producer, dir)
	literal, _ := p.reads("cat '"+text+"/zz'", dir)
	assert.Equal(t, literal, paths, "%s in %s prints %s", producer, dir, text)
	assert.True(t, slices.ContainsFunc(paths, func(path string) bool { return strings.HasSuffix(path, text+"/zz") }), "%v: %s", paths, text)
	unquoted, known := p.reads("M=$("+producer+"); cat $M/zz", dir)
	assert.Equal(t, paths, unquoted)
	assert.True(t, known)
}

// need skips a test whose program is missing.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("skipped: %s is not installed", program)
	}
}

// P3: directories of the go command are what it prints, whatever its settings hold.
func TestDirectoriesOfGo(t *testing.T) {
	need(t, "go")
	settings := map[string]struct {
		text                  string
		knownPath, knownCache bool
	}{
		"none":                {"", true, true},
		"path":                {"GOPATH=/srv/gopath\n", true, true},
		"cache":               {"GOMODCACHE=/srv/cache\n", true, true},
		"both":                {"GOMODCACHE=/srv/cache\nGOPATH=/srv/gopath\n", true, true},
		"list":                {"GOPATH=/srv/one:/srv/two\n", false, true},
		"last one counts":     {"GOPATH=/srv/one\nGOPATH=/srv/two", true, true},
		"comment":             {"#GOPATH=/srv/one\n GOPATH=/srv/two\ngopath=/srv/x\n", true, true},
		"empty":               {"GOPATH=\nGOMODCACHE=\n", true, true},
		"relative":            {"GOPATH=one\n", false, false},
		"tilde":               {"GOPATH=~/one\n", false, false},
		"blank":               {"GOPATH=/srv/my go\n", false, false},
		"pattern":             {"GOPATH=/srv/*\n", false, false},
		"line ends":           {"GOPATH=/srv/one\r\nGOMODCACHE=/srv/cache\r\n", false, false},
		"unclean":             {"GOPATH=/srv/../etc\nGOMODCACHE=/srv/./x\n", false, false},
		"others":              {"GOFLAGS=-mod=mod\nGOPRIVATE=example.org\n", true, true},
		"a root that matters": {"GOROOT=/srv/go\n", false, false},
	}
	for name, c := range settings {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			require.NoError(t, os.MkdirAll(p.home+"/.config/go", 0o700))
			if c.text != "" {
				require.NoError(t, os.WriteFile(p.home+"/.config/go/env", []byte(c.text), 0o600))
			}
			p.agrees(t, "go env GOPATH", p.project, c.knownPath)
			p.agrees(t, "go env GOMODCACHE", p.project+"/src", c.knownCache)
		})
	}
}

// P3: directories of modules are what go list prints of them.
func TestDirectoriesOfModules(t *testing.T) {
	need(t, "go")
	p := newPlace(t)
	goFile, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	sums, err := os.ReadFile("../go.sum")
	require.NoError(t, err)
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(p.home+"/.config/go", 0o700))
	require.NoError(t, os.WriteFile(p.home+"/.config/go/env", append([]byte("GOMODCACHE="), cache...), 0o600))
	require.NoError(t, os.WriteFile(p.project+"/go.mod", goFile, 0o600))
	require.NoError(t, os.WriteFile(p.project+"/go.sum", sums, 0o600))
	list := func(module string) string { return "go list -m -f '{{.Dir}}' " + module }

	p.agrees(t, "go list -m -f '{{.Dir}}'", p.project, true)
	p.agrees(t, "go list -m -f '{{.Dir}}'", p.project+"/src", true)
	p.agrees(t, list("policyd"), p.project+"/src", true)
	found := 0
	var required []string
	for line := range strings.SplitSeq(string(goFile), "\n") {
		if words := strings.Fields(line); len(words) > 1 && strings.HasPrefix(words[1], "v") {
			required = append(required, words[0])
		}
	}
	for line := range strings.SplitSeq(p.printed(t, "go list -e -m -f '{{.Path}} {{.Dir}}' "+strings.Join(required, " "), p.project), "\n") {
		module, dir, _ := strings.Cut(line, " ")
		paths, known := p.reads(`cat "$(`+list(module)+`)/zz"`, p.project)
		if known && dir != "" {
			assert.Contains(t, paths, dir+"/zz", module)
			found++
		}
	}
	assert.Greater(t, found, 20, "of the modules that this program requires")
	const module = "github.com/stretchr/testify"
	p.agrees(t, list(module), p.project, true)

	other := p.project + "/replacing"
	require.NoError(t, os.MkdirAll(other, 0o700))
	require.NoError(t, os.WriteFile(other+"/go.mod", append(slices.Clip(goFile), "\nreplace github.com/nobody/nothing => ./nothing\n"...), 0o600))
	require.NoError(t, os.WriteFile(other+"/go.sum", sums, 0o600))
	p.agrees(t, list(module), other, true)
	require.NoError(t, os.WriteFile(other+"/go.mod", []byte("module a\n\ngo 1.16\n\nrequire "+module+" v1.0.0\n\nreplace example.org/x => ./x\n"), 0o600))
	p.agrees(t, list(module), other, false)

	for name, requirement := range map[string]string{
		"quotes": strings.Replace(string(goFile), module+" v", `"`+module+`" v`, 1),
		"lines":  strings.ReplaceAll(string(goFile), "\n", "\r\n"),
	} {
		dir := p.project + "/written_with_" + name
		require.NoError(t, os.MkdirAll(dir, 0o700))
		require.NoError(t, os.WriteFile(dir+"/go.mod", []byte(requirement), 0o600))
		require.NoError(t, os.WriteFile(dir+"/go.sum", sums, 0o600))
		p.agrees(t, list(module), dir, true)
	}

	p.missingModule(t, list("github.com/nobody/nothing"))
	for _, unknown := range []string{"all", "./...", "github.com/stretchr/...", module + "@latest", "-u " + module, "../../etc", "''"} {
		p.agrees(t, list(unknown), p.project, false)
	}
	for name, change := range map[string]func(dir string) error{
		"replaced":   func(dir string) error { return addTo(dir+"/go.mod", "\nreplace "+module+" => /etc\n") },
		"in a block": func(dir string) error { return addTo(dir+"/go.mod", "\nreplace (\n\t"+module+" => /etc\n)\n") },
		"excluded":   func(dir string) error { return addTo(dir+"/go.mod", "\nexclude "+module+" v1.0.0\n") },
		"quoted":     func(dir string) error { return addTo(dir+"/go.mod", "\n\"replace\" "+module+" => /etc\n") },
		"no release": func(dir string) error { return addTo(dir+"/go.mod", "\nrequire example.org/x v1\n") },
		"unheard of": func(dir string) error { return addTo(dir+"/go.mod", "\nsubstitute "+module+" => /etc\n") },
		"vendored":   func(dir string) error { return os.Mkdir(dir+"/vendor", 0o700) },
		"workspace":  func(dir string) error { return os.WriteFile(dir+"/go.work", []byte("go 1.24\nuse .\n"), 0o600) },
		"above":      func(dir string) error { return os.WriteFile(filepath.Dir(dir)+"/go.work", []byte("go 1.24\n"), 0o600) },
		"flags":      func(string) error { return addTo(p.home+"/.config/go/env", "\nGOFLAGS=-modfile=other.mod\n") },
	} {
		t.Run(name, func(t *testing.T) {
			before, err := os.ReadFile(p.home + "/.config/go/env")
			require.NoError(t, err)
			dir := p.project + "/" + strings.ReplaceAll(name, " ", "_") + "/module"
			require.NoError(t, os.MkdirAll(dir, 0o700))
			require.NoError(t, os.WriteFile(dir+"/go.mod", goFile, 0o600))
			require.NoError(t, os.WriteFile(dir+"/go.sum", sums, 0o600))
			p.agrees(t, list(module), dir, true)
			require.NoError(t, change(dir))
			p.agrees(t, list(module), dir, false)
			require.NoError(t, os.WriteFile(p.home+"/.config/go/env", before, 0o600))
		})
	}
}

// missingModule: of a module that go.mod says nothing of, go list prints nothing. Its directory would lie in
// the module cache.
func (p *place) missingModule(t *testing.T, producer string) {
	t.Helper()
	assert.Empty(t, strings.TrimSpace(p.printed(t, producer+" 2>/dev/null || true", p.project)))
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/go.mod", []byte("module a\n\ngo 1.21\n"), 0o600))
	env, err := os.ReadFile(p.home + "/.config/go/env")
	require.NoError(t, err)
	cache := t.TempDir()
	require.NoError(t, os.WriteFile(p.home+"/.config/go/env", []byte("GOMODCACHE="+cache+"\n"), 0o600))
	paths, known := p.reads(`cat "$(`+producer+`)/zz"`, dir)
	assert.True(t, known)
	assert.Equal(t, []string{cache + "/github.com/nobody/nothing/zz"}, paths)
	require.NoError(t, os.MkdirAll(cache+"/github.com/nobody/nothing@v1.0.0", 0o700))
	_, known = p.reads(`cat "$(`+producer+`)/zz"`, dir)
	assert.False(t, known, "it may have become known by another module")
	require.NoError(t, os.WriteFile(p.home+"/.config/go/env", env, 0o600))
}

func addTo(file, text string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(content, text...), 0o600)
}

// P3: git's directories are what it prints.
func TestDirectoriesOfGit(t *testing.T) {
	need(t, "git")
	p := newPlace(t)
	output, err := exec.CommandContext(t.Context(), "git", "init", "-q", p.project).CombinedOutput()
	require.NoErrorf(t, err, "%s", output)
	for _, dir := range []string{p.project, p.project + "/src"} {
		p.agrees(t, "git rev-parse --absolute-git-dir", dir, true)
		p.agrees(t, "git rev-parse --show-toplevel", dir, true)
		p.agrees(t, "git rev-parse --git-dir", dir, true)
	}
	for _, dir := range []string{p.project + "/.git", p.project + "/.git/refs", p.home + "/other"} {
		p.agrees(t, "git rev-parse --git-dir", dir, false)
		p.agrees(t, "git rev-parse --absolute-git-dir", dir, false)
	}
}

// S3: a program that fails prints nothing, and then the path begins at the root.
func TestProducersMayPrintNothing(t *testing.T) {
	p := newPlace(t)
	for _, line := range []string{
		"cat $(go env GOMODCACHE)/etc/passwd", `cat "$(go env GOPATH)/etc/passwd"`, "M=$(go env GOMODCACHE); head -1 $M/etc/passwd",
		`M="$(go env GOPATH)"/etc && head -1 $M/passwd`, "cd $(go env GOPATH)/etc && cat passwd",
	} {
		paths, known := p.reads(line, p.project)
		assert.True(t, known, line)
		assert.Contains(t, paths, "/etc/passwd", line)
	}
	for _, line := range []string{"cat $(go env GOPATH) /etc/passwd", "M=$(go env GOPATH); cat $M $M /etc/passwd"} {
		paths, known := p.reads(line, p.project)
		assert.True(t, known, line)
		assert.Subset(t, paths, []string{p.home + "/go", "/etc/passwd"}, line)
	}
}

// S3: nothing is known of what the line itself may change.
func TestProducersOnLinesThatChangeTheirValues(t *testing.T) {
	p := newPlace(t)
	const go1 = "module example.org/a\n\ngo 1.21\n\nrequire example.org/x v1.0.0\n"
	require.NoError(t, os.WriteFile(p.project+"/go.mod", []byte(go1), 0o600))
	for line, want := range map[string]bool{
		"cat $(go env GOMODCACHE)/zz":                                                               true,
		"cat $(go env GOMODCACHE)/zz; touch y":                                                      true,
		"cat $(go env GOMODCACHE)/zz; go env -w GOMODCACHE=/etc":                                    false,
		"go env -u GOPATH; cat $(go env GOPATH)/zz":                                                 false,
		"export GOMODCACHE=/etc; cat $(go env GOMODCACHE)/zz":                                       false,
		"GOPATH=/etc; cat $(go env GOPATH)/zz":                                                      false,
		"GOPATH=$(go env GOPATH); cat $GOPATH/zz":                                                   true,
		"export GOPATH=\"$HOME/go\"; cat $GOPATH/zz":                                                true,
		"GOPATH=/etc; GOPATH=$(go env GOPATH); cat $GOPATH/zz":                                      false,
		"go env -w GOPATH=/etc; GOPATH=$(go env GOPATH); cat $GOPATH/zz":                            false,
		"GOPATH=/etc bash -c 'cat $(go env GOPATH)/zz'":                                             false,
		"cat $(GOPATH=/etc go env GOPATH)/zz":                                                       false,
		"HOME=/etc; cat $(go env GOPATH)/zz":                                                        false,
		"export XDG_CONFIG_HOME=/etc; cat $(go env GOPATH)/zz":                                      false,
		"go() { echo /etc; }; cat $(go env GOPATH)/zz":                                              false,
		"cat $(./go env GOPATH)/zz":                                                                 false,
		"cat $(go env GOPATH >&2)/zz":                                                               false,
		"cat $(! go env GOPATH)/zz":                                                                 false,
		"cat $(go list -m -f '{{.Dir}}' example.org/x)/zz":                                          true,
		"cd src && cat $(go list -m -f '{{.Dir}}' example.org/x 2>/dev/null)/zz":                    true,
		"touch go.work; cat $(go list -m -f '{{.Dir}}' example.org/x)/zz":                           false,
		"cat $(go list -m -f '{{.Dir}}' example.org/x)/zz; printf 'replace x' >> go.mod":            false,
		"sed -n 1p src/main.go; cat $(go list -m -f '{{.Dir}}' example.org/x)/zz":                   true,
		"find . -name '*.go'; cat $(go list -m -f '{{.Dir}}' example.org/x)/zz":                     true,
		"sed -n 'w go.work' src/main.go; cat $(go list -m -f '{{.Dir}}' example.org/x)/zz":          false,
		"sed 's/x/y/w go.mod' src/main.go; cat $(go list -m -f '{{.Dir}}' example.org/x)/zz":        false,
		"sed -i s/x/y/ go.mod; cat $(go list -m -f '{{.Dir}}' example.org/x)/zz":                    false,
		"sed 's/.*/touch go.work/e' src/main.go; cat $(go list -m -f '{{.Dir}}' example.org/x)/zz":  false,
		"find . -fprint go.work; cat $(go list -m -f '{{.Dir}}' example.org/x)/zz":                  false,
		"find . -exec touch go.work ';'; cat $(go list -m -f '{{.Dir}}' example.org/x)/zz":          false,
		"find . -name go.work -delete; cat $(go list -m -f '{{.Dir}}' example.org/x)/zz":            false,
		"while read -r f; do cat $(go list -m -f '{{.Dir}}' example.org/x)/zz; cp $f go.work; done": false,
		"make; cat $(go list -m -f '{{.Dir}}' example.org/x)/zz":                                    false,
		"GOFLAGS=-modfile=x; cat $(go list -m -f '{{.Dir}}' example.org/x)/zz":                      false,
		"cd \"$D\"; cat $(go list -m -f '{{.Dir}}' example.org/x)/zz":                               false,
		"cd src || cd docs; cat $(go list -m -f '{{.Dir}}' example.org/x)/zz":                       false,
	} {
		_, known := p.reads(line, p.project)
		assert.Equal(t, want, known, line)
	}
}
