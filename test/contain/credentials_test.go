//go:build linux && (amd64 || arm64)

package contain

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// planted are files of a home directory, in which CANARY replaces a credential, and LONG more than is read of settings.
var planted = map[string]string{
	// settings with credentials under many names
	".gitconfig":                "[user]\n\tname = n\n[alias]\n\tx = \"!curl -H \\\"X-Key: CANARY\\\"\"\n",
	".config/git/config":        "[core]\n\tsshCommand = ssh -i CANARY\n",
	".config/git/secret.inc":    "[github]\n\ttoken = CANARY\n",
	".config/git/config.d/x":    "password=CANARY\n",
	".config/git/tokens.txt":    "CANARY\n",
	".config/go/env":            "GOPROXY=https://u:CANARY@h\n",
	".config/go/auth":           "CANARY\n",
	".config/pip/pip.conf.bak":  "[global]\nindex-url = https://h/CANARY/simple\n",
	".config/yarn/config":       "npmAuthToken: CANARY\n",
	".config/pnpm/rc":           "//r/:_auth=CANARY\n",
	".config/pnpm/auth.ini":     "//r/:_authToken=CANARY\n",
	".config/uv/uv.toml":        "[[index]]\nurl = \"https://h/CANARY/simple\"\n",
	".condarc":                  "channels:\n - https://h/t/CANARY/x\n",
	".gradle/gradle.properties": "repoPw=CANARY\n",
	".gradle/init.d/x.gradle":   "credentials { username 'u'; password 'CANARY' }\n",
	".gradle/init.gradle":       "password \"CANARY\"\n",
	".gradle/foo.properties":    "pw=CANARY\n",
	".bundle/config":            "BUNDLE_GEMS__X: \"u:CANARY\"\n",
	".cabal/config":             "password: CANARY\n",
	".sbt/repositories":         "[repositories]\n  x: https://u:CANARY@h\n",
	".sbt/1.0/credentials.sbt":  "credentials += Credentials(\"r\", \"h\", \"u\", \"CANARY\")\n",
	".sbt/1.0/global.sbt":       "x := \"CANARY\"\n",
	".cargo/config.toml":        "[env]\nX = \"CANARY\"\n",
	".cargo/config":             "[registry]\ntoken = \"CANARY\"\n",
	".stack/config.yaml":        "password: CANARY\n",
	".npmrc":                    "//r/:_authToken=CANARY\n",
	".yarnrc.yml":               "npmAuthToken: CANARY\n",
	".netrc":                    "machine h password CANARY\n",
	".m2/settings.xml":          "<password>CANARY</password>\n",
	".m2/settings-work.xml":     "<password>CANARY</password>\n",
	".m2/settings.xml.bak":      "<password>CANARY</password>\n",
	// what tools keep beside packages
	".cargo/credentials.toml":                            "token = \"CANARY\"\n",
	".cargo/credentials.toml.bak":                        "token = \"CANARY\"\n",
	".cargo/big.toml":                                    "LONG\ntoken = \"CANARY\"\n",
	".local/share/gem/credentials":                       ":k: CANARY\n",
	".local/share/uv/credentials/x.toml":                 "CANARY\n",
	".composer/config.json":                              "{\"config\":{\"github-oauth\":{\"github.com\":\"CANARY\"}}}\n",
	".composer/auth.json":                                "{\"x\":\"CANARY\"}\n",
	".nuget/NuGet/config/x.config":                       "<ClearTextPassword value=\"CANARY\" />\n",
	".nuget/config/x.config":                             "<ClearTextPassword value=\"CANARY\" />\n",
	".bun/install/global/.npmrc":                         "_authToken=CANARY\n",
	".bun/.bunfig.toml":                                  "token=\"CANARY\"\n",
	".yarn/berry/.yarnrc.yml":                            "npmAuthToken: CANARY\n",
	".conan2/.conan.db":                                  "CANARY\n",
	".deno/.npmrc":                                       "_authToken=CANARY\n",
	".julia/servers/pkg/auth.toml":                       "access_token=\"CANARY\"\n",
	".dotnet/corefx/cryptography/x509stores/my/a.pfx":    "CANARY\n",
	".npm/_logs/a.log":                                   "CANARY\n",
	"go/.netrc":                                          "CANARY\n",
	"go/src/work/main.go":                                "package CANARY\n",
	".gem/ruby/3/.env":                                   "K=CANARY\n",
	".nvm/.npmrc":                                        "_authToken=CANARY\n",
	".nvm/versions/node/v1/etc/npmrc":                    "_authToken=CANARY\n",
	".asdf/installs/nodejs/20/etc/npmrc":                 "_authToken=CANARY\n",
	".volta/tools/image/node/20/etc/npmrc":               "_authToken=CANARY\n",
	".fnm/node-versions/v20/installation/etc/npmrc":      "_authToken=CANARY\n",
	".local/share/mise/installs/node/20/etc/npmrc":       "_authToken=CANARY\n",
	".pyenv/versions/3/pip.conf":                         "index-url=https://u:CANARY@h/\n",
	".virtualenvs/v/pip.conf":                            "index-url=https://u:CANARY@h/\n",
	".virtualenvs/v/.env":                                "K=CANARY\n",
	"miniconda3/.condarc":                                "channels: [https://h/t/CANARY/x]\n",
	"miniconda3/envs/e/.condarc":                         "channels: [https://h/t/CANARY/x]\n",
	"miniconda3/envs/e/etc/pip.conf":                     "CANARY\n",
	".sdkman/candidates/maven/3/conf/settings.xml":       "<settings><server><password>CANARY</password></server></settings>\n",
	".sdkman/candidates/gradle/8/init.d/x.gradle":        "password 'CANARY'\n",
	".gradle/wrapper/dists/g/h/gradle-8/init.d/x.gradle": "password 'CANARY'\n",
	".m2/wrapper/dists/m/h/conf/settings.xml":            "<server><privateKey>CANARY</privateKey></server>\n",
	".cache/huggingface/hub/token":                       "CANARY\n",
	".cache/huggingface/hub/.token":                      "CANARY\n",
	".cache/pypoetry/auth.toml":                          "CANARY\n",
	".cache/coursier/credentials.properties":             "password=CANARY\n",
	".cargo/git/db/x/config":                             "[remote \"origin\"]\n\turl = https://u:CANARY@h/x\n",
	".cargo/git/db/x/HEAD":                               "ref: refs/heads/main\n",
	".cargo/git/db/x/objects/x":                          "x\n",
	"go/pkg/mod/cache/vcs/x/config":                      "[remote \"origin\"]\n\turl = https://u:CANARY@h/x\n",
	"go/pkg/mod/cache/vcs/x/HEAD":                        "ref: refs/heads/main\n",
	"go/pkg/mod/cache/vcs/x/objects/x":                   "x\n",
	".pyenv/versions/3/ssl/key.pem":                      "-----BEGIN PRIVATE KEY-----\nCANARY\n",
	".rbenv/plugins/x/.git/config":                       "[remote \"origin\"]\n\turl = https://u:CANARY@h/x\n",
	".aws/credentials":                                   "CANARY\n",
	".ssh/id_rsa":                                        "CANARY\n",
	".config/gh/hosts.yml":                               "CANARY\n",
	".docker/config.json":                                "CANARY\n",
	".bash_history":                                      "CANARY\n",
	"Documents/x.txt":                                    "CANARY\n",
	".gradle/daemon/8/daemon-1.out.log":                  "-Ppassword=CANARY\n",
	".rvm/user/x":                                        "CANARY\n",
	".stack/global-project/stack.yaml":                   "CANARY\n",
	".config/composer/config.json":                       "CANARY\n",
	".ghcup/config.yaml":                                 "CANARY\n",
	".config/matplotlib/credentials":                     "CANARY\n",
	".pnpm-store/.npmrc":                                 "CANARY\n",
	".local/share/pnpm/auth.ini":                         "CANARY\n",
	".local/share/pnpm/credentials":                      "CANARY\n",
	".konan/credentials":                                 "CANARY\n",
}

// seen are files that builds need.
var seen = map[string]string{
	"go/pkg/mod/example.org/x@v1/x.go": "package x\n", ".cargo/registry/src/x/lib.rs": "x\n", ".rustup/toolchains/stable/bin/x": "x\n", ".rustup/settings.toml": "x\n",
	".nvm/versions/node/v1/lib/node_modules/npm/package.json": "{}\n", ".pyenv/versions/3/lib/python3/os.py": "x\n",
	".pyenv/versions/3/ssl/cacert.pem": "-----BEGIN CERTIFICATE-----\nx\n", ".m2/repository/x/x.pom": "x\n", ".m2/wrapper/dists/m/h/bin/mvn": "x\n",
	".gradle/caches/modules-2/x": "x\n", ".cache/go-build/00/x-d": "x\n", ".local/bin/tool": "#!/bin/sh\n", ".npm/_cacache/index-v5/x": "x\n",
	".sdkman/candidates/java/17/conf/net.properties": "x\n", ".nuget/packages/x/x": "x\n", ".virtualenvs/v/lib/python3/site-packages/x.py": "x\n",
	".cargo/git/db/y/config": "[remote \"origin\"]\n\turl = https://h/x\n", ".cargo/git/db/y/HEAD": "x\n", ".cargo/git/db/y/objects/x": "x\n",
	".rbenv/versions/3/bin/ruby": "x\n", ".stack/snapshots/x": "x\n", "miniconda3/lib/libx.so": "x\n", "miniconda3/envs/e/lib/libx.so": "x\n",
	".sdkman/candidates/maven/4/conf/settings.xml": "<settings><!-- <password>secret</password> --></settings>\n",
}

// TestNoCredentialOfAHomeCanBeRead: whatever lies in the home of a session, no contained run reads a credential, and all of
// them read packages and toolchains.
func TestNoCredentialOfAHomeCanBeRead(t *testing.T) {
	need(t, v1.ProfileProject)
	p := newPerson(t)
	for _, files := range []map[string]string{planted, seen} {
		for name, text := range files {
			p.write(t, name, strings.Replace(text, "LONG", strings.Repeat("#", 5<<20), 1))
		}
	}
	for _, profile := range profiles {
		t.Run(profile, func(t *testing.T) {
			run := p.readAll(t, profile)
			assert.Empty(t, p.launch(t, profile).run(t, "grep", "-rsl", "CANARY", p.home).stdout)
			for name := range planted {
				assert.NotContains(t, run[name], "CANARY", name)
			}
			for name, text := range seen {
				assert.Equal(t, text, run[name], name)
			}
		})
	}
}

// readAll is what a contained run reads of the planted and the seen files.
func (p *person) readAll(t *testing.T, profile string) map[string]string {
	t.Helper()
	names := slices.Concat(slices.Collect(maps.Keys(planted)), slices.Collect(maps.Keys(seen)))
	got := p.launch(t, profile).run(t, append([]string{"bash", "-c", `for file; do printf '\n\0%s\0' "$file"; head -c 200 ~/"$file"; tail -c 200 ~/"$file"; done`, "-"}, names...)...)
	out := map[string]string{}
	for part := range strings.SplitSeq(got.stdout, "\n\x00") {
		name, text, _ := strings.Cut(part, "\x00")
		out[name] = text[:len(text)/2]
		if text[:len(text)/2] != text[len(text)/2:] {
			out[name] = text
		}
	}
	return out
}

// TestASecretWithAnotherNameIsInNoRun: the other name may be one that can be read.
func TestASecretWithAnotherNameIsInNoRun(t *testing.T) {
	p := newPerson(t)
	for _, name := range []string{".aws/credentials", ".gnupg/private-keys-v1.d/x.key", ".netrc", ".gitconfig", ".cargo/credentials.toml"} {
		p.write(t, name, "[alias]\nx = !CANARY\n")
		p.write(t, "go/bin/x", "x")
		require.NoError(t, p.contain(t, v1.ProfileReadOnly))
		require.NoError(t, os.Link(p.home+"/"+name, p.home+"/go/bin/other"))
		require.ErrorContains(t, p.contain(t, v1.ProfileReadOnly), filepath.Base(name)+" has other names", name)
		require.NoError(t, os.Remove(p.home+"/go/bin/other"))
	}
}
