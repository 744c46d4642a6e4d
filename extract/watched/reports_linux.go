package watched

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	// maxReport is how many bytes of reports are read at once, about a thousand of them,
	// and maxReports how often for one call. More than that make it forget everything.
	maxReport  = 32 << 10
	maxReports = 4
	// longestReport is more than one takes: what left that much room was all there was.
	longestReport = unix.SizeofInotifyEvent + 2*(unix.NAME_MAX+1)
)

// What ends all knowledge.
var (
	errMounts = errors.New("mounts have changed")
	errLost   = errors.New("reports are lost")
	errClosed = errors.New("nothing is watched")
)

// takeIn takes in what the kernel has reported until now. An error says that nothing of
// what is known can be relied upon; then all of it is dropped.
func (d *Directories) takeIn() (err error) {
	if d.inotify < 0 {
		return errClosed
	}
	defer func() {
		if err != nil {
			d.end()
		}
	}()
	d.waiting = [2]unix.PollFd{{Fd: int32(d.inotify), Events: unix.POLLIN}, {Fd: int32(d.mounts), Events: unix.POLLPRI}} //nolint:gosec // descriptors are small
	for {
		_, err = unix.Ppoll(d.waiting[:], &unix.Timespec{}, nil)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("ask for reports: %w", err)
	case d.waiting[1].Revents != 0:
		return errMounts
	case d.waiting[0].Revents == 0:
		return nil
	}
	for range maxReports {
		n, err := unix.Read(d.inotify, d.buffer)
		switch {
		case errors.Is(err, unix.EAGAIN):
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("read reports: %w", err)
		}
		if err := d.readReports(d.buffer[:n]); err != nil {
			return err
		}
		if len(d.buffer)-n >= longestReport {
			return nil // whatever comes now is of a later change
		}
	}
	return errLost
}

// readReports takes in reports as the kernel writes them: a watch, events, a cookie and
// the length of a name, each of 32 bits, and the name with zeros behind it.
func (d *Directories) readReports(all []byte) error {
	for len(all) > 0 {
		if len(all) < unix.SizeofInotifyEvent {
			return errLost
		}
		watch := int32(binary.NativeEndian.Uint32(all)) //nolint:gosec // it is one
		event, length := binary.NativeEndian.Uint32(all[4:]), int64(binary.NativeEndian.Uint32(all[12:]))
		all = all[unix.SizeofInotifyEvent:]
		if event&unix.IN_Q_OVERFLOW != 0 || length > int64(len(all)) {
			return errLost
		}
		name, _, _ := bytes.Cut(all[:length], []byte{0})
		all = all[length:]
		d.view.reports++
		d.report(int(watch), string(name))
	}
	return nil
}

// report takes in one report. One without a name is about the directory itself: about
// its permissions, its place, or its end.
func (d *Directories) report(watch int, name string) {
	for _, at := range slices.Clone(d.at[watch]) {
		known := d.view.known[at]
		if known == nil {
			continue // it was below another path of the same directory
		}
		if name == "" {
			d.forget(at)
			continue
		}
		known.stamp.Store(nil)
		known.changed = d.view.reports
		for _, child := range slices.Clone(known.children) {
			if mayBe(path.Base(child), name) {
				d.forget(child)
			}
		}
	}
}

// mayBe reports whether a reported name may be that of a known one: a directory can
// take two spellings for one name (casefold of ext4(5) and tmpfs).
func mayBe(known, reported string) bool {
	return strings.EqualFold(known, reported) || !ascii(known) || !ascii(reported)
}

func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= 0x80 })
}
