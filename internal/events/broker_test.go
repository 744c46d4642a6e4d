package events_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"policyd/internal/events"
)

func kinds(list []events.Event) []string {
	out := []string{}
	for _, event := range list {
		out = append(out, event.Kind)
	}
	return out
}

func TestWatchersSeeWhatHappensFromThenOn(t *testing.T) {
	broker := events.New("e")
	broker.Publish("a", 1)
	assert.False(t, broker.Watched())
	watcher := broker.Watch("")
	assert.True(t, broker.Watched())
	list, more := watcher.Next()
	assert.Empty(t, list)
	broker.Publish("b", map[string]int{"n": 2})
	<-more
	list, _ = watcher.Next()
	require.Len(t, list, 1)
	assert.Equal(t, events.Event{ID: "e-1", Kind: "b", Data: []byte(`{"n":2}`)}, list[0])
	watcher.Close()
	assert.False(t, broker.Watched())
}

func TestWatchersGoOnFromAnEvent(t *testing.T) {
	broker := events.New("e")
	for _, kind := range []string{"a", "b", "c"} {
		broker.Publish(kind, nil)
	}
	for after, want := range map[string][]string{
		"e-0": {"b", "c"}, "e-2": {}, "e-3": {"resync"}, "f-0": {"resync"}, "e-x": {"resync"}, "nonsense": {"resync"},
	} {
		list, _ := broker.Watch(after).Next()
		assert.Equal(t, want, kinds(list), after)
	}
}

// TestSlowWatchersLearnThatTheyMissedEvents checks that nothing is lost in silence.
func TestSlowWatchersLearnThatTheyMissedEvents(t *testing.T) {
	broker := events.New("e")
	slow, behind := broker.Watch(""), broker.Watch("")
	for i := range 4096 {
		broker.Publish(fmt.Sprint(i), nil)
	}
	list, _ := behind.Next()
	assert.Len(t, list, 4096)
	broker.Publish("last", nil)
	list, _ = slow.Next()
	assert.Equal(t, []string{"resync"}, kinds(list))
	list, _ = behind.Next()
	assert.Equal(t, []string{"last"}, kinds(list))
	broker.Publish("next", nil)
	list, _ = slow.Next()
	assert.Equal(t, []string{"next"}, kinds(list))
}

func TestManyPublishAndWatch(t *testing.T) {
	broker := events.New("e")
	var group sync.WaitGroup
	for range 4 {
		watcher := broker.Watch("")
		group.Go(func() {
			seen := 0
			for seen < 400 {
				list, more := watcher.Next()
				seen += len(list)
				if len(list) == 0 {
					<-more
				}
			}
			assert.Equal(t, 400, seen)
		})
	}
	for range 4 {
		group.Go(func() {
			for range 100 {
				broker.Publish("x", nil)
			}
		})
	}
	group.Wait()
}
