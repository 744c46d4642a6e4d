package sidecar

import (
	"strings"
	"sync/atomic"
	"time"

	v1 "policyd/api/v1"
	"policyd/internal/config"
	"policyd/internal/contain"
	"policyd/internal/runs"
	"policyd/internal/server"
)

// containment is what this machine can enforce. Until find has found it out, it is nothing.
type containment struct {
	turnedOff bool
	report    atomic.Pointer[contain.Report]
}

func newContainment(s *Settings) *containment {
	return &containment{turnedOff: s.Contain == config.ContainOff}
}

// find probes what works, concurrently with the caller. It starts this program several times, so a server
// begins when it is ready.
func (c *containment) find() {
	if c == nil || c.turnedOff {
		return
	}
	go func() {
		report := contain.Probe()
		c.report.Store(&report)
	}()
}

// profiles are those that work here.
func (c *containment) profiles() v1.Set {
	report := c.report.Load()
	if c.turnedOff || report == nil {
		return nil
	}
	var works v1.Set
	for i := range report.Capabilities {
		if report.Capabilities[i].Works {
			works = append(works, report.Capabilities[i].Profile)
		}
	}
	if works.Has(v1.ProfileProject) { // both need a mount namespace
		works = append(works, v1.ProfileMasks)
	}
	return works
}

// checks are one for each profile. None of them makes the server unready: what can't be
// contained is judged as it always was.
func (c *containment) checks() []server.Check {
	report := c.report.Load()
	switch {
	case c.turnedOff:
		return []server.Check{{Name: "contain", OK: true, Detail: "turned off by the setting contain"}}
	case report == nil:
		return []server.Check{{Name: "contain", OK: true, Detail: "probing what works here"}}
	}
	var checks []server.Check
	for _, capability := range report.Capabilities {
		check := server.Check{Name: "contain/" + capability.Profile, OK: capability.Works, Detail: capability.Why}
		if capability.Works {
			check.Detail = "works, with " + strings.Join(report.Mechanisms, ", ")
		}
		checks = append(checks, check)
	}
	return checks
}

// newRuns makes the book of calls that are to be run contained.
func newRuns(found *containment, left *leftovers) *runs.Book {
	return runs.New(found.profiles, time.Now, left.granted)
}
