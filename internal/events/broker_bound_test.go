package events_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/events"
)

// What is kept for watchers is bounded in bytes, too. A watcher that needs what was dropped
// reads everything again.
func TestEventsAreBoundedInBytes(t *testing.T) {
	const each, most = 1 << 20, 8 << 20
	broker := events.New("e")
	behind := broker.Watch("")
	defer behind.Close()
	for range 20 {
		broker.Publish(events.PromptCreated, strings.Repeat("x", each))
	}
	list, _ := behind.Next()
	require.NotEmpty(t, list)
	assert.Equal(t, events.Resync, list[0].Kind)

	late := broker.Watch("e-0")
	defer late.Close()
	list, _ = late.Next()
	require.NotEmpty(t, list)
	assert.Equal(t, events.Resync, list[0].Kind, "the first events are gone")

	recent := broker.Watch("e-15")
	defer recent.Close()
	list, _ = recent.Next()
	require.Len(t, list, 4)
	assert.Equal(t, events.PromptCreated, list[0].Kind)
	size := 0
	for i := range list {
		size += len(list[i].Data)
	}
	assert.Less(t, size, most)
}
