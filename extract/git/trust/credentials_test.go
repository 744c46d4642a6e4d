package trust

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/extract/git/syntax"
)

func TestSettingsThatHoldSecrets(t *testing.T) {
	for text, want := range map[string][]string{
		"[remote \"origin\"]\n\turl = https://ghp_abc@github.com/a/b\n":                  {"remote.origin.url"},
		"[remote \"Origin\"]\n\turl = HTTPS://me:pw@example.org/a\n":                     {"remote.origin.url"},
		"[url \"https://tok@example.org/\"]\n\tinsteadOf = https://example.org/\n":       {"url.https://tok@example.org/.insteadof"},
		"[http \"https://example.org\"]\n\textraHeader = Authorization: x\n":             {"http.https://example.org.extraheader"},
		"[github]\n\ttoken = x\n[sendemail]\n\tsmtpPass = x\n":                           {"github.token", "sendemail.smtppass"},
		"[credential]\n\thelper = \"!f() { echo password=x; }; f\"\n":                    {"credential.helper"},
		"[remote \"origin\"]\n\turl = git@github.com:a/b.git\n[user]\n\temail = a@b.c\n": nil,
		"[remote \"origin\"]\n\turl = https://example.org/@scope/b\n":                    nil,
		"[credential]\n\thelper = store\n[github]\n\ttoken\n":                            nil,
	} {
		settings, err := syntax.ParseConfig([]byte(text))
		require.NoError(t, err)
		assert.Equal(t, want, credentials(settings), text)
	}
}
