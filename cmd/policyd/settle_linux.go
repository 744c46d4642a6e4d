package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// releaseProgram releases the pages of the program's own file, most of which only the start needs: they are
// mapped again from the page cache if needed. It leaves writable pages alone.
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
		failed = errors.Join(failed, keepApart(start, length), advise(start, length, syscall.MADV_DONTNEED))
	}
	return errors.Join(failed, lines.Err())
}

func advise(start, length uintptr, advice int) error {
	if _, _, code := syscall.Syscall(syscall.SYS_MADVISE, start, length, uintptr(advice)); code != 0 {
		return fmt.Errorf("release pages: %w", code)
	}
	return nil
}

// piece is how much of the program has the same advice. A huge page is at least two.
const piece = 1 << 20

// keepApart has the kernel map of the program what is touched, and not two megabytes for each touch, which it
// does with files that are in huge pages of the page cache: of a file written in one piece 39 MB counted as
// resident memory in place of 11. Advice against huge pages does not hold for these (Linux 6.18), but a
// mapping of pieces that differ does. They differ in that every other one is left out of core dumps, which
// hold pages of files on demand alone (core(5)).
func keepApart(start, length uintptr) error {
	end := start + length
	for at := (start + piece - 1) / piece * piece; at+piece <= end; at += piece {
		if at/piece%2 == 0 {
			continue // the first page of a program is dumped, and is in an even one
		}
		if err := advise(at, piece, adviceNotToDump); err != nil {
			return err
		}
	}
	return nil
}

// adviceNotToDump is MADV_DONTDUMP of madvise(2), which package syscall lacks.
const adviceNotToDump = 16

// programPages parses a line of /proc/self/maps (proc_pid_maps(5)). ours is true for pages of the program
// that nobody can write to.
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
