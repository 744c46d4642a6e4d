//go:build amd64 || arm64

package contain

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sys/unix"
)

// TestTheFirstThreadIsNeverConfined: others would take its limits for those of the process, and a contained program
// could write to the memory of its launcher.
func TestTheFirstThreadIsNeverConfined(t *testing.T) {
	const runs = 300
	var all sync.WaitGroup
	threads := make(chan int, runs)
	for range runs {
		all.Add(1)
		go onOwnThread(func() {
			defer all.Done()
			threads <- unix.Gettid()
		})
	}
	all.Wait()
	close(threads)
	for thread := range threads {
		assert.NotEqual(t, unix.Getpid(), thread)
	}
}
