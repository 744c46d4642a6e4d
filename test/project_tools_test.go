package test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/test/jsonl"
)

// projectLine is a line of testdata/project_tools.
type projectLine struct{ ID, Command, Platform string }

func projectLines(t *testing.T, name string, least int) []projectLine {
	t.Helper()
	lines, err := jsonl.Read[projectLine]("testdata/project_tools/" + name)
	require.NoError(t, err)
	require.Greater(t, len(lines), least)
	return lines
}

// newProject is a place whose project holds what the lines name: sources, scripts, installed
// programs, and a link that leads out.
func newProject(t *testing.T) place {
	t.Helper()
	p := newPlace(t)
	for _, name := range []string{
		"a.txt", "b.txt", "notes.txt", "index.js", "run.sh", "gradlew", "mvnw", "setup.py", "bin/app", "scripts/build.sh", "scripts/seed.js", "scripts/x.ts",
		"src/app.py", "src/util.go", "src/app.test.js", "lib/x.rb", "pkg/a/a.go", "cmd/app/main.go", "tests/test_a.py", "build/Makefile", "docs/x.md",
		"node_modules/.bin/tsc", "node_modules/.bin/vitest", "node_modules/.bin/eslint", "core/pom.xml", "spec/a_spec.rb", "tsconfig.json", ".mcp.json",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(p.project+"/"+name), 0o700))
		require.NoError(t, os.WriteFile(p.project+"/"+name, []byte("x\n"), 0o700))
	}
	require.NoError(t, os.Remove(p.project+"/repository"))
	require.NoError(t, os.WriteFile(p.home+"/other/run.sh", []byte("x\n"), 0o700))
	return p
}

// line is the call of a line, on Linux unless it names another platform.
func (p place) line(line *projectLine) *v1.Call {
	call := p.call("Bash", map[string]any{"command": line.Command})
	if line.Platform != "" {
		call.Session.Platform = line.Platform
	}
	return call
}

// trust is what a person gives who trusts the tools of a project.
func trust(directory string) v1.Approval {
	return v1.Approval{ID: "trusted", Tool: v1.ToolProject, Verb: v1.VerbProject, Directory: directory}
}

// Lines that reach beyond a project's own tools are never allowed without an answer, nor by
// trust in the project's tools.
func TestLinesBeyondAProjectAreNotAllowed(t *testing.T) {
	p := newProject(t)
	require.NoError(t, os.Symlink(p.home+"/other", p.project+"/link"))
	for _, line := range projectLines(t, "must_not_allow.jsonl", 400) {
		for name, approvals := range map[string][]v1.Approval{"nothing": nil, "trust": {trust(p.project)}} {
			effect, codes := p.judge(t, p.line(&line), nil, approvals...)
			assert.NotEqualf(t, v1.EffectAllow, effect, "with %s: %s %s: %s", name, line.ID, line.Command, codes)
		}
	}
}

// Building, testing, linting, formatting and editing in a project needs one answer, and it
// is one for this project.
func TestTrustInAProjectCoversItsTools(t *testing.T) {
	p := newProject(t)
	for _, line := range projectLines(t, "ordinary.jsonl", 100) {
		call := p.line(&line)
		effect, codes := p.judge(t, call, nil, trust(p.project))
		assert.Equalf(t, v1.EffectAllow, effect, "%s %s: %s", line.ID, line.Command, codes)
		without, _ := p.judge(t, call, nil)
		effect, _ = p.judge(t, call, nil, trust(p.home+"/other"))
		assert.Equalf(t, without, effect, "trust in another project: %s %s", line.ID, line.Command)
	}
}

// A virtual environment that a line activates comes first on the search path: a reader that it
// holds is a program of the project, and no reader that is allowed by its name.
func TestActivatedEnvironmentsChoosePrograms(t *testing.T) {
	p := newProject(t)
	line := func(text string) v1.Effect {
		effect, _ := p.judge(t, p.call("Bash", map[string]any{"command": text}), nil, trust(p.project))
		return effect
	}
	const tail = "source build/tools/bin/activate && pytest 2>&1 | tail -5"
	assert.Equal(t, v1.EffectAllow, line(tail))
	require.NoError(t, os.MkdirAll(p.project+"/build/tools/bin", 0o700))
	require.NoError(t, os.WriteFile(p.project+"/build/tools/bin/tail", []byte("x\n"), 0o700))
	assert.Equal(t, v1.EffectPrompt, line(tail))
	assert.Equal(t, v1.EffectPrompt, line("cd src; source ../build/tools/bin/activate; pytest | tail -5"))
	assert.Equal(t, v1.EffectAllow, line("pytest 2>&1 | tail -5"))
	effect, _ := p.judge(t, p.call("Bash", map[string]any{"command": "source .venv/bin/activate; cat notes.txt"}), nil)
	assert.Equal(t, v1.EffectPrompt, effect, "without trust")
}

// Trust in a project covers what its tools do behind a command that changes the work tree: the program that a file chooses,
// and a directory that may have become a link. A tool that runs no code of the project goes only where its words lead.
func TestTrustBehindAChangeOfTheWorkTree(t *testing.T) {
	p := newProject(t)
	for _, name := range []string{"objects", "refs/heads"} {
		require.NoError(t, os.MkdirAll(p.project+"/.git/"+name, 0o700))
	}
	require.NoError(t, os.WriteFile(p.project+"/.git/HEAD", []byte("ref: refs/heads/main\n"), 0o600))
	for line, want := range map[string]v1.Effect{
		"git pull && node --version": v1.EffectAllow, "git checkout dev && python3 --version": v1.EffectAllow, "git pull && go version": v1.EffectAllow,
		"git pull && go test ./src": v1.EffectAllow, "git pull && pytest tests/": v1.EffectAllow, "git checkout dev && npm test": v1.EffectAllow,
		"git pull && cd pkg && go test ./a": v1.EffectAllow, "git pull && make -C build": v1.EffectAllow, "git pull && python3 src/app.py": v1.EffectAllow,
		"git pull && npx vitest run": v1.EffectAllow, "git pull && cargo run -- x": v1.EffectAllow, "git checkout dev && bash scripts/build.sh": v1.EffectAllow,
		"git pull && eslint src": v1.EffectPrompt, "git pull && gofmt -l src": v1.EffectPrompt, "git pull && black src": v1.EffectPrompt, "git pull && cat src/util.go": v1.EffectPrompt,
		"git pull && pytest --junitxml=build/x.xml tests": v1.EffectPrompt, "git pull && pytest ../other": v1.EffectPrompt, "git pull && go test ./src | tee src/x": v1.EffectPrompt,
		"git pull && cp src/util.go lib/": v1.EffectPrompt,
	} {
		call := p.line(&projectLine{Command: line})
		git := func(verb string) v1.Approval {
			return v1.Approval{ID: verb, Tool: "shell", Verb: verb, Directory: p.project}
		}
		effect, codes := p.judge(t, call, nil, trust(p.project), git("git pull"), git("git checkout"))
		assert.Equalf(t, want, effect, "%s: %s", line, codes)
		effect, _ = p.judge(t, call, nil, git("git pull"), git("git checkout"))
		assert.NotEqualf(t, v1.EffectAllow, effect, "without trust: %s", line)
	}
}

// MSBuild takes values behind a colon. Loggers are assemblies, and responses and properties can name any file.
func TestTrustCoversPlainValuesBehindAColon(t *testing.T) {
	p := newProject(t)
	for line, want := range map[string]v1.Effect{
		"dotnet build -c:Release": v1.EffectAllow, "dotnet build -v:q -nologo -m:1": v1.EffectAllow, "dotnet build -m --nologo -verbosity:minimal": v1.EffectAllow,
		"dotnet test --logger:trx -c:Debug": v1.EffectAllow, "dotnet test -v:n --no-build": v1.EffectAllow,
		"dotnet build -flp:logfile=x": v1.EffectPrompt, "dotnet build -o:../x": v1.EffectPrompt, "dotnet build -p:OutDir=x": v1.EffectPrompt, "dotnet build /p:OutDir=../x": v1.EffectPrompt,
		"dotnet build -l:x.dll": v1.EffectPrompt, "dotnet build --logger:x.dll": v1.EffectPrompt, "dotnet build -logger:x": v1.EffectPrompt, "dotnet build --logger x.dll": v1.EffectPrompt,
		"dotnet test '--logger:trx;LogFileName=/tmp/x'": v1.EffectPrompt, "dotnet test --logger:../x.dll": v1.EffectPrompt, "dotnet build -c:../x": v1.EffectPrompt, "dotnet build -v:": v1.EffectPrompt,
		"dotnet build -c:$X": v1.EffectPrompt, "dotnet build -t:Clean": v1.EffectPrompt,
	} {
		effect, codes := p.judge(t, p.line(&projectLine{Command: line}), nil, trust(p.project))
		assert.Equalf(t, want, effect, "%s: %s", line, codes)
	}
}
