package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/extract/shell/command"
	"policyd/extract/shell/guard"
	"policyd/extract/shell/host"
	"policyd/extract/windows"
)

func parseWindows(tb testing.TB, shell, line string) command.Line {
	tb.Helper()
	return newTable(tb).Parse(line, host.Options{Shell: shell, Platform: "windows", Home: "C:/Users/dev", Cwd: "C:/proj"})
}

func verbsOf(line command.Line) []string {
	var out []string
	for _, c := range line.Commands {
		out = append(out, c.Verb)
	}
	return out
}

// V11: names are found whatever their case, alias or extension.
func TestPlainVerbs(t *testing.T) {
	for _, c := range []struct{ shell, line, verbs string }{
		{"powershell", "gci src | sort Length; cat a.txt", "Get-ChildItem,Sort-Object,Get-Content"},
		{"pwsh.exe", "GIT.EXE status && ls", "git status,Get-ChildItem"},
		{"powershell", "find.exe x a.txt", "find"},
		{"cmd", "DIR /b & type a.txt | find.exe \"x\" || ver", "dir,type,find,ver"},
		{"cmd", `powershell -Command "gci src"`, "Get-ChildItem"},
		{"powershell", "chdir src; pwd", "cd,Get-Location"},
	} {
		parsed := parseWindows(t, c.shell, c.line)
		assert.Empty(t, parsed.Messy, c.line)
		assert.Equal(t, c.verbs, strings.Join(verbsOf(parsed), ","), c.line)
	}
}

// V7, V11: cmd's echo knows no options.
func TestEchoOfDashesInCmd(t *testing.T) {
	for _, line := range []string{"echo ---", "echo --- a/b", "echo -n x", "echo /x", `echo "-" /?`} {
		c := parseWindows(t, "cmd", line).Commands[0]
		assert.Empty(t, c.Caveats, line)
		assert.Equal(t, v1.Form{{Name: "<text>", Kind: "value"}}, c.Form, line)
	}
	assert.NotEmpty(t, parseWindows(t, "cmd", "echo a=b").Commands[0].Caveats)
}

// V11, V8: everything beyond the plain form is messy.
func TestPlainMessy(t *testing.T) {
	for shell, lines := range map[string][]string{
		"powershell": {
			"$x", "dir $x", "dir `x", "dir @x", "dir {x}", "(dir)", "dir > x", "dir < x", "& dir", "dir &", "\"dir\"", "'git' status", "dir \"$x\"", "dir \"a`n\"",
			"dir # x", "dir\nls", "dir |", "| dir", "dir ;; ls", "dir ,a", "dir a,", "dir a ,b", "dir a'b'c", "dir \"a\"b", "dir 'a", "if x", ". x", "1+1", "-x", "!x", "dir “a”",
			"dir –x", "dir [a]", "dir 2>x", "dir \"a“ ; x\"", "",
		},
		"cmd": {
			"dir ^x", "dir %x%", "dir !x!", "(dir)", "dir > x", "dir < x", "@dir", "dir\ntype x", "dir 'x'", `dir "a`, `dir a"b"`, `dir "a\"`, `dir "a""b"`, "dir,x", "cd..", "echo.x", "if a b",
			"dir |", "&& dir", "C:", "dir/s", "rem x", "dir 2>x", "dir ＂x", ":x", "",
		},
	} {
		for _, line := range lines {
			assert.NotEmpty(t, parseWindows(t, shell, line).Messy, "%s: %q", shell, line)
		}
	}
	assert.Equal(t, []string{guard.MessyDialect}, newTable(t).Parse("ls", host.Options{Shell: "pwsh", Platform: "linux"}).Messy)
}

// V5: parameters by full name, alias or a beginning of one alone.
func TestPlainOptions(t *testing.T) {
	for _, c := range []struct {
		shell, line, name, kind string
	}{
		{"powershell", "gci -Rec", "-Recurse", "none"},
		{"powershell", "gci -FILTER:*.go", "-Filter", "leaf"},
		{"powershell", `ls -Filter ..\*`, "-Filter", "unknown"},
		{"powershell", "gci -F x", "-F", "unknown"},
		{"powershell", "gci -Nope", "-Nope", "unknown"},
		{"powershell", "gci -Recurse:1", "-Recurse", "unknown"},
		{"powershell", "gc a -Tail -Raw", "-Tail", "unknown"},
		{"powershell", "gci -ea 0", "-ErrorAction", "value"},
		{"powershell", "gc a -wait", "-wait", "unknown"},
		{"powershell", "sls a b c", "<more>", "unknown"},
		{"cmd", "dir /s/b", "/B", "none"},
		{"cmd", "dir /O-N", "/O", "value?"},
		{"cmd", "findstr /sin x y", "/I", "none"},
		{"cmd", `findstr /C:"a b" y`, "/C", "pattern"},
		{"cmd", "dir /zz", "/zz", "unknown"},
		{"cmd", "dir -s", "-s", "unknown"},
	} {
		parsed := parseWindows(t, c.shell, c.line)
		require.Len(t, parsed.Commands, 1, c.line)
		kind, _ := parsed.Commands[0].Form.Get(c.name)
		assert.Equal(t, c.kind, kind, "%s: %+v", c.line, parsed.Commands[0].Form)
		assert.Equal(t, c.kind == "unknown", parsed.Commands[0].Caveats.Has("unknown_option"), c.line)
	}
}

// V1: cd carries its directory to what follows, where it is known.
func TestPlainDirectories(t *testing.T) {
	for _, c := range []struct {
		shell, line string
		dirs        []string
		unknown     bool
	}{
		{"powershell", "cd src && ls", []string{"C:/proj/src"}, false},
		{"powershell", "cd src; ls", []string{"C:/proj/src", "C:/proj"}, false},
		{"powershell", "cd src || ls", []string{"C:/proj"}, false},
		{"powershell", "cd -; ls", nil, true},
		{"powershell", "cd; ls", nil, true},
		{"powershell", "ls | cd src; ls", nil, true},
		{"cmd", `cd /d D:\x && dir`, []string{`D:\x`}, false},
		{"cmd", `cd D:\x && dir`, nil, true},
		{"cmd", `cd C:\x && dir`, []string{`C:\x`}, false},
		{"cmd", "cd a b && dir", nil, true},
		{"cmd", "pushd x & dir", nil, true},
	} {
		parsed := parseWindows(t, c.shell, c.line)
		last := parsed.Commands[len(parsed.Commands)-1]
		assert.Equal(t, c.unknown, last.Cwd.Others, c.line)
		assert.Equal(t, c.dirs, last.Cwd.Known, c.line)
	}
}

// S2: the words of a messy line are looked at, and its variables.
func TestPlainPieces(t *testing.T) {
	parsed := parseWindows(t, "powershell", `$x = (Get-Content "src\.env") ; echo $env:API_TOKEN`)
	var texts, variables []string
	for _, c := range parsed.Commands {
		variables = append(variables, c.Variables...)
		for _, a := range c.Accesses {
			texts = append(texts, a.Text)
		}
	}
	assert.Contains(t, texts, `src\.env`)
	assert.Equal(t, []string{"API_TOKEN"}, variables)
	assert.Equal(t, []string{"A_TOKEN"}, parseWindows(t, "cmd", "echo %A_TOKEN%").Commands[0].Variables)
}

// FuzzPlainLine holds that a line that counts as plain holds no character that
// could make it another, and that its words are in it.
func FuzzPlainLine(f *testing.F) {
	for _, seed := range []string{"gci 'a b' | sort Name, Length; ls", `dir "a b" /s & type x 2>nul`, "git log --format=\"%h\"", "echo 'it''s' 2>$null", "a -b:\"c\"", "ls ‘x’"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, line string, ps bool) {
		language, name := windows.Cmd, "cmd"
		if ps {
			language, name = windows.PowerShell, "powershell"
		}
		commands, ok := windows.Parse(line, language)
		parsed := parseWindows(t, name, line)
		if !ok {
			if len(parsed.Messy) == 0 {
				t.Fatalf("%q is not plain, and not messy", line)
			}
			return
		}
		if strings.ContainsAny(line, "\n\r") || !ps && strings.ContainsAny(line, "%!") {
			t.Fatalf("%q is plain", line)
		}
		rest := line
		for _, known := range []string{"2>&1", "2>$null", "2> $null", ">$null", "> $null", "2>nul", "2> nul", ">nul", "> nul"} {
			for at := strings.Index(strings.ToLower(rest), known); at >= 0 && len(strings.ToLower(rest)) == len(rest); at = strings.Index(strings.ToLower(rest), known) {
				rest = rest[:at] + rest[at+len(known):]
			}
		}
		if ps && !strings.ContainsAny(line, "'\"") && strings.ContainsAny(rest, "$`@{}()<>#") {
			t.Fatalf("%q is plain", line)
		}
		for _, command := range commands {
			if len(command.Words) == 0 || command.Words[0].Quoted {
				t.Fatalf("%q has a command without a name", line)
			}
			for _, word := range command.Words {
				if !strings.Contains(strings.ReplaceAll(line, "''", "'"), word.Text) && !strings.Contains(unquotedLine(line), unquotedLine(word.Text)) {
					t.Fatalf("%q: word %q is not in it", line, word.Text)
				}
			}
		}
	})
}

func unquotedLine(text string) string { return strings.NewReplacer(`"`, "", "'", "").Replace(text) }

// Looking at a script runs its dynamic parameters, at a module reads its file; an
// alias comes before the program of its name.
func TestPlainBareNames(t *testing.T) {
	for line, unknown := range map[string]bool{
		"Get-Command git": false, "gcm Get-*": false, "gcm -Module Pester": false, "Get-Module Pester": false,
		`gcm .\x.ps1 -Syntax`: true, "gcm x.ps1 -Syntax": true, "gcm src/x": true, `gcm -Name C:\x.exe`: true, `gmo .\evil`: true,
		"ps | select -ExpandProperty Name": false, "ps | select -ExpandProperty *Info": true, "ps | select -Exp 'Start[I]nfo'": true,
		"ps | fc *Info": true,
	} {
		commands := parseWindows(t, "powershell", line).Commands
		assert.Equal(t, unknown, commands[len(commands)-1].Caveats.Has("unknown_option"), line)
	}
	assert.Equal(t, []string{"Get-Process", "Format-Custom"}, verbsOf(parseWindows(t, "powershell", "ps | fc")))
	assert.Equal(t, []string{"fc"}, verbsOf(parseWindows(t, "cmd", "fc a b")))
}
