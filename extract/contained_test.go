//go:build unix

package extract_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

func (p place) contained(t *testing.T, line, profile, reads string) (v1.Containment, error) {
	t.Helper()
	duty := v1.Duty{Kind: v1.ObligationContain, Profile: profile, Reads: reads}
	return p.extractor.Contain(t.Context(), p.call("Bash", map[string]any{"command": line}), nil, duty)
}

func TestAContainedReaderChangesNothing(t *testing.T) {
	p := newPlace(t)
	run, err := p.contained(t, "git status", v1.ProfileReadOnly, v1.ReadsKnown)
	require.NoError(t, err)
	assert.Equal(t, []string{"bash", "-c", "git status"}, run.Argv)
	assert.Equal(t, p.project, run.Cwd)
	assert.Equal(t, []string{"/"}, run.Obligation.Read)
	assert.Empty(t, run.Obligation.Write)
	assert.Equal(t, v1.NetworkNone, run.Obligation.Network)
}

func TestAContainedRunSeesNoSecret(t *testing.T) {
	p := newPlace(t)
	p.files(t, "src/deep/server.key", "src/deep/notes")
	for _, profile := range []string{v1.ProfileReadOnly, v1.ProfileProject} {
		run, err := p.contained(t, "mytool", profile, v1.ReadsListed)
		require.NoError(t, err)
		o := run.Obligation
		assert.Contains(t, o.Hide, p.project+"/.env")
		assert.Contains(t, o.Hide, p.project+"/src/deep/server.key")
		assert.NotContains(t, o.Hide, p.project+"/src/deep/notes")
		assert.Contains(t, o.Read, p.project)
		assert.NotContains(t, o.Read, "/")
		for _, root := range o.Read {
			assert.NotContains(t, []string{p.home, p.home + "/.ssh", p.home + "/state", p.home + "/other"}, root)
		}
	}
}

func TestAContainedBuildLeavesWhatIsProtected(t *testing.T) {
	p := newPlace(t)
	p.files(t, ".git/config", "sub/.vscode/settings.json")
	run, err := p.contained(t, "go build", v1.ProfileProject, v1.ReadsListed)
	require.NoError(t, err)
	o := run.Obligation
	assert.Contains(t, o.Write, p.project)
	for _, name := range []string{".git", ".mcp.json", "AGENTS.md", "sub/.vscode"} {
		assert.Contains(t, o.Protect, p.project+"/"+name)
	}
	assert.Equal(t, []string{p.project + "/.git"}, o.Links)
}

// What git's settings name stays as it is, too: the next commit runs it.
func TestAContainedBuildLeavesWhatGitIsTold(t *testing.T) {
	p := newPlace(t)
	git := p.repository(t)
	git("add", "README.md", "src")
	git("commit", "-q", "-m", "first")
	p.files(t, "hooks/pre-commit", "settings/revs")
	git("config", "core.hooksPath", "hooks")
	git("config", "blame.ignoreRevsFile", "settings/revs")
	run, err := p.contained(t, "go build", v1.ProfileProject, v1.ReadsListed)
	require.NoError(t, err)
	assert.Contains(t, run.Obligation.Protect, p.project+"/hooks")
	assert.Contains(t, run.Obligation.Protect, p.project+"/settings/revs")
	git("config", "core.hooksPath", "made/later")
	run, err = p.contained(t, "go build", v1.ProfileProject, v1.ReadsListed)
	require.NoError(t, err)
	assert.Contains(t, run.Obligation.Protect, p.project+"/made/later", "it can't be made either")
	assert.NotContains(t, run.Obligation.Links, p.project+"/made/later", "git passes over an empty directory of hooks")
	git("config", "core.excludesFile", "ignored")
	run, err = p.contained(t, "go build", v1.ProfileProject, v1.ReadsListed)
	require.NoError(t, err)
	assert.Contains(t, run.Obligation.Protect, p.project+"/ignored")
	assert.Contains(t, run.Obligation.Links, p.project+"/ignored", "git ends if that is a directory")
	git("config", "core.hooksPath", "/usr/share/hooks")
	run, err = p.contained(t, "go build", v1.ProfileReadOnly, v1.ReadsListed)
	require.NoError(t, err)
	assert.Empty(t, run.Obligation.Protect)
}

// Whatever key names it, a program that git starts stays as it is, and so does what the person's settings name.
func TestAContainedBuildLeavesWhatAnySettingNames(t *testing.T) {
	values := map[string]string{
		"alias.st": "!./tools/st.sh", "core.editor": "tools/st.sh", "core.sshCommand": "sh tools/st.sh", "core.askPass": "tools/st.sh", "core.gitProxy": "tools/st.sh",
		"credential.helper": "!tools/st.sh x", "sequence.editor": "cd tools && ./st.sh", "interactive.diffFilter": "sh -c 'exec tools/st.sh'",
		"difftool.x.cmd": "tools/st.sh $LOCAL", "browser.x.cmd": "\"tools/st.sh\"", "man.x.cmd": "A=tools/st.sh", "guitool.x.cmd": "$(git rev-parse --show-toplevel)/tools/st.sh",
		"trailer.x.command": "$PWD/tools/st.sh", "uploadpack.packObjectsHook": "src/../tools/st.sh", "remote.o.uploadpack": "tools/st.sh", "tar.x.command": "env A=b tools/st.sh",
		"init.templateDir": "tools", "commit.template": "tools/st.sh", "unknown.some.key": "x;tools/st.sh|y", "alias.glob": "!cat tools/*.sh",
		"alias.space": "!'tools/with space.sh' ; tools/st.sh", "include.path": "../tools/st.sh",
	}
	for name, value := range values {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			git := p.repository(t)
			git("add", "README.md", "src")
			git("commit", "-q", "-m", "first")
			p.files(t, "tools/st.sh", "tools/with space.sh")
			git("config", "--file", p.home+"/.gitconfig", name, value)
			if name == "include.path" {
				git("config", "--file", p.home+"/.gitconfig", name, p.project+"/tools/st.sh")
				require.NoError(t, os.WriteFile(p.project+"/tools/st.sh", nil, 0o600))
			}
			run, err := p.contained(t, "go build", v1.ProfileProject, v1.ReadsListed)
			require.NoError(t, err)
			kept := func(name string) bool {
				for _, protected := range run.Obligation.Protect {
					if name == protected || strings.HasPrefix(name, protected+"/") {
						return true
					}
				}
				return false
			}
			assert.True(t, kept(p.project+"/tools/st.sh"), run.Obligation.Protect)
			assert.False(t, kept(p.project+"/src"))
			if name == "alias.space" {
				assert.True(t, kept(p.project+"/tools/with space.sh"))
			}
		})
	}
	p := newPlace(t)
	git := p.repository(t)
	git("commit", "-q", "--allow-empty", "-m", "first")
	p.files(t, "tools/st.sh")
	require.NoError(t, os.Symlink("tools/st.sh", p.project+"/link"))
	git("config", "alias.st", "!./link && ls . ..")
	run, err := p.contained(t, "go build", v1.ProfileProject, v1.ReadsListed)
	require.NoError(t, err)
	assert.Contains(t, run.Obligation.Protect, p.project+"/link")
	assert.Contains(t, run.Obligation.Protect, p.project+"/tools/st.sh")
	assert.NotContains(t, run.Obligation.Protect, p.project)
	require.NoError(t, os.WriteFile(p.home+"/.gitconfig", []byte("[broken"), 0o600))
	_, err = p.contained(t, "go build", v1.ProfileProject, v1.ReadsListed)
	require.Error(t, err)
}

// A cache of programs is no place for a contained run to write to: what it leaves there is run
// uncontained, and in other projects.
func TestAContainedBuildChangesNoPrograms(t *testing.T) {
	p := newPlace(t)
	caches := []string{
		".cache/go-build", ".cache/pre-commit", ".cache/node", ".cache/uv", ".cache/Cypress", ".cache/pnpm", ".cache/bazel", ".nuget/packages", ".local/bin", "go/bin", ".cargo/bin",
		".npm/_cacache", ".gradle/caches", ".gradle/.tmp", ".m2/repository/.cache", ".dotnet/toolResolverCache", ".konan/cache", ".cache/zig", ".cache/turbo",
		".cache/typescript", ".cache/ccache", ".cache/sccache",
	}
	for _, name := range caches {
		require.NoError(t, os.MkdirAll(p.home+"/"+name, 0o700))
	}
	run, err := p.contained(t, "go build", v1.ProfileProject, v1.ReadsListed)
	require.NoError(t, err)
	assert.Contains(t, run.Obligation.Write, p.home+"/.cache/go-build")
	for _, name := range caches[1:] {
		for _, write := range run.Obligation.Write {
			assert.False(t, strings.HasPrefix(p.home+"/"+name+"/", write+"/"), name)
		}
	}
}

// What can't be hidden keeps the call from being contained.
func TestASecretWithAnotherNameIsNotContained(t *testing.T) {
	p := newPlace(t)
	require.NoError(t, os.Link(p.project+"/.env", p.project+"/src/copy"))
	_, err := p.contained(t, "mytool", v1.ProfileReadOnly, v1.ReadsListed)
	require.ErrorContains(t, err, "/proj/.env has other names, by which it could be read")
}

// A program that runs git prints what commits hold, whatever is hidden.
func TestCommitsWithSecretsAreNotContained(t *testing.T) {
	p := newPlace(t)
	git := p.repository(t)
	git("add", "README.md", "src")
	git("commit", "-q", "-m", "first")
	for _, profile := range []string{v1.ProfileReadOnly, v1.ProfileProject} {
		_, err := p.contained(t, "mytool", profile, v1.ReadsListed)
		require.NoError(t, err)
	}
	git("add", "-f", ".env")
	_, err := p.contained(t, "mytool", v1.ProfileReadOnly, v1.ReadsListed)
	require.ErrorContains(t, err, "hold a secret", "the index does")
	git("commit", "-q", "-m", "second")
	git("rm", "-q", "--cached", ".env")
	git("commit", "-q", "-m", "third")
	for _, profile := range []string{v1.ProfileReadOnly, v1.ProfileProject} {
		_, err := p.contained(t, "mytool", profile, v1.ReadsListed)
		require.ErrorContains(t, err, "hold a secret")
	}
	_, err = p.contained(t, "git status", v1.ProfileReadOnly, v1.ReadsKnown)
	require.NoError(t, err, "what it reads is known")
}

// A link in the place of a repository's directory isn't followed to what commits hold.
func TestALinkedRepositoryIsNotContained(t *testing.T) {
	p := newPlace(t)
	git := p.repository(t)
	git("add", "README.md", "src")
	git("commit", "-q", "-m", "first")
	require.NoError(t, os.Rename(p.project+"/.git", p.project+"/store"))
	require.NoError(t, os.Symlink("store", p.project+"/.git"))
	for _, profile := range []string{v1.ProfileReadOnly, v1.ProfileProject} {
		_, err := p.contained(t, "mytool", profile, v1.ReadsListed)
		require.Error(t, err)
	}
}

func TestOnlyCommandLinesAreContained(t *testing.T) {
	p := newPlace(t)
	duty := v1.Duty{Kind: v1.ObligationContain, Profile: v1.ProfileReadOnly, Reads: v1.ReadsListed}
	for tool, args := range map[string]map[string]any{
		"Read": {"file_path": p.project + "/README.md"}, "Bash": {}, "nothing_known": {"command": "ls"},
	} {
		_, err := p.extractor.Contain(t.Context(), p.call(tool, args), nil, duty)
		require.ErrorContains(t, err, "no single command line", tool)
	}
	_, err := p.contained(t, "ls", v1.ProfileProject, v1.ReadsKnown)
	require.ErrorContains(t, err, `no run in the profile "project" can read "known"`)
}

// A shell that keeps its directory makes the changes that a line begins with itself.
func TestAShellKeepsTheDirectoryThatALineEnters(t *testing.T) {
	p := newPlace(t)
	p.files(t, "src/deep/notes")
	require.NoError(t, os.Symlink(p.project+"/src/deep", p.project+"/link"))
	duty := v1.Duty{Kind: v1.ObligationContain, Profile: v1.ProfileReadOnly, Reads: v1.ReadsListed}
	contained := func(line string) (v1.Containment, bool, error) {
		call := p.call("Bash", map[string]any{"command": line})
		call.Session.LastingShell = true
		run, err := p.extractor.Contain(t.Context(), call, nil, duty)
		return run, p.extractor.Moves(call), err
	}
	for line, want := range map[string]string{
		"cd src && mytool": "/src", "cd src; cd deep\nmytool": "/src/deep", "cd " + p.project + "/src/deep/.. && mytool": "/src",
		"cd link && mytool": "/src/deep", "cd src/deep && cd .. && mytool": "/src",
	} {
		run, moves, err := contained(line)
		require.NoError(t, err, line)
		assert.False(t, moves, line)
		assert.Equal(t, []string{"bash", "-c", "mytool"}, run.Argv, line)
		assert.Equal(t, []string{p.project + want, p.project + want}, []string{run.Cwd, run.Enter}, line)
	}
	run, moves, err := contained("(cd src && mytool)")
	require.NoError(t, err)
	assert.False(t, moves)
	assert.Equal(t, []string{p.project, ""}, []string{run.Cwd, run.Enter})
	for _, line := range []string{"cd src", "mytool; cd src", "cd $X && mytool"} {
		_, moves, err := contained(line)
		require.ErrorContains(t, err, "changes the directory", line)
		assert.True(t, moves, line)
	}
	for line, why := range map[string]string{
		"cd gone && mytool": "no such directory", "cd link/.. && mytool": "behind a link", "cd README.md && mytool": "no such directory",
		"cd src && mytool $_": "changes the directory",
	} {
		_, _, err := contained(line)
		require.ErrorContains(t, err, why, line)
	}
}

// What is remembered of directories holds as long as they are as they were: after every change
// the obligation is the one of an extractor that remembers nothing.
func TestARememberedDirectoryHidesWhatComesLater(t *testing.T) {
	p := newPlace(t)
	p.files(t, "a/b/c/notes", "a/b/server.key", "a/d/notes", "other/notes")
	duty := v1.Duty{Kind: v1.ObligationContain, Profile: v1.ProfileProject, Reads: v1.ReadsListed}
	call := p.call("Bash", map[string]any{"command": "make"})
	for _, change := range []struct {
		what string
		do   func() error
	}{
		{"nothing", func() error { return nil }},
		{"a secret", func() error { return os.WriteFile(p.project+"/a/b/c/.env", nil, 0o600) }},
		{"a protected name", func() error { return os.Mkdir(p.project+"/a/d/.claude", 0o700) }},
		{"a secret is gone", func() error { return os.Remove(p.project + "/a/b/server.key") }},
		{"a directory is moved", func() error { return os.Rename(p.project+"/a/b", p.project+"/a/e") }},
		{"another in its place", func() error { return os.Rename(p.project+"/other", p.project+"/a/b") }},
		{"a secret in that", func() error { return os.WriteFile(p.project+"/a/b/id_rsa", nil, 0o600) }},
		{"exchanged", func() error {
			return errors.Join(
				os.Rename(p.project+"/a/b", p.project+"/a/x"), os.Rename(p.project+"/a/e", p.project+"/a/b"), os.Rename(p.project+"/a/x", p.project+"/a/e"),
			)
		}},
		{"a link in the place of a directory", func() error {
			return errors.Join(os.Rename(p.project+"/a/d", p.project+"/a/f"), os.Symlink("f", p.project+"/a/d"))
		}},
		{"a file becomes a directory", func() error {
			return errors.Join(os.Remove(p.project+"/a/f/notes"), os.MkdirAll(p.project+"/a/f/notes/.aws", 0o700))
		}},
		{"another name of a secret", func() error { return os.Link(p.project+"/.env", p.project+"/a/copy") }},
	} {
		tick(t, p.project)
		require.NoError(t, change.do(), change.what)
		want, wantErr := p.extractorWith(t, false).Contain(t.Context(), call, nil, duty)
		for range 2 { // the second remembers what the first saw
			got, err := p.extractor.Contain(t.Context(), call, nil, duty)
			assert.Equal(t, wantErr == nil, err == nil, change.what)
			assert.Equal(t, want.Obligation, got.Obligation, change.what)
		}
	}
	assert.NotZero(t, p.extractor.Listings())
}

// S1: a contained run sees the settings of tools and the packages that they keep, and no credential among these.
func TestAContainedRunSeesNoCredentialOfATool(t *testing.T) {
	p := newPlace(t)
	write := func(name, content string) {
		t.Helper()
		full := p.home + "/" + name
		require.NoError(t, os.MkdirAll(full[:strings.LastIndex(full, "/")], 0o700))
		require.NoError(t, os.WriteFile(full, []byte(content), 0o600))
	}
	secrets := map[string]string{
		".gitconfig": "[http]\n\textraHeader = Authorization: Bearer s3cr3t-t0ken-0123\n", ".gradle/gradle.properties": "artifactoryPassword=x\n",
		".bundle/config": "BUNDLE_GEMS__EXAMPLE__COM: \"a:b\"\n", ".condarc": "channels:\n - https://u:tok3n@example.org/c\n",
		".config/pip/pip.conf": "[global]\n", ".composer/auth.json": "{}", ".hex/hex.config": "x", ".nuget/NuGet/NuGet.Config": "x",
		".sbt/.credentials": "x", ".ivy2/.credentials": "x", ".m2/settings-security.xml": "x", ".cargo/credentials.toml": "x",
	}
	for name, content := range secrets {
		write(name, content)
	}
	write(".cache/huggingface/token", "x")
	write(".cache/mozilla/history", "x")
	write(".cache/go-build/00/x-d", "x")
	for _, profile := range []string{v1.ProfileReadOnly, v1.ProfileProject} {
		run, err := p.contained(t, "mytool", profile, v1.ReadsListed)
		require.NoError(t, err)
		o := run.Obligation
		for name := range secrets {
			assert.Containsf(t, o.Hide, p.home+"/"+name, "%s in %s", name, profile)
		}
		assert.Contains(t, o.Read, p.home+"/.cache/go-build")
		for _, name := range []string{"", "/.cache", "/.cache/huggingface", "/.cache/mozilla"} {
			assert.NotContains(t, o.Read, p.home+name)
		}
	}
	for name, content := range map[string]string{
		".gitconfig": "[user]\n\tname = A\n[credential]\n\thelper = store\n", ".gradle/gradle.properties": "org.gradle.jvmargs=-Xmx2g\n",
		".bundle/config": "BUNDLE_PATH: \"vendor\"\n", ".condarc": "channels:\n - conda-forge\n",
	} {
		write(name, content)
		run, err := p.contained(t, "mytool", v1.ProfileReadOnly, v1.ReadsListed)
		require.NoError(t, err)
		assert.NotContains(t, run.Obligation.Hide, p.home+"/"+name)
	}
}
