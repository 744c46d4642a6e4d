package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// V11: an expression that does no more than a cmdlet is read as that cmdlet.
func TestPlainExpressions(t *testing.T) {
	for _, c := range []struct{ line, verbs string }{
		{"(Get-Content a.json -Raw | ConvertFrom-Json).scripts.build", "Get-Content,ConvertFrom-Json,Select-Object,Select-Object"},
		{"(gc a.txt)[9..20]; pwd", "Get-Content,Select-Object,Get-Location"},
		{"(git log --oneline 2>$null).Count", "git log,Select-Object"},
		{"gci | ? { $_.Length -gt 100KB }", "Get-ChildItem,Where-Object"},
		{"gci | where{$_.Length -gt 1}", ""},
		{"gci | Where-Object { !$_.PSIsContainer -and $_.Extension -in '.ts', \".js\" } | select Name", "Get-ChildItem,Where-Object,Select-Object"},
		{"git log | ?{ $_ -imatch 'fix' }", "git log,Where-Object"},
		{"gci -Directory | % { $_.Name }", "Get-ChildItem,Select-Object"},
		{"gci | ForEach-Object { $_.Directory.Name }", "Get-ChildItem,Select-Object,Select-Object"},
		{"(gci | ? { $_.Length -gt 1 }).Name | sort", "Get-ChildItem,Where-Object,Select-Object,Sort-Object"},
		{"$PSVersionTable.PSVersion", "Write-Output,Select-Object"},
		{"$pwd; ls", "Write-Output,Get-ChildItem"},
	} {
		parsed := parseWindows(t, "powershell", c.line)
		assert.Equal(t, c.verbs == "", len(parsed.Messy) > 0, c.line)
		if c.verbs != "" {
			assert.Equal(t, c.verbs, strings.Join(verbsOf(parsed), ","), c.line)
		}
	}
}

// V11, V8: nothing that calls, assigns or computes is such an expression.
func TestPlainExpressionsThatAreNone(t *testing.T) {
	for _, line := range []string{
		"(gci).Delete()", "(gci)[0].Delete()", "(gci)[rm]", "(gci)[0,1]", "(gci)[]", "(gci).", "(gci; rm x).Count", "(gci && rm x).Count", "((gci).Name).Count",
		"(gci).Name -replace 'a','b'", "(gci).Name{rm x}", "(gci).$x", "(gci) .Name", "(gci.Name", "ls (gci).Name", "ls | (gci).Name", "(gci).Name x", "(gci).Count > x",
		"(gci,).Name", "().Name", "(gci |).Name", "$env:PATH", "$PWD = 'x'", "$PSVersionTable.x()", "$PSVersionTable[0]", "ls | $PWD", "$PWD x", "$_", "$x.Name",
		"gci | ? { rm x }", "gci | ? { $_.Name -eq (rm x) }", "gci | ? { $_.Name -eq \"$(rm x)\" }", "gci | ? { $_.Name -eq 'a'; rm x }", "gci | ? { $_.Name -eq 'a' } { rm x }",
		"gci | ? { $_.Delete() }", "gci | ? { $_.Name -replace 'a','b' }", "gci | ? { $_.Name = 'x' }", "gci | ? { $_.Name -eq $x }", "gci | ? { $_.Name -eq 'a' -and (rm x) }",
		"gci | ? { $_.Name -eq 'a' | rm }", "gci | ? { $_.Length -gt 1+1 }", "gci | ? { $_.Length -gt 1..2 }", "gci | ? { $_ }", "gci | ? { $_.Name -eq 'a'", "gci | ? { ", "gci | ? {}",
		"gci | % { $_ }", "gci | % { $_.Delete() }", "gci | % { rm $_ }", "gci | % { $_.Name; rm x }", "gci | % { $_.Name } { rm x }", "gci | % FullName", "gci | foreach { $_.Name }",
		"gci | sort { $_.Name }", "gci | where.exe { $_.Name -eq 1 }", "gci | ? -FilterScript { $_.Name -eq 1 }", "& { $_.Name }", "ls { $_.Name }", "ls {", "$", "(",
	} {
		assert.NotEmpty(t, parseWindows(t, "powershell", line).Messy, line)
	}
	for _, line := range []string{"(dir).Name", "dir | ? { $_.Name -eq 1 }", "% { $_.Name }"} {
		assert.NotEmpty(t, parseWindows(t, "cmd", line).Messy, line)
	}
	// Files and properties are followed as through the cmdlets themselves.
	for line, caveat := range map[string]string{
		"(gci).FullName | gc": "dynamic_word", "gci | % { $_.FullName } | gc": "dynamic_word", "(ps)[0].StartInfo": "dynamic_word",
		"ps | % { $_.StartInfo.Environment }": "dynamic_word", "ps | ? { $_.StartInfo -ne $null }": "dynamic_word",
	} {
		var found bool
		for _, c := range parseWindows(t, "powershell", line).Commands {
			found = found || c.Caveats.Has(caveat)
		}
		assert.True(t, found, line)
	}
}

// V11: a loop over plain strings is its body once for each.
func TestPlainLoops(t *testing.T) {
	parsed := parseWindows(t, "powershell", `foreach ($f in 'a.txt', "src\b.cs") { "== $f =="; Get-Content $F -TotalCount 3 }; pwd`)
	assert.Empty(t, parsed.Messy)
	assert.Equal(t, "Write-Output,Get-Content,Write-Output,Get-Content,Get-Location", strings.Join(verbsOf(parsed), ","))
	var read []string
	for _, c := range parsed.Commands {
		for _, a := range c.Accesses {
			read = append(read, a.Text)
		}
	}
	assert.Equal(t, []string{"a.txt", `src\b.cs`}, read)
	for _, line := range []string{
		"foreach ($f in 'a') { }", "foreach ($f in 'a') { ; }", "foreach ($f in gci) { gc $f }", "foreach ($f in 'a', $x) { gc $f }", "foreach ($f in 'a b') { gc $f }",
		"foreach ($f in '-Raw') { gc $f }", "foreach ($f in 'a') { rm $f } | ls", "foreach ($f in 'a') { ls } x", "ls | foreach ($f in 'a') { ls }", "ls && foreach ($f in 'a') { ls }",
		"foreach ($f in 'a') { gc $f.x }", "foreach ($f in 'a') { gc x$f }", "foreach ($f in 'a') { gc \"$f`x\" }", "foreach ($f in 'a') { \"$(rm x)\" }", "foreach ($f in 'a') { gc \"$f:x\" }",
		"foreach ($f in 'a') { gc \"$fx\" }", "foreach ($f in 'a') { gc $g }", "foreach ($f in 'a') { & $f }", "foreach ($f in 'a') { $f }", "foreach ($f in 'a') { $f = 'b' }",
		"foreach ($f in 'a') { if (x) { rm y } }", "foreach ($f in 'a') { gc $f > x }", "foreach ($OFS in 'a') { ls }", "foreach ($PSDefaultParameterValues in 'a') { ls }",
		"foreach ($f in 'a') { gc “$f” }", "foreach ($f in 'a'; 'b') { ls }", "foreach ($f in 'a') { ls", "foreach ($f in", "foreach (", "foreach ($fin 'a') { ls }", "foreach ($f in'a') { ls }",
	} {
		assert.NotEmpty(t, parseWindows(t, "powershell", line).Messy, line)
	}
	assert.Equal(t, "Remove-Item,Remove-Item", strings.Join(verbsOf(parseWindows(t, "powershell", "foreach ($f in 'a','b') { rm $f }")), ","))
}

// V5: the version of a program that is the same everywhere.
func TestPlainVersions(t *testing.T) {
	for line, is := range map[string]bool{"node --version": true, "node.exe -v": true, "node x.js": false, `.\node --version`: false, "node --version x": false} {
		commands := parseWindows(t, "cmd", line).Commands
		kind, _ := commands[0].Form.Get("<version>")
		assert.Equal(t, is, kind == "prints", line)
		assert.Equal(t, is, commands[0].SearchesCwd, line)
	}
}
