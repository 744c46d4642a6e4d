package scope

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/lists"
)

// keysOf are the settings of a file that the built-in policy knows.
func keysOf(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile("../../policies/policyd/config/contain/data.json")
	require.NoError(t, err)
	var data lists.Contain
	require.NoError(t, json.Unmarshal(text, &data))
	for _, settings := range data.Read.Settings {
		if slices.Contains(settings.Files, file) {
			return settings.Keys
		}
	}
	require.Fail(t, "no settings", file)
	return nil
}

// TestSettingsOfBuildsAreKnown: what people set for builds is shown to contained runs.
func TestSettingsOfBuildsAreKnown(t *testing.T) {
	for file, contents := range map[string][]string{
		"~/.gitconfig": {
			"", "# mine\n[user]\n\tname = Zoë O'Hara\n\temail = zoe@example.org\n[core]\n\tautocrlf = input\n\texcludesFile = ~/.gitignore\n",
			"[color \"diff\"]\n\tmeta = yellow bold\n[alias]\n\tlg = log --graph --pretty=format:'%h %an <%ae>'\n[safe]\n\tdirectory = /srv/x\n",
			"[credential]\n\thelper = store\n", "[init]\n\tdefaultBranch = main\n[pull]\n\trebase\n",
		},
		"~/.config/go/env": {"GOFLAGS=-mod=mod -trimpath\nGOPROXY=https://proxy.golang.org,direct\n", "GOTOOLCHAIN=local\n"},
		"~/.cargo/config.toml": {
			"[build]\ntarget-dir = \"/srv/target\"\njobs = 4\n[target.x86_64-unknown-linux-gnu]\nlinker = \"clang\"\nrustflags = [\"-C\", \"link-arg=-fuse-ld=mold\"]\n",
			"[source.crates-io]\nreplace-with = \"mirror\"\n[source.mirror]\nregistry = \"sparse+https://mirror.example.org/index/\"\n[net]\noffline = true\n",
		},
		"~/.gradle/gradle.properties": {"org.gradle.jvmargs=-Xmx2g -XX:+UseParallelGC\norg.gradle.parallel=true\nandroid.useAndroidX=true\n"},
		"~/.condarc":                  {"channels:\n  - conda-forge\n  - defaults\nchannel_priority: strict\nauto_activate_base: false\n"},
		"~/.bundle/config":            {"---\nBUNDLE_PATH: \"vendor/bundle\"\nBUNDLE_JOBS: \"4\"\n"},
		"~/.stack/config.yaml":        {"# This file contains default non-project-specific settings for Stack.\nsystem-ghc: true\nresolver: lts-22.13\n"},
		"~/.config/pnpm/rc":           {"store-dir=/srv/store\n"},
	} {
		for _, content := range contents {
			assert.True(t, settingsAreKnown([]byte(content), keysOf(t, file)), "%s: %s", file, content)
		}
	}
}

// TestSettingsThatMayHoldACredentialAreNotKnown: by their name, by their form, or since they can't be read.
func TestSettingsThatMayHoldACredentialAreNotKnown(t *testing.T) {
	for file, contents := range map[string][]string{
		"~/.gitconfig": {
			"[credential]\n\thelper = \"!echo password=x\"\n", "[credential]\n\thelper = /bin/helper --token abc\n", "[alias]\n\tx = \"!curl -H 'X: y'\"\n",
			"[core]\n\tsshCommand = ssh -i x\n", "[http]\n\tcookieFile = x\n", "[include]\n\tpath = x\n", "[url \"https://k3y@h/\"]\n\tinsteadOf = gh:\n",
			"[user]\n\tname = x \\\n  continued\n", "[alias]\n\tx = log \\\"a\\\"\n", "[user] name = x\n", "[imap]\n\tpass = x\n", "[http]\n\tproxy = http://u:p@h\n",
			"# token = x\n", "# https://h/k3y/x\n", "; ghp 0123456789abcdef0123456789abcdef01234567\n", "[user]\n\tname = 0123456789abcdef0123456789abcdef01234567\n", "[user]\n\tname = 3f2b8c1e-9d4a-4b6f-8e2d-1a2b3c4d5e6f\n",
			"[safe]\n\tdirectory = a\x00b\n", "[user]\n\tname = \xff\n", "[core \"x]\n\teditor\"]\n", "[alias]\n\tx = $(cat x)\n",
		},
		"~/.config/go/env": {
			"GOPROXY=https://u:t@h\n", "GOPROXY=https://t@h,direct\n", "GOPROXY=https://h/AKfycbz1x2y3/go\n", "GOPROXY=https://h/go?key=x\n", "GOAUTH=x\n", "GOFLAGS=-ldflags=-X=main.token=x\n",
		},
		"~/.cargo/config.toml": {
			"[env]\nX = \"y\"\n", "[registries.x]\nindex = \"https://h/\"\n", "[registry]\ntoken = \"x\"\n", "[build]\nrustflags = [\n\"-x\",\n]\n",
			"[source.x]\nregistry = \"\"\"x\"\"\"\n", "[build]\nx = \"\\u0041\"\n", "build = {x = 1}\n", "[source.x]\nregistry = \"https://h/Zm9vYmFy/\"\n",
		},
		"~/.gradle/gradle.properties": {"repoPw=x\n", "repo.pass=x\n", "nexusAuth=x\n", "signing.key=x\n", "systemProp.http.proxyUser=x\n", "org.gradle.jvmargs=-Dhttp.proxyPassword=x\n"},
		"~/.condarc":                  {"channels:\n  - https://h/t/abc/x\n", "channels: [https://h/t/abc/x]\n", "proxy_servers:\n  http: http://h\n", "channel_alias: https://h\n", "- x\n"},
		"~/.bundle/config":            {"---\nBUNDLE_GEMS__X: \"u:p\"\n", "---\nBUNDLE_PATH: |\n  x\n"},
		"~/.npmrc":                    {"x=y\n"},
	} {
		for _, content := range contents {
			assert.False(t, settingsAreKnown([]byte(content), keysOf(t, file)), "%s: %s", file, content)
		}
	}
}
