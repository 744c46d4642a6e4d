package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// releaseProgram lets go of the pages of the program's own file, which a start touches
// once, most of them: what is needed again is mapped again from the page cache. Pages that
// can be written to are left alone.
func releaseProgram() error {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("find the program: %w", err)
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return fmt.Errorf("read the map of memory: %w", err)
	}
	defer maps.Close()
	var failed error
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		start, length, ours := programPages(lines.Text(), program)
		if !ours {
			continue
		}
		if _, _, code := syscall.Syscall(syscall.SYS_MADVISE, start, length, syscall.MADV_DONTNEED); code != 0 {
			failed = errors.Join(failed, fmt.Errorf("release pages: %w", code))
		}
	}
	return errors.Join(failed, lines.Err())
}

// programPages reads a line of /proc/self/maps (proc_pid_maps(5)). ours is true for pages
// of the program that nobody can write to.
func programPages(line, program string) (start, length uintptr, ours bool) {
	fields := strings.SplitN(line, " ", 3)
	if len(fields) != 3 || !strings.HasSuffix(fields[2], " "+program) {
		return 0, 0, false
	}
	if access := fields[1]; access != "r--p" && access != "r-xp" {
		return 0, 0, false
	}
	var end uintptr
	if read, err := fmt.Sscanf(fields[0], "%x-%x", &start, &end); err != nil || read != 2 || end <= start {
		return 0, 0, false
	}
	return start, end - start, true
}
