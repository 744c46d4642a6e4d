package main

import (
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestColumnsFitTheTerminal(t *testing.T) {
	rows := func() [][]string {
		return [][]string{
			{"AGE", "WHAT", "MESSAGE"},
			{"3m", "git push origin a-branch-with-a-very-long-name", "git push is not approved in /srv/proj, since nobody said so yet"},
			{"12h", "übergröße 漢字", "x"},
		}
	}
	for _, width := range []int{80, 40, 20} {
		for _, line := range columns(rows(), width) {
			assert.LessOrEqual(t, utf8.RuneCountInString(line), width)
		}
	}
	whole := columns(rows(), 0)
	assert.Contains(t, whole[1], "nobody said so yet", "nothing is cut without a terminal")
	assert.Equal(t, "AGE  WHAT                                            MESSAGE", whole[0])
}

func TestTimesAreRelative(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"2026-03-04T12:00:00Z": "now", "2026-03-04T11:59:30Z": "30s", "2026-03-04T11:15:00Z": "45m", "2026-03-03T11:00:00Z": "25h",
		"2026-02-28T12:00:00Z": "4d", "2026-03-04T12:00:05Z": "now", "-": "-",
	} {
		assert.Equal(t, want, ago(text, now), text)
	}
}

func TestIDsAreFoundByTheirBeginning(t *testing.T) {
	ids := []string{"01997c1e-0000-7000-8000-000000000001", "01997c1e-0000-7000-8000-000000000002", "01997c1f-aaaa-7000-8000-000000000003"}
	short := shortIDs(ids)
	for _, id := range ids {
		full, err := fullID("prompt", "policyd prompts list", short[id], ids)
		assert.NoError(t, err)
		assert.Equal(t, id, full)
	}
	assert.Equal(t, "01997c1f", short[ids[2]])
	for _, given := range []string{"01997c1e", "0199", "019", "", "ffff"} {
		_, err := fullID("prompt", "policyd prompts list", given, ids)
		assert.Error(t, err, given)
	}
	at, known := idTime(ids[0])
	assert.True(t, known)
	before, _ := idTime("0199")
	assert.False(t, before.After(at))
	_, known = idTime("nothing")
	assert.False(t, known)
}
