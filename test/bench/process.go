package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// startPatience bounds how long a server may take to answer at first.
	startPatience = 30 * time.Second
	// clockTicks is how many a second has in /proc, on every Linux.
	clockTicks = 100
)

// process is a server that is measured.
type process struct {
	cmd *exec.Cmd
	log *os.File
}

// launch starts a program. What it prints goes to a file, which trim empties.
func (b *bench) launch(ctx context.Context, environment []string, program string, arguments ...string) (*process, error) {
	log, err := os.CreateTemp(b.dir, filepath.Base(program)+"-*.log")
	if err != nil {
		return nil, fmt.Errorf("make log: %w", err)
	}
	cmd := exec.CommandContext(ctx, program, arguments...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	return &process{cmd: cmd, log: log}, nil
}

// trim empties the log, so that a long run doesn't fill the disk.
func (p *process) trim() error {
	if err := p.log.Truncate(0); err != nil {
		return fmt.Errorf("trim log: %w", err)
	}
	if _, err := p.log.Seek(0, 0); err != nil {
		return fmt.Errorf("trim log: %w", err)
	}
	return nil
}

// stop ends the process as an operator would, and waits for it.
func (p *process) stop() {
	if p == nil {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
	_ = p.log.Close()
}

// busy is how long the process has had a processor so far.
func (p *process) busy() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("read processor time: %w", err)
	}
	// The name of the program, in brackets, may hold blanks.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var ticks int64
	for _, field := range fields[11:13] { // utime and stime
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read processor time: %w", err)
		}
		ticks += n
	}
	return time.Duration(ticks) * time.Second / clockTicks, nil
}

// resident reads figures of /proc/PID/status by their names, in KiB.
func (p *process) resident(names ...string) (map[string]float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return nil, fmt.Errorf("read memory: %w", err)
	}
	figures := map[string]float64{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		for _, wanted := range names {
			if name != wanted {
				continue
			}
			if figures[name], err = strconv.ParseFloat(strings.Fields(value)[0], 64); err != nil {
				return nil, fmt.Errorf("read memory: %w", err)
			}
		}
	}
	if len(figures) != len(names) {
		return nil, fmt.Errorf("read memory: %v of %v are there", figures, names)
	}
	return figures, nil
}

// ownTime is how long this process, the client, has had a processor so far.
func ownTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// retry tries until there is no error, or patience ends.
func retry(ctx context.Context, pause time.Duration, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}
