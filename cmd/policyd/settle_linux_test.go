package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOnlyTheProgramsOwnPagesAreReleased(t *testing.T) {
	const program = "/usr/bin/policyd"
	for line, want := range map[string][2]uintptr{
		"00400000-01e55000 r-xp 00000000 fe:00 998612                             /usr/bin/policyd":       {0x400000, 0x1a55000},
		"01e55000-0408b000 r--p 01a55000 fe:00 998612                             /usr/bin/policyd":       {0x1e55000, 0x2236000},
		"0408b000-042ae000 rw-p 03c8b000 fe:00 998612                             /usr/bin/policyd":       {},
		"7fae91000000-7fae91001000 r--p 00000000 fe:00 998612                     /lib/usr/bin/policyd-x": {},
		"7fae91000000-7fae91001000 r--s 00000000 fe:00 998612                     /usr/bin/policyd":       {},
		"7fae91000000-7fae91001000 r--p 00000000 00:00 0 ":                                                {},
		"nonsense r--p 00000000 fe:00 998612 /usr/bin/policyd":                                            {},
		"": {},
	} {
		start, length, ours := programPages(line, program)
		assert.Equal(t, want, [2]uintptr{start, length}, line)
		assert.Equal(t, want != [2]uintptr{}, ours, line)
	}
	require.NoError(t, releaseProgram())
	require.NoError(t, releaseProgram(), "a program goes on without its pages")
}

// No mapping of the program is left that a huge page would fit into.
func TestAReleasedProgramHasNoHugePages(t *testing.T) {
	require.NoError(t, releaseProgram())
	program, err := os.Readlink("/proc/self/exe")
	require.NoError(t, err)
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	pieces := 0
	for line := range strings.Lines(string(maps)) {
		start, length, ours := programPages(strings.TrimSuffix(line, "\n"), program)
		if !ours {
			continue
		}
		pieces++
		// Two megabytes from where a huge page may begin.
		begins := (start + 2*piece - 1) / (2 * piece) * (2 * piece)
		assert.Greater(t, begins+2*piece, start+length, line)
	}
	assert.Greater(t, pieces, 10)
}
