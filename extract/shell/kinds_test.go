package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// V5: where a program takes addresses for files, a word with a scheme or an escape is
// none of the files that the facts name.
func TestAddressesAreNoFiles(t *testing.T) {
	for line, known := range map[string]bool{
		"xmllint --noout pom.xml": true, "xmllint --noout file:/etc/passwd": false, "xmllint --noout *.xml": false,
		"xmllint --html %2eenv": false, "xmllint ..%2fnotes.xml": false, "pdfinfo a%20b.pdf": false, "pdfinfo a.pdf": true,
		`xmllint --noout "$x"`: false,
	} {
		kind, _ := last(t, line).Form.Get("<file>")
		assert.Equal(t, known, kind == "read", line)
	}
}

// S2: a package manager's setting is shown where its name says that it holds
// no secret.
func TestSettingsOfPackageManagers(t *testing.T) {
	for line, known := range map[string]bool{
		"npm config get prefix": true, "npm config get": false, "npm config get registry": false, "npm config get prefix cache": true, "npm config get prefix _auth": false, "npm config get _auth prefix": false,
		"npm config get //registry.npmjs.org/:_authToken": false, "npm config get https-proxy": false,
	} {
		c := last(t, line)
		kind, _ := c.Form.Get("<key>")
		assert.Equal(t, known, kind == "public" && !c.Caveats.Has("unknown_option"), line)
	}
}

// S2: ps shows columns that hold nothing of an environment.
func TestColumnsOfProcesses(t *testing.T) {
	for line, known := range map[string]bool{
		"ps -o pid,comm": true, "ps -eo pid=,args=COMMAND -p 1": true, "ps -o 'pid ppid'": true, "ps -o environ": false, "ps -o pid,env": false,
		"ps -o pid, -o environ": false, "ps -o ''": false, `ps -o "$x"`: false, "ps -eo pid e": false, "ps -o pid=environ": true,
	} {
		c := last(t, line)
		kind, _ := c.Form.Get("-o")
		assert.Equal(t, known, kind == "fields" && !c.Caveats.Has("unknown_option"), line)
	}
}

// V5: what node checks is read and not run, unless an option runs something first.
func TestNodeChecksWithoutRunning(t *testing.T) {
	for line, idle := range map[string]bool{
		"node --check a.js": true, "node -c a.js": true, "node a.js": false, "node -c -r ./b a.js": false, "node -c": false,
		"node --check --import=./b a.js": false, "node -i -c a.js": false,
	} {
		c := last(t, line)
		kind, _ := c.Form.Get("<script>")
		assert.Equal(t, idle, kind == "read" && !c.Caveats.Has("runs_anything") && !c.Caveats.Has("executes"), line)
	}
}

// S2: a file in an archive counts as read by its name there; which a pattern
// selects is not known.
func TestFilesInArchives(t *testing.T) {
	for line, known := range map[string]bool{
		"unzip -p a.jar META-INF/MANIFEST.MF": true, "unzip -qc a.zip x y": true, "unzip -p a.zip '*.md'": false, "unzip -p a.zip": false,
		"unzip -p a.zip x '[.]env'": false, `unzip -p a.zip "$x"`: false, `unzip -p a.zip '\.env'`: false, "unzip a.zip x": false,
	} {
		c := last(t, line)
		kind, _ := c.Form.Get("<member>")
		assert.Equal(t, known, kind == "inside" && !c.Caveats.Has("unknown_option") && !c.Caveats.Has("dynamic_word"), line)
	}
	assert.Contains(t, accesses(t, "unzip -p a.zip conf/.env"), "read conf/.env")
}

// S2: tar prints files of an archive by their names there. Of a directory it prints all,
// and without -O it writes.
func TestFilesThatTarPrints(t *testing.T) {
	for line, known := range map[string]bool{
		"tar -xOf a.tar README.md": true, "tar xzOf a.tgz docs/a.md x.json": true, "tar -x -O -f a.tar d/x.tar.gz": true, "tar -xOf a.tar": false,
		"tar -xOf a.tar docs": false, "tar -xOf a.tar docs.d/": false, "tar -xOf a.tar .config": false, "tar -xOf a.tar '*.md'": false,
		`tar -xOf a.tar "$x"`: false, "tar -xf a.tar README.md": false, "tar -cOf a.tar README.md": false, "bsdtar -xOf a.zip a.txt": true,
		"bsdtar -xOf a.zip '[.]env.x'": false,
	} {
		c := last(t, line)
		kind, _ := c.Form.Get("<member>")
		file, _ := c.Form.Get("-f")
		assert.Equal(t, known, kind == "member" && file == "read" && !c.Caveats.Has("unknown_option") && !c.Caveats.Has("dynamic_word"), line)
	}
	assert.Contains(t, accesses(t, "tar -xOf a.tar conf/.env.local"), "read conf/.env.local")
	assert.Contains(t, accesses(t, "tar -cOf a.tar x.md"), "write a.tar")
}

// S2: the name of a setting leads nowhere else.
func TestNamesOfSettings(t *testing.T) {
	for line, known := range map[string]bool{
		"sysctl -n kernel.hostname": true, "sysctl net/ipv4/conf/eth0.100/forwarding vm.swappiness": true, "sysctl -a": true,
		"sysctl kernel.hostname=x": false, "sysctl -n /../../etc/passwd": false, "sysctl net/../../../etc/passwd": false,
		"sysctl kernel.//..//.//etc": false, "sysctl ../../etc/passwd": false, `sysctl "$x"`: false, "rustc --print=sysroot": true,
	} {
		assert.Equal(t, known, !last(t, line).Caveats.Has("unknown_option"), line)
	}
}

// V5: a name that may be looked up as a host is no interface.
func TestNamesOfInterfaces(t *testing.T) {
	for line, known := range map[string]bool{
		"ifconfig": true, "ifconfig eth0": true, "ifconfig eth0.100": true, "ifconfig -a": true,
		"ifconfig x.example.org": false, `ifconfig "$x"`: false, "ifconfig eth0.": true,
	} {
		assert.Equal(t, known, !last(t, line).Caveats.Has("unknown_option"), line)
	}
}

// V5: git shows merges without merging again, which would run merge drivers: not as
// "remerge", nor as "on" or "m", for which a setting chooses.
func TestWaysToShowMerges(t *testing.T) {
	for line, known := range map[string]bool{
		"git log -p --diff-merges=first-parent": true, "git show --diff-merges cc HEAD": true, "git log --diff-merges=off": true,
		"git rev-list --diff-merges=1 HEAD": true, "git log -p --diff-merges=remerge": false, "git log -p --diff-merges r": false,
		"git log --diff-merges=on": false, "git log --diff-merges=m": false, "git log --diff-merges=": false, "git log --diff-merges=of*": false,
		`git log --diff-merges="$x"`: false, "git log --diff-merges": false,
	} {
		c := last(t, line)
		kind, _ := c.Form.Get("--diff-merges")
		assert.Equal(t, known, kind == "merges" && !c.Caveats.Has("unknown_option"), line)
	}
}

// V5: a word that only the run can tell may name a host, which is looked up.
func TestSocketsAreSelectedByKnownWords(t *testing.T) {
	assert.False(t, parse(t, "lsof -i tcp").Commands[0].Caveats.Has("unknown_option"))
	assert.True(t, parse(t, "lsof -i $X").Commands[0].Caveats.Has("unknown_option"))
}
