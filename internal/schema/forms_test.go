package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOnlyTheWidestFormsStay(t *testing.T) {
	form := func(needs map[string]string, names ...string) safeForm {
		made := safeForm{Form: map[string]string{}, Needs: needs}
		for _, name := range names {
			made.Form[name] = "none"
		}
		return made
	}
	nothing := map[string]string{}
	narrow, wide, other := form(nothing, "-a"), form(nothing, "-a", "-b"), form(nothing, "-c")
	assert.Equal(t, []safeForm{wide, other}, widest([]safeForm{narrow, wide, other}))
	assert.Equal(t, []safeForm{wide, other}, widest([]safeForm{wide, other, narrow}))
	assert.Equal(t, []safeForm{wide}, widest([]safeForm{wide, form(nothing, "-b", "-a")}), "of equals the first stays")

	needing := form(map[string]string{"-b": "none"}, "-a", "-b")
	assert.Equal(t, []safeForm{narrow, needing}, widest([]safeForm{narrow, needing}), "what needs an option holds nothing without it")
	assert.Equal(t, []safeForm{wide}, widest([]safeForm{needing, wide}))
	valued := safeForm{Form: map[string]string{"-a": "value"}, Needs: nothing}
	assert.Equal(t, []safeForm{valued, wide}, widest([]safeForm{valued, wide}), "another kind is another option")
}
