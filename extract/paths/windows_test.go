package paths

import (
	"io/fs"
	"testing"

	"policyd/extract/stat"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// V11: drive letters, separators, and the spellings that lead elsewhere.
func TestWindowsPath(t *testing.T) {
	for raw, want := range map[string]string{
		`C:\proj\src`: "C:/proj/src", `c:/proj/./a//b\`: "C:/proj/a/b", `C:\proj\..\..\x`: "C:/x", `C:\`: "C:", `C:`: "C:",
		`\\server\share\a`: "//server/share/a", `/srv/proj`: "/srv/proj", `C:\a b\HEAD~x`: "C:/a b/HEAD~x",
	} {
		got, err := WindowsPath(raw)
		require.NoError(t, err, raw)
		assert.Equal(t, want, got, raw)
	}
	for raw, want := range map[string]error{
		`proj\a`: ErrRelative, `C:a`: ErrRelative, `\\?\C:\a`: ErrWindowsForm, `\\.\pipe\x`: ErrWindowsForm, `C:\a:stream`: ErrWindowsForm,
		`C:\.env.`: ErrWindowsForm, "C:\\.env\x20": ErrWindowsForm, `C:\CREDEN~1.JSO`: ErrWindowsForm, `C:\a*`: ErrWindowsForm,
		"C:\\.e`nv": ErrWindowsForm, `C:\NUL`: ErrWindowsDevice, `C:\com1.txt`: ErrWindowsDevice, `C:\...\x`: ErrWindowsForm,
	} {
		_, err := WindowsPath(raw)
		assert.ErrorIs(t, err, want, raw)
	}
}

func TestWindowsJoin(t *testing.T) {
	for _, c := range [][3]string{
		{"C:/proj", `src\a`, `C:/proj/src/a`},
		{"C:/proj", `\x`, "C:/x"},
		{"C:/proj", `D:\x`, "D:/x"},
		{"C:/proj", "D:x", ""},
		{"C:/proj", "C:", ""},
		{"C:/proj", `\\s\x`, "//s/x"},
		{"C:/proj", `~\a`, "C:/home/a"},
		{"", "a", ""},
		{"", `\a`, ""},
		{"/srv", `\a`, "/a"},
		{"C:/proj", "", "C:/proj"},
		{"//server/share", `\a`, ""},
	} {
		assert.Equal(t, c[2], WindowsJoin(c[0], c[1], "C:/home"), c[1])
	}
	assert.Empty(t, WindowsJoin("C:/proj", "~", ""))
}

// S1: what can't be followed is still denied by the name that it spells.
func TestWindowsSpelling(t *testing.T) {
	for raw, want := range map[string]string{
		`a\.env::$DATA`: "/a/.env", `.env.`: "/.env", "C:\\x\\.env\x20": "/C:/x/.env", "C:.env": "/.env", "'.e`nv'": "/.env", `~\.ssh\id`: "/~/.ssh/id",
	} {
		assert.Equal(t, want, WindowsSpelling(raw), raw)
	}
}

func TestWindowsDevice(t *testing.T) {
	for name, want := range map[string]string{
		"nul": "NUL", "NUL.txt": "NUL", "con:": "CON", "LPT9": "LPT9", "com¹": "COM¹", "aux .c": "AUX", "null": "", "common": "", "com": "", "com12": "", "conin$": "CONIN$",
	} {
		assert.Equal(t, want, WindowsDevice(name), name)
	}
}

// kind is what a look at something without a link finds.
func kind(kind stat.Kind) node { return node{stamp: stat.Stamp{Kind: kind}} }

// P1: on a machine with drives, links are followed; a share is not looked at.
func TestResolveWithDrives(t *testing.T) {
	missing := node{err: fs.ErrNotExist}
	dir, file := kind(stat.Directory), kind(stat.File)
	r := Resolver{Windows: true, disk: true, nodes: map[string]node{
		"C:/proj": dir, "C:/proj/src": dir, "C:/proj/a.go": file, "C:/proj/new": missing, "C:/proj/new/x": missing,
		"C:/proj/out": {stamp: stat.Stamp{Kind: stat.Link}, link: `..\other`}, "C:/other": dir, "C:/other/a": file,
		"C:/proj/abs": {stamp: stat.Stamp{Kind: stat.Link}, link: `D:\x`}, "D:/x": dir, "C:/proj/share": {stamp: stat.Stamp{Kind: stat.Link}, link: `\\server\x`},
		"C:/proj/loop": {stamp: stat.Stamp{Kind: stat.Link}, link: "loop"}, "C:/proj/junction": kind(stat.Directory),
		"C:/proj/odd": kind(stat.Other),
	}}
	for raw, want := range map[string]Resolved{
		`c:\proj\src`:     {Real: "C:/proj/src", Exists: true, Dir: true},
		`C:\proj\a.go`:    {Real: "C:/proj/a.go", Exists: true, Regular: true},
		`C:\proj\new\x`:   {Real: "C:/proj/new/x"},
		`C:\proj\out\a`:   {Real: "C:/other/a", Links: []string{"C:/proj/out"}, Exists: true, Regular: true},
		`C:\proj\abs`:     {Real: "D:/x", Links: []string{"C:/proj/abs"}, Exists: true, Dir: true},
		`C:\proj\share\a`: {Real: "//server/x", Links: []string{"C:/proj/share"}},
		`\\server\x`:      {Real: "//server/x"},
	} {
		got, err := r.Resolve(raw)
		require.NoError(t, err, raw)
		assert.Equal(t, want, got, raw)
	}
	for raw, want := range map[string]error{`C:\proj\loop`: ErrLoop, `C:\proj\odd`: ErrWindowsForm} {
		_, err := r.Resolve(raw)
		assert.ErrorIs(t, err, want, raw)
	}
}

func TestPatternOverlaps(t *testing.T) {
	p, err := NewPattern([]string{".env", ".env.*", "*.pem", "id_rsa*", "credentials.json"})
	require.NoError(t, err)
	for glob, want := range map[string]bool{
		"*.go": false, "main.*": true, "*.cs": false, "*": true, "*.*": true, "*.json": true, ".e*": true, "*.p*": true, "*.local": true,
		"i*.go": true, "a*.pem": true, "?env": true, "[.]env": true, "main.go": false, ".env": true, "*_test.go": false, ".e`nv": true,
	} {
		assert.Equal(t, want, p.Overlaps(glob), glob)
	}
}
