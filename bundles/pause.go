package bundles

import "time"

const (
	// pausePerReload is the pause after a reload, as a multiple of its duration, so that a source that
	// changes all the time costs a tenth of one processor.
	pausePerReload = 9
	// maxPause bounds the pause, since a reload takes long on a busy machine.
	maxPause = time.Second
)

// pause states when the next reload may begin that a change on disk causes. The zero value is at once.
type pause struct{ until time.Time }

// reloaded records that a reload ran from begin to end.
func (p *pause) reloaded(begin, end time.Time) {
	p.until = end.Add(min(pausePerReload*end.Sub(begin), maxPause))
}

// remaining is how long the next reload has to wait; it may be negative.
func (p *pause) remaining(now time.Time) time.Duration { return p.until.Sub(now) }
