package record_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/record"
)

// percent writes each byte with a percent sign.
func percent(text string) string {
	var out strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&out, "%%%02x", c)
	}
	return out.String()
}

// TestOwnTokensAreMasked checks that policyd's own tokens are in no record, however they are written.
func TestOwnTokensAreMasked(t *testing.T) {
	masker := record.NewMasker()
	own := []string{"q7_-" + strings.Repeat("aB3", 13), "Zz0-" + strings.Repeat("x_Y", 13)}
	masker.SetOwn(own)
	for _, token := range own {
		for _, user := range []string{"", "u", "us", "use", "user"} {
			for _, behind := range []string{"", "\n", "12", "123"} {
				plain := user + ":" + token + behind
				for name, text := range map[string]string{
					"as it is": plain, "in a word": "x" + plain + "y", "percent": percent(plain), "escaped": url.QueryEscape(plain),
					"some percent": strings.Replace(plain, "_", "%5F", 1),
					"base64":       "curl -H 'X-A: Basic " + base64.StdEncoding.EncodeToString([]byte(plain)) + "' x",
					"raw base64":   base64.RawURLEncoding.EncodeToString([]byte(plain)),
					"twice":        plain + " " + plain,
				} {
					safe, changed := masker.Mask(text)
					assert.True(t, changed, name)
					assert.NotContains(t, safe, token, name)
					assert.Contains(t, safe, record.Masked, name)
					for word := range strings.FieldsSeq(safe) {
						decoded, _ := base64.StdEncoding.DecodeString(strings.Trim(word, "'"))
						assert.NotContains(t, string(decoded), token, name)
						unescaped, _ := url.QueryUnescape(word)
						assert.NotContains(t, unescaped, token, name)
					}
					again, changed := masker.Mask(safe)
					assert.Equal(t, safe, again, name)
					assert.False(t, changed, name)
				}
			}
		}
	}
	masker.SetOwn(nil)
	_, changed := masker.Mask(own[0])
	assert.False(t, changed)
}

func TestMaskingOwnTokensIsLinear(t *testing.T) {
	masker := record.NewMasker()
	token := "q7_-" + strings.Repeat("aB3", 13)
	masker.SetOwn([]string{token})
	for _, piece := range []string{token, percent(token) + " ", base64.StdEncoding.EncodeToString([]byte(token)) + " ", "%", "%41"} {
		begin := time.Now()
		safe, _ := masker.Mask(strings.Repeat(piece, 1<<20/len(piece)))
		require.NotContains(t, safe, token)
		assert.Less(t, time.Since(begin), 20*time.Second)
	}
}

// TestShownHidesNoCommand checks that a person who is asked sees everything that would run.
func TestShownHidesNoCommand(t *testing.T) {
	masker := record.NewMasker()
	for text, want := range map[string]string{
		"curl -H 'Authorization: Bearer abcdefghijkl' https://x": "curl -H 'Authorization: [masked]' https://x",
		"TOKEN=hunter2 make":                            "TOKEN=[masked] make",
		"TOKEN=$(rm -rf src) make":                      "TOKEN=$(rm -rf src) make",
		"PASSWORD=\"`rm x`\" git push https://T@h/x":    "PASSWORD=\"`rm x`\" git push https://[masked]@h/x",
		"git clone https://$(cat x)@h/y":                "git clone https://$(cat x)@h/y",
		"PASSWORD='a; b' make":                          "PASSWORD='a; b' make",
		"git push https://user:hunter2@h/x && rm -rf y": "git push https://[masked]@h/x && rm -rf y",
	} {
		assert.Equal(t, want, masker.MaskShown(text), text)
	}
}
