package script

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNumberedReadsEachChoice(t *testing.T) {
	assert.Equal(t, []string{"7,7p"}, Numbered("sed", []string{"", ",", "p"}, nil))
	assert.Equal(t, []string{"7p", "p"}, Numbered("sed", []string{"", "p"}, []int{0}))
	assert.Equal(t, []string{"7,7p"}, Numbered("sed", []string{"", ",", "p"}, []int{0}), "sed refuses a comma without an address")
	assert.Equal(t, []string{"NR==7", "NR=="}, Numbered("awk", []string{"NR==", ""}, []int{0}))
	for name, pieces := range map[string][]string{"touching": {"", "", "p"}, "within a name": {"s/a/", "/"}, "before a name": {"", "w out"}} {
		assert.Nil(t, Numbered("sed", pieces, nil), name)
	}
	assert.Nil(t, Numbered("jq", []string{".[", "]"}, nil))
	assert.Nil(t, Numbered("awk", []string{"", ",", ",", ",", ",", ""}, []int{0, 1, 2, 3, 4}), "too many choices")
}

func TestSelectedLines(t *testing.T) {
	for _, text := range []string{"1p", "$p", "1,20p", "2,$p"} {
		assert.True(t, SelectsLines(text), text)
	}
	for _, text := range []string{"", "p", "1", "01p", "1,p", "/a/p", "1,2d", "1p;2p"} {
		assert.False(t, SelectsLines(text), text)
	}
	assert.True(t, SelectsLine("5p"))
	assert.False(t, SelectsLine("1,2p"))
}

func TestRecordNumbers(t *testing.T) {
	for text, want := range map[string][2]bool{
		"{print NR}": {false, true}, "END{print NR}": {true, true}, "/x/{print NR; exit}": {true, true}, "END {print $1}": {}, "END/x/{print NR}": {}, "print NR": {},
	} {
		one, ok := PrintsRecordNumbers(text)
		assert.Equal(t, want, [2]bool{one, ok}, text)
	}
}
