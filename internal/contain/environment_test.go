package contain

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEnvironmentDropsNamesByPattern(t *testing.T) {
	env := []string{"PATH=/bin", "GIT_DIR=x", "GH_TOKEN=t", "TOKEN=t", "A_KEY_B=k", "POLICYD_TOKEN=t", "TMPDIR=/x", "broken", "=odd", "EMPTY="}
	got := environment(env, []string{"GIT_*", "*_TOKEN", "*KEY*"}, "/run/tmp")
	assert.Equal(t, []string{"PATH=/bin", "TOKEN=t", "EMPTY=", "TMPDIR=/run/tmp", "TMP=/run/tmp", "TEMP=/run/tmp"}, got)
	assert.Equal(t, []string{"TMPDIR=/t", "TMP=/t", "TEMP=/t"}, environment(env, []string{"*"}, "/t"))
}

// The patterns are those of the policy's list of secret variables.
func TestEnvironmentDropsSecretsOfEveryName(t *testing.T) {
	drop := []string{"*REDIS*_URL", "*MONGO*_URI", "*_KEY", "*PASSWORD*", "NPM_CONFIG_*"}
	env := []string{
		"REDIS_URL=r", "MY_REDIS_CACHE_URL=r", "mongo_uri=m", "openai_api_key=k", "npm_config__authToken=t", "Db_Password=p",
		"GOPROXY=https://u:p@proxy.example,direct", "HTTPS_PROXY=http://token@proxy", "DOCS=see https://a.example and ftp://u:p@b",
		"HOME=/home/dev", "URL=https://a.example/@scope/x", "MAIL=dev@a.example", "REDIS_HOST=r", "KEYBOARD=us",
	}
	kept := []string{"HOME=/home/dev", "URL=https://a.example/@scope/x", "MAIL=dev@a.example", "REDIS_HOST=r", "KEYBOARD=us"}
	assert.Equal(t, append(kept, "TMPDIR=/t", "TMP=/t", "TEMP=/t"), environment(env, drop, "/t"))
}

func TestLookupTakesTheLastValue(t *testing.T) {
	assert.Equal(t, "b", lookup([]string{"PATH=a", "PATH=b", "PATHS=c"}, "PATH"))
	assert.Empty(t, lookup(nil, "PATH"))
}
