package v1

import (
	"fmt"
	"time"
)

// Bounds of durations in requests.
const (
	// MaxWait is how long an answer may be held.
	MaxWait = 10 * time.Minute
	// MaxTTL is the longest time for a remembered answer that isn't permanent.
	MaxTTL = 10 * 365 * 24 * time.Hour
)

// ParseWait parses how long to hold a request. The error gives the allowed range.
func ParseWait(text string) (time.Duration, error) {
	wait, err := time.ParseDuration(text)
	if err != nil || wait < 0 || wait > MaxWait {
		return 0, fmt.Errorf("a duration from 0s to %s, such as 30s", MaxWait)
	}
	return wait, nil
}

// ParseTTL parses how long a remembered answer is valid. The error gives the allowed range.
func ParseTTL(text string) (time.Duration, error) {
	life, err := time.ParseDuration(text)
	if err != nil || life < time.Second || life > MaxTTL {
		return 0, fmt.Errorf("a duration from 1s to %s, such as 90m or 24h", MaxTTL)
	}
	return life, nil
}
