package v1

import (
	"fmt"
	"time"
)

// Bounds of durations in requests.
const (
	// MaxWait is how long an answer may be held.
	MaxWait = 10 * time.Minute
	// MaxTTL is how long a remembered answer may hold that isn't for good.
	MaxTTL = 10 * 365 * 24 * time.Hour
)

// ParseWait reads how long an answer is to be held. The error states what is allowed.
func ParseWait(text string) (time.Duration, error) {
	wait, err := time.ParseDuration(text)
	if err != nil || wait < 0 || wait > MaxWait {
		return 0, fmt.Errorf("a duration from 0s to %s, such as 30s", MaxWait)
	}
	return wait, nil
}

// ParseTTL reads how long a remembered answer is to hold. The error states what is allowed.
func ParseTTL(text string) (time.Duration, error) {
	life, err := time.ParseDuration(text)
	if err != nil || life < time.Second || life > MaxTTL {
		return 0, fmt.Errorf("a duration from 1s to %s, such as 90m or 24h", MaxTTL)
	}
	return life, nil
}
