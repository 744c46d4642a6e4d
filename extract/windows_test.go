package extract_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// windowsFacts are the facts of a call in a session on Windows, whose disk is
// not here.
func (p place) windowsFacts(tool, project string, args map[string]any) v1.Facts {
	call := p.call(tool, args)
	call.Cwd = ""
	call.Session.Platform, call.Session.Shell = "windows", "powershell"
	call.Session.ProjectDir, call.Session.Home = project, `C:\Users\dev`
	return p.extractor.Extract(call, nil)
}

// V11, P13: what can't be seen says so, and case and separators make no difference.
func TestPathsOfAnUnseenDisk(t *testing.T) {
	p := newPlace(t)
	facts := p.windowsFacts("Bash", `c:\Proj`, map[string]any{"command": `Get-Content SRC\main.go, C:\proj\b.go`})
	require.Len(t, facts.Paths, 2)
	assert.Equal(t, "C:/Proj", facts.Cwd)
	for i, real := range []string{"C:/Proj/SRC/main.go", "C:/Proj/b.go"} {
		assert.Equal(t, real, facts.Paths[i].Real)
		assert.Equal(t, v1.SpaceProject, facts.Paths[i].Space)
		assert.Equal(t, v1.Set{"unseen"}, facts.Paths[i].Caveats)
	}
	require.Len(t, facts.Items, 1)
	assert.True(t, facts.Items[0].Caveats.Has("unseen"))
	for command, space := range map[string]string{
		`Get-Content D:\proj\a`: v1.SpaceOutside, `Get-Content \\server\share\a`: v1.SpaceOutside, `Get-Content C:a`: v1.SpaceUnknown,
		`Get-Content ..\a`: v1.SpaceOutside, `Get-Content nul`: v1.SpaceNone, `Get-Content con`: v1.SpaceOutside, `Get-Content a:b`: v1.SpaceUnknown,
		`Get-Content \Proj\a`: v1.SpaceProject, `Get-Content LONGNA~1.TXT`: v1.SpaceUnknown, `Get-Content /etc/passwd`: v1.SpaceOutside,
	} {
		facts := p.windowsFacts("Bash", `C:\Proj`, map[string]any{"command": command})
		require.NotEmpty(t, facts.Paths, command)
		assert.Equal(t, space, facts.Paths[0].Space, command)
	}
}

// P6: a drive, a home and what Windows keeps are no projects.
func TestSensitiveRootsOnWindows(t *testing.T) {
	p := newPlace(t)
	for _, project := range []string{`C:\`, `c:\windows\temp`, `C:\Users`, `C:\users\DEV`, `C:\Users\other`, `C:\Program Files\x`, `\\server\share`, `C:\Users\dev\.ssh`} {
		facts := p.windowsFacts("Bash", project, map[string]any{"command": "Get-ChildItem"})
		assert.NotContains(t, facts.Items[0].Touches, "list.project", project)
	}
	assert.Contains(t, p.windowsFacts("Bash", `C:\Users\dev\proj`, map[string]any{"command": "Get-ChildItem"}).Items[0].Touches, "list.project")
}

// S3: what a pattern or a tree reaches on a disk that isn't here is known only
// where no secret fits the names.
func TestReachOfAnUnseenDisk(t *testing.T) {
	p := newPlace(t)
	for command, unknown := range map[string]bool{
		`Select-String TODO src\*.go`: false, `Select-String TODO src\*`: true, `Get-Content *\a.go`: true, `rg TODO`: true, `rg TODO main.go`: false,
		`Get-ChildItem -Recurse -Filter *.cs | Select-String TODO`: false, `Get-ChildItem | Select-String TODO`: true, `git diff`: true, `git status`: false,
	} {
		facts := p.windowsFacts("Bash", `C:\proj`, map[string]any{"command": command})
		item := facts.Items[len(facts.Items)-1]
		assert.Equal(t, unknown, item.Caveats.Has("reaches_unknown"), "%s: %v", command, item.Caveats)
		assert.False(t, facts.Messy, command)
	}
}

// S3, V11: what git prints of a repository that isn't here is known where its words name
// each file, and no word can be the hash of another, or lead on to one.
func TestGitNamesFilesOfAnUnseenDisk(t *testing.T) {
	p := newPlace(t)
	for command, unknown := range map[string]bool{
		`git show --all HEAD:README.md`: true, `git show HEAD:README.md --reflog`: true, `git show HEAD:README.md..HEAD`: true, `git show HEAD..HEAD:README.md`: true,
		`git show HEAD:README.md`: false, `git show HEAD:package.json`: false, `git show v1:src`: false, `git show HEAD:`: false, `git diff HEAD~1:a.go HEAD:a.go`: false,
		`git diff -- a.go`: false, `git diff HEAD~2...HEAD -- a.go "*.md"`: false, `git show HEAD -- a.go`: false, `git grep x "*.py"`: false, `git grep x -- src/a.py`: false,
		`git show HEAD:.env`: true, `git show HEAD:sub/.ENV`: true, `git show HEAD`: true, `git show :/fix`: true, `git diff HEAD~1:src HEAD:src`: true,
		`git diff -- package.json`: true, `git diff -- src`: true, `git diff HEAD a.go`: true, `git diff v1 -- a.go`: true, `git diff 0a1b2c3d -- a.go`: true,
		`git show HEAD..v1 -- a.go`: true, `git log -p -- a.go`: true, `git log -p --follow -- a.go`: true, `git grep x -- "*.json"`: true, `git grep x -- a.py src`: true,
		`git grep x -- "src\*.py"`: true, `git grep --no-index x -- "*.py"`: true, `git diff -- a.go ":!b.go"`: true, `git grep x 0a1b2c3d -- a.py`: true,
	} {
		facts := p.windowsFacts("Bash", `C:\proj`, map[string]any{"command": command})
		assert.False(t, facts.Messy, command)
		item := facts.Items[len(facts.Items)-1]
		assert.Equal(t, unknown, item.Caveats.Has("reaches_unknown"), "%s: %v", command, item.Caveats)
	}
}

// A project of this machine's disk is looked at, whatever system the session names.
func TestWindowsSessionOnASeenDisk(t *testing.T) {
	p := newPlace(t)
	facts := p.windowsFacts("Bash", p.project, map[string]any{"command": `Get-Content src\main.go; Get-Content out\file; Get-Content .\.env`})
	require.GreaterOrEqual(t, len(facts.Paths), 3)
	assert.Equal(t, v1.SpaceProject, facts.Paths[0].Space)
	assert.False(t, facts.Items[0].Caveats.Has("unseen"))
	assert.Equal(t, v1.SpaceOutside, facts.Paths[1].Space)
	assert.Equal(t, p.home+"/other/file", facts.Paths[1].Real)
	_, secret := facts.Paths[2].Class.Get("secret")
	assert.True(t, secret)
	facts = p.windowsFacts("Bash", p.project, map[string]any{"command": `Get-ChildItem -Recurse | Select-String x`})
	assert.True(t, facts.Items[1].Caveats.Has("reaches_secret"), "%v", facts.Items[1].Caveats)
}

// V5: cmd starts a program of the working directory before any other.
func TestCmdSearchesTheWorkingDirectory(t *testing.T) {
	p := newPlace(t)
	facts := func(shell string) v1.Facts {
		text, err := json.Marshal(map[string]string{"command": "findstr x src/main.go"})
		require.NoError(t, err)
		return p.extractor.Extract(&v1.Call{Tool: "shell", Args: text, Session: v1.Session{
			Agent: "other", Platform: "windows", Shell: shell, ProjectDir: p.project,
		}}, nil)
	}
	assert.False(t, facts("cmd").Items[0].Caveats.Has("project_chooses_program"))
	require.NoError(t, os.WriteFile(p.project+"/findstr.bat", nil, 0o600))
	assert.True(t, facts("cmd").Items[0].Caveats.Has("project_chooses_program"))
	assert.False(t, facts("powershell").Items[0].Caveats.Has("project_chooses_program"))
}

// P1: roots on macOS hold what differs from them in case alone.
func TestRootsOnMacFoldCase(t *testing.T) {
	p := newPlace(t)
	call := p.call("Read", map[string]any{"file_path": p.home + "/PROJ/a.go"})
	assert.Equal(t, v1.SpaceOutside, p.extractor.Extract(call, nil).Paths[0].Space)
	call.Session.Platform = "darwin"
	assert.Equal(t, v1.SpaceProject, p.extractor.Extract(call, nil).Paths[0].Space)
}

// P13: file tools see no more of that disk than commands do.
func TestFileToolsOnAnUnseenDisk(t *testing.T) {
	p := newPlace(t)
	facts := p.windowsFacts("Read", `C:\proj`, map[string]any{"file_path": `C:\proj\a.go`})
	require.Len(t, facts.Paths, 1)
	assert.Equal(t, v1.Set{"unseen"}, facts.Paths[0].Caveats)
	assert.Equal(t, v1.SpaceProject, facts.Paths[0].Space)
	facts = p.windowsFacts("Read", `C:\proj`, map[string]any{"file_path": `C:\proj\.env`})
	_, secret := facts.Paths[0].Class.Get("secret")
	assert.True(t, secret)
	facts = p.windowsFacts("Grep", `C:\proj`, map[string]any{"pattern": "x", "path": "C:/proj/src"})
	assert.True(t, facts.Items[0].Caveats.Has("reaches_unknown"))
}

// V11: what a shell of Unix calls NUL is a file, and /dev/null is the device.
func TestDevicesOfShellsOnWindows(t *testing.T) {
	p := newPlace(t)
	for shell, spaces := range map[string]map[string]string{
		"bash": {"ls >nul": v1.SpaceUnknown, "ls 2>NUL": v1.SpaceUnknown, "ls >src/nul": v1.SpaceUnknown, "ls >/dev/null": v1.SpaceNone, "ls >con": v1.SpaceOutside},
		"cmd":  {"dir >nul": v1.SpaceNone},
	} {
		for line, space := range spaces {
			call := p.call("Bash", map[string]any{"command": line})
			call.Cwd = ""
			call.Session.Platform, call.Session.Shell = "windows", shell
			call.Session.ProjectDir, call.Session.Home = `C:\Proj`, `C:\Users\dev`
			facts := p.extractor.Extract(call, nil)
			found := ""
			for _, path := range facts.Paths {
				if path.Op == v1.OpWrite {
					found = path.Space
				}
			}
			if shell == "cmd" && found == "" {
				found = v1.SpaceNone // its redirections to NUL are no accesses
			}
			assert.Equal(t, space, found, "%s: %s", shell, line)
		}
	}
}
