package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// ticks are the units of a process's start time. The kernel reports 100 in a second to programs on every
// architecture.
const ticks = 100

// startField is the field of the start time in proc_pid_stat(5), counted from the field after the program's
// name.
const startField = 19

// processStarted is when a process started, rounded down to a second, and the zero time if the system doesn't
// report it.
func processStarted(pid int) time.Time {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return time.Time{}
	}
	// A program's name may contain blanks and brackets; the last bracket ends it.
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
