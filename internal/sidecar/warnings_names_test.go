package sidecar

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMisspeltNamesAreRecognized(t *testing.T) {
	assert.Equal(t, " (did you mean shell?)", meant("shel", []string{"read", "shell"}))
	assert.Empty(t, meant("xy", []string{"read", "shell"}))
	assert.Empty(t, meant("coordinator", []string{"claude"}))
}
