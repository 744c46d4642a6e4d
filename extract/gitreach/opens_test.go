package gitreach

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
	"policyd/extract/git/history"
)

// V5: an option that isn't listed may open anything, and each that is listed is one of the program table.
func TestOpeners(t *testing.T) {
	openers, err := loadGitOpeners()
	require.NoError(t, err)
	text, err := os.ReadFile("../argv/programs/git.json")
	require.NoError(t, err)
	for verb, command := range openers {
		last := verb[strings.LastIndexByte(verb, ' ')+1:]
		assert.Containsf(t, string(text), `"`+last+`"`, verb)
		for option := range command.options {
			name := strings.Trim(option, "<>")
			known := option == "-NUM" || strings.Contains(string(text), `"`+name+`"`) || strings.Contains(string(text), `"`+name+`,`) ||
				strings.Contains(string(text), `,`+name+`"`) || strings.Contains(string(text), `"`+name+`:`)
			assert.Truef(t, known, "%s: %s", verb, option)
		}
	}
	form := func(names ...string) (f v1.Form) {
		for _, name := range names {
			f.Put(name, "none")
		}
		return f
	}
	log := openers["git log"]
	for _, test := range []struct {
		form  v1.Form
		opens history.Opens
		known bool
	}{
		{form("--oneline", "-NUM", "--no-pager"), log.opens, true},
		{form("--oneline", "--stat"), log.opens | history.OpensChanges, true},
		{form("--all"), log.opens | history.OpensAll, true},
		{form("<rev>", "<path>"), log.opens, true},
		{form("--oneline", "--follow"), 0, false},
		{form("--find-copies"), 0, false},
	} {
		opens, known := log.opened(test.form)
		assert.Equal(t, test.opens, opens, test.form)
		assert.Equal(t, test.known, known, test.form)
	}
	diff, known := openers["git diff"].opened(form("--stat"))
	assert.True(t, known)
	assert.NotZero(t, diff&history.OpensTracked)
}
