package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// ticks are the units in which the kernel states when a process started; it has told programs 100 in a second
// on every architecture since it tells them at all.
const ticks = 100

// startField is where proc_pid_stat(5) has the start time, counted from the
// field behind the program's name.
const startField = 19

// processStarted is when a process started, to the second before, and the zero
// time where the system doesn't say.
func processStarted(pid int) time.Time {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return time.Time{}
	}
	// A program's name may hold blanks and brackets; the last bracket ends it.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) <= startField {
		return time.Time{}
	}
	since, err := strconv.ParseInt(fields[startField], 10, 64)
	booted := bootTime()
	if err != nil || booted == 0 {
		return time.Time{}
	}
	return time.Unix(booted+since/ticks-1, 0)
}

// bootTime is when the system started, in seconds, 0 for unknown.
func bootTime() int64 {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, "btime "); found {
			seconds, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err != nil {
				return 0
			}
			return seconds
		}
	}
	return 0
}
