//go:build amd64 || arm64

package contain

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	v1 "policyd/api/v1"
)

// TestAProgramWithoutStageNeverStartsItself: it would run from its beginning again, and start itself without end.
func TestAProgramWithoutStageNeverStartsItself(t *testing.T) {
	staged.Store(false)
	defer staged.Store(true)
	report := Probe()
	for _, capability := range report.Capabilities {
		assert.False(t, capability.Works)
		assert.Contains(t, capability.Why, "contain.Stage")
	}
	command := valid()
	command.Argv, command.NoSignals = []string{"/bin/sh"}, true
	_, err := Run(&command)
	require.ErrorIs(t, err, ErrUnsupported)
	assert.False(t, report.Works(v1.ProfileProject))
}

// TestWhatKnowsNoProbesProvesNothing: an older hook program, or another of its name, lets policyd try itself.
func TestWhatKnowsNoProbesProvesNothing(t *testing.T) {
	for _, program := range []string{"/bin/echo", "/bin/false", "/nonexistent"} {
		assert.NotEmpty(t, try(program, v1.ProfileReadOnly), program)
	}
}
